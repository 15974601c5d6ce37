/* The gradients of a step, in more than one chunk, added between processes: here threads, which give each other what they
 * exchange. */
#include "support/group.h"
#include "support/suite.h"
#include "train/exchange.h"

#include <string.h>

static bool any_thread; /* of the group may exchange */

enum { PARAMETERS = 600000, PERIOD = 1000, OWN_SHARDS = 4 };

typedef struct gradient {
    support_member member;
    lb_real found[PARAMETERS];
    lb_shard_totals totals;
    lb_status status;
    lb_error error;
} gradient;

static lb_real gradient_of(int shard, int i)
{
    return (lb_real)((shard + 1) * 0.1 + i % PERIOD * 1e-3);
}

static lb_real tree_of_shards(int first, int count, int i)
{
    return count == 1 ? gradient_of(first, i)
                      : tree_of_shards(first, count / 2, i) + tree_of_shards(first + count / 2, count / 2, i);
}

/* Two steps, so that the second one begins with what the first one has left. The last part becomes final in three
 * pieces. */
static void *sum_gradients(void *argument)
{
    gradient *g = argument;
    lb_params *params = lb_params_new(1);
    lb_shards shards;
    g->member.group.any_thread = any_thread;
    lb_params_add(params, "", "weight", LB_SHAPE(PARAMETERS), (lb_init){LB_INIT_CONSTANT, 0});
    lb_real *grads = lb_params_grads(params);
    g->error = (lb_error){0};
    g->status = lb_shards_init(&shards, params, OWN_SHARDS, &g->error);
    lb_exchange *sum = lb_exchange_new(&g->member.group, &shards, params, &g->error);
    for (int step = 0; step < 2 && sum && !g->status; step++) {
        for (int part = 0; part < OWN_SHARDS; part++) {
            int shard = g->member.group.rank * OWN_SHARDS + part;
            for (int i = 0; i < PARAMETERS; i++) grads[i] = gradient_of(shard, i);
            if (part < OWN_SHARDS - 1) lb_shards_put_aside(&shards, (lb_shard_totals){shard, 1});
        }
        lb_exchange_begin(sum);
        lb_exchange_final(sum, PARAMETERS - 1);
        lb_exchange_final(sum, 200000);
        g->status = lb_exchange_finish(sum, &g->error);
        g->totals = lb_shards_end(&shards, (lb_shard_totals){0.5, 1});
    }
    memcpy(g->found, grads, sizeof g->found);
    lb_exchange_free(sum);
    lb_shards_free(&shards);
    lb_params_free(params);
    return NULL;
}

START_TEST(test_exchange_sums_the_gradients_of_all_shards_in_one_tree)
{
    static gradient all[4];
    for (int run = 0; run < 6; run++) {
        int size = 1 << run % 3;
        lb_real expected[PERIOD];
        for (int i = 0; i < PERIOD; i++) expected[i] = tree_of_shards(0, size * OWN_SHARDS, i);
        any_thread = run >= 3;
        support_run_group(size, sum_gradients, all, sizeof *all);
        for (int rank = 0; rank < size; rank++) {
            ck_assert_msg(all[rank].status == LB_OK, "%s", all[rank].error.message);
            ck_assert_double_eq(all[rank].totals.tokens, OWN_SHARDS);
            int same = 0;
            while (same < PARAMETERS && all[rank].found[same] == expected[same % PERIOD]) same++;
            ck_assert_msg(same == PARAMETERS, "size %d, rank %d, number %d", size, rank, same);
        }
    }
}
END_TEST

/* As after a backward that failed. */
START_TEST(test_exchange_need_not_be_finished)
{
    lb_group alone = {.size = 1, .any_thread = true};
    lb_params *params = lb_params_new(1);
    lb_params_add(params, "", "weight", LB_SHAPE(4), (lb_init){LB_INIT_CONSTANT, 0});
    lb_shards shards;
    lb_error error = {0};
    ck_assert_int_eq(lb_shards_init(&shards, params, 1, &error), LB_OK);
    lb_exchange *sum = lb_exchange_new(&alone, &shards, params, &error);
    ck_assert_ptr_nonnull(sum);
    lb_exchange_begin(sum);
    lb_exchange_free(sum);
    lb_exchange_free(NULL);
    lb_shards_free(&shards);
    lb_params_free(params);
}
END_TEST

static lb_status lose(void *context, int partner, const void *send, size_t send_bytes, void *receive,
                      size_t receive_bytes, lb_error *error)
{
    (void)context, (void)partner, (void)send, (void)send_bytes, (void)receive, (void)receive_bytes;
    return lb_error_set(error, LB_ERROR_BUSY, "rank 1 has not answered");
}

START_TEST(test_exchange_that_fails_says_why)
{
    lb_group group = {.size = 2, .exchange = lose};
    lb_params *params = lb_params_new(1);
    lb_params_add(params, "", "weight", LB_SHAPE(4), (lb_init){LB_INIT_CONSTANT, 0});
    lb_shards shards;
    for (int with = 0; with < 2; with++) {
        lb_error error = {0};
        group.any_thread = with;
        ck_assert_int_eq(lb_shards_init(&shards, params, 1, &error), LB_OK);
        lb_exchange *sum = lb_exchange_new(&group, &shards, params, &error);
        lb_exchange_begin(sum);
        ck_assert_int_eq(lb_exchange_finish(sum, &error), LB_ERROR_BUSY);
        ck_assert_str_eq(error.message, "rank 1 has not answered");
        lb_exchange_free(sum);
        lb_shards_free(&shards);
    }
    lb_params_free(params);
}
END_TEST

int main(void)
{
    return support_run_tests(
        "exchange", SUPPORT_TESTS(test_exchange_sums_the_gradients_of_all_shards_in_one_tree,
                                  test_exchange_need_not_be_finished, test_exchange_that_fails_says_why));
}
