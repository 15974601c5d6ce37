/* Random programs of the public ops: with random shapes, lengths of 0 and 1, masks, shared operands, operands that do
 * not match, and extreme values. None crashes, errors are named, values equal those of the references, and gradients
 * equal differences. */
#include "proof/graph.h"
#include "proof/work_list.h"

enum { GRAPHS = 100000 };

/* The same functions, in double. */
bool proof_try_values_f64(uint64_t seed, char why[PROOF_WHY]);
bool proof_try_gradients_f64(uint64_t seed, char why[PROOF_WHY]);
void proof_begin_graphs_f64(void);

static const proof *campaign;

static void begin(void)
{
    proof_begin_graphs();
    proof_begin_graphs_f64();
}

static void report(bool sound, proof_count *count, uint64_t seed, const char *why)
{
    if (!sound)
        proof_fail(campaign, count, seed, "%s, graph %llu: %s", count->of, (unsigned long long)seed, why);
}

static void try_float(proof_count *count, uint64_t seed)
{
    char why[PROOF_WHY];
    report(proof_try_values(seed, why), count, seed, why);
}

static void try_double(proof_count *count, uint64_t seed)
{
    char why[PROOF_WHY];
    report(proof_try_values_f64(seed, why), count, seed, why);
}

static void try_gradients(proof_count *count, uint64_t seed)
{
    char why[PROOF_WHY];
    report(proof_try_gradients_f64(seed, why), count, seed, why);
}

int main(int argc, char **argv)
{
    proof p = proof_begin("proof_graphs", argc, argv);
    proof_list lists[] = {
        {.of = "values in float", .total = GRAPHS, .begin = begin, .trial = try_float},
        {.of = "values in double", .total = GRAPHS, .begin = begin, .trial = try_double},
        {.of = "gradients", .total = GRAPHS, .begin = begin, .trial = try_gradients},
    };
    campaign = &p;
    proof_run_lists(&p, lists, 3);
    return proof_end(&p);
}
