/* Exact hard attention against the sum over all alignments, one by one; in parts; and at the limits of numbers. This
 * test runs in both precisions. */
#include "autograd/op.h"
#include "autograd/tape.h"
#include "lookback/ops.h"
#include "support/leaf.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { BATCH = 2, STEPS = 4, KEYS = 5, CLASSES = 3, JUMPS = 3, PATHS = KEYS * KEYS * KEYS * KEYS };

typedef struct subject {
    lb_tensor *logits, *scores, *jumps;
    bool monotonic;
} subject;

static const int32_t ids[] = {1, 0, 2, 1, 2, 2, 0, 1}, lengths[] = {STEPS, STEPS - 1};
static const int32_t full[] = {STEPS, STEPS};

/* Order -1: not monotonic. */
static subject make(int order)
{
    subject s = {.logits = support_leaf(LB_SHAPE(BATCH, STEPS, KEYS, CLASSES), -2, 2, 1),
                 .scores = support_leaf(LB_SHAPE(BATCH, STEPS, KEYS), -2, 2, 2),
                 .monotonic = order >= 0};
    if (order == 1) s.jumps = support_leaf(LB_SHAPE(BATCH, STEPS, JUMPS), -2, 2, 3);
    return s;
}

static void discard(subject s)
{
    support_leaf_free(s.logits);
    support_leaf_free(s.scores);
    if (s.jumps) support_leaf_free(s.jumps);
}

static lb_tensor *attend(lb_tape *tape, const subject *s, const int32_t *rows)
{
    lb_tensor *logits = lb_on_tape(tape, s->logits), *scores = lb_on_tape(tape, s->scores);
    lb_tensor *jumps = s->jumps ? lb_on_tape(tape, s->jumps) : NULL;
    if (!s->monotonic) return lb_attend_hard(logits, scores, NULL, rows);
    return lb_attend_monotonic(logits, scores, jumps, NULL, NULL,
                               (lb_tokens){tape, BATCH, STEPS, ids, rows ? rows : full});
}

/* Multiplies all numbers that the op reads. */
static void stretch(subject *s, double factor)
{
    for (int64_t i = 0; i < lb_count(s->logits); i++) s->logits->data[i] *= (lb_real)factor;
    for (int64_t i = 0; i < lb_count(s->scores); i++) s->scores->data[i] *= (lb_real)factor;
    for (int64_t i = 0; s->jumps && i < lb_count(s->jumps); i++) s->jumps->data[i] *= (lb_real)factor;
}

/* ln sum_i e^x_i */
static double log_sum(const double *x, int count)
{
    double largest = x[0], sum = 0;
    for (int i = 1; i < count; i++) largest = fmax(largest, x[i]);
    for (int i = 0; i < count; i++) sum += exp(x[i] - largest);
    return largest + log(sum);
}

/* ln p(a_t = j | a_(t-1) = i) by the definition; -inf for a move to the left. */
static double move(const subject *s, int64_t at, int i, int j)
{
    double score[KEYS] = {0};
    int first = s->monotonic ? i : 0;
    for (int k = first; k < KEYS; k++) {
        int jump = k - i < JUMPS - 1 ? k - i : JUMPS - 1;
        score[k] = (double)s->scores->data[at * KEYS + k];
        if (s->jumps) score[k] += (double)s->jumps->data[at * JUMPS + jump];
    }
    return j < first ? (double)-INFINITY : score[j] - log_sum(score + first, KEYS - first);
}

static double emission(const subject *s, int64_t at, int j, int32_t v)
{
    double x[CLASSES] = {0};
    for (int c = 0; c < CLASSES; c++) x[c] = (double)s->logits->data[(at * KEYS + j) * CLASSES + c];
    return x[v] - log_sum(x, CLASSES);
}

