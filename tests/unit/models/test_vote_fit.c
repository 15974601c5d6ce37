/* The weights of members that vote: what they learn from right answers, and what they do not. */
#include "lookback/base.h"
#include "models/ensemble/ensemble.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { CASES = 300, HYPOTHESES = 4, MEMBERS = 3 };

static double scores[CASES][HYPOTHESES * MEMBERS];
static lb_vote_case cases[CASES];

/* Member 0 mostly prefers the right hypothesis, by `skill`; the others prefer at random. */
static void draw(double skill)
{
    lb_rng rng = {.seed = 9};
    for (int i = 0; i < CASES; i++) {
        rng.step = (uint32_t)i;
        cases[i] = (lb_vote_case){.score = scores[i], .count = HYPOTHESES, .right = i % HYPOTHESES};
        for (int h = 0; h < HYPOTHESES; h++)
            for (int m = 0; m < MEMBERS; m++) {
                double noise = -lb_rng_uniform(rng, (uint64_t)h * MEMBERS + (uint64_t)m);
                scores[i][h * MEMBERS + m] = noise + (m == 0 && h == cases[i].right ? skill : 0);
            }
    }
}

static double sum_of(const double *weight)
{
    return weight[0] + weight[1] + weight[2];
}

static int right_answers(const double *weight)
{
    int right = 0;
    for (int i = 0; i < CASES; i++) {
        int best = 0;
        double most = -INFINITY;
        for (int h = 0; h < HYPOTHESES; h++) {
            double found = 0;
            for (int m = 0; m < MEMBERS; m++) found += weight[m] * scores[i][h * MEMBERS + m];
            if (found > most) best = h;
            most = fmax(found, most);
        }
        right += best == cases[i].right;
    }
    return right;
}

START_TEST(test_a_member_that_knows_gets_the_weight)
{
    const double equal[] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    double weight[MEMBERS];
    draw(0.8);
    lb_vote_fit(cases, CASES, MEMBERS, weight);
    ck_assert_double_gt(weight[0], 0.8);
    ck_assert_double_eq_tol(sum_of(weight), 1, 1e-12);
    ck_assert_int_gt(right_answers(weight), right_answers(equal) + CASES / 20);
    for (int m = 0; m < MEMBERS; m++) {
        ck_assert_double_ge(weight[m], 0);
        ck_assert_double_eq_tol(1e4 * weight[m], round(1e4 * weight[m]), 1e-8);
    }
}
END_TEST

/* With few cases, the weights stay nearly equal. */
START_TEST(test_few_cases_change_little)
{
    double few[MEMBERS], many[MEMBERS];
    draw(0.3);
    lb_vote_fit(cases, 6, MEMBERS, few);
    lb_vote_fit(cases, CASES, MEMBERS, many);
    ck_assert_double_lt(fabs(few[0] - 1.0 / 3), 0.15);
    ck_assert_double_gt(many[0], few[0] + 0.1);
}
END_TEST

START_TEST(test_cases_without_a_right_hypothesis_teach_nothing)
{
    double weight[MEMBERS], with[MEMBERS], without[MEMBERS];
    draw(0.8);
    lb_vote_fit(cases, 100, MEMBERS, without);
    for (int i = 100; i < CASES; i++) cases[i].right = -1;
    lb_vote_fit(cases, CASES, MEMBERS, with);
    ck_assert_mem_eq(with, without, sizeof with);
    lb_vote_fit(cases + 100, CASES - 100, MEMBERS, weight);
    ck_assert_double_eq(weight[0], 0.3334);
    ck_assert_double_eq(weight[1], 0.3333);
    ck_assert_double_eq(weight[2], 0.3333);
    lb_vote_fit(NULL, 0, MEMBERS, weight);
    ck_assert_double_eq(weight[0], 0.3334);
}
END_TEST

/* Members that agree share what one of them would get. */
START_TEST(test_equal_members_get_equal_weights)
{
    double weight[MEMBERS];
    draw(0.8);
    for (int i = 0; i < CASES; i++)
        for (int h = 0; h < HYPOTHESES; h++) scores[i][h * MEMBERS + 1] = scores[i][h * MEMBERS];
    lb_vote_fit(cases, CASES, MEMBERS, weight);
    ck_assert_double_eq_tol(weight[0], weight[1], 2e-4);
    ck_assert_double_gt(weight[0], weight[2]);
}
END_TEST

