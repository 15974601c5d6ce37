#include "autograd/op.h"

#include "autograd/tape.h"
#include "autograd/tape_internal.h"
#include "base/format.h"
#include "base/progress.h"
#include "tensor/arrays.h"

#include <stdarg.h>
#include <string.h>

static int output_count(const lb_op *op)
{
    return op->outputs ? op->outputs : 1;
}

/* What an op cannot run without; backward asks for its function only where a gradient is wanted. */
static const char *lacking(const lb_op *op)
{
    return !op->name       ? "name"
           : !op->operands ? "operands"
           : !op->shape    ? "shape"
           : !op->forward  ? "forward"
                           : NULL;
}

/* In LB_MODE_EXPLAIN a parameter is a constant, so that a model that others use at the same time stays as it is. */
static lb_tensor *operand_of(lb_tape *tape, lb_tensor *x)
{
    bool constant = x && !x->tape && x->requires_grad && tape->mode == LB_MODE_EXPLAIN;
    return constant ? lb_on_tape(tape, x) : x;
}

static lb_node *node_new(lb_tape *tape, const lb_op *op, lb_tensor *const *in, int inputs,
                         const void *attributes, size_t size)
{
    lb_node *node = lb_tape_alloc(tape, sizeof *node);
    void *copy = size ? lb_tape_alloc(tape, size) : NULL;
    if (!node || (size && !copy)) return NULL;
    *node = (lb_node){.op = op, .tape = tape, .scope = tape->scope, .inputs = inputs, .attributes = copy};
    if (size) memcpy(copy, attributes, size);
    for (int i = 0; i < inputs; i++) {
        node->in[i] = operand_of(tape, in[i]);
        if (in[i] && !node->in[i]->data) return NULL;
        if (lb_wants_grad(node->in[i])) node->records = tape->mode != LB_MODE_EVALUATE;
    }
    return node;
}

static lb_status allocate_outputs(lb_node *node)
{
    lb_shape shape[LB_MAX_OUTPUTS] = {{0}};
    lb_status status = node->op->shape(node, shape);
    for (int i = 0; i < output_count(node->op) && !status; i++) {
        lb_tensor *out = lb_tensor_uninitialised(node->tape, shape[i]);
        out->node = lb_is_sound(out) ? node : NULL;
        out->requires_grad = lb_is_sound(out) && node->records;
        node->out[i] = out;
        status = node->tape->error.status;
    }
    return status;
}

static lb_status run_forward(lb_node *node)
{
    lb_gemm_hold(); /* OpenBLAS to one thread */
    lb_stage_begin(node->op->name, "forward");
    lb_status status = node->op->forward(node);
    lb_stage_end();
    lb_gemm_release();
    return status;
}

lb_tensor *lb_op_apply(const lb_op *op, lb_tensor *const *in, int inputs, const void *attributes, size_t size)
{
    assert(inputs <= LB_MAX_INPUTS && output_count(op) <= LB_MAX_OUTPUTS);
    const char *lacks = lacking(op), *name = op->name ? op->name : "op_apply";
    lb_tensor *poison = lb_check_operands(name, lacks ? "x..." : op->operands, in, inputs);
    if (poison) return poison;
    lb_tape *tape = lb_operands_tape(in, inputs);
    if (lacks)
        return lb_tape_fail(tape, LB_ERROR_ARGUMENT, "lb_%s: the descriptor of the op has no %s", name,
                            lacks);
    lb_node *node = node_new(tape, op, in, inputs, attributes, size);
    if (!node || allocate_outputs(node) || run_forward(node)) return &tape->poison;
    if (node->records) {
        node->previous = tape->last;
        tape->last = node;
    }
    return node->out[0];
}

lb_tensor *lb_op_output(lb_tensor *first, int index)
{
    if (!first || !first->node) return first;
    return index >= 0 && index < LB_MAX_OUTPUTS ? first->node->out[index] : NULL;
}

bool lb_wants_grad(const lb_tensor *operand)
{
    return operand && operand->requires_grad;
}

lb_real *lb_op_begin_grad(const lb_node *node, int i, int64_t first, int64_t count)
{
    assert(first >= 0 && first + count <= lb_count(node->in[i]));
    lb_real *part = node->in[i]->grad + first;
    if (lb_op_sets(node, i)) memset(part, 0, (size_t)count * sizeof *part);
    return part;
}

void lb_op_add_grad(lb_tensor *operand, const lb_real *grad)
{
    if (lb_wants_grad(operand)) lb_add_to(lb_count(operand), grad, operand->grad);
}

void lb_op_give_grad(const lb_node *node, int i, const lb_real *grad)
{
    if (lb_op_sets(node, i))
        lb_copy_to(lb_count(node->in[i]), grad, node->in[i]->grad);
    else
        lb_op_add_grad(node->in[i], grad);
}

void lb_op_add_grad_rows(lb_tensor *operand, int64_t rows, const lb_real *grad)
{
    if (lb_wants_grad(operand))
        lb_add_rows_to(rows, lb_count(operand), grad, lb_count(operand), operand->grad);
}

