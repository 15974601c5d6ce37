/* The number of threads of a training. Times are planted: a machine here is what a step takes on a number of
 * threads. */
#include "base/threads.h"
#include "lookback/train.h"
#include "support/stop.h"
#include "support/suite.h"
#include "train/trainer.h"

#include <lookback/op.h>
#include <math.h>
#include <string.h>

static const double MS = 1e6, SECOND = 1e9;

/* Of steps whose tokens, from 1 to 4, take a share of it each. */
typedef struct machine {
    double ms[5];   /* of a step on 1, 2, 4, 8, 16 threads */
    bool noisy;     /* up to 1.3 times as long, and now and then 50 ms more */
    uint64_t steps; /* that it has done: the place in its random numbers */
} machine;

static double random_of(const machine *m, uint32_t stream)
{
    return (double)lb_rng_below((lb_rng){1, stream, 0}, m->steps, 1000) / 1000;
}

static double step_on(machine *m, int threads, double work)
{
    double ns = m->ms[(int)log2(threads)] * MS * work / 4;
    m->steps++;
    if (!m->noisy) return ns;
    ns *= 1 + 0.3 * random_of(m, 1);
    return random_of(m, 2) < 0.002 ? ns + 50 * MS : ns;
}

/* Trains for so long; returns the mean cost of the work. */
static double train_for(double seconds, machine *m, lb_thread_choice *c)
{
    double ns = 0, all = 0;
    while (ns < seconds * SECOND) {
        const double work = 1 + floor(4 * random_of(m, 3)), took = step_on(m, lb_thread_choice_next(c), work);
        lb_thread_choice_note(c, took, work);
        ns += took;
        all += work;
    }
    return ns / all;
}

/* The same, with the time of the best number on one thread. */
static machine best_of(machine m)
{
    for (int i = 1; i < LB_LENGTH(m.ms); i++) m.ms[0] = fmin(m.ms[0], m.ms[i]);
    return m;
}

static const machine scales = {.ms = {1520, 741, 382, 208, 145}}, overhead = {.ms = {10, 8, 4.6, 3.3, 5}},
                     level = {.ms = {0.3, 0.3, 0.3, 0.3, 0.3}}, crowded = {.ms = {0.25, 7.5, 11, 30, 80}},
                     hump = {.ms = {0.26, 0.3, 0.37, 0.34, 0.29}};

START_TEST(test_thread_choice_takes_the_fastest_number)
{
    const struct {
        machine here;
        int threads;
    } cases[] = {{scales, 16}, {overhead, 8}, {level, 1}, {crowded, 1}, {hump, 1}};
    for (int i = 0; SUPPORT_ROW(i, cases); i++) {
        machine here = cases[i].here;
        lb_thread_choice c = lb_thread_choice_of(16);
        ck_assert_int_eq(lb_thread_choice_next(&c), 16);
        train_for(i == 0 ? 20 : 3, &here, &c);
        ck_assert_msg(lb_thread_choice_best(&c) == cases[i].threads, "case %d: %d threads", i,
                      lb_thread_choice_best(&c));
    }
}
END_TEST

START_TEST(test_thread_choice_costs_little)
{
    const machine cases[] = {scales, overhead, level, crowded, hump};
    for (int noisy = 0; noisy < 2; noisy++)
        for (int i = 0; SUPPORT_ROW(i, cases); i++) {
            machine here = cases[i], fixed = best_of(here);
            here.noisy = fixed.noisy = noisy;
            lb_thread_choice c = lb_thread_choice_of(16), alone = lb_thread_choice_of(1);
            const double best = train_for(100, &fixed, &alone), cost = train_for(100, &here, &c);
            ck_assert_msg(cost < 1.1 * best, "case %d, noisy %d: %.3f times the best", i, noisy, cost / best);
        }
}
END_TEST

