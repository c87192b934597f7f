/*
 * Mutants: the rule tables with one row changed in one way.  Knows no case.
 */
#ifndef TEST_MUTATION_MUTANTS_H
#define TEST_MUTATION_MUTANTS_H

#include "test/policy/tables.h"

struct mutant {
	const char	*where;		/* of the row: route, field, parameter */
	const char	*what;		/* the change */
	const struct table_row *table;
	const void	*row;		/* that is changed, for touch.c */
	void		(*apply)(const struct mutant *);
	size_t		 number;	/* of apply: a word, a flag, a rule */
	const struct route *route;	/* first one of the row */
	const struct param *param;	/* of a filter, too */
};
struct mutant_list {
	size_t		 count;
	struct mutant	*mutant;
};

/* Every mutant of every row; strings and trails live in the arena. */
void	 mutants_list(struct arena *, struct mutant_list *);

/* Writes over a constant: the pages become writable first. */
void	 mutants_poke(const void *at, const void *bytes, size_t);
#define MUTANTS_POKE(member, type, ...) do {				\
	type poke_value = __VA_ARGS__;					\
	mutants_poke(&(member), &poke_value, sizeof(poke_value));	\
} while (0)

#endif
