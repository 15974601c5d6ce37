/* lb_backward: from the last op of a tape to the first, each of which adds to the gradients of its operands. */
#include "autograd/tape.h"
#include "autograd/tape_internal.h"
#include "base/alloc.h"
#include "base/progress.h"
#include "lookback/op.h"
#include "tensor/arrays.h"
#include "tensor/gemm.h"

/* ---- Memory. A backward that cannot finish does not start: all gradients and the work of all ops have their memory
 * before the first gradient is written. On a tape that is spent, a gradient lives from the first op that adds to it
 * until the op that made its tensor, and work during its op. Then the memory serves others. ---- */

enum { LEAST = 1 << 10, MOST = 64 }; /* bytes that are worth a second use, and arrays that wait for it */

typedef struct spares {
    bool spends;
    int count;
    struct {
        char *memory;
        size_t bytes;
    } of[MOST];
} spares;

static void give_back(spares *s, void *memory, size_t bytes)
{
    if (!s->spends || bytes < LEAST || s->count == MOST) return;
    s->of[s->count].memory = memory;
    s->of[s->count++].bytes = lb_align_up(bytes);
}

/* From the smallest of the spares that has room, or else from the tape, which records it if there is none. */
static void *take(spares *s, lb_tape *tape, size_t bytes)
{
    int best = -1;
    for (int i = 0; i < s->count && bytes >= LEAST; i++)
        if (s->of[i].bytes >= bytes && (best < 0 || s->of[i].bytes < s->of[best].bytes)) best = i;
    if (best < 0) return lb_tape_alloc(tape, bytes);
    char *memory = s->of[best].memory;
    size_t room = s->of[best].bytes, used = lb_align_up(bytes);
    s->of[best] = s->of[--s->count];
    give_back(s, memory + used, room - used);
    return memory;
}

static size_t bytes_of(const lb_tensor *tensor)
{
    return (size_t)lb_count(tensor) * sizeof *tensor->grad;
}

/* Backward clears what the first op that adds to it does not set: operands, then outputs that nobody reads. */
static void allocate_grad(lb_node *node, spares *s, lb_tensor *tensor, int place)
{
    if (tensor->grad) return;
    if (place >= LB_MAX_INPUTS || !lb_op_sets(node, place)) node->clears |= 1U << place;
    tensor->grad = take(s, node->tape, bytes_of(tensor));
}

/* The first op that contributes to a gradient sets it, if it can; the others add. */
static void allocate_operand_grad(lb_node *node, spares *s, int i)
{
    lb_tensor *operand = node->in[i];
    bool alone = !operand->grad;
    for (int other = 0; other < node->inputs; other++)
        alone = alone && (other == i || node->in[other] != operand);
    if (alone) node->sets |= node->op->can_set & 1U << i;
    if (s->spends && i == 0 && lb_op_sets(node, 0) && node->op->saves_slope) operand->grad = node->saved;
    allocate_grad(node, s, operand, i);
}

static lb_status allocate_gradients(lb_tape *tape)
{
    spares s = {.spends = tape->spends};
    for (lb_node *node = tape->last; node && !tape->error.status; node = node->previous) {
        if (!lb_node_is_reached(node)) continue;
        if (!node->op->backward)
            lb_op_fail(node, LB_ERROR_ARGUMENT,
                       "the descriptor of the op has no backward, but a gradient is wanted");
        for (int i = 0; i < LB_MAX_OUTPUTS && node->out[i]; i++)
            allocate_grad(node, &s, node->out[i], LB_MAX_INPUTS + i);
        for (int i = 0; i < node->inputs; i++)
            if (lb_wants_grad(node->in[i])) allocate_operand_grad(node, &s, i);
        size_t work = node->op->work ? (size_t)node->op->work(node) * sizeof *node->work : 0;
        if (node->op->work) node->work = take(&s, tape, work);
        if (tape->error.status) break;
        give_back(&s, node->work, work);
        for (int i = 0; i < LB_MAX_OUTPUTS && node->out[i]; i++)
            give_back(&s, node->out[i]->grad, bytes_of(node->out[i]));
    }
    return tape->error.status;
}

/* What others wrote into memory that they lent is no gradient. Only now have they read it. */
static void clear_gradients(const lb_node *node)
{
    for (int i = 0; i < node->inputs; i++)
        if (lb_op_sets(node, i) && node->in[i]->grad != node->saved)
            LB_MARK_UNWRITTEN(node->in[i]->grad, bytes_of(node->in[i]));
    for (int place = 0; node->clears >> place; place++) {
        const lb_tensor *tensor = place < LB_MAX_INPUTS ? node->in[place] : node->out[place - LB_MAX_INPUTS];
        if (node->clears >> place & 1) lb_set_zero(lb_count(tensor), tensor->grad);
    }
}

/* Records on the tape why backward cannot start here, if it cannot. */
static lb_status check_loss(lb_tensor *output)
{
    lb_tape *tape = output->tape;
    if (!lb_is_sound(output))
        lb_tape_fail(tape, LB_ERROR_ARGUMENT, "lb_backward: invalid loss: %s", lb_tensor_error(output));
    else if (tape->backward_ran)
        lb_tape_fail(tape, LB_ERROR_ARGUMENT, "lb_backward: already called since the last lb_tape_reset");
    return tape->error.status;
}

/* From the last op on the tape to the first, each of which adds to the gradients of its operands. */
static lb_status flow_back(lb_tensor *output, const lb_real *cotangent)
{
    lb_tape *tape = output->tape;
    if (check_loss(output) || !output->requires_grad) return tape->error.status;
    tape->backward_ran = true;
    tape->loss = output;
    if (!output->grad) output->grad = lb_tape_alloc_zero(tape, lb_count(output), sizeof *output->grad);
    if (tape->error.status || allocate_gradients(tape)) return tape->error.status;
    /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): the loss of lb_backward is one number */
    for (int64_t i = 0; i < lb_count(output); i++) output->grad[i] += cotangent[i];
    lb_gemm_hold();
    for (lb_node *node = tape->last; node; node = node->previous) {
        if (!lb_node_is_reached(node)) continue;
        lb_stage_begin(node->op->name, "backward");
        clear_gradients(node);
        node->op->backward(node);
        lb_stage_end();
    }
    lb_gemm_release();
    return tape->error.status;
}

lb_status lb_backward_from(lb_tensor *output, const lb_real *cotangent, lb_error *error)
{
    if (!output || !cotangent)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "lb_backward: %s is missing",
                            output ? "cotangent" : "loss");
    if (!output->tape && lb_is_sound(output))
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "lb_backward: the loss is a parameter, which is not on a tape");
    if (!output->tape) return lb_error_set(error, lb_tensor_status(output), "%s", lb_tensor_error(output));
    lb_status status = flow_back(output, cotangent);
    return status ? lb_error_set(error, status, "%s", lb_tape_error(output->tape)) : LB_OK;
}

lb_status lb_backward(lb_tensor *loss, lb_error *error)
{
    if (lb_is_sound(loss) && loss->tape && lb_count(loss) != 1) {
        char text[LB_SHAPE_TEXT];
        lb_tape_fail(loss->tape, LB_ERROR_SHAPE, "lb_backward: expected a loss of one number, found %s",
                     lb_shape_format(loss->shape, text));
    }
    return lb_backward_from(loss, (const lb_real[]){1}, error);
}