START_TEST(test_thread_choice_follows_what_else_runs)
{
    lb_thread_choice c = lb_thread_choice_of(16);
    machine alone = overhead, beside = crowded;
    for (int i = 0; i < 3; i++) {
        train_for(20, &alone, &c);
        ck_assert_int_eq(lb_thread_choice_best(&c), 8);
        train_for(2, &beside, &c);
        ck_assert_int_eq(lb_thread_choice_best(&c), 1);
    }
}
END_TEST

START_TEST(test_thread_choice_knows_numbers_that_are_no_power_of_two)
{
    machine here = scales;
    lb_thread_choice c = lb_thread_choice_of(6);
    int seen[7] = {0};
    for (int i = 0; i < 100; i++) {
        const int threads = lb_thread_choice_next(&c);
        seen[threads]++;
        lb_thread_choice_note(&c, 100 * MS, 1);
    }
    ck_assert(seen[6] && seen[3] && seen[1] && seen[6] + seen[3] + seen[1] == 100);
    c = lb_thread_choice_of(1);
    for (int i = 0; i < 100; i++) lb_thread_choice_note(&c, step_on(&here, 1, 1), 1);
    ck_assert_int_eq(lb_thread_choice_next(&c), 1);
}
END_TEST

/* Notes windows of 40 ms that cost so much, by the place of their number, until a comparison begins or ends.
 * The third window of the place `odd` costs `times` as much. Returns which places had windows, as bits. */
static unsigned note_windows(lb_thread_choice *c, const double *cost, int odd, double times)
{
    unsigned seen = 0;
    for (bool compares = c->passes > 0; (c->passes > 0) == compares;) {
        int place = c->next;
        double factor = place == odd && c->passes == 1 ? times : 1;
        seen |= 1U << place;
        lb_thread_choice_note(c, 40 * MS, 1 / (cost[place] * factor));
    }
    return seen;
}

START_TEST(test_thread_choice_one_window_of_three_does_not_decide)
{
    static const double cost[] = {1.3, 1, 1.2};
    for (int odd = 0; SUPPORT_ROW(odd, cost); odd++)
        for (int shorter = 0; shorter < 2; shorter++) {
            lb_thread_choice c = lb_thread_choice_of(4);
            ck_assert_uint_eq(note_windows(&c, cost, odd, shorter ? 0.01 : 100), 7);
            ck_assert_int_eq(lb_thread_choice_best(&c), 2);
        }
}
END_TEST

/* A comparison after a rest tries the neighbours of the number; all, if steps have become slow. */
START_TEST(test_thread_choice_compares_again_with_what_is_near)
{
    static const struct {
        double cost[5];
        unsigned near;
    } cases[] = {{{1.4, 1.3, 1, 1.3, 1.4}, 1U << 1 | 1U << 2 | 1U << 3},
                 {{1, 1.3, 1.4, 1.45, 1.45}, 1U << 0 | 1U << 1},
                 {{1.45, 1.45, 1.4, 1.3, 1}, 1U << 3 | 1U << 4}};
    for (int i = 0; SUPPORT_ROW(i, cases); i++) {
        lb_thread_choice c = lb_thread_choice_of(16);
        ck_assert_uint_eq(note_windows(&c, cases[i].cost, -1, 1), 31);
        int best = c.chosen;
        ck_assert_uint_eq(note_windows(&c, cases[i].cost, -1, 1), 1U << best);
        ck_assert_uint_eq(note_windows(&c, cases[i].cost, -1, 1), cases[i].near);
        ck_assert_int_eq(c.chosen, best);
        double slow[5];
        for (int k = 0; k < 5; k++) slow[k] = 2 * cases[i].cost[k];
        note_windows(&c, slow, -1, 1);
        ck_assert_uint_eq(note_windows(&c, slow, -1, 1), 31);
    }
}
END_TEST