/* The log-probability of a row and one alignment, which `path` numbers; the last symbol of a row is class 1. */
static double log_probability(const subject *s, int row, int length, int path)
{
    double sum = 0;
    for (int t = 0, at = 0; t < length; t++, path /= KEYS) {
        int32_t symbol = t + 1 < length ? ids[row * STEPS + t + 1] : 1;
        sum += move(s, row * STEPS + t, at, path % KEYS);
        at = path % KEYS;
        sum += emission(s, row * STEPS + t, at, symbol);
    }
    return sum;
}

static const double factors[] = {1, 30, 1e4, 1e6};

START_LOOP_TEST(test_log_probabilities_are_the_sum_over_all_alignments, LB_LENGTH(factors))
{
    for (int order = -1; order <= 1; order++) {
        subject s = make(order);
        stretch(&s, factors[_i]);
        lb_tape *tape = lb_tape_new();
        const lb_tensor *y = attend(tape, &s, lengths);
        ck_assert_msg(lb_is_sound(y), "%s", lb_tape_error(tape));
        for (int row = 0; SUPPORT_ROW(row, lengths); row++) {
            double each[PATHS] = {0}, found = 0;
            int length = lengths[row], paths = length == STEPS ? PATHS : PATHS / KEYS;
            for (int path = 0; path < paths; path++) each[path] = log_probability(&s, row, length, path);
            for (int t = 0; t < length; t++) {
                int32_t symbol = t + 1 < length ? ids[row * STEPS + t + 1] : 1;
                found += (double)y->data[(row * STEPS + t) * CLASSES + symbol];
            }
            double expected = log_sum(each, paths);
            ck_assert_double_eq_tol(found, expected, 1e-5 + 1e-6 * fabs(expected));
        }
        lb_tape_free(tape);
        discard(s);
    }
}
END_TEST

START_LOOP_TEST(test_log_probabilities_and_weights_of_each_step_sum_to_one, LB_LENGTH(factors))
{
    for (int order = -1; order <= 1; order++) {
        subject s = make(order);
        stretch(&s, factors[_i]);
        lb_tape *tape = lb_tape_new();
        lb_tensor *y = attend(tape, &s, NULL);
        const lb_tensor *weights = lb_op_output(y, 1);
        for (int at = 0; at < BATCH * STEPS; at++) {
            double sum = 0, total = 0;
            for (int v = 0; v < CLASSES; v++) sum += exp((double)y->data[at * CLASSES + v]);
            for (int j = 0; j < KEYS; j++) total += (double)weights->data[at * KEYS + j];
            ck_assert_double_eq_tol(sum, 1, 1e-5);
            ck_assert_double_eq_tol(total, 1, 1e-5);
        }
        lb_tape_free(tape);
        discard(s);
    }
}
END_TEST

/* The logit of the second symbol of row 0 at its first step becomes `logit` at all positions. Returns the outputs and
 * the gradients after that step, in one block: what follows from a symbol does not depend on how improbable it was. */
enum { LATER = STEPS - 1, FOLLOWS = LATER * (CLASSES + KEYS + KEYS * CLASSES + KEYS) };

static void follow(int order, double logit, lb_real *found)
{
    subject s = make(order);
    for (int j = 0; j < KEYS; j++) s.logits->data[j * CLASSES + ids[1]] = (lb_real)logit;
    lb_tape *tape = lb_tape_new();
    lb_tensor *y = attend(tape, &s, NULL), *weights = lb_op_output(y, 1);
    lb_real *to = found, cotangent[BATCH * STEPS * CLASSES] = {0};
    for (int i = CLASSES; i < STEPS * CLASSES; i++) cotangent[i] = (lb_real)(i % 5 - 2);
    ck_assert_int_eq(lb_backward_from(y, cotangent, NULL), LB_OK);
    for (int i = CLASSES; i < STEPS * CLASSES; i++) *to++ = y->data[i];
    for (int i = KEYS; i < STEPS * KEYS; i++) *to++ = weights->data[i];
    for (int i = KEYS * CLASSES; i < STEPS * KEYS * CLASSES; i++) *to++ = s.logits->grad[i];
    for (int i = KEYS; i < STEPS * KEYS; i++) *to++ = s.scores->grad[i];
    lb_tape_free(tape);
    discard(s);
}

