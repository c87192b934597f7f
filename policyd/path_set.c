/*
 * Open addressing; the hash runs along a path, so that its value at each slash
 * is that of the directory.
 */
#include <stdlib.h>

#include "common/log.h"
#include "policyd/path_set.h"

enum { FIRST_SIZE = 256 };

static const uint64_t hash_start = UINT64_C(14695981039346656037);

static uint64_t
hash_step(uint64_t hash, char c)
{
	return (hash ^ (unsigned char)c) * UINT64_C(1099511628211);
}

/* Zero marks a free slot. */
static uint64_t
hash_end(uint64_t hash)
{
	hash ^= hash >> 32;
	return hash != 0 ? hash : 1;
}

static uint64_t
hash_of(struct str path)
{
	uint64_t hash = hash_start;

	for (size_t i = 0; i < path.len; i++)
		hash = hash_step(hash, path.data[i]);
	return hash_end(hash);
}

void
path_set_free(struct path_set *set)
{
	free(set->slot);
	*set = (struct path_set){ NULL, 0, 0 };
}

static uint64_t *
find(const struct path_set *set, uint64_t hash)
{
	size_t at = (size_t)hash & (set->size - 1);

	while (set->slot[at] != 0 && set->slot[at] != hash)
		at = (at + 1) & (set->size - 1);
	return &set->slot[at];
}

static void
grow(struct path_set *set)
{
	struct path_set larger = { NULL, set->size > 0 ? set->size * 2 :
		FIRST_SIZE, set->count };

	larger.slot = calloc(larger.size, sizeof(*larger.slot));
	if (larger.slot == NULL)
		log_panic("path_set", "out of memory");
	for (size_t i = 0; i < set->size; i++)
		if (set->slot[i] != 0)
			*find(&larger, set->slot[i]) = set->slot[i];
	free(set->slot);
	*set = larger;
}

void
path_set_add(struct path_set *set, struct str path)
{
	uint64_t *slot;

	if (set->count * 2 >= set->size)
		grow(set);
	slot = find(set, hash_of(path));
	set->count += *slot == 0;
	*slot = hash_of(path);
}

static bool
has_hash(const struct path_set *set, uint64_t hash)
{
	return set->size > 0 && *find(set, hash) != 0;
}

bool
path_set_has(const struct path_set *set, struct str path)
{
	return has_hash(set, hash_of(path));
}

bool
path_set_has_above(const struct path_set *set, struct str path)
{
	uint64_t hash = hash_start;

	for (size_t i = 0; set->count > 0 && i < path.len; i++) {
		if (path.data[i] == '/' && has_hash(set, hash_end(hash)))
			return true;
		hash = hash_step(hash, path.data[i]);
	}
	return false;
}
