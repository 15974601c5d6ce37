#include "proof/graph.h"
#include "autograd/tape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const proof_family *const families[] = {&proof_elements, &proof_rows,      &proof_products,
                                               &proof_losses,   &proof_attention, &proof_recurrent};

enum { MOST_OPS = 10, MOST_SMOOTH_OPS = 5 };

void proof_graph_init(proof_graph *g, proof_sort sort, uint64_t seed)
{
    *g = (proof_graph){.sort = sort, .seed = seed};
}

void proof_graph_free(proof_graph *g)
{
    for (int i = 0; i < g->leaves; i++) {
        free(g->leaf[i]->data);
        free(g->leaf[i]->grad);
        free(g->leaf[i]);
    }
}

static void add_to_pool(proof_graph *g, lb_tensor *tensor)
{
    if (g->pooled < LB_LENGTH(g->pool)) g->pool[g->pooled++] = tensor;
}

static void keep(proof_graph *g, lb_tensor *result, bool grows)
{
    if (g->results == PROOF_RESULTS) return;
    g->random[g->results] = g->drops;
    g->result[g->results++] = result;
    int outputs = result->node && result->node->op->outputs ? result->node->op->outputs : 1;
    if (!grows) {
        add_to_pool(g, result);
        for (int i = 1; i < outputs && result->node->out[0] == result; i++)
            add_to_pool(g, lb_op_output(result, i));
    } else if (g->results < PROOF_RESULTS) {
        /* So that values do not grow from op to op. */
        lb_tensor *small = lb_tanh(result);
        g->random[g->results] = false;
        g->result[g->results++] = small;
        add_to_pool(g, small);
    }
}

/* An error has to name the op, and may only come from operands that do not match. */
static void check_error(proof_graph *g, const lb_tensor *result, const char *maker)
{
    lb_status status = lb_tensor_status(result);
    const char *message = lb_tensor_error(result);
    bool known = result && !lb_is_sound(result) &&
                 (status == LB_ERROR_SHAPE || status == LB_ERROR_ARGUMENT || status == LB_ERROR_INDEX);
    if (!*g->why && (!g->spoilt || !known || strncmp(message, "lb_", 3) != 0))
        snprintf(g->why, sizeof g->why, "%s: %s: status %d: %.250s",
                 g->spoilt ? "an error without a name" : "operands that match are refused", maker, status,
                 message);
    lb_tape_clear_error(g->tape);
}

static const proof_maker *random_maker(proof_graph *g)
{
    int count = 0, f = 0;
    for (int i = 0; i < LB_LENGTH(families); i++) count += families[i]->count;
    int at = (int)proof_below(&g->dice, (uint64_t)count);
    for (; at >= families[f]->count; f++) at -= families[f]->count;
    return &families[f]->maker[at];
}

void proof_graph_build(proof_graph *g, lb_tape *tape)
{
    g->tape = tape;
    g->dice = proof_dice_new(g->seed, "graph");
    g->used = g->pooled = g->results = 0;
    int ops = 1 + (int)proof_below(&g->dice, g->sort == PROOF_SMOOTH ? MOST_SMOOTH_OPS : MOST_OPS);
    for (int i = 0; i < ops; i++) {
        const proof_maker *maker = random_maker(g);
        g->spoilt = g->drops = false;
        lb_tensor *result = maker->make(g);
        if (lb_is_sound(result) && lb_tape_status(tape) == LB_OK)
            keep(g, result, maker->grows);
        else
            check_error(g, result, maker->name);
    }
}