START_LOOP_TEST(test_what_follows_does_not_depend_on_how_improbable_a_symbol_was, 2)
{
    for (int order = 0; order <= 1; order++) {
        lb_real expected[FOLLOWS], found[FOLLOWS];
        follow(order, -40, expected);
        follow(order, _i ? -1e6 : -1e4, found);
        for (int i = 0; i < FOLLOWS; i++)
            ck_assert_double_eq_tol((double)found[i], (double)expected[i], 1e-5);
    }
}
END_TEST

/* A symbol at -inf everywhere has the log-probability -inf; there is nowhere to be after it, and no gradient. */
START_TEST(test_what_follows_an_impossible_symbol_is_uniform_and_the_beliefs_after_it_are_zero)
{
    const lb_real never = -(lb_real)INFINITY;
    for (int order = 0; order <= 1; order++) {
        subject s = make(order);
        for (int j = 0; j < KEYS; j++) s.logits->data[j * CLASSES + ids[1]] = never;
        for (int j = 0; j < KEYS; j++) s.logits->data[(2 * STEPS * KEYS - 1 - j) * CLASSES] = never;
        lb_tape *tape = lb_tape_new();
        lb_tensor *y = attend(tape, &s, NULL), *after = lb_op_output(y, 2);
        ck_assert(y->data[ids[1]] == never && y->data[(2 * STEPS - 1) * CLASSES] == never);
        for (int i = CLASSES; i < STEPS * CLASSES; i++)
            ck_assert_double_eq_tol((double)y->data[i], -log(CLASSES), 1e-6);
        for (int i = 0; i < KEYS * CLASSES; i++) ck_assert(after->data[i] == 0);
        for (int v = 0; v < CLASSES; v++) {
            double total = 0;
            for (int j = 0; j < KEYS; j++) total += (double)after->data[(KEYS + j) * CLASSES + v];
            ck_assert_double_eq_tol(total, v == 0 ? 0 : 1, 1e-6);
        }
        lb_real cotangent[BATCH * KEYS * CLASSES];
        for (int i = 0; SUPPORT_ROW(i, cotangent); i++) cotangent[i] = (lb_real)(i % 5 - 2);
        ck_assert_int_eq(lb_backward_from(after, cotangent, NULL), LB_OK);
        for (int i = 0; i < STEPS * KEYS * CLASSES; i++) ck_assert(s.logits->grad[i] == 0);
        for (int64_t i = 0; i < lb_count(s.logits); i++) ck_assert(isfinite(s.logits->grad[i]));
        lb_tape_free(tape);
        discard(s);
    }
}
END_TEST

/* Every score but that of the last position is far below it: the first step goes there, and no later one comes back,
 * although the scores of the second step prefer the first position. */
START_TEST(test_monotonic_attention_never_moves_left)
{
    for (int order = 0; order <= 1; order++) {
        subject s = make(order);
        for (int row = 0; row < BATCH; row++)
            for (int t = 0; t < STEPS; t++)
                for (int j = 0; j < KEYS; j++)
                    s.scores->data[(row * STEPS + t) * KEYS + j] =
                        t == 0 ? (lb_real)(90 * (j == 3)) : (lb_real)(90 * (j == 0));
        lb_tape *tape = lb_tape_new();
        const lb_tensor *weights = lb_op_output(attend(tape, &s, NULL), 1);
        for (int at = 0; at < BATCH * STEPS; at++)
            for (int j = 0; j < 3; j++) ck_assert_double_lt((double)weights->data[at * KEYS + j], 1e-30);
        lb_tape_free(tape);
        discard(s);
    }
}
END_TEST

