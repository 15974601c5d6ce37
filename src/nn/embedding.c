#include "nn/embedding.h"

#include "autograd/op.h"
#include "autograd/tape.h"
#include "lookback/op.h"
#include "nn/params.h"

lb_status lb_embedding_init(lb_embedding *embedding, lb_params *params, const char *name, int64_t vocabulary,
                            int64_t width, double deviation)
{
    lb_init init = {LB_INIT_NORMAL, deviation == 0 ? 1 : deviation};
    lb_params_need(params, name, "vocabulary", vocabulary);
    lb_params_need(params, name, "width", width);
    *embedding = (lb_embedding){.name = lb_params_scope(params, "", name)};
    embedding->weight = lb_params_add(params, name, "weight", LB_SHAPE(vocabulary, width), init);
    return lb_params_status(params);
}

lb_tensor *lb_embedding_forward(const lb_embedding *embedding, lb_tokens tokens)
{
    const char *outer = lb_tape_enter(tokens.tape, embedding->name);
    lb_tensor *rows = lb_embedding_lookup(tokens, embedding->weight);
    lb_tape_leave(tokens.tape, outer);
    return rows;
}

lb_tensor *lb_embedding_table(const lb_embedding *embedding, lb_tape *tape, int64_t lookups,
                              lb_tensor *weight_ih, lb_tensor *bias_ih)
{
    if (!lb_is_sound(embedding->weight) || lookups <= lb_dim(embedding->weight, 0)) return NULL;
    const char *outer = lb_tape_enter(tape, embedding->name);
    lb_tensor *table = lb_affine_columns(lb_on_tape(tape, embedding->weight), weight_ih, 0, bias_ih);
    lb_tape_leave(tape, outer);
    return table;
}

lb_gates lb_embedding_gates(const lb_embedding *embedding, const lb_tokens *tokens, lb_tensor *table,
                            lb_tensor *weight_ih, lb_tensor *bias_ih)
{
    if (table) return (lb_gates){table, tokens};
    return (lb_gates){.x =
                          lb_affine_columns(lb_embedding_forward(embedding, *tokens), weight_ih, 0, bias_ih)};
}
