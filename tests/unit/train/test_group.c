/* What processes of a group add, tell each other and agree on: here threads, which give each other what they
 * exchange. */
#include "lookback/train.h"
#include "support/group.h"
#include "support/suite.h"
#include "tensor/arrays.h"
#include "train/shards.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = SUPPORT_MOST_THREADS };

/* ---- Sums. ---- */

/* More than are sent at once. */
enum { NUMBERS = LB_GROUP_ROOM + 13 };

typedef struct addition {
    support_member member; /* first, for run_group */
    lb_real value[NUMBERS];
    double total[3];
    lb_status status;
} addition;

static lb_real number_of(int rank, int i)
{
    return (lb_real)((rank + 1) * 0.1 + i * 1e-3);
}

static void *add(void *argument)
{
    addition *a = argument;
    lb_error error;
    lb_real *room = malloc(LB_GROUP_ROOM * sizeof *room);
    for (int i = 0; i < NUMBERS; i++) a->value[i] = number_of(a->member.group.rank, i);
    for (int i = 0; i < 3; i++) a->total[i] = 0.1 * (a->member.group.rank + 1) * (i + 1);
    a->status = lb_group_add(&a->member.group, a->value, NUMBERS, room, lb_add_to, &error);
    if (!a->status) a->status = lb_group_add_doubles(&a->member.group, a->total, 3, &error);
    free(room);
    return NULL;
}

/* Neighbours first, and then neighbours of neighbours. */
static lb_real tree(int first, int count, int i)
{
    return count == 1 ? number_of(first, i)
                      : tree(first, count / 2, i) + tree(first + count / 2, count / 2, i);
}

START_TEST(test_group_adds_in_a_tree_and_all_get_the_same_bits)
{
    static addition all[MOST];
    for (int size = 1; size <= MOST; size *= 2) {
        support_run_group(size, add, all, sizeof *all);
        for (int rank = 0; rank < size; rank++) {
            ck_assert_int_eq(all[rank].status, LB_OK);
            for (int i = 0; i < NUMBERS; i += 4099)
                ck_assert_msg(all[rank].value[i] == tree(0, size, i), "size %d, rank %d, %d", size, rank, i);
            ck_assert_mem_eq(all[rank].total, all[0].total, sizeof all[0].total);
        }
    }
}
END_TEST

START_TEST(test_without_a_group_a_sum_is_what_it_was)
{
    lb_real one = 7, room;
    lb_error error;
    ck_assert_int_eq(lb_group_add(NULL, &one, 1, &room, lb_add_to, &error), LB_OK);
    ck_assert(one == 7);
    ck_assert(lb_group_leads(NULL));
    ck_assert_int_eq(lb_group_size(NULL), 1);
}
END_TEST

START_TEST(test_group_that_does_not_divide_the_shards_is_refused)
{
    static const struct {
        int shards, size;
        bool fits;
    } cases[] = {{1, 1, true},  {4, 4, true},  {8, 2, true},     {1024, 1, true}, {2, 4, false},
                 {3, 1, false}, {0, 1, false}, {2048, 1, false}, {8, 3, false},   {6, 2, false}};
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        lb_group group = {.size = cases[i].size};
        lb_error error = {0};
        lb_status status = lb_group_check(&group, cases[i].shards, &error);
        ck_assert_int_eq(status, cases[i].fits ? LB_OK : LB_ERROR_ARGUMENT);
    }
    ck_assert_int_eq(lb_group_check(NULL, 4, NULL), LB_OK);
}
END_TEST

/* ---- Agreement. ---- */

typedef struct listener {
    support_member member;
    char word[8];
    lb_status status;
} listener;

static void *hear(void *argument)
{
    listener *l = argument;
    lb_error error;
    snprintf(l->word, sizeof l->word, "rank %d", l->member.group.rank);
    l->status = lb_group_tell(&l->member.group, l->word, sizeof l->word, &error);
    return NULL;
}