/* Steps first..first + count of all rows. */
static lb_tensor *part_of(lb_tape *tape, lb_tensor *x, int64_t first, int64_t count)
{
    return lb_slice(lb_on_tape(tape, x), 1, first, count);
}

START_TEST(test_monotonic_attention_in_parts_is_that_of_all_steps_at_once)
{
    for (int order = 0; order <= 1; order++) {
        subject s = make(order);
        lb_tape *tape = lb_tape_new();
        lb_tensor *whole = attend(tape, &s, NULL), *before = NULL;
        const int counts[] = {1, 2, 1};
        for (int part = 0, first = 0; part < LB_LENGTH(counts); first += counts[part++]) {
            int count = counts[part];
            int32_t read[BATCH * STEPS];
            const int32_t rows[] = {count, count};
            for (int row = 0; row < BATCH; row++)
                memcpy(read + row * count, ids + row * STEPS + first, (size_t)count * sizeof *read);
            lb_tensor *y = lb_attend_monotonic(part_of(tape, s.logits, first, count),
                                               part_of(tape, s.scores, first, count),
                                               s.jumps ? part_of(tape, s.jumps, first, count) : NULL, before,
                                               NULL, (lb_tokens){tape, BATCH, count, read, rows});
            ck_assert_msg(lb_is_sound(y), "%s", lb_tape_error(tape));
            before = lb_op_output(y, 2);
            for (int row = 0; row < BATCH; row++)
                for (int i = 0; i < count * CLASSES; i++)
                    ck_assert_double_eq_tol((double)y->data[row * count * CLASSES + i],
                                            (double)whole->data[(row * STEPS + first) * CLASSES + i], 1e-5);
        }
        lb_tape_free(tape);
        discard(s);
    }
}
END_TEST

static void check_finite(const lb_tensor *x, const char *what)
{
    for (int64_t i = 0; i < lb_count(x); i++) {
        SUPPORT_CHECK(isfinite(x->data[i]), "%s, element %d is %g", what, (int)i, (double)x->data[i]);
        SUPPORT_CHECK(isfinite(x->grad[i]), "%s, gradient %d is %g", what, (int)i, (double)x->grad[i]);
    }
}

/* Probabilities far below what a float can hold, in every place. */
START_TEST(test_improbable_symbols_positions_and_moves_stay_finite)
{
    for (int order = -1; order <= 1; order++) {
        subject s = make(order);
        for (int64_t i = 0; i < lb_count(s.logits); i++) s.logits->data[i] *= 400;
        for (int64_t i = 0; i < lb_count(s.scores); i++) s.scores->data[i] *= 4000;
        for (int64_t i = 0; s.jumps && i < lb_count(s.jumps); i++) s.jumps->data[i] *= 4000;
        lb_tape *tape = lb_tape_new();
        lb_tensor *y = attend(tape, &s, NULL);
        ck_assert_int_eq(lb_backward(lb_sum_all(lb_mul(y, y)), NULL), LB_OK);
        check_finite(y, "log-probabilities");
        check_finite(s.logits, "logits");
        check_finite(s.scores, "scores");
        if (s.jumps) check_finite(s.jumps, "jumps");
        lb_tape_free(tape);
        discard(s);
    }
}
END_TEST

