/* A hundred steps of training against PyTorch: the same losses to nine digits, and the same weights at the end.
 * This test runs in double only: in float the trajectories diverge after a few dozen steps. */
#include "lookback/ops.h"
#include "support/model.h"
#include "support/suite.h"
#include "train/optimizer.h"

#include <math.h>
#include <stdio.h>

static lb_optimizer *adam_of(const support_model *m)
{
    lb_optimizer_config config = {
        .lr = support_fixture_number(m->fixture, "lr"),
        .beta1 = support_fixture_number(m->fixture, "beta1"),
        .beta2 = support_fixture_number(m->fixture, "beta2"),
        .epsilon = support_fixture_number(m->fixture, "eps"),
        .clip_norm = support_fixture_number(m->fixture, "clip_norm"),
    };
    ck_assert_double_eq_tol(config.lr, 3e-3, 1e-15);
    ck_assert_double_eq_tol(config.clip_norm, 1, 1e-15);
    return lb_optimizer_new(m->params, config);
}

static void compare_weights(const support_model *m)
{
    for (int i = 0; i < lb_params_count(m->params); i++) {
        char name[128];
        snprintf(name, sizeof name, "output.param.%s", lb_params_name(m->params, i));
        const lb_tensor *weight = lb_params_tensor(m->params, i);
        const double *expected = support_fixture_values(m->fixture, name);
        for (int64_t j = 0; j < lb_count(weight); j++)
            ck_assert_msg(fabs(weight->data[j] - expected[j]) <= 1e-8 * (0.1 + fabs(expected[j])),
                          "%s, element %d: %.12g, not %.12g", name, (int)j, weight->data[j], expected[j]);
    }
}

static void train(const char *name, bool clips)
{
    support_model m = support_model_open(name);
    lb_optimizer *adam = adam_of(&m);
    const double *losses = support_fixture_values(m.fixture, "output.loss");
    const double *norms = support_fixture_values(m.fixture, "output.grad_norm");
    int clipped = 0;
    for (int step = 0; step < 100; step++) {
        lb_tape_reset(m.tape);
        lb_tokens source = support_fixture_tokens(m.fixture, m.tape, "input.source", "input.lengths", step);
        lb_tokens target_in = support_fixture_tokens(m.fixture, m.tape, "input.target_in", NULL, step);
        lb_tokens target_out = support_fixture_tokens(m.fixture, m.tape, "input.target_out", NULL, step);
        lb_tensor *logits = lb_model_forward(m.model, source, target_in);
        lb_tensor *loss = lb_cross_entropy(logits, target_out, LB_PAD);
        ck_assert_int_eq(lb_backward(loss, NULL), LB_OK);
        ck_assert_msg(fabs(lb_item(loss) - losses[step]) <= 5e-10 * fabs(losses[step]),
                      "step %d: loss %.12f, not %.12f", step, lb_item(loss), losses[step]);
        ck_assert_int_eq(lb_optimizer_step(adam, NULL), LB_OK);
        ck_assert_msg(fabs(lb_optimizer_about(adam).grad_norm - norms[step]) <= 1e-8 * norms[step],
                      "step %d: norm %.12g, not %.12g", step, lb_optimizer_about(adam).grad_norm,
                      norms[step]);
        clipped += norms[step] > 1;
    }
    ck_assert_double_lt(losses[99], losses[0] - 0.2); /* it did learn */
    ck_assert_int_eq(clipped > 0, clips);
    compare_weights(&m);
    lb_optimizer_free(adam);
    support_model_close(m);
}

START_TEST(test_training_hundred_steps_lose_as_pytorch_does)
{
    train("seq2seq_training", false);
}
END_TEST

START_TEST(test_training_two_bidirectional_layers_lose_as_pytorch_does)
{
    train("seq2seq_training_bidirectional_2_layers", true);
}
END_TEST

START_TEST(test_training_transformer_loses_as_pytorch_does)
{
    train("transformer_training", true);
}
END_TEST