/* The loss that lb_vote_fit is said to minimise, of two members. */
static double loss_at(double weight, double sharpness, int count)
{
    double loss = 2 * 5 * (2 * weight - 1) * (2 * weight - 1);
    for (int i = 0; i < count; i++) {
        double found[HYPOTHESES], most = -INFINITY, total = 0;
        for (int h = 0; h < HYPOTHESES; h++) {
            const double *score = scores[i] + (ptrdiff_t)2 * h;
            most = fmax(most, found[h] = sharpness * (weight * score[0] + (1 - weight) * score[1]));
        }
        for (int h = 0; h < HYPOTHESES; h++) total += exp(found[h] - most);
        loss += log(total) + most - found[cases[i].right];
    }
    return loss;
}

/* For the best sharpness: the loss is convex in it. */
static double least_loss(double weight, int count)
{
    double low = 1e-3, high = 1e3;
    for (int i = 0; i < 60; i++) {
        double a = low + (high - low) * 0.382, b = low + (high - low) * 0.618;
        if (loss_at(weight, a, count) < loss_at(weight, b, count))
            high = b;
        else
            low = a;
    }
    return loss_at(weight, low, count);
}

START_TEST(test_weights_are_the_likeliest_ones)
{
    enum { COUNT = 20 };
    double weight[2], best = 0, least = INFINITY;
    draw(0.5);
    for (int i = 0; i < COUNT; i++)
        for (int h = 0; h < HYPOTHESES; h++)
            for (int m = 0; m < 2; m++) scores[i][2 * h + m] = scores[i][h * MEMBERS + m];
    lb_vote_fit(cases, COUNT, 2, weight);
    for (int step = 0; step <= 200; step++) {
        double loss = least_loss(step / 200.0, COUNT);
        if (loss < least) best = step / 200.0;
        least = fmin(loss, least);
    }
    ck_assert(best > 0.55 && best < 0.95);
    ck_assert_double_eq_tol(weight[0], best, 0.01);
}
END_TEST

/* Member 1 knows little, but speaks `loudly`: near equal weights, the fit must not stop. */
static int draw_two(uint32_t problem, double loudly)
{
    lb_rng rng = {.seed = 17, .step = problem};
    int count = 3 + (int)(30 * lb_rng_uniform(rng, 1000));
    double scale = pow(10, 1.5 * lb_rng_uniform(rng, 1001) - 1);
    for (int i = 0; i < count; i++) {
        cases[i] = (lb_vote_case){.score = scores[i], .count = HYPOTHESES, .right = i % HYPOTHESES};
        for (int h = 0; h < HYPOTHESES; h++) {
            uint64_t at = (uint64_t)i * HYPOTHESES + (uint64_t)h;
            double knows = h == cases[i].right ? scale : 0;
            scores[i][2 * h] = 0.5 * knows - scale * lb_rng_uniform(rng, 2 * at);
            scores[i][2 * h + 1] = 0.1 * knows - loudly * scale * lb_rng_uniform(rng, 2 * at + 1);
        }
    }
    return count;
}

START_TEST(test_weights_are_at_the_optimum_of_any_problem)
{
    enum { PROBLEMS = 40, GRID = 100 };
    static const double loudness[] = {2, 10};
    int unequal = 0;
    for (uint32_t problem = 0; problem < PROBLEMS; problem++) {
        int count = draw_two(problem, loudness[problem % 2]);
        double weight[2], least = INFINITY;
        lb_vote_fit(cases, count, 2, weight);
        for (int step = 0; step <= GRID; step++) least = fmin(least, least_loss((double)step / GRID, count));
        ck_assert_msg(least_loss(weight[0], count) < least + 3e-4, "problem %d: %g, not %g", (int)problem,
                      least_loss(weight[0], count), least);
        unequal += weight[0] > 0.7;
    }
    ck_assert_int_gt(unequal, PROBLEMS / 3);
}
END_TEST
