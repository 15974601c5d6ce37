/* Noise belongs to LB_MODE_TRAIN alone: every kind of model says the same in the two other modes.
 * This test runs in both precisions. */
#include "autograd/op.h"
#include "models/ensemble/ensemble.h"
#include "support/every_model.h"
#include "support/suite.h"

#include <math.h>

enum { BATCH = 2, SOURCE = 5, STEPS = 4, LOGITS = BATCH * STEPS * SUPPORT_VOCABULARY };

static const int32_t source_id[] = {4, 7, 5, 8, 6, 6, 4, 8, 0, 0}, source_lengths[] = {5, 3};
static const int32_t in_id[] = {LB_BOS, 5, 4, 7, LB_BOS, 6, 8, 0}, in_lengths[] = {4, 3};

/* Where no row has ended, or NaN. */
static void forward(const lb_model *model, lb_mode mode, uint64_t seed, double logits[LOGITS])
{
    lb_tape *tape = lb_tape_new();
    lb_tape_set_mode(tape, mode);
    lb_tape_seed(tape, seed, 0);
    lb_tokens source = {tape, BATCH, SOURCE, source_id, source_lengths},
              in = {tape, BATCH, STEPS, in_id, in_lengths};
    const lb_tensor *found = lb_model_forward(model, source, in);
    ck_assert_msg(lb_tape_status(tape) == LB_OK, "%s", lb_tape_error(tape));
    ck_assert_int_eq(lb_count(found), LOGITS);
    for (int i = 0; i < LOGITS; i++)
        logits[i] = i / SUPPORT_VOCABULARY % STEPS < in_lengths[i / SUPPORT_VOCABULARY / STEPS]
                        ? (double)found->data[i]
                        : (double)NAN;
    lb_tape_free(tape);
}

static double distance(const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < LOGITS; i++)
        if (a[i] != b[i]) most = fmax(most, fabs(a[i] - b[i])); /* fmax leaves NaN out */
    return most;
}

static void check_modes(const lb_model *model, const char *name)
{
    static const double ROUNDING = 1e-5;
    double evaluated[LOGITS], explained[LOGITS], trained[LOGITS];
    forward(model, LB_MODE_EVALUATE, 1, evaluated);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        forward(model, LB_MODE_EXPLAIN, seed, explained);
        double away = distance(explained, evaluated);
        SUPPORT_CHECK(away <= ROUNDING, "%s: EXPLAIN is %g away from EVALUATE", name, away);
    }
    forward(model, LB_MODE_TRAIN, 1, trained);
    SUPPORT_CHECK(distance(trained, evaluated) > 100 * ROUNDING, "%s: found no noise in training", name);
}

static void check(const support_every_model *m)
{
    const lb_model *members[] = {m->model, m->model};
    lb_ensemble both;
    check_modes(m->model, m->config);
    ck_assert_int_eq(lb_ensemble_init(&both, members, 2, NULL), LB_OK);
    check_modes(&both.base, m->config);
}

START_TEST(test_forward_of_every_model_says_the_same_in_evaluate_and_explain)
{
    ck_assert_int_gt(support_for_every_model(true, check), 1000);
}
END_TEST
