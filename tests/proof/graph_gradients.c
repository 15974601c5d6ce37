/* The gradients of a graph against differences, where there is a gradient: the larger of two that are equal has
 * none. */
#include "proof/graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The precision of differences, as in lb_gradcheck. */
static const double ABSOLUTE = 1e-5, RELATIVE = 1e-3;

/* Gradients start from it, so that an op that sets one instead of adding to it is noticed. */
static const double BEGINNING = 0.5;

/* The function whose gradients are compared: the sum of the results of a graph, each times its cotangent. */
typedef struct weighted_sum {
    proof_graph *g;
    lb_tape *tape;
    lb_real *cotangent; /* one per number of the results */
    double value;       /* at the leaves as they are */
} weighted_sum;

/* The slope along one number, and by how much it is larger on one side than on the other one. */
typedef struct slope {
    double middle, gap;
} slope;

/* All results, with the same random numbers each time. */
static lb_tensor *build_again(const weighted_sum *s)
{
    lb_tape_reset(s->tape);
    lb_tape_seed(s->tape, 0, 0);
    proof_graph_build(s->g, s->tape);
    return proof_in_one_row(s->g);
}

static double value_of(const weighted_sum *s)
{
    const lb_tensor *row = build_again(s);
    double sum = lb_is_sound(row) ? 0 : NAN;
    for (int64_t i = 0; lb_is_sound(row) && i < lb_count(row); i++)
        sum += (double)s->cotangent[i] * (double)row->data[i];
    return sum;
}

/* Cotangents are in 0.5..1.5, so that none is small enough to hide an error. */
static lb_real *random_cotangents(int64_t count)
{
    lb_rng rng = {.stream = lb_rng_stream("cotangent")};
    lb_real *cotangent = calloc((size_t)count + 1, sizeof *cotangent);
    if (!cotangent) abort();
    for (int64_t i = 0; i < count; i++) cotangent[i] = (lb_real)(0.5 + lb_rng_uniform(rng, (uint64_t)i));
    return cotangent;
}

static lb_status run_backward(weighted_sum *s, lb_error *error)
{
    for (int p = 0; p < s->g->leaves; p++)
        for (int64_t i = 0; i < lb_count(s->g->leaf[p]); i++) s->g->leaf[p]->grad[i] = (lb_real)BEGINNING;
    lb_tensor *row = build_again(s);
    s->cotangent = random_cotangents(lb_count(row));
    return lb_backward_from(row, s->cotangent, error);
}

static slope slope_at(const weighted_sum *s, lb_real *x, double step)
{
    lb_real kept = *x;
    *x = kept + (lb_real)step;
    double above = value_of(s), right = (double)*x - (double)kept;
    *x = kept - (lb_real)step;
    double below = value_of(s), left = (double)kept - (double)*x;
    *x = kept;
    return (slope){(above - below) / (right + left),
                   fabs((above - s->value) / right - (s->value - below) / left)};
}

static bool agrees(double found, slope expected)
{
    return isfinite(expected.middle) &&
           fabs(found - expected.middle) <= ABSOLUTE + RELATIVE * fabs(expected.middle);
}

/* Whether there is no derivative here: then the sides do not come closer to each other with a smaller step. Those of a
 * smooth function do, in proportion. */
static bool is_kink(slope wide, slope narrow)
{
    return narrow.gap > ABSOLUTE + RELATIVE * fabs(narrow.middle) && narrow.gap > wide.gap / 2;
}

/* A smaller step leaves out a kink that is near. */
static bool check_element(const weighted_sum *s, lb_real *x, double found, slope *wide)
{
    static const double steps[] = {1e-6, 1e-7};
    *wide = slope_at(s, x, steps[0]);
    if (agrees(found, *wide)) return true;
    slope narrow = slope_at(s, x, steps[1]);
    return isfinite(narrow.gap) && (agrees(found, narrow) || is_kink(*wide, narrow));
}

static void check_gradients(proof_graph *g, lb_tape *tape, char why[PROOF_WHY])
{
    lb_error error = {0};
    weighted_sum s = {.g = g, .tape = tape};
    if (run_backward(&s, &error)) snprintf(why, PROOF_WHY, "backward: %.300s", error.message);
    s.value = value_of(&s);
    for (int p = 0; p < g->leaves; p++)
        for (int64_t i = 0; i < lb_count(g->leaf[p]) && !*why; i++) {
            slope expected;
            double found = (double)g->leaf[p]->grad[i] - BEGINNING;
            if (check_element(&s, &g->leaf[p]->data[i], found, &expected)) continue;
            snprintf(why, PROOF_WHY, "leaf %d, element %lld: backward gives %.9g, differences give %.9g", p,
                     (long long)i, found, expected.middle);
        }
    free(s.cotangent);
}

bool proof_try_gradients(uint64_t seed, char why[PROOF_WHY])
{
    proof_graph g;
    proof_graph_init(&g, PROOF_SMOOTH, seed);
    /* Once for the leaves, and to compare the values. */
    lb_tape *tape = lb_tape_new();
    proof_graph_build(&g, tape);
    snprintf(why, PROOF_WHY, "%s", g.why);
    proof_check_results(&g, why);
    if (!*why && g.leaves) check_gradients(&g, tape, why);
    lb_tape_free(tape);
    proof_graph_free(&g);
    return !*why;
}
