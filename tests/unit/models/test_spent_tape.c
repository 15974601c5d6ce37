/* A tape whose gradients lend their memory to each other: all parameters get the bits that they get otherwise, whatever
 * was in that memory before. This test runs in both precisions. */
#include "autograd/tape.h"
#include "autograd/tape_internal.h"
#include "base/format.h"
#include "lookback/op.h"
#include "lookback/ops.h"
#include "support/leaf.h"
#include "support/sorting.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 8, LENGTH = 9, TRANSFORMER = -1 };

static void *allocate_nan(size_t bytes)
{
    void *memory = malloc(bytes);
    return memory ? memset(memory, 0xff, bytes) : NULL;
}

static support_sorting open_model(int kind)
{
    support_sorter sorter = {.seq2seq = {.embed = 11, .hidden = 18, .heads = 2, .dropout = 0.25}};
    if (kind == TRANSFORMER)
        sorter = (support_sorter){
            .transformer = {.width = 36, .heads = 4, .kv_heads = 2, .layers = 3, .dropout = 0.25}};
    else
        sorter.seq2seq.attention = (lb_attention_kind)kind;
    support_sorting s;
    lb_sort_task task = {.seed = 3, .max_value = 30, .min_length = 5, .max_length = LENGTH};
    ck_assert_int_eq(support_sorting_open(&s, task, sorter), LB_OK);
    return s;
}

/* The bytes of the tape after backward of a step. */
static size_t gradient_of(support_sorting *s, int64_t step, bool spends)
{
    lb_error error = {0};
    lb_params_zero_grads(s->params);
    lb_tape_reset(s->tape);
    lb_tape_seed(s->tape, 5, (uint32_t)step);
    lb_batch lists = lb_sort_batch(&s->task, s->tape, BATCH, step);
    lb_tensor *logits = lb_model_forward(s->model, lists.source, lists.target_in);
    lb_tensor *loss = lb_cross_entropy(logits, lists.target_out, LB_PAD);
    if (spends) lb_tape_spend(s->tape);
    ck_assert_msg(lb_backward(loss, &error) == LB_OK, "%s", error.message);
    return lb_arena_used(s->tape->arena);
}

static void compare(int kind)
{
    support_sorting s = open_model(kind);
    size_t bytes = (size_t)lb_params_size(s.params) * sizeof(lb_real);
    lb_real *kept = malloc(bytes);
    for (int64_t step = 0; step < 2; step++) {
        size_t all = gradient_of(&s, step, false);
        memcpy(kept, lb_params_grads(s.params), bytes);
        size_t spent = gradient_of(&s, step, true);
        ck_assert_msg(memcmp(kept, lb_params_grads(s.params), bytes) == 0, "kind %d, step %d", kind,
                      (int)step);
        ck_assert_msg(spent < all, "kind %d: %zu bytes, and %zu of a tape that is spent", kind, all, spent);
        if (kind == TRANSFORMER) ck_assert_uint_lt(10 * spent, 7 * all);
    }
    free(kept);
    support_sorting_close(&s);
}

START_TEST(test_spent_tape_gives_the_same_gradients_and_takes_less_memory)
{
    lb_set_allocator(&(lb_allocator){allocate_nan, free});
    compare(TRANSFORMER);
    for (int kind = 0; kind < lb_choices(lb_attention_names); kind++) compare(kind);
}
END_TEST

/* Results with one reader, with two, with one that reads it twice, and outputs that nobody reads. */
static lb_tensor *tangle(lb_tensor *x)
{
    lb_tensor *once = lb_mul(x, x), *twice = lb_tanh(once), *product = lb_mul(twice, twice);
    lb_tensor *both = lb_add(lb_exp(product), lb_sigmoid(twice));
    lb_tensor *normal = lb_softmax(lb_mul(both, once));
    return lb_mean_all(
        lb_mul(lb_add(normal, lb_scale(both, 3)), lb_slice(lb_concat(LB_INPUTS(twice, once), 0), 0, 7, 60)));
}

START_TEST(test_spent_tape_of_tangled_results_gives_the_same_gradients)
{
    lb_set_allocator(&(lb_allocator){allocate_nan, free});
    lb_tensor *x = support_leaf(LB_SHAPE(60, 41), -1, 1, 3);
    size_t bytes = (size_t)lb_count(x) * sizeof *x->grad;
    lb_real *kept = malloc(bytes);
    for (int spends = 0; spends < 2; spends++) {
        lb_tape *tape = lb_tape_new();
        memset(x->grad, 0, bytes);
        lb_tensor *loss = tangle(lb_on_tape(tape, x));
        if (spends) lb_tape_spend(tape);
        ck_assert_msg(lb_backward(loss, NULL) == LB_OK, "%s", lb_tape_error(tape));
        if (spends)
            ck_assert_mem_eq(kept, x->grad, bytes);
        else
            memcpy(kept, x->grad, bytes);
        lb_tape_free(tape);
    }
    free(kept);
    support_leaf_free(x);
}
END_TEST
