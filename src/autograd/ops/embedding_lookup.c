/* Rows of a table, chosen by token ids. */
#include "autograd/op.h"
#include "lookback/ops.h"
#include "tensor/arrays.h"

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

static const lb_op embedding_lookup_op = {
    .name = "embedding_lookup",
    .operands = "table",
    .formula = "y_i = table[id_i]",
    .derivative = "dtable[id_i] += dy_i",
    .shape = looked_up_shape,
    .forward = forward,
    .backward = LB_TRAINING(backward),
};

/** The row of the table for each token, also for padding.
 *  Shapes: tokens [batch, length], table [rows, width] -> [batch, length, width].
 *  Errors: LB_ERROR_INDEX if an id is not a row; LB_ERROR_SHAPE. */
lb_tensor *lb_embedding_lookup(lb_tokens tokens, lb_tensor *table)
{
    lb_tensor *rows = table && !table->tape ? lb_on_tape(tokens.tape, table) : table;
    return lb_op_apply(&embedding_lookup_op, LB_INPUTS(rows), &tokens, sizeof tokens);
}
