/* A table finds what was added to it and nothing else, and no choice of keys makes a search long: not one slot for all
 * of them, and not one hash. */
#include "base/alloc.h"
#include "base/table.h"

#include "support/alloc.h"
#include "support/suite.h"

#include <stdio.h>

enum { ROOM = 1 << 12, PAIRS = 1 << 10, WORD = 8 };

static char word[2 * ROOM][WORD];
static int32_t pair[PAIRS][2];

/* Of words: `owner` is the hash of all of them, or NULL. */
static lb_table_key key_of_word(const void *owner, int32_t number)
{
    lb_table_key key = lb_table_string(word[number]);
    if (owner) key.hash = *(const uint64_t *)owner;
    return key;
}

static lb_table_key key_of_pair(const void *owner, int32_t number)
{
    (void)owner;
    return lb_table_pair(pair[number][0], pair[number][1]);
}

/* Adds the first half of the words, a part of them before there is room for all. */
static lb_table table_of_words(const uint64_t *hash)
{
    lb_table table = {.key_of = key_of_word, .owner = hash};
    for (int i = 0; i < 2 * ROOM; i++)
        snprintf(word[i], WORD, "%d", i * 5 % (2 * ROOM)); /* of 1 to 4 digits */
    ck_assert(lb_table_fill(&table, ROOM / 2, 0, ROOM / 4));
    for (int i = ROOM / 4; i < ROOM / 2; i++) lb_table_add(&table, i);
    ck_assert(lb_table_fill(&table, ROOM, 0, ROOM));
    return table;
}

static int32_t find(const lb_table *table, int32_t number)
{
    return lb_table_find(table, table->key_of(table->owner, number));
}

/* Each key is found, past no more forks than it has bits. */
static void expect_all(const lb_table *table, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        lb_table_key key = table->key_of(table->owner, i);
        int forks = 0, most = 64 + 8 * (int)key.length;
        int32_t at = table->slots[key.hash & table->mask];
        for (; at < LB_TABLE_NONE && forks <= most; forks++) {
            const lb_table_fork *fork = &table->forks[LB_TABLE_NONE - 1 - at];
            at = fork->place[lb_table_bit(&key, fork->bit)];
        }
        SUPPORT_CHECK(at == i && forks <= most, "key %d of %d: found %d after %d forks", i, count, at, forks);
    }
}

START_TEST(test_table_find_after_add_finds_each_string_and_no_other)
{
    lb_table table = table_of_words(NULL);
    expect_all(&table, ROOM);
    for (int i = ROOM; i < 2 * ROOM; i++) {
        int32_t found = find(&table, i);
        SUPPORT_CHECK(found == LB_TABLE_NONE || strcmp(word[found], word[i]) != 0, "%s", word[i]);
    }
    ck_assert(lb_table_fill(&table, ROOM, 0, 0));
    ck_assert_int_eq(find(&table, 0), LB_TABLE_NONE);
    lb_release(table.forks);
}
END_TEST

START_TEST(test_table_find_among_strings_of_one_hash_passes_no_more_forks_than_bits)
{
    const uint64_t hashes[] = {0, UINT64_MAX};
    for (int i = 0; i < 2; i++) {
        lb_table table = table_of_words(&hashes[i]);
        expect_all(&table, ROOM);
        lb_release(table.forks);
    }
}
END_TEST

START_TEST(test_table_find_among_pairs_of_one_slot_passes_no_more_forks_than_bits)
{
    int32_t count = 0;
    lb_table table = {.key_of = key_of_pair};
    ck_assert(lb_table_fill(&table, PAIRS, 0, 0));
    for (int32_t i = 0; count < PAIRS; i++) {
        lb_table_key key = lb_table_pair(i / ROOM, i % ROOM);
        if (key.hash & table.mask) continue;
        pair[count][0] = i / ROOM;
        pair[count][1] = i % ROOM;
        lb_table_add(&table, count++);
    }
    expect_all(&table, PAIRS);
    lb_release(table.forks);
}
END_TEST

START_TEST(test_table_fill_without_memory_changes_nothing)
{
    support_watch_allocations();
    lb_table table = table_of_words(NULL);
    support_fail_allocation(1);
    ck_assert(!lb_table_fill(&table, 2 * ROOM, 0, 1));
    support_fail_allocation(0);
    expect_all(&table, ROOM);
    lb_release(table.forks);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST
