/*
 * The cache of verdicts: few entries, looked through one by one.
 */
#include <stdlib.h>
#include <string.h>

#include "worker/cache.h"
#include "worker/loop.h"

enum {
	CACHE_ENTRIES = 64,
	CACHE_BYTES = 8 * 1024,		/* of one entry, both heads */
	CACHE_QUIET_MS = 2000
};

static struct {
	struct {
		uint64_t	 hash;
		uint64_t	 used;	/* 0: free */
		size_t		 raw_len;
		size_t		 head_len;
		char		*bytes;	/* raw, then head */
		enum face	 face;
	}		 entry[CACHE_ENTRIES];
	uint64_t	 clock;
	uint64_t	 quiet_until;
	uint32_t	 epoch;
} cache;

static uint64_t
hash_of(enum face face, struct str s)
{
	uint64_t h = 0x9e3779b97f4a7c15u + (uint64_t)face + s.len, word;

	for (; s.len >= sizeof(word); s = str_skip(s, sizeof(word))) {
		memcpy(&word, s.data, sizeof(word));
		h = (h ^ word) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	word = 0;
	if (s.len > 0)
		memcpy(&word, s.data, s.len);
	h = (h ^ word) * 0xc4ceb9fe1a85ec53u;
	return h ^ (h >> 29);
}

struct str
cache_find(enum face face, struct str raw)
{
	uint64_t hash = hash_of(face, raw);

	for (size_t i = 0; i < CACHE_ENTRIES; i++) {
		if (cache.entry[i].used == 0 || cache.entry[i].hash != hash ||
		    cache.entry[i].face != face ||
		    cache.entry[i].raw_len != raw.len ||
		    memcmp(cache.entry[i].bytes, raw.data, raw.len) != 0)
			continue;
		cache.entry[i].used = ++cache.clock;
		return (struct str){ cache.entry[i].bytes + raw.len,
			cache.entry[i].head_len };
	}
	return STR_NONE;
}

static size_t
oldest(void)
{
	size_t best = 0;

	for (size_t i = 1; i < CACHE_ENTRIES; i++)
		if (cache.entry[i].used < cache.entry[best].used)
			best = i;
	return best;
}

void
cache_store(enum face face, struct str raw, struct str head, uint32_t epoch)
{
	size_t i = oldest();
	char *bytes;

	if (cache_find(face, raw).data != NULL)
		return;
	/*
	 * Worker and policyd hear of a change by different ways: for a moment
	 * after it a verdict may still come from before it.
	 */
	if (epoch != cache.epoch || loop_now() < cache.quiet_until ||
	    raw.len + head.len > CACHE_BYTES || raw.len == 0 ||
	    head.len == 0)
		return;
	if ((bytes = malloc(raw.len + head.len)) == NULL)
		return;
	memcpy(bytes, raw.data, raw.len);
	memcpy(bytes + raw.len, head.data, head.len);
	free(cache.entry[i].bytes);
	cache.entry[i].bytes = bytes;
	cache.entry[i].raw_len = raw.len;
	cache.entry[i].head_len = head.len;
	cache.entry[i].face = face;
	cache.entry[i].hash = hash_of(face, raw);
	cache.entry[i].used = ++cache.clock;
}

void
cache_clear(void)
{
	for (size_t i = 0; i < CACHE_ENTRIES; i++) {
		free(cache.entry[i].bytes);
		cache.entry[i].bytes = NULL;
		cache.entry[i].used = 0;
	}
	cache.epoch++;
	cache.quiet_until = loop_now() + CACHE_QUIET_MS;
}

uint32_t
cache_epoch(void)
{
	return cache.epoch;
}
