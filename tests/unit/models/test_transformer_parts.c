/* A transformer whose layers lack self-attention, feed-forward parts, or both: the same numbers as those of one whose
 * parts are there and add zeros. This test runs in both precisions. */
#include "autograd/op.h"
#include "lookback/models.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { SYMBOLS = 9, ROWS = 2, SOURCE = 5, TARGET = 4, LAYERS = 2 };

static const double ROUNDING = sizeof(lb_real) == sizeof(double) ? 1e-12 : 1e-5;

static const lb_transformer_config lacking[] = {{.no_self_attention = true},
                                                {.no_feed_forward = true},
                                                {.no_self_attention = true, .no_feed_forward = true}};

typedef struct made {
    lb_params *params;
    lb_tape *tape;
    lb_transformer model;
} made;

static void make(made *m, lb_transformer_config config)
{
    *m = (made){.params = lb_params_new(5), .tape = lb_tape_new()};
    config.source_vocab = config.target_vocab = SYMBOLS;
    config.width = 16;
    config.heads = 4;
    config.layers = LAYERS;
    ck_assert_msg(lb_transformer_init(&m->model, m->params, "", config) == LB_OK, "%s",
                  lb_params_error(m->params));
}

static void drop(made *m)
{
    lb_tape_free(m->tape);
    lb_params_free(m->params);
}

static lb_tokens source_of(lb_tape *tape)
{
    static const int32_t id[ROWS * SOURCE] = {4, 6, 5, 7, 4, 5, 7}, lengths[ROWS] = {5, 2};
    return lb_tokens_from(tape, id, lengths, ROWS, SOURCE);
}

static lb_tokens target_of(lb_tape *tape, bool out)
{
    static const int32_t id[2][ROWS * TARGET] = {{LB_BOS, 4, 5, 6, LB_BOS, 5, 7, 8},
                                                 {4, 5, 6, 8, 5, 7, 8, LB_EOS}};
    return lb_tokens_from(tape, id[out], NULL, ROWS, TARGET);
}

static void clear(const lb_linear *linear)
{
    memset(linear->weight->data, 0, (size_t)lb_count(linear->weight) * sizeof *linear->weight->data);
    memset(linear->bias->data, 0, (size_t)lb_count(linear->bias) * sizeof *linear->bias->data);
}

/* Lets a whole model add nothing by what another lacks, and gives that one its other parameters. */
static void make_equal(const made *whole, const made *small)
{
    const lb_transformer_config *config = &small->model.config;
    const lb_transformer_stack *const stacks[] = {&whole->model.encoder, &whole->model.decoder};
    for (int i = 0; i < 2 * LAYERS; i++) {
        const lb_transformer_layer *layer = &stacks[i / LAYERS]->layer[i % LAYERS];
        if (config->no_self_attention) clear(&layer->self.output);
        if (config->no_feed_forward) clear(&layer->outer);
    }
    ck_assert_int_lt(lb_params_count(small->params), lb_params_count(whole->params));
    for (int i = 0; i < lb_params_count(small->params); i++) {
        const char *name = lb_params_name(small->params, i);
        const lb_tensor *to = lb_params_tensor(small->params, i), *from = lb_params_find(whole->params, name);
        ck_assert_msg(from != NULL, "%s", name);
        memcpy(to->data, from->data, (size_t)lb_count(to) * sizeof *to->data);
    }
}

static double learn(const made *m)
{
    lb_tensor *logits = lb_transformer_forward(&m->model, source_of(m->tape), target_of(m->tape, false));
    lb_tensor *loss = lb_cross_entropy(logits, target_of(m->tape, true), LB_PAD);
    ck_assert_int_eq(lb_backward(loss, NULL), LB_OK);
    return (double)loss->data[0];
}

START_LOOP_TEST(test_transformer_that_lacks_parts_is_one_whose_parts_add_nothing, LB_LENGTH(lacking))
{
    made whole, small;
    make(&whole, (lb_transformer_config){0});
    make(&small, lacking[_i]);
    make_equal(&whole, &small);
    ck_assert_double_eq_tol(learn(&small), learn(&whole), ROUNDING);
    for (int i = 0; i < lb_params_count(small.params); i++) {
        const char *name = lb_params_name(small.params, i);
        const lb_tensor *found = lb_params_tensor(small.params, i),
                        *expected = lb_params_find(whole.params, name);
        for (int64_t k = 0; k < lb_count(found); k++)
            ck_assert_msg(fabs((double)(found->grad[k] - expected->grad[k])) < ROUNDING, "%s", name);
    }
    drop(&whole);
    drop(&small);
}
END_TEST

/* Also what is written step by step, and where it looks. */
START_LOOP_TEST(test_transformer_that_lacks_parts_writes_what_the_whole_one_writes, LB_LENGTH(lacking))
{
    made both[2];
    lb_decoded found[2];
    make(&both[0], (lb_transformer_config){0});
    make(&both[1], lacking[_i]);
    make_equal(&both[0], &both[1]);
    for (int m = 0; m < 2; m++) found[m] = lb_greedy(&both[m].model.base, source_of(both[m].tape), 6);
    ck_assert_int_eq(found[0].length, found[1].length);
    ck_assert_mem_eq(found[0].id, found[1].id, (size_t)(ROWS * found[0].length) * sizeof *found[0].id);
    int64_t weights = ROWS * LAYERS * 4 * found[0].length * SOURCE;
    for (int64_t i = 0; i < weights; i++)
        ck_assert_double_eq_tol((double)found[0].weights[i], (double)found[1].weights[i], ROUNDING);
    for (int m = 0; m < 2; m++) drop(&both[m]);
}
END_TEST

START_LOOP_TEST(test_transformer_without_self_attention_has_none_to_show, LB_LENGTH(lacking))
{
    made m;
    make(&m, lacking[_i]);
    lb_self_attention self =
        lb_model_self_attention(&m.model.base, source_of(m.tape), target_of(m.tape, false));
    ck_assert_int_eq(self.layers, lacking[_i].no_self_attention ? 0 : LAYERS);
    ck_assert_int_eq(lb_tape_status(m.tape), LB_OK);
    drop(&m);
}
END_TEST
