#include "autograd/cause.h"

#include "autograd/op.h"
#include "autograd/tape_internal.h"
#include "base/alloc.h"
#include "base/format.h"
#include "tensor/arrays.h"
#include "tensor/gemm.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int64_t lb_first_bad(const lb_real *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (isnan(x[i])) return i;
    return lb_first_not_finite(x, count);
}

/* How bad an array is: an operand that is NaN explains more than one that is infinite. */
typedef enum badness { FINITE, INFINITE, NOT_A_NUMBER } badness;

static badness badness_of(const lb_real *x, int64_t count)
{
    int64_t at = x ? lb_first_bad(x, count) : -1;
    return at < 0 ? FINITE : isnan(x[at]) ? NOT_A_NUMBER : INFINITE;
}

char *lb_bad_place(lb_shape shape, const lb_real *x, int64_t at, char text[LB_PLACE_TEXT])
{
    lb_shape place = {.ndim = shape.ndim};
    char index[LB_SHAPE_TEXT];
    int64_t left = at;
    assert(at >= 0 && at < lb_shape_count(shape));
    for (int d = shape.ndim - 1; d >= 0; left /= shape.dim[d--]) place.dim[d] = left % shape.dim[d];
    snprintf(text, LB_PLACE_TEXT, "%s%s%s",
             isnan(x[at]) ? "nan"
             : x[at] > 0  ? "inf"
                          : "-inf",
             shape.ndim ? " at " : "", shape.ndim ? lb_shape_format(place, index) : "");
    return text;
}

/* "net.score: lb_log" */
static const char *name_of(const lb_node *node, char text[LB_PLACE_TEXT])
{
    const char *scope = node->scope ? node->scope : "";
    snprintf(text, LB_PLACE_TEXT, "%s%slb_%s", scope, *scope ? ": " : "", node->op->name);
    return text;
}

/* ": first in net.score: lb_log: its result[4,7] is -inf at [0,3], where x is 0": `what` and the name of operand `i`,
 * -1: none, tell the array; where: that operand, or else the first one, if it has such a place and is not the array. */
static void print_first(const lb_node *node, const char *way, const char *what, int i, lb_shape shape,
                        const lb_real *x, char text[LB_CAUSE_TEXT])
{
    char op[LB_PLACE_TEXT], name[LB_OPERAND_TEXT], form[LB_SHAPE_TEXT], place[LB_PLACE_TEXT];
    char where[LB_PLACE_TEXT] = "";
    const lb_tensor *operand = node->in[i < 0 ? 0 : i];
    int64_t at = lb_first_bad(x, lb_shape_count(shape));
    lb_operand_name(node->op->operands, i < 0 ? 0 : i, name);
    if (operand && operand->data != x && lb_shape_equal(operand->shape, shape))
        lb_snprintf(where, sizeof where, ", where %s is %.9g", name, (double)operand->data[at]);
    snprintf(text, LB_CAUSE_TEXT, ": first in %s%s: %s%s%s is %s%s", way, name_of(node, op), what,
             i < 0 ? "" : name, lb_shape_format(shape, form), lb_bad_place(shape, x, at, place), where);
}

/* "; nan since lb_mul": the op that has made NaN of an infinity. */
static void print_turn(const lb_node *turned, char text[LB_CAUSE_TEXT])
{
    char name[LB_PLACE_TEXT];
    size_t used = strlen(text);
    if (turned) snprintf(text + used, LB_CAUSE_TEXT - used, "; nan since %s", name_of(turned, name));
}

/* ---- Forward: from the output up to the first op with finite operands. ---- */

/* The first of the worst operands; -1 if all are finite. */
static int worst_operand(const lb_node *node)
{
    badness most = FINITE;
    int worst = -1;
    for (int i = 0; i < node->inputs; i++) {
        badness found = node->in[i] ? badness_of(node->in[i]->data, lb_count(node->in[i])) : FINITE;
        if (found <= most) continue;
        most = found;
        worst = i;
    }
    return worst;
}

static char *cause_of(const lb_tensor *output, char text[LB_CAUSE_TEXT])
{
    const lb_tensor *bad = output;
    const lb_node *reader = NULL, *turned = NULL;
    int which = -1;
    *text = '\0';
    while (bad->node && (which = worst_operand(bad->node)) >= 0) {
        reader = bad->node;
        const lb_tensor *operand = reader->in[which];
        if (badness_of(bad->data, lb_count(bad)) != badness_of(operand->data, lb_count(operand)))
            turned = reader;
        bad = operand;
    }
    if (bad->node)
        print_first(bad->node, "", "its result", -1, bad->shape, bad->data, text);
    else if (reader) /* a leaf that is bad before anything is computed with it */
        print_first(reader, "", "its operand ", which, bad->shape, bad->data, text);
    if (*text) print_turn(turned, text);
    return text;
}

