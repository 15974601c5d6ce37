/* The values of a graph against the references of its ops. */
#include "autograd/cause.h"
#include "autograd/op_cases.h"
#include "proof/graph.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LB_REAL_IS_DOUBLE
static const double TOLERANCE = 1e-11, LARGEST = DBL_MAX, NOTHING = 1e-300;
#else
static const double TOLERANCE = 1e-5, LARGEST = FLT_MAX, NOTHING = 1e-37;
#endif

/* Larger operands of the ops that sum overflow in the references, which are written by the definition. */
static const double LARGEST_SUMMED = 100;

/* Whether an op does at most one rounding per element, so that its reference holds for all numbers. */
static bool is_by_element(const lb_op *op)
{
    static const char *const names[] = {
        "add",     "sub",        "mul",          "div",     "concat",     "slice",
        "permute", "exp",        "log",          "tanh",    "sigmoid",    "masked_fill",
        "reshape", "relu",       "dropout",      "scale",   "add_scalar", "embedding_lookup",
        "sqrt",    "abs",        "softplus",     "maximum", "minimum",    "pow",
        "where",   "reduce_max", "relative_bias"};
    for (int i = 0; i < LB_LENGTH(names); i++)
        if (strcmp(op->name, names[i]) == 0) return true;
    return false;
}

/* The largest magnitude among the operands; infinite if one is not finite. */
static double largest_operand(const lb_node *node)
{
    double most = 0;
    for (int k = 0; k < node->inputs; k++)
        for (int64_t i = 0; node->in[k] && i < lb_count(node->in[k]); i++) {
            double size = fabs((double)node->in[k]->data[i]);
            /* The bias of attention hides with -inf, which its reference knows. */
            bool hides = size == INFINITY && node->in[k]->node == NULL && !node->in[k]->requires_grad;
            if (!hides && !(size <= most)) most = isfinite(size) ? size : INFINITY;
        }
    return most;
}

/* What an op or its backward leaves unset is NaN, and not by chance 0. */
static void *allocate_nan(size_t bytes)
{
    void *memory = malloc(bytes);
    return memory ? memset(memory, 0xff, bytes) : NULL;
}

/* Rounding errors grow from step to step. */
static bool is_recurrent(const lb_op *op)
{
    return strstr(op->name, "gru") || strstr(op->name, "lstm");
}

static bool is_close(double found, double expected, const lb_op *op, double most)
{
    bool by_element = is_by_element(op);
    /* The references of ops that sum overflow where the ops do not. */
    if (isnan(expected)) return by_element == isnan(found);
    if (fabs(expected) > LARGEST * (1 - 1e-6))
        return fabs(found) >= LARGEST * (1 - 1e-5) && signbit(found) == signbit(expected);
    double scale = by_element ? fabs(expected) : (1 + fabs(expected)) * (1 + most) * (1 + most);
    return fabs(found - expected) <= (is_recurrent(op) ? 1000 : 1) * TOLERANCE * scale + NOTHING;
}

static void compare(const lb_node *node, double *const *expected, char why[PROOF_WHY])
{
    double most = largest_operand(node);
    if (!is_by_element(node->op) && !(most <= LARGEST_SUMMED)) return;
    for (int k = 0; k < LB_MAX_OUTPUTS && expected[k]; k++)
        for (int64_t i = 0; i < lb_count(node->out[k]) && !*why; i++) {
            double found = (double)node->out[k]->data[i];
            if (is_close(found, expected[k][i], node->op, most)) continue;
            snprintf(why, PROOF_WHY, "lb_%s: output %d, element %lld is %.12g, expected %.12g",
                     node->op->name, k, (long long)i, found, expected[k][i]);
        }
}

/* Compares one run of an op with its reference on the operands that it had. */
static void check_node(const lb_node *node, char why[PROOF_WHY])
{
    double *expected[LB_MAX_OUTPUTS] = {NULL};
    int outputs = node->op->outputs ? node->op->outputs : 1;
    for (int k = 0; k < outputs; k++) {
        expected[k] = calloc((size_t)lb_count(node->out[k]) + 1, sizeof **expected);
        if (!expected[k]) abort();
    }
    lb_op_proof_of(node->op->name)->reference(node, expected);
    compare(node, expected, why);
    for (int k = 0; k < outputs; k++) free(expected[k]);
}

/* The mean of nothing is NaN; a sum, which is its reference then, 0. */
static bool has_reference(const proof_graph *g, int result)
{
    const lb_node *node = g->result[result]->node;
    if (!node || g->random[result]) return false;
    return strcmp(node->op->name, "mean") != 0 || lb_count(node->in[0]) > 0;
}

lb_tensor *proof_in_one_row(const proof_graph *g)
{
    lb_tensor *rows[PROOF_RESULTS];
    for (int i = 0; i < g->results; i++) rows[i] = lb_reshape(g->result[i], LB_SHAPE(lb_count(g->result[i])));
    return g->results ? lb_concat(rows, g->results, 0) : lb_tensor_new(g->tape, LB_SHAPE(0), NULL);
}

void proof_check_results(const proof_graph *g, char why[PROOF_WHY])
{
    for (int i = 0; i < g->results && !*why; i++)
        if (has_reference(g, i)) check_node(g->result[i]->node, why);
}

bool proof_try_values(uint64_t seed, char why[PROOF_WHY])
{
    proof_graph g;
    proof_graph_init(&g, seed % 3 == 0 ? PROOF_EXTREME : PROOF_ORDINARY, seed);
    lb_tape *tape = lb_tape_new();
    lb_tape_seed(tape, seed, 0);
    if (seed % 4 == 1) lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    proof_graph_build(&g, tape);
    snprintf(why, PROOF_WHY, "%s", g.why);
    proof_check_results(&g, why);
    lb_tensor *all = proof_in_one_row(&g);
    lb_error error = {0};
    char cause[LB_CAUSE_TEXT];
    /* Values may be NaN by now; backward, and the search for the cause, must only survive that. */
    if (lb_tape_mode(tape) == LB_MODE_TRAIN &&
        lb_backward_from(lb_sum_all(all), (const lb_real[]){1}, &error) && !*why)
        snprintf(why, PROOF_WHY, "backward: %.300s", error.message);
    lb_cause_on(tape, cause);
    lb_tape_free(tape);
    proof_graph_free(&g);
    return !*why;
}

void proof_begin_graphs(void)
{
    lb_set_allocator(&(lb_allocator){allocate_nan, free});
    lb_set_threads(1);
}
