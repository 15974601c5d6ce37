/* The weights of members that vote, fitted to outputs that are known to be right. */
#include "base/transcendental.h"
#include "models/ensemble/ensemble.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { ROUNDS = 1000, STEPS = 200, HALVINGS = 60, BACKTRACKS = 40, UNITS = 10000 };

static const double PRIOR = 5, LEAST_SHARPNESS = 1e-3, MOST_SHARPNESS = 1e3, SMALL = 1e-9,
                    ENOUGH = 1e-7; /* nats that a round must gain for another one */

typedef struct fit {
    const lb_vote_case *cases;
    int64_t count;
    int members;
    double sharpness, prior;
} fit;

static double weighted(const fit *f, const double *score, const double *weight)
{
    double sum = 0;
    for (int m = 0; m < f->members; m++) sum += weight[m] * score[m];
    return sum;
}

/* Adds a case to the gradients of the loss, and returns its loss: minus the log-probability of the right hypothesis. */
static double add_case(const fit *f, const lb_vote_case *c, const double *weight, double *by_weight,
                       double *by_sharpness)
{
    double largest = -INFINITY, total = 0, right = weighted(f, c->score + c->right * f->members, weight);
    for (int64_t h = 0; h < c->count; h++)
        largest = fmax(largest, weighted(f, c->score + h * f->members, weight));
    for (int64_t h = 0; h < c->count; h++)
        total += lb_exp64(f->sharpness * (weighted(f, c->score + h * f->members, weight) - largest));
    for (int64_t h = 0; h < c->count; h++) {
        const double *score = c->score + h * f->members;
        double found = weighted(f, score, weight);
        double share = lb_exp64(f->sharpness * (found - largest)) / total - (h == c->right ? 1 : 0);
        *by_sharpness += share * found;
        for (int m = 0; m < f->members; m++) by_weight[m] += f->sharpness * share * score[m];
    }
    return lb_log64(total) + f->sharpness * (largest - right);
}

static double loss_of(const fit *f, const double *weight, double *by_weight, double *by_sharpness)
{
    double loss = 0;
    *by_sharpness = 0;
    memset(by_weight, 0, (size_t)f->members * sizeof *by_weight);
    for (int64_t i = 0; i < f->count; i++)
        if (f->cases[i].right >= 0) loss += add_case(f, &f->cases[i], weight, by_weight, by_sharpness);
    for (int m = 0; m < f->members; m++) {
        double distance = f->members * weight[m] - 1;
        loss += f->prior * distance * distance;
        by_weight[m] += 2 * f->prior * f->members * distance;
    }
    return loss;
}

/* The loss is convex in the sharpness: its derivative has one sign change. */
static void fit_sharpness(fit *f, const double *weight)
{
    double low = lb_log64(LEAST_SHARPNESS), high = lb_log64(MOST_SHARPNESS), by_weight[LB_VOTE_MOST], slope;
    for (int i = 0; i < HALVINGS; i++) {
        f->sharpness = lb_exp64((low + high) / 2);
        loss_of(f, weight, by_weight, &slope);
        if (slope > 0)
            high = lb_log64(f->sharpness);
        else
            low = lb_log64(f->sharpness);
    }
}

/* The nearest point with no negative weight and the sum 1 (Duchi et al. 2008): the same is taken from each weight. */
static void project(double *weight, int members)
{
    double low = -1e6, high = 1e6;
    for (int i = 0; i < 2 * HALVINGS; i++) {
        double taken = (low + high) / 2, sum = 0;
        for (int m = 0; m < members; m++) sum += fmax(weight[m] - taken, 0);
        if (sum > 1)
            low = taken;
        else
            high = taken;
    }
    for (int m = 0; m < members; m++) weight[m] = fmax(weight[m] - high, 0);
}

/* One step of projected gradient descent, as long as the loss falls enough. False if none does. */
static bool descend(const fit *f, double *weight, double *length)
{
    double gradient[LB_VOTE_MOST], next[LB_VOTE_MOST], unused[LB_VOTE_MOST], slope;
    double loss = loss_of(f, weight, gradient, &slope);
    for (int i = 0; i < BACKTRACKS; i++, *length /= 2) {
        double moved = 0;
        for (int m = 0; m < f->members; m++) next[m] = weight[m] - *length * gradient[m];
        project(next, f->members);
        for (int m = 0; m < f->members; m++) moved += (next[m] - weight[m]) * (next[m] - weight[m]);
        if (moved < SMALL * SMALL) return false;
        if (loss_of(f, next, unused, &slope) > loss - moved / (4 * *length)) continue;
        memcpy(weight, next, (size_t)f->members * sizeof *weight);
        *length *= 2;
        return true;
    }
    return false;
}

/* The largest weight takes what rounding leaves over. */
static void round_all(double *weight, int members)
{
    int largest = 0;
    long units[LB_VOTE_MOST] = {0}, left = UNITS;
    for (int m = 0; m < members; m++) {
        left -= units[m] = lround(weight[m] * UNITS);
        if (weight[m] > weight[largest]) largest = m;
    }
    units[largest] += left;
    for (int m = 0; m < members; m++) weight[m] = (double)units[m] / UNITS;
}

/* Fits sharpness and weights in turn, until that gains nothing more. Returns the loss. */
static double fit_in_turn(fit *f, double prior, double *weight)
{
    double before = INFINITY, loss = INFINITY, length = 1, unused[LB_VOTE_MOST], slope;
    f->prior = prior;
    for (int round = 0; round < ROUNDS && !(before - loss < ENOUGH); round++) {
        before = loss;
        fit_sharpness(f, weight);
        for (int i = 0; i < STEPS && descend(f, weight, &length); i++)
            ;
        loss = loss_of(f, weight, unused, &slope);
    }
    return loss;
}

/* With the prior there can be several minima: near equal weights a low sharpness can be best, with which no weight
 * matters. Without, the loss is convex in the products of both, and its minimum is the other place to begin at. */
void lb_vote_fit(const lb_vote_case *cases, int64_t case_count, int members, double *weight)
{
    fit f = {.cases = cases, .count = case_count, .members = members};
    double other[LB_VOTE_MOST];
    for (int m = 0; m < members; m++) weight[m] = other[m] = 1 / (double)members;
    fit_in_turn(&f, 0, other);
    if (fit_in_turn(&f, PRIOR, other) < fit_in_turn(&f, PRIOR, weight))
        memcpy(weight, other, (size_t)members * sizeof *weight);
    round_all(weight, members);
}
