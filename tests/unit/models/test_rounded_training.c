/* Twenty steps of training with products in bfloat16 against PyTorch with the same roundings and sums in double. Both
 * lose the same, until a number so near to the middle of two of bfloat16 comes that they round it to different ones;
 * Adam magnifies that. Skipped where the processor has no such products. */
#include "lookback/ops.h"
#include "support/model.h"
#include "support/suite.h"
#include "train/optimizer.h"

#include <math.h>
#include <stdio.h>

/* Before the first number that both round differently, with room for other compilers. */
enum { STEPS = 20, EARLY = 5 };

typedef struct kind {
    const char *name;    /* of a fixture that has the weights */
    const char *batches; /* of another, or of the same */
} kind;

static const kind kinds[] = {
    {"seq2seq_training", "seq2seq_training"},
    {"seq2seq_training_bidirectional_2_layers", "seq2seq_training_bidirectional_2_layers"},
    {"rounded_training", "seq2seq_training"}, /* LSTMs */
    {"seq2seq_general", "seq2seq_general"},
    {"seq2seq_multi_head", "seq2seq_multi_head"},
    {"transformer_training", "transformer_training"},
};

/* Relative ones: the largest of a loss and of a norm of the gradient in the first steps, then the mean and the largest
 * of all losses. */
typedef struct differences {
    double loss, norm, mean, largest;
} differences;

static const double *expected_of(const support_fixture *rounded, const kind *of, const char *what)
{
    char name[128];
    snprintf(name, sizeof name, "output.%s.%s", of->name, what);
    return support_fixture_values(rounded, name);
}

static lb_tensor *loss_at(const support_model *m, support_fixture *batches, int step)
{
    lb_tokens source = support_fixture_tokens(batches, m->tape, "input.source", "input.lengths", step);
    lb_tokens target_in = support_fixture_tokens(batches, m->tape, "input.target_in", NULL, step);
    lb_tokens target_out = support_fixture_tokens(batches, m->tape, "input.target_out", NULL, step);
    return lb_cross_entropy(lb_model_forward(m->model, source, target_in), target_out, LB_PAD);
}

static differences train(const kind *of, lb_precision precision, const support_fixture *rounded)
{
    support_model m = support_model_open(of->name);
    support_fixture *batches = support_fixture_open(of->batches);
    const double *losses = expected_of(rounded, of, "loss"), *norms = expected_of(rounded, of, "grad_norm");
    const bool one_batch = support_fixture_shape(batches, "input.lengths").ndim == 1;
    lb_optimizer *adam = lb_optimizer_new(
        m.params, (lb_optimizer_config){.lr = (lb_real)support_fixture_number(rounded, "lr"),
                                        .clip_norm = (lb_real)support_fixture_number(rounded, "clip_norm")});
    differences found = {0};
    ck_assert_int_eq(lb_tape_set_precision(m.tape, precision, NULL), LB_OK);
    for (int step = 0; step < STEPS; step++) {
        lb_tape_reset(m.tape);
        lb_tensor *loss = loss_at(&m, batches, one_batch ? 0 : step);
        ck_assert_int_eq(lb_backward(loss, NULL), LB_OK);
        const double of_loss = fabs((double)lb_item(loss) / losses[step] - 1);
        ck_assert_int_eq(lb_optimizer_step(adam, NULL), LB_OK);
        const double of_norm = fabs(lb_optimizer_about(adam).grad_norm / norms[step] - 1);
        if (step < EARLY) found.loss = fmax(found.loss, of_loss), found.norm = fmax(found.norm, of_norm);
        found.mean += of_loss / STEPS;
        found.largest = fmax(found.largest, of_loss);
    }
    lb_optimizer_free(adam);
    support_fixture_close(batches);
    support_model_close(m);
    return found;
}

START_TEST(test_rounded_training_loses_as_pytorch_with_the_same_roundings_does)
{
    lb_tape *tape = lb_tape_new();
    const lb_status refused = lb_tape_set_precision(tape, LB_BFLOAT16, NULL);
    lb_tape_free(tape);
    if (refused) {
        support_skip("training in bfloat16", "this processor has no avx512_bf16");
        return;
    }
    support_fixture *rounded = support_fixture_open("rounded_training");
    for (int i = 0; SUPPORT_ROW(i, kinds); i++) {
        const differences same = train(&kinds[i], LB_BFLOAT16, rounded),
                          other = train(&kinds[i], LB_FLOAT32, rounded);
        ck_assert_msg(same.loss < 1e-6 && same.norm < 2e-5, "first steps: a loss differs by %g, a norm by %g",
                      same.loss, same.norm);
        ck_assert_msg(same.mean < other.mean / 3 && same.largest < 2e-3,
                      "a loss differs by %g, all by %g in the mean; in float32 by %g", same.largest,
                      same.mean, other.mean);
        /* Without rounding, the test would fail. */
        ck_assert_msg(other.loss > 2e-5 && other.norm > 1e-4, "float32: a loss differs by %g, a norm by %g",
                      other.loss, other.norm);
    }
    support_fixture_close(rounded);
}
END_TEST
