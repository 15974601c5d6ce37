/* A table of keys by their numbers. A key is a string or a pair of integers, and may come from a file. The low bits of
 * its hash choose a slot. Keys with the same slot are the leaves of a binary tree, by the first bit in which they
 * differ; bits of the hash come before those of the string:
 *
 *     slot 2: free    slot 3: key 7    slot 4: bit 17 --- 0: key 1
 *                                                    `--- 1: bit 30 --- 0: key 5 ...
 *
 * Whoever makes up keys with the same slot or hash gains nothing: a search passes no more forks than the key has bits,
 * and ends at one key. A list of them would cost the square of their number.
 * Source: Morrison 1968, PATRICIA (the tree). */
#ifndef LB_TABLE_H
#define LB_TABLE_H

#include "base/bytes.h"

#include <assert.h>
#include <string.h>

typedef struct lb_table_key {
    uint64_t hash;
    const char *string; /* of `length` bytes, without a NUL; NULL: no other key has the hash */
    size_t length;
} lb_table_key;

enum { LB_TABLE_NONE = -1 };

/** A place is the number of a key, LB_TABLE_NONE, or, below that, a fork. */
typedef struct lb_table_fork {
    int32_t place[2];
    uint32_t bit; /* of the key: it chooses the place */
} lb_table_fork;

/** It begins as `key_of`, `owner` and zeros. Memory: release `forks`, which the slots are behind. */
typedef struct lb_table {
    lb_table_key (*key_of)(const void *owner, int32_t number);
    const void *owner;
    lb_table_fork *forks; /* [room], each at the number of the key that made it */
    int32_t *slots;       /* [2 * room]: places; at most half of them are taken */
    size_t mask, room;
} lb_table;

static inline lb_table_key lb_table_string(const char *string)
{
    size_t length = strlen(string);
    uint64_t hash = lb_hash(LB_HASH, string, length);
    return (lb_table_key){hash ^ (hash >> 32), string, length};
}

static inline lb_table_key lb_table_pair(int32_t left, int32_t right)
{
    uint64_t hash = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) * UINT64_C(0x9E3779B97F4A7C15);
    return (lb_table_key){.hash = hash >> 32 | hash << 32}; /* one-to-one */
}

/** Empties the table, gives it room for numbers below `room`, a power of two, and adds those from `first` to `end` - 1.
 *  False, and nothing has changed, if there is no memory. */
bool lb_table_fill(lb_table *table, size_t room, int32_t first, int32_t end);

/** Makes room for the number `count`, also in the array at `array`, whose elements have `size` bytes: where it doubles,
 *  the keys from `first` on are added again. False, and nothing has changed for them, if there is no memory. */
bool lb_table_more(lb_table *table, int32_t first, int32_t count, void *array, size_t size);

/** Adds a key, which is not there. */
void lb_table_add(lb_table *table, int32_t number);

/** A bit of a key; 0 behind its end. */
static inline unsigned lb_table_bit(const lb_table_key *key, uint32_t bit)
{
    if (bit < 64) return key->hash >> bit & 1U;
    size_t byte = bit / 8 - sizeof key->hash;
    return byte < key->length ? (unsigned char)key->string[byte] >> bit % 8 & 1U : 0;
}

/** The number of the only key that can be equal to this one: the caller compares them. LB_TABLE_NONE: there is none. */
static inline int32_t lb_table_find(const lb_table *table, lb_table_key key)
{
    assert(table->slots); /* lb_table_fill comes first */
    int32_t place = table->slots[key.hash & table->mask];
    while (place < LB_TABLE_NONE) {
        const lb_table_fork *fork = &table->forks[LB_TABLE_NONE - 1 - place];
        place = fork->place[lb_table_bit(&key, fork->bit)];
    }
    return place;
}

#endif