/* ---- Backward: from the gradient of a leaf down to the first op that got finite ones. ---- */

static bool has_grad(const lb_node *node, int i)
{
    return lb_wants_grad(node->in[i]) && node->in[i]->grad;
}

/* Parameters and their aliases on the tape are different tensors with one gradient. */
static int operand_with(const lb_node *node, const lb_real *grad)
{
    for (int i = 0; i < node->inputs; i++)
        if (has_grad(node, i) && node->in[i]->grad == grad) return i;
    return -1;
}

/* Runs backward of one op again, into zeros: whether what it adds to this gradient is bad. A recurrent op has
 * overwritten what it had kept, so that this may miss it. */
static bool gives_bad(lb_node *node, const lb_real *grad)
{
    lb_real *kept[LB_MAX_INPUTS] = {NULL};
    bool bad = false, room = true;
    for (int i = 0; i < node->inputs; i++) {
        kept[i] = has_grad(node, i) ? node->in[i]->grad : NULL;
        for (int k = 0; k < i; k++)
            if (kept[i] && node->in[k] == node->in[i]) kept[i] = NULL;
    }
    for (int i = 0; i < node->inputs; i++) {
        if (!kept[i]) continue;
        node->in[i]->grad = lb_alloc_zero((size_t)(lb_count(node->in[i]) + 1) * sizeof *grad);
        room = room && node->in[i]->grad;
    }
    if (room) {
        lb_gemm_hold();
        node->op->backward(node);
        lb_gemm_release();
    }
    for (int i = 0; i < node->inputs; i++) {
        if (!kept[i]) continue;
        bad = bad || (room && kept[i] == grad && badness_of(node->in[i]->grad, lb_count(node->in[i])));
        lb_release(node->in[i]->grad);
        node->in[i]->grad = kept[i];
    }
    return bad;
}

/* The output with the worst gradient; NULL if all are finite. */
static const lb_tensor *worst_output(const lb_node *node)
{
    badness most = FINITE;
    const lb_tensor *worst = NULL;
    for (int i = 0; i < LB_MAX_OUTPUTS && node->out[i]; i++) {
        badness found = badness_of(node->out[i]->grad, lb_count(node->out[i]));
        if (found <= most) continue;
        most = found;
        worst = node->out[i];
    }
    return worst;
}

/* The op that has made this gradient bad. If several have added to it, they are asked one by one. */
static lb_node *giver_of(const lb_tape *tape, const lb_real *grad)
{
    lb_node *first = NULL, *suspect = NULL;
    int givers = 0;
    for (lb_node *node = tape->last; node; node = node->previous) {
        if (!lb_node_is_reached(node) || operand_with(node, grad) < 0) continue;
        if (!first) first = node;
        if (!suspect && worst_output(node)) suspect = node;
        givers++;
    }
    for (lb_node *node = tape->last; node && givers > 1; node = node->previous)
        if (lb_node_is_reached(node) && operand_with(node, grad) >= 0 && gives_bad(node, grad)) return node;
    return suspect ? suspect : first;
}

/* The leaf nearest to the loss whose gradient is bad. */
static const lb_tensor *bad_leaf(const lb_tape *tape)
{
    for (const lb_node *node = tape->last; node; node = node->previous)
        for (int i = 0; i < node->inputs && lb_node_is_reached(node); i++)
            if (has_grad(node, i) && !node->in[i]->node &&
                badness_of(node->in[i]->grad, lb_count(node->in[i])))
                return node->in[i];
    return NULL;
}

bool lb_loss_is_finite(const lb_tape *tape)
{
    return !tape || !tape->loss || badness_of(tape->loss->data, lb_count(tape->loss)) == 0;
}

char *lb_cause_on(const lb_tape *tape, char text[LB_CAUSE_TEXT])
{
    *text = '\0';
    if (!tape || !tape->loss || tape->spends) return text;
    if (!lb_loss_is_finite(tape)) return cause_of(tape->loss, text);
    const lb_tensor *bad = bad_leaf(tape), *leaf = bad;
    lb_node *giver = NULL;
    const lb_node *turned = NULL;
    const lb_real *grad = NULL;
    while (bad && (giver = giver_of(tape, bad->grad))) {
        grad = bad->grad;
        const lb_tensor *output = worst_output(giver);
        if (output && badness_of(grad, lb_count(bad)) != badness_of(output->grad, lb_count(output)))
            turned = giver;
        bad = output;
    }
    if (!giver) return text;
    /* What an earlier tape has given to a parameter does not come from this one. */
    if (grad == leaf->grad && !gives_bad(giver, grad)) return text;
    int i = operand_with(giver, grad);
    print_first(giver, "the backward pass of ", "the gradient of ", i, giver->in[i]->shape, grad, text);
    print_turn(turned, text);
    return text;
}

const char *lb_divergence_advice(int64_t steps)
{
    return steps > 0 ? "; a smaller learning rate may help" : "";
}
