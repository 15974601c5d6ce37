/* Rows of a table, chosen by token ids. */
#include "autograd/op.h"
#include "lookback/ops.h"
#include "tensor/accumulate.h"

#include <string.h>

static lb_status looked_up_shape(const lb_node *node, lb_shape *out)
{
    const lb_tokens *tokens = node->attributes;
    lb_shape table = node->in[0]->shape;
    if (table.ndim != 2) {
        char text[LB_SHAPE_TEXT];
        return lb_op_fail(node, LB_ERROR_SHAPE, "expected a table of shape [rows,width], found %s",
                          lb_shape_format(table, text));
    }
    if (lb_op_check_ids(node, tokens, table.dim[0], NULL, "token id", "the table has", "rows"))
        return LB_ERROR_INDEX;
    *out = LB_SHAPE(tokens->batch, tokens->length, table.dim[1]);
    return LB_OK;
}

static lb_status forward(lb_node *node)
{
    const lb_tokens *tokens = node->attributes;
    enum { ALONE = 1 << 16 /* elements that one thread is quicker with */ };
    int64_t width = lb_dim(node->in[0], 1), count = tokens->batch * tokens->length;
#pragma omp parallel for schedule(static) if (count * width > ALONE)
    for (int64_t i = 0; i < count; i++)
        memcpy(node->out[0]->data + i * width, node->in[0]->data + tokens->id[i] * width,
               (size_t)width * sizeof(lb_real));
    return LB_OK;
}

static void backward(lb_node *node)
{
    const lb_tokens *tokens = node->attributes;
    int64_t width = lb_dim(node->in[0], 1);
    lb_add_at_rows(tokens->id, tokens->batch * tokens->length, width, node->out[0]->grad, width,
                   node->in[0]->grad);
}

static void reference(const lb_node *node, double *const *out)
{
    const lb_tokens *tokens = node->attributes;
    int64_t width = lb_dim(node->in[0], 1);
    for (int64_t i = 0; i < lb_count(node->out[0]); i++)
        out[0][i] = (double)node->in[0]->data[tokens->id[i / width] * width + i % width];
}

static lb_tensor *repeated_case(lb_tensor *const *in)
{
    static const int32_t id[] = {3, 1, 0, 3, 2, 3}, lengths[] = {3, 2};
    return lb_embedding_lookup((lb_tokens){in[0]->tape, 2, 3, id, lengths}, in[0]);
}

static const lb_op_case cases[] = {{"repeated ids", 1, {LB_DIMS(4, 3)}, .apply = repeated_case}};

static const lb_op embedding_lookup_op = {
    .name = "embedding_lookup",
    .operands = "table",
    .formula = "y_i = table[id_i]",
    .derivative = "dtable[id_i] += dy_i",
    .shape = looked_up_shape,
    .forward = forward,
    .backward = backward,
    .reference = reference,
    .cases = cases,
    .case_count = LB_LENGTH(cases),
};

/** The row of the table for each token. Padding is looked up like any other id.
 *  Shapes: tokens [batch, length], table [rows, width] -> [batch, length, width].
 *  Errors: LB_ERROR_INDEX if an id is not a row; LB_ERROR_SHAPE. */
lb_tensor *lb_embedding_lookup(lb_tokens tokens, lb_tensor *table)
{
    lb_tensor *rows = table && !table->tape ? lb_on_tape(tokens.tape, table) : table;
    return lb_op_apply(&embedding_lookup_op, LB_INPUTS(rows), &tokens, sizeof tokens);
}

static const lb_op *const ops[] = {&embedding_lookup_op};
const lb_op_family lb_family_embedding_lookup = {ops, LB_LENGTH(ops)};