START_TEST(test_thread_choice_survives_a_clock_that_fails_and_a_process_that_was_stopped)
{
    machine here = overhead;
    lb_thread_choice c = lb_thread_choice_of(16);
    for (int i = 0; i < 1000; i++) lb_thread_choice_note(&c, i % 2 ? 0 : -1e15, 1);
    ck_assert_int_eq(lb_thread_choice_next(&c), 16);
    train_for(0.2, &here, &c);
    lb_thread_choice_note(&c, 1e6 * SECOND, 1);
    train_for(4000, &here, &c);
    ck_assert_int_eq(lb_thread_choice_best(&c), 8);
}
END_TEST

/* A training whose steps take seconds by the clock: fewer on the fast number of threads. */
typedef struct planted {
    lb_params *params;
    lb_tensor *weight;
    int fast, others; /* threads; steps with another number */
    int64_t passed;   /* nanoseconds of the planted clock */
} planted;

static void let_pass(planted *p, int64_t seconds)
{
    p->passed += seconds * (int64_t)SECOND;
    support_advance_clock(seconds * (int64_t)SECOND);
}

static lb_tensor *loss_of(void *context, lb_tape *tape, int64_t step, int64_t *tokens)
{
    planted *p = context;
    (void)step;
    *tokens += 1;
    const bool fast = lb_threads() == p->fast;
    p->others += !fast;
    let_pass(p, fast ? 1 : 3);
    return lb_sum_all(lb_on_tape(tape, p->weight));
}

/* Another process, which agrees with everything, and lets those who are fast wait for long. */
static lb_status agree_late(void *context, int partner, const void *send, size_t send_bytes, void *receive,
                            size_t receive_bytes, lb_error *error)
{
    planted *p = context;
    (void)partner, (void)error;
    ck_assert_uint_eq(send_bytes, receive_bytes);
    memcpy(receive, send, receive_bytes);
    if (lb_threads() == p->fast) let_pass(p, 2);
    return LB_OK;
}

static planted train_planted(int fast, int steps, bool together)
{
    planted p = {.params = lb_params_new(1), .fast = fast};
    const lb_group group = {&p, 0, 2, "rank 0", agree_late};
    lb_train_history history;
    lb_error error;
    p.weight = lb_params_add(p.params, "", "weight", LB_SHAPE(1), (lb_init){LB_INIT_CONSTANT, 1});
    const lb_trainer_config config = {.params = p.params,
                                      .context = &p,
                                      .loss = loss_of,
                                      .steps = steps,
                                      .shards = 2,
                                      .group = together ? &group : NULL};
    ck_assert_msg(lb_train(config, &history, &error) == LB_OK, "%s", error.message);
    lb_release(history.points);
    lb_params_free(p.params);
    support_advance_clock(-p.passed); /* Check measures by this clock, and knows no test of an hour */
    return p;
}

START_TEST(test_train_uses_the_fastest_number_of_threads_and_leaves_the_number_as_it_was)
{
    for (int fast = 1; fast <= 8; fast *= 2) {
        lb_set_threads(0);
        lb_use_threads(8);
        const planted p = train_planted(fast, 200, false);
        if (lb_threads() == 8) ck_assert_int_lt(p.others, 50); /* without OpenMP: 1 */
    }
}
END_TEST

START_TEST(test_train_does_not_count_the_time_that_others_let_it_wait)
{
    lb_set_threads(0);
    lb_use_threads(8);
    const planted p = train_planted(4, 200, true);
    if (lb_threads() == 8) ck_assert_int_lt(p.others, 50);
}
END_TEST

START_TEST(test_train_keeps_a_number_that_was_set)
{
    lb_set_threads(8);
    const int threads = lb_threads();
    const planted p = train_planted(threads, 100, false);
    ck_assert_int_eq(p.others, 0);
    ck_assert_int_eq(lb_threads(), threads);
    lb_set_threads(0);
    ck_assert(!lb_threads_are_chosen());
}
END_TEST
