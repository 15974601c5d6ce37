/* Measures attention maps: where they look, how far two agree, and what flows through all layers. */
#include "base/alloc.h"
#include "metrics/measures.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- Where a map looks. ---- */

/* -sum w log w. */
static double entropy_of(const double *row, int64_t positions)
{
    double sum = 0;
    for (int64_t j = 0; j < positions; j++)
        if (row[j] > 0) sum -= row[j] * log(row[j]);
    return sum;
}

static int64_t most_attended(const double *row, int64_t positions)
{
    int64_t best = 0;
    for (int64_t j = 1; j < positions; j++)
        if (row[j] > row[best]) best = j;
    return best;
}

lb_status lb_attention_tally(const double *weights, int64_t steps, int64_t positions,
                             lb_attention_statistics *statistics, lb_error *error)
{
    lb_attention_statistics s = {.maps = 1, .steps = steps, .moves = steps > 0 ? steps - 1 : 0};
    unsigned char *seen = lb_alloc_zero((size_t)positions + 1);
    int64_t before = 0, covered = 0;
    if (!seen)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a map of %lld positions",
                            (long long)positions);
    for (int64_t i = 0; i < steps && positions > 0; i++) {
        const double *row = weights + i * positions;
        int64_t now = most_attended(row, positions);
        if (positions > 1) s.entropy += entropy_of(row, positions) / log((double)positions);
        s.forward += i > 0 && now >= before;
        covered += !seen[now];
        seen[now] = 1;
        before = now;
    }
    if (positions > 0) s.coverage = (double)covered / (double)positions;
    lb_release(seen);
    *statistics = s;
    return LB_OK;
}

void lb_attention_add(lb_attention_statistics *sum, const lb_attention_statistics *more)
{
    sum->maps += more->maps;
    sum->steps += more->steps;
    sum->moves += more->moves;
    sum->forward += more->forward;
    sum->entropy += more->entropy;
    sum->coverage += more->coverage;
}

static double share(double part, int64_t all, double otherwise)
{
    return all > 0 ? part / (double)all : otherwise;
}

lb_attention_measures lb_attention_measure(const lb_attention_statistics *sum)
{
    return (lb_attention_measures){.entropy = share(sum->entropy, sum->steps, 0),
                                   .monotonicity = share((double)sum->forward, sum->moves, 1),
                                   .coverage = share(sum->coverage, sum->maps, 0)};
}

/* ---- Whether two maps agree. ---- */

enum { A, B, MAPS };

/* A position, with its weight in each map. */
typedef struct position {
    double weight[MAPS];
} position;

/* By the weights in the maps from `map` to `end`. */
static int order(const position *x, const position *y, int map, int end)
{
    while (map < end - 1 && x->weight[map] == y->weight[map]) map++;
    return (x->weight[map] > y->weight[map]) - (x->weight[map] < y->weight[map]);
}

/* Sorts, with `count` more as a spare. Returns how many pairs were in the wrong order. */
static int64_t sort(position *of, int64_t count, position *spare, int map, int end)
{
    const int64_t half = count / 2;
    if (count < 2) return 0;
    int64_t wrong = sort(of, half, spare, map, end) + sort(of + half, count - half, spare, map, end);
    memcpy(spare, of, (size_t)count * sizeof *of);
    for (int64_t k = 0, i = 0, j = half; k < count; k++) {
        const bool later = i == half || (j < count && order(&spare[j], &spare[i], map, end) < 0);
        wrong += later ? half - i : 0;
        of[k] = spare[later ? j++ : i++];
    }
    return wrong;
}

/* The ordered pairs of equal positions, which are sorted. `last` receives how many equal the last. */
static double ties(const position *of, int64_t count, int map, int end, double *last)
{
    double sum = *last = 0;
    for (int64_t i = 0; i < count; i++) {
        *last = i > 0 && order(&of[i], &of[i - 1], map, end) == 0 ? *last + 1 : 1;
        sum += 2 * *last - 1; /* a square is the sum of the first odd numbers */
    }
    return sum;
}

/* `row` has room for twice as many positions. */
static void add_row(lb_agreement *sum, const double *a, const double *b, int64_t count, position *row)
{
    double first_a, first_b, both, all = (double)(count * count);
    for (int64_t i = 0; i < count; i++) row[i] = (position){{a[i], b[i]}};
    sort(row, count, row + count, A, MAPS);
    const double in_a = all - ties(row, count, A, B, &first_a), same = ties(row, count, A, MAPS, &both);
    const double most = row[count - 1].weight[B], turned = (double)sort(row, count, row + count, B, MAPS);
    const double in_b = all - ties(row, count, B, MAPS, &first_b);
    sum->tau += in_a * in_b > 0 ? (in_a + in_b - all + same - 4 * turned) / sqrt(in_a * in_b) : 0;
    sum->first += most == row[count - 1].weight[B] ? both / (first_a * first_b) : 0;
}

lb_status lb_agreement_of(const double *a, const double *b, int64_t steps, int64_t positions,
                          lb_agreement *agreement, lb_error *error)
{
    lb_agreement sum = {0};
    assert(positions > 0);
    position *row = lb_alloc(2 * (size_t)positions * sizeof *row);
    if (!row) return lb_no_memory(error, "the agreement of two maps");
    for (int64_t i = 0; i < steps; i++) add_row(&sum, a + i * positions, b + i * positions, positions, row);
    lb_release(row);
    *agreement = (lb_agreement){share(sum.tau, steps, 0), share(sum.first, steps, 0)};
    return LB_OK;
}

/* ---- What flows through all layers. ---- */

/* The mean of a layer's heads from position `to` to position `from`, mixed with the identity. */
static double mixed(const double *layer, int64_t heads, int64_t length, int64_t to, int64_t from)
{
    double sum = 0;
    for (int64_t head = 0; head < heads; head++) sum += layer[(head * length + to) * length + from];
    return (sum / (double)heads + (to == from)) / 2;
}

/* product = layer * rollout. */
static void multiply(const double *layer, int64_t heads, int64_t length, const double *rollout,
                     double *product)
{
    memset(product, 0, (size_t)(length * length) * sizeof *product);
    for (int64_t to = 0; to < length; to++)
        for (int64_t via = 0; via < length; via++) {
            double weight = mixed(layer, heads, length, to, via);
            for (int64_t from = 0; from < length; from++)
                product[to * length + from] += weight * rollout[via * length + from];
        }
}

lb_status lb_attention_rollout(const double *weights, int64_t layers, int64_t heads, int64_t length,
                               double *rollout, lb_error *error)
{
    size_t bytes = (size_t)(length * length) * sizeof *rollout;
    double *product = lb_alloc(bytes);
    if (!product)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a map of %lld positions",
                            (long long)length);
    for (int64_t i = 0; i < length * length; i++) rollout[i] = i % (length + 1) == 0;
    for (int64_t layer = 0; layer < layers; layer++) {
        multiply(weights + layer * heads * length * length, heads, length, rollout, product);
        memcpy(rollout, product, bytes);
    }
    lb_release(product);
    return LB_OK;
}
