/*
 * Prints the tables.  A row that is not printed is not in a table, and what is
 * not in a table is refused: the manual is complete by construction.
 */
#include <string.h>

#include "policyd/checks.h"
#include "policyd/filters.h"
#include "policyd/manual.h"
#include "policyd/query.h"
#include "policyd/rules/rules.h"
#include "policyd/walk.h"

enum { PATH_MAX_LEN = 256 };

struct visit {
	manual_visitor		 visitor;
	void			*arg;
	const struct route	*route;
};

static void visit_fields(struct visit *, const char *prefix,
    const struct field *);

static void
tell(struct visit *v, const char *kind, const char *path, enum reason reason,
    const char *text)
{
	struct manual_row row = { v->route, kind, path,
		reason_find((int)reason)->key, text };

	v->visitor(&row, v->arg);
}

/* What a row's argument holds: a table, one row for all elements, or neither. */
static void
visit_nested(struct visit *v, const char *path, const struct field *row)
{
	const struct field *element = row->arg;

	if (row->check == check_object || row->check == check_mounts ||
	    row->check == check_ports || row->check == check_ulimits ||
	    row->check == check_log_config ||
	    row->check == check_libpod_mounts ||
	    row->check == check_libpod_volumes ||
	    row->check == check_image_volumes ||
	    row->check == check_port_mappings)
		visit_fields(v, path, row->arg);
	else if ((row->check == check_array || row->check == check_map ||
	    row->check == check_endpoints ||
	    row->check == check_libpod_networks) && element != NULL)
		visit_nested(v, path, element);
}

static void
visit_fields(struct visit *v, const char *prefix, const struct field *table)
{
	char path[PATH_MAX_LEN];

	for (; table->name != NULL; table++) {
		if (strcmp(table->name, "*") == 0)
			continue;
		snprintf(path, sizeof(path), "%s%s%s", prefix,
		    *prefix != '\0' ? "." : "", table->name);
		tell(v, "body", path, table->reason, table->text);
		visit_nested(v, path, table);
	}
}

static void
visit_params(struct visit *v, const struct param *table)
{
	char path[PATH_MAX_LEN];

	for (; table != NULL && table->name != NULL; table++) {
		const struct filter_set *set = table->arg;

		tell(v, "query", table->name, table->reason, table->text);
		if (table->check != param_filters)
			continue;
		for (const struct filter *f = set->filters; f->name != NULL;
		    f++) {
			snprintf(path, sizeof(path), "filters.%s", f->name);
			tell(v, "query", path, f->reason, f->text);
		}
	}
}

static void
visit_routes(const struct route *table, const char *family,
    manual_visitor visitor, void *arg)
{
	struct visit v = { visitor, arg, NULL };

	for (v.route = table; v.route->path != NULL; v.route++) {
		char path[PATH_MAX_LEN];

		snprintf(path, sizeof(path), "%s %s%s", v.route->method,
		    family, v.route->path);
		tell(&v, "route", path, v.route->refused, v.route->text);
		visit_params(&v, v.route->params);
		if (v.route->fields != NULL)
			visit_fields(&v, "", v.route->fields);
	}
}

void
manual_visit(manual_visitor visitor, void *arg)
{
	visit_routes(compat_routes, "", visitor, arg);
	visit_routes(libpod_routes, "/libpod", visitor, arg);
}

/* mdoc: a dot or quote at the start of a line, and backslashes, mean things. */
static void
put_text(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else
			fputc(*text, out);
	}
}

static const char head[] =
    ".\\\" Made from the tables by policyd --manual; do not edit.\n"
    ".Dd December 1, 2026\n"
    ".Dt CONTAINER-GATEWAY-POLICY 7\n"
    ".Os\n"
    ".Sh NAME\n"
    ".Nm container-gateway-policy\n"
    ".Nd what the container gateway lets through, and why not\n"
    ".Sh DESCRIPTION\n"
    "Everything that\n"
    ".Xr container-gateway 8\n"
    "forwards is named here: a route, a query parameter, a field of a body.\n"
    "What is not named is refused.\n"
    "A refusal is one line,\n"
    ".Dl container-gateway: REASON: what, and what to do\n"
    "and\n"
    ".Ar REASON\n"
    "is one of the codes under\n"
    ".Sx REASONS .\n"
    "A parameter or field stands with the reason of its refusals.\n"
    "Values that are absent, null, empty, zero or false count as not given.\n";

static void
print_reasons(FILE *out)
{
	fputs(".Sh REASONS\nCodes are stable.\n"
	    ".Bl -tag -width network-namespace\n", out);
	for (int i = 1; i < R_COUNT; i++) {
		const struct reason_row *row = reason_find(i);

		fputs(".It Li ", out);
		put_text(out, row->key);
		fprintf(out, " Pq %d\n", row->status);
		put_text(out, row->text);
		fputs(".\n", out);
	}
	fputs(".El\n", out);
}

struct page {
	FILE		*out;
	const char	*open;		/* kind of the list that is open */
};

static void
close_list(struct page *page)
{
	if (page->open != NULL)
		fputs(".El\n", page->out);
	page->open = NULL;
}

static void
print_route(struct page *page, const struct manual_row *row)
{
	close_list(page);
	fprintf(page->out, ".Ss ");
	put_text(page->out, row->path);
	fputc('\n', page->out);
	if (row->route->refused != R_NONE) {
		fputs("Refused\n.Pq Li ", page->out);
		put_text(page->out, row->reason);
		fputs(" :\n", page->out);
	}
	put_text(page->out, row->text);
	fputs(".\n", page->out);
}

static void
print_row(const struct manual_row *row, void *arg)
{
	struct page *page = arg;

	if (strcmp(row->kind, "route") == 0) {
		print_route(page, row);
		return;
	}
	if (page->open == NULL || strcmp(page->open, row->kind) != 0) {
		close_list(page);
		fprintf(page->out, "%s:\n.Bl -tag -width HostConfig.Binds "
		    "-compact\n", strcmp(row->kind, "query") == 0 ?
		    "Query parameters" : "Fields of the body");
		page->open = row->kind;
	}
	fputs(".It Li ", page->out);
	put_text(page->out, row->path);
	fputs(" Pq ", page->out);
	put_text(page->out, row->reason);
	fputc('\n', page->out);
	put_text(page->out, row->text);
	fputs(".\n", page->out);
}

void
manual_print_page(FILE *out)
{
	struct page page = { out, NULL };

	fputs(head, out);
	fputs(".Sh RULES\n", out);
	manual_visit(print_row, &page);
	close_list(&page);
	print_reasons(out);
	fputs(".Sh SEE ALSO\n.Xr hookctl 1 ,\n.Xr container-gateway 8\n", out);
}

struct search {
	FILE		*out;
	const char	*path;
	int		 found;
};

static void
print_found(const struct manual_row *row, void *arg)
{
	struct search *s = arg;
	size_t have = strlen(row->path), want = strlen(s->path);
	bool tail = have > want && row->path[have - want - 1] == '.' &&
	    strcmp(row->path + have - want, s->path) == 0;

	if (strcmp(row->path, s->path) != 0 && !tail)
		return;
	s->found++;
	fprintf(s->out, "%s %s: %s %s: %s (%s)\n", row->route->method,
	    row->route->path, row->kind, row->path, row->text, row->reason);
}

int
manual_print_rows(FILE *out, const char *path)
{
	struct search s = { out, path, 0 };

	manual_visit(print_found, &s);
	return s.found > 0 ? 0 : 1;
}