START_TEST(test_row_with_nothing_to_look_at_is_uniform_and_has_no_gradient)
{
    for (int order = -1; order <= 1; order++) {
        subject s = make(order);
        lb_tape *tape = lb_tape_new();
        lb_tensor *mask = lb_length_mask(tape, (const int32_t[]){0, 2}, BATCH, KEYS);
        lb_tensor *logits = lb_on_tape(tape, s.logits), *scores = lb_on_tape(tape, s.scores);
        lb_tensor *jumps = s.jumps ? lb_on_tape(tape, s.jumps) : NULL;
        lb_tensor *y = s.monotonic ? lb_attend_monotonic(logits, scores, jumps, NULL, mask,
                                                         (lb_tokens){tape, BATCH, STEPS, ids, full})
                                   : lb_attend_hard(logits, scores, mask, NULL);
        ck_assert_int_eq(lb_backward(lb_sum_all(lb_mul(y, y)), NULL), LB_OK);
        for (int i = 0; i < STEPS * CLASSES; i++)
            ck_assert_double_eq_tol((double)y->data[i], -log(CLASSES), 1e-6);
        for (int i = 0; i < STEPS * KEYS * CLASSES; i++) ck_assert(s.logits->grad[i] == 0);
        for (int i = 0; i < STEPS * KEYS; i++) ck_assert(s.scores->grad[i] == 0);
        check_finite(s.logits, "logits");
        lb_tape_free(tape);
        discard(s);
    }
}
END_TEST

/* Runs the op and its gradient with some threads; returns all gradients in one block. */
static void run_with(int threads, lb_real *gradients)
{
    subject s = make(1);
    lb_set_threads(threads);
    lb_tape *tape = lb_tape_new();
    lb_tensor *y = attend(tape, &s, lengths);
    ck_assert_int_eq(lb_backward(lb_sum_all(lb_mul(y, y)), NULL), LB_OK);
    size_t logits = (size_t)lb_count(s.logits), scores = (size_t)lb_count(s.scores);
    memcpy(gradients, s.logits->grad, logits * sizeof *gradients);
    memcpy(gradients + logits, s.scores->grad, scores * sizeof *gradients);
    memcpy(gradients + logits + scores, s.jumps->grad, (size_t)lb_count(s.jumps) * sizeof *gradients);
    lb_tape_free(tape);
    discard(s);
}

START_TEST(test_bits_do_not_depend_on_the_threads)
{
    enum { ALL = BATCH * STEPS * (KEYS * CLASSES + KEYS + JUMPS) };
    lb_real one[ALL], three[ALL];
    run_with(1, one);
    run_with(3, three);
    ck_assert_mem_eq(one, three, sizeof one);
}
END_TEST

static const char *error_of(lb_tape *tape, const lb_tensor *result)
{
    ck_assert(!lb_is_sound(result));
    return lb_tape_error(tape);
}

START_TEST(test_operands_that_do_not_match_are_errors)
{
    subject s = make(1);
    lb_tape *tape = lb_tape_new();
    lb_tensor *logits = lb_on_tape(tape, s.logits), *scores = lb_on_tape(tape, s.scores);
    lb_tokens tokens = {tape, BATCH, STEPS, ids, full}, few = {tape, BATCH, STEPS - 1, ids, lengths};
    ck_assert_str_eq(error_of(tape, lb_attend_monotonic(logits, scores, NULL, NULL, NULL, few)),
                     "lb_attend_monotonic: found tokens [2,3], expected [2,4]");
    lb_tape_clear_error(tape);
    const int32_t odd[] = {1, 0, 2, 1, 2, 3, 0, 1};
    tokens.id = odd;
    ck_assert_str_eq(error_of(tape, lb_attend_monotonic(logits, scores, NULL, NULL, NULL, tokens)),
                     "lb_attend_monotonic: token 3 in row 1, position 1: there are 3 classes");
    lb_tape_clear_error(tape);
    ck_assert_str_eq(error_of(tape, lb_attend_hard(logits, scores, NULL, (const int32_t[]){2, 5})),
                     "lb_attend_hard: found length 5 in row 1, expected 0 to 4");
    lb_tape_clear_error(tape);
    ck_assert_str_eq(error_of(tape, lb_attend_hard(logits, logits, NULL, NULL)),
                     "lb_attend_hard: expected a score per position: logits[2,4,5,3] x scores[2,4,5,3]");
    lb_tape_free(tape);
    discard(s);
}
END_TEST
