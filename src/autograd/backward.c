#include "autograd/cause.h"
#include "autograd/tape.h"
#include "autograd/tape_internal.h"
#include "base/progress.h"
#include "tensor/arrays.h"
#include "tensor/gemm.h"

/* Does nothing for a tensor that has a gradient. */
static lb_status allocate_grad(lb_tensor *tensor, bool zero)
{
    if (tensor->grad) return LB_OK;
    tensor->grad = lb_tape_alloc(tensor->tape, (size_t)lb_count(tensor) * sizeof *tensor->grad);
    if (!tensor->grad) return lb_tape_status(tensor->tape);
    if (zero) lb_set_zero(lb_count(tensor), tensor->grad);
    return LB_OK;
}

/* The first op that contributes to a gradient sets it, if it can; the others add. */
static lb_status allocate_operand_grad(lb_node *node, int i)
{
    lb_tensor *operand = node->in[i];
    bool alone = !operand->grad;
    for (int other = 0; other < node->inputs; other++)
        alone = alone && (other == i || node->in[other] != operand);
    if (alone) node->sets |= node->op->can_set & 1U << i;
    return allocate_grad(operand, !lb_op_sets(node, i));
}

/* Allocates the memory for all gradients and for the work of all ops before the first gradient is written: a backward
 * that cannot finish does not start. */
static lb_status allocate_gradients(lb_tape *tape)
{
    for (lb_node *node = tape->last; node; node = node->previous) {
        if (!lb_node_is_reached(node)) continue;
        for (int i = 0; i < LB_MAX_OUTPUTS && node->out[i]; i++)
            if (allocate_grad(node->out[i], true)) return tape->error.status;
        for (int i = 0; i < node->inputs; i++)
            if (lb_wants_grad(node->in[i]) && allocate_operand_grad(node, i)) return tape->error.status;
        if (!node->op->work) continue;
        node->work = lb_op_reals(node, node->op->work(node));
        if (!node->work) return tape->error.status;
    }
    return LB_OK;
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
    if (allocate_grad(output, true) || allocate_gradients(tape)) return tape->error.status;
    /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): the loss of lb_backward is one number */
    for (int64_t i = 0; i < lb_count(output); i++) output->grad[i] += cotangent[i];
    lb_gemm_hold();
    for (lb_node *node = tape->last; node; node = node->previous) {
        if (!lb_node_is_reached(node)) continue;
        lb_stage_begin(node->op->name, "backward");
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
