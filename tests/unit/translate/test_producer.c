/* The pairs of a training's steps: parts of a batch are that batch. */
#include "support/suite.h"
#include "translate/training/data.h"

#include <string.h>

enum { BATCH = 8, STEPS = 3, SHARDS = 4 };

static lb_error error;

static bool is_same_row(lb_tokens a, int64_t row, lb_tokens b, int64_t other)
{
    return a.lengths[row] == b.lengths[other] &&
           memcmp(a.id + row * a.length, b.id + other * b.length, (size_t)a.lengths[row] * sizeof *a.id) == 0;
}

/* A batch has its lists in the order of their lengths. */
START_TEST(test_parts_of_a_batch_of_lists_have_its_lists)
{
    lb_training_data data = {.sorts = true, .task = {.max_value = 99, .min_length = 2, .max_length = 6}};
    const lb_training_config config = {.batch = BATCH};
    lb_data_loader whole, parts;
    lb_tape *tape = lb_tape_new();
    ck_assert_int_eq(lb_data_loader_init(&whole, &data, &config, 3, 1, &error), LB_OK);
    ck_assert_int_eq(lb_data_loader_init(&parts, &data, &config, 3, SHARDS, &error), LB_OK);
    for (int64_t step = 0; step < STEPS; step++) {
        lb_batch all = lb_data_loader_batch(&whole, tape, step);
        bool found[BATCH] = {false};
        ck_assert_int_eq(all.source.batch, BATCH);
        for (int64_t i = 0; i < SHARDS; i++) {
            lb_batch part = lb_data_loader_batch(&parts, tape, step * SHARDS + i);
            ck_assert_int_eq(part.source.batch, BATCH / SHARDS);
            for (int64_t row = 0; row < part.source.batch; row++)
                for (int64_t k = 0; k < BATCH; k++)
                    found[k] = found[k] || is_same_row(part.source, row, all.source, k);
        }
        for (int64_t k = 0; k < BATCH; k++) ck_assert(found[k]);
    }
    lb_data_loader_free(&parts);
    lb_data_loader_free(&whole);
    lb_tape_free(tape);
}
END_TEST

int main(void)
{
    return support_run_tests("data_loader", SUPPORT_TESTS(test_parts_of_a_batch_of_lists_have_its_lists));
}