START_TEST(test_group_of_any_size_hears_the_first)
{
    static listener all[MOST];
    char alone[] = "alone";
    for (int size = 1; size <= MOST; size++) {
        support_run_group(size, hear, all, sizeof *all);
        for (int rank = 0; rank < size; rank++) {
            ck_assert_int_eq(all[rank].status, LB_OK);
            ck_assert_str_eq(all[rank].word, "rank 0");
        }
    }
    ck_assert_int_eq(lb_group_tell(NULL, alone, sizeof alone, NULL), LB_OK);
    ck_assert_str_eq(alone, "alone");
}
END_TEST

typedef struct opinion {
    support_member member;
    lb_status status;
    lb_error error;
} opinion;

static int stranger; /* the rank with another text; -1: none */

static void *agree(void *argument)
{
    opinion *o = argument;
    const char *text = o->member.group.rank == stranger ? "AVX2" : "AVX-512";
    o->error = (lb_error){0};
    o->status = lb_group_agree(&o->member.group, "kernel", text, &o->error);
    return NULL;
}

START_TEST(test_group_agrees_or_names_who_does_not)
{
    static opinion all[MOST];
    for (int size = 1; size <= MOST; size++) {
        for (stranger = -1; stranger < size; stranger++) {
            support_run_group(size, agree, all, sizeof *all);
            for (int rank = 0; rank < size; rank++) {
                /* All others differ from rank 0, if that is the stranger. */
                bool fine = stranger < 0 || size == 1;
                ck_assert_int_eq(all[rank].status, fine ? LB_OK : LB_ERROR_ARGUMENT);
                if (fine) continue;
                char expected[128];
                snprintf(expected, sizeof expected,
                         "rank %d on a thread: found the kernel %s, expected %s as in rank 0",
                         stranger ? stranger : 1, stranger ? "AVX2" : "AVX-512",
                         stranger ? "AVX-512" : "AVX2");
                ck_assert_str_eq(all[rank].error.message, expected);
            }
        }
    }
}
END_TEST

static const lb_build usual = {"0.3.0", "OpenBLAS 0.3.21 Haswell", "AVX-512"};

static const struct difference {
    lb_build build;
    const char *message;
} differences[] = {
    {{"0.1.0", "OpenBLAS 0.3.21 Haswell", "AVX-512"}, "version 0.1.0, expected 0.3.0"},
    {{"0.3.0", "OpenBLAS 0.3.21 Zen", "AVX-512"},
     "kernel OpenBLAS 0.3.21 Zen, expected OpenBLAS 0.3.21 Haswell"},
    {{"0.3.0", "OpenBLAS 0.3.21 Haswell", "AVX2"}, "instruction set AVX2, expected AVX-512"},
};

static const struct difference *difference; /* of the last rank */

static void *agree_on_build(void *argument)
{
    opinion *o = argument;
    const lb_group *group = &o->member.group;
    o->error = (lb_error){0};
    o->status =
        lb_group_agree_on(group, group->rank == group->size - 1 ? &difference->build : &usual, &o->error);
    return NULL;
}

START_TEST(test_group_with_different_builds_names_who_differs_in_what)
{
    static opinion all[MOST];
    for (size_t i = 0; SUPPORT_ROW(i, differences); i++) {
        difference = &differences[i];
        for (int size = 2; size <= MOST; size++) {
            char expected[160];
            snprintf(expected, sizeof expected, "rank %d on a thread: found the %s as in rank 0", size - 1,
                     difference->message);
            support_run_group(size, agree_on_build, all, sizeof *all);
            for (int rank = 0; rank < size; rank++) {
                ck_assert_int_eq(all[rank].status, LB_ERROR_ARGUMENT);
                ck_assert_str_eq(all[rank].error.message, expected);
            }
        }
    }
}
END_TEST

static void *agree_on_this_build(void *argument)
{
    opinion *o = argument;
    o->status = lb_group_agree_on_build(&o->member.group, &o->error);
    return NULL;
}

START_TEST(test_group_of_one_build_agrees)
{
    static opinion all[MOST];
    support_run_group(MOST, agree_on_this_build, all, sizeof *all);
    for (int rank = 0; rank < MOST; rank++) ck_assert_int_eq(all[rank].status, LB_OK);
    ck_assert_int_eq(lb_group_agree_on_build(NULL, NULL), LB_OK);
}
END_TEST
