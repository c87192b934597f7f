/*
 * A bounded set of full ids that are known to be this project's: learnt from
 * the daemon's answers to our own creates, or from a look-up that showed the
 * label.  Only full ids, which are never given twice; labels of containers
 * and networks do not change, so an entry never turns wrong.
 *
 * Open addressing by the id's first bytes (they are random hex); when a
 * neighbourhood is full the slot is overwritten: forgetting only costs a
 * look-up.
 */
#include <stdlib.h>
#include <string.h>

#include "policyd/judge.h"

enum { ID_LEN = 64, PROBES = 8 };

struct id_slot {
	char	id[ID_LEN];
	char	parent[ID_LEN];
	bool	used;
	bool	has_parent;
};

struct id_set {
	size_t		 capacity;	/* a power of two */
	struct id_slot	*slots;
};

struct id_set *
ids_new(size_t capacity)
{
	struct id_set *set = calloc(1, sizeof(*set));
	size_t size = PROBES;

	while (size < capacity)
		size *= 2;
	if (set == NULL || (set->slots = calloc(size, sizeof(*set->slots))) ==
	    NULL) {
		free(set);
		return NULL;
	}
	set->capacity = size;
	return set;
}

void
ids_free(struct id_set *set)
{
	if (set != NULL)
		free(set->slots);
	free(set);
}

static bool
is_full_id(struct str id)
{
	if (id.len != ID_LEN)
		return false;
	for (size_t i = 0; i < id.len; i++)
		if (strchr("0123456789abcdef", id.data[i]) == NULL ||
		    id.data[i] == '\0')
			return false;
	return true;
}

static size_t
slot_of(const struct id_set *set, struct str id)
{
	size_t hash = 1469598103u;

	for (size_t i = 0; i < 16; i++)
		hash = (hash ^ (unsigned char)id.data[i]) * 16777619u;
	return hash & (set->capacity - 1);
}

static struct id_slot *
find(const struct id_set *set, struct str id)
{
	size_t at = slot_of(set, id);

	for (size_t i = 0; i < PROBES; i++) {
		struct id_slot *slot =
		    &set->slots[(at + i) & (set->capacity - 1)];

		if (slot->used && memcmp(slot->id, id.data, ID_LEN) == 0)
			return slot;
	}
	return NULL;
}

void
ids_add(struct id_set *set, struct str id, struct str parent)
{
	struct id_slot *slot;
	size_t at;

	if (set == NULL || !is_full_id(id) || find(set, id) != NULL)
		return;
	at = slot_of(set, id);
	slot = &set->slots[at];
	for (size_t i = 0; i < PROBES && slot->used; i++)
		slot = &set->slots[(at + i) & (set->capacity - 1)];
	memcpy(slot->id, id.data, ID_LEN);
	slot->used = true;
	slot->has_parent = is_full_id(parent);
	if (slot->has_parent)
		memcpy(slot->parent, parent.data, ID_LEN);
}

bool
ids_find(const struct id_set *set, struct str id, struct str *parent)
{
	const struct id_slot *slot;

	*parent = STR_NONE;
	if (set == NULL || !is_full_id(id))
		return false;
	slot = find(set, id);
	if (slot == NULL)
		return false;
	if (slot->has_parent)
		*parent = (struct str){ slot->parent, ID_LEN };
	return true;
}
