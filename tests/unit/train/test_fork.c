/* A process that has trained with several threads forks: child and parent train on, with the same bits. A child that
 * waits for threads which only its parent has would hang here. */
#include "support/sorting.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 3, BATCH = 64, THREADS = 4 };

static support_sorting s;

static void train(int64_t first)
{
    for (int64_t step = first; step < first + STEPS; step++)
        ck_assert_int_eq(support_sorting_step(&s, BATCH, step, NULL), LB_OK);
}

static void begin(void)
{
    const lb_sort_task task = {.max_value = 9, .min_length = 2, .max_length = 8, .seed = 1};
    const support_sorter sorter = {.seq2seq = {.embed = 32, .hidden = 64}};
    lb_set_threads(THREADS);
    ck_assert_int_eq(support_sorting_open(&s, task, sorter), LB_OK);
    train(0);
}

/* Trains on in a child. Returns its weights, to be freed. */
static lb_real *train_in_child(size_t count)
{
    int ends[2], status;
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        train(STEPS);
        FILE *out = fdopen(ends[1], "wb");
        size_t written = fwrite(lb_params_values(s.params), sizeof(lb_real), count, out);
        _exit(fclose(out) == 0 && written == count ? 0 : 1);
    }
    close(ends[1]);
    lb_real *weights = malloc(count * sizeof *weights);
    FILE *in = fdopen(ends[0], "rb");
    ck_assert_uint_eq(fread(weights, sizeof *weights, count, in), count);
    fclose(in);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    return weights;
}

START_TEST(test_fork_child_and_parent_train_on)
{
    begin();
    size_t count = (size_t)lb_params_size(s.params);
    lb_real *weights = train_in_child(count);
    train(STEPS);
    ck_assert_mem_eq(weights, lb_params_values(s.params), count * sizeof *weights);
    free(weights);
    support_sorting_close(&s);
}
END_TEST