lb_status lb_op_fail(const lb_node *node, lb_status status, const char *format, ...)
{
    char message[LB_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    lb_vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    lb_tape_fail(node->tape, status, "lb_%s: %s", node->op->name, message);
    return status;
}

lb_status lb_op_misfit(const lb_node *node, const char *what, int a, int b)
{
    char name_a[LB_OPERAND_TEXT], name_b[LB_OPERAND_TEXT], text_a[LB_SHAPE_TEXT], text_b[LB_SHAPE_TEXT];
    lb_shape_format(node->in[a]->shape, text_a);
    lb_shape_format(node->in[b]->shape, text_b);
    lb_operand_name(node->op->operands, a, name_a);
    lb_operand_name(node->op->operands, b, name_b);
    return lb_op_fail(node, LB_ERROR_SHAPE, "%s: %s%s x %s%s", what, name_a, text_a, name_b, text_b);
}

lb_status lb_op_check_normalizer(const lb_node *node, lb_normalizer normalizer)
{
    int count = lb_choices(lb_normalizer_names);
    if ((unsigned)normalizer < (unsigned)count) return LB_OK;
    return lb_op_fail(node, LB_ERROR_ARGUMENT, "normalizer is %d, expected 0 to %d", (int)normalizer,
                      count - 1);
}

lb_status lb_op_check_ids(const lb_node *node, const lb_tokens *tokens, int64_t count, const int32_t *ignored,
                          const char *id, const char *there, const char *counted)
{
    for (int64_t i = 0; i < tokens->batch * tokens->length; i++)
        if ((tokens->id[i] < 0 || tokens->id[i] >= count) && !(ignored && tokens->id[i] == *ignored))
            return lb_op_fail(node, LB_ERROR_INDEX, "%s %d in row %lld, position %lld: %s %lld %s", id,
                              (int)tokens->id[i], (long long)(i / tokens->length),
                              (long long)(i % tokens->length), there, (long long)count, counted);
    return LB_OK;
}

lb_real *lb_op_reals(const lb_node *node, int64_t count)
{
    return lb_tape_alloc(node->tape, (size_t)count * sizeof(lb_real));
}

lb_real *lb_op_zeros(const lb_node *node, int64_t count)
{
    lb_real *reals = lb_op_reals(node, count);
    if (reals) memset(reals, 0, (size_t)count * sizeof *reals);
    return reals;
}

/* Rows of products after which a transposed copy of their weight has paid off: our kernel takes only plain operands. */
enum { ROWS_THAT_PAY = 64 };

static lb_real *transposed_copy(const lb_node *node, int64_t outputs, int64_t inputs, const lb_real *from,
                                int64_t stride)
{
    lb_real *copy = lb_tape_alloc_lasting(node->tape, (size_t)(outputs * inputs) * sizeof *copy);
    if (copy) lb_transpose(outputs, inputs, from, stride, copy);
    return copy;
}

lb_kept *lb_op_kept(const lb_node *node, const lb_real *of, int64_t size)
{
    if (node->tape->mode != LB_MODE_EVALUATE || !lb_tape_lasts(node->tape, of)) return NULL;
    lb_kept *known = node->tape->kept;
    while (known && (known->of != of || known->size != size)) known = known->next;
    if (known) return known;
    known = lb_tape_alloc_lasting(node->tape, sizeof *known);
    if (!known) return NULL;
    *known = (lb_kept){.of = of, .size = size, .next = node->tape->kept};
    return node->tape->kept = known;
}

lb_matrix lb_op_rounded(const lb_node *node, lb_matrix matrix)
{
    lb_tape *tape = node->tape;
    if (tape->precision == LB_BFLOAT16 && tape->mode == LB_MODE_TRAIN) matrix.rounded = &tape->pairs;
    return matrix;
}

bool lb_op_transposed_weight(const lb_node *node, const lb_tensor *weight, int64_t top, int64_t outputs,
                             int64_t first, int64_t inputs, int64_t rows, lb_matrix *matrix)
{
    int64_t stride = lb_dim(weight, 1);
    assert(top + outputs <= lb_dim(weight, 0) && first + inputs <= stride);
    const lb_real *from = weight->data + top * stride + first;
    lb_kept once = {.uses = 0}, *known = lb_op_kept(node, from, outputs * (stride + 1) + inputs);
    if (lb_tape_status(node->tape)) return false;
    if (!known) known = &once;
    known->uses += rows;
    *matrix = lb_op_rounded(node, lb_transposed(from, stride));
    if (known->uses < ROWS_THAT_PAY || matrix->rounded) return true;
    if (!known->made) known->made = transposed_copy(node, outputs, inputs, from, stride);
    *matrix = lb_plain(known->made, outputs);
    return known->made != NULL;
}

lb_rng lb_tape_rng(lb_tape *tape)
{
    return (lb_rng){.seed = tape->seed, .stream = tape->random_ops++, .step = tape->step};
}

lb_rng lb_op_rng(const lb_node *node)
{
    return lb_tape_rng(node->tape);
}
