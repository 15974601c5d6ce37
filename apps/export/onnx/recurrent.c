/* A recurrent model as ONNX graphs. States have the shape [1, batch, width], as GRU and LSTM of ONNX want them;
 * the decoder works on [1, batch, .]. */
#include "export/onnx/layers.h"

#include <assert.h>

/* Appends the gates of a weight or bias in the order of ONNX: z, r, n of a GRU; i, o, f, g of an LSTM. */
static void add_gates(lb_cell_kind kind, const lb_tensor *x, lb_buffer *raw)
{
    static const int gru[] = {1, 0, 2}, lstm[] = {0, 3, 1, 2};
    const int *order = kind == LB_CELL_LSTM ? lstm : gru, gates = kind == LB_CELL_LSTM ? 4 : 3;
    int64_t size = lb_count(x) / gates;
    assert(size * gates == lb_count(x));
    for (int i = 0; i < gates; i++) protobuf_raw_floats(raw, x->data + order[i] * size, size);
}

/* The weights W, R and B of a layer, in all of its directions. */
static void add_weights(onnx_graph *g, const lb_recurrent *layers, int64_t layer, onnx_value made[3])
{
    const lb_recurrent_cell *cell = &layers->cell[layer * layers->directions];
    int64_t directions = layers->directions, rows = lb_dim(cell->weight_hh, 0);
    const lb_shape shape[] = {LB_SHAPE(directions, rows, lb_dim(cell->weight_ih, 1)),
                              LB_SHAPE(directions, rows, lb_dim(cell->weight_hh, 1)),
                              LB_SHAPE(directions, 2 * rows)};
    lb_buffer raw[3] = {0};
    for (int64_t i = 0; i < directions; i++) {
        add_gates(cell->kind, cell[i].weight_ih, &raw[0]);
        add_gates(cell->kind, cell[i].weight_hh, &raw[1]);
        add_gates(cell->kind, cell[i].bias_ih, &raw[2]);
        add_gates(cell->kind, cell[i].bias_hh, &raw[2]);
    }
    for (int i = 0; i < 3; i++) {
        onnx_value name = onnx_name(g, "%s.%c_l%lld", layers->name, "WRB"[i], (long long)layer);
        made[i] = onnx_tensor(g, name, ONNX_FLOAT, shape[i], &raw[i]);
    }
}

/* What cells in this state, [1, batch, .], have put out, h; sets the c of an LSTM, whose state is [h; c]. */
static onnx_value output_of(onnx_graph *g, const lb_recurrent *layers, onnx_value state, onnx_value *c)
{
    onnx_value part[2] = {state, NULL};
    if (layers->cell->kind == LB_CELL_LSTM) {
        onnx_set(g, "axis", 2);
        onnx_add(g, "Split", (const onnx_value[]){state, NULL}, 2, part);
    }
    if (c) *c = part[1];
    return part[0];
}

/* A layer over x, [time, batch, .]. Returns what it makes at each step, [time, directions, batch, hidden]. Sets the
 * last states, [directions, batch, .]. `lengths` and `initial` may be "": rows are full, and begin with zeros. */
static onnx_value run_layer(onnx_graph *g, const lb_recurrent *layers, int64_t layer, onnx_value x,
                            onnx_value lengths, onnx_value initial, onnx_value *last)
{
    bool lstm = layers->cell->kind == LB_CELL_LSTM;
    onnx_value w[3], c = NULL, h = *initial ? output_of(g, layers, initial, &c) : "", made[3];
    add_weights(g, layers, layer, w);
    onnx_set(g, "hidden_size", layers->config.hidden);
    onnx_set_text(g, "direction", layers->directions == 2 ? "bidirectional" : "forward");
    if (!lstm) onnx_set(g, "linear_before_reset", 1); /* as in PyTorch */
    onnx_add(g, lstm ? "LSTM" : "GRU", (const onnx_value[]){x, w[0], w[1], w[2], lengths, h, c, NULL},
             lstm ? 3 : 2, made);
    *last = lstm ? onnx_concat(g, made[1], made[2], 2) : made[1];
    return made[0];
}

/* [time, directions, batch, width] -> [time, batch, directions width]. */
static onnx_value join_directions(onnx_graph *g, onnx_value x, int64_t width)
{
    return ONNX_RESHAPE(g, ONNX_TRANSPOSE(g, x, 0, 2, 1, 3), 0, 0, width);
}

/* The name and the axes of the state of a layer of the decoder. */
static onnx_value state_name(onnx_graph *g, int64_t layer)
{
    return onnx_name(g, "state_%lld", (long long)layer);
}

static onnx_value state_axes(onnx_graph *g, const lb_seq2seq *model)
{
    return onnx_name(g, "1 batch %lld", (long long)lb_dim(model->bridge->weight, 0));
}

/* Runs the encoder, and returns its outputs, [batch, length, width]. Hands over the states in which the layers of the
 * decoder begin: tanh(bridge(last states)). */
static onnx_value encode(const lb_seq2seq *model, onnx_graphs *graphs, onnx_value present)
{
    onnx_graph *g = &graphs->encoder;
    onnx_value ones = onnx_cast(g, present, ONNX_INT32), axis = ONNX_LIST(g, 1), last;
    onnx_set(g, "keepdims", 0);
    onnx_value lengths = ONNX(g, "ReduceSum", ones, axis);
    onnx_value x = onnx_gather(g, model->source_embedding.weight, ONNX_TRANSPOSE(g, "source", 1, 0));
    for (int64_t layer = 0; layer < model->config.layers; layer++) {
        const lb_linear *bridge = &model->bridge[layer];
        x = run_layer(g, &model->encoder, layer, x, lengths, "", &last);
        x = join_directions(g, x, model->encoder.directions * model->config.hidden);
        last = join_directions(g, onnx_unsqueeze(g, last, 0), lb_dim(bridge->weight, 1));
        last = ONNX(g, "Tanh", onnx_linear(g, last, bridge->weight, bridge->bias));
        onnx_hand_over(graphs, last, state_name(g, layer), state_axes(g, model));
    }
    return ONNX_TRANSPOSE(g, x, 1, 0, 2);
}

/* v' tanh(W_q q + keys): [batch, 1, length] of a query [batch, 1, hidden]. */
static onnx_value score_by_sum(onnx_graph *g, const lb_additive_attention *own, onnx_value query)
{
    onnx_value sum = ONNX(g, "Add", "keys", onnx_linear(g, query, own->query, NULL));
    return ONNX_TRANSPOSE(g, onnx_linear(g, ONNX(g, "Tanh", sum), own->v, NULL), 0, 2, 1);
}

/* scale (W q)' k, where W may be missing. */
static onnx_value score_by_product(onnx_graph *g, const lb_multiplicative_attention *own, onnx_value query)
{
    if (own->weight) query = onnx_linear(g, query, own->weight, NULL);
    onnx_value scores = ONNX(g, "MatMul", query, ONNX_TRANSPOSE(g, "memory", 0, 2, 1));
    return ONNX(g, "Mul", scores, onnx_number(g, (double)own->scale));
}

/* Hands over what the decoder attends to: "keys" and "values", or "memory", of which "keys" may be made. */
static void hand_over_memory(const lb_seq2seq *model, onnx_graphs *graphs, onnx_value memory)
{
    onnx_graph *g = &graphs->encoder;
    const lb_additive_attention *additive = model->attention.own;
    static const char axes[] = "batch length %lld";
    if (model->config.attention == LB_ATTENTION_MULTI_HEAD) {
        onnx_hand_over_heads(graphs, model->attention.own, memory, "keys", "values");
        return;
    }
    onnx_hand_over(graphs, memory, "memory", onnx_name(g, axes, (long long)model->attention.depth));
    if (model->config.attention != LB_ATTENTION_ADDITIVE) return;
    onnx_value keys = onnx_linear(g, memory, additive->key, NULL);
    onnx_hand_over(graphs, keys, "keys", onnx_name(g, axes, (long long)lb_dim(additive->key, 0)));
}

/* Asks with [1, batch, hidden]. Returns a context, [1, batch, depth], and sets the weights, [batch, 1, heads, length].
 */
static onnx_value attend(onnx_graph *g, const lb_seq2seq *model, onnx_value query, onnx_value *weights)
{
    const void *own = model->attention.own;
    onnx_value context;
    query = ONNX_TRANSPOSE(g, query, 1, 0, 2);
    if (model->config.attention == LB_ATTENTION_MULTI_HEAD) {
        context = onnx_ask(g, own, query, "keys", "values", "mask", weights);
        *weights = ONNX_TRANSPOSE(g, *weights, 0, 2, 1, 3);
    } else {
        onnx_value scores = model->config.attention == LB_ATTENTION_ADDITIVE
                                ? score_by_sum(g, own, query)
                                : score_by_product(g, own, query);
        onnx_value shares = onnx_softmax(g, scores, "mask");
        context = ONNX(g, "MatMul", shares, "memory");
        *weights = onnx_unsqueeze(g, shares, 1);
    }
    return ONNX_TRANSPOSE(g, context, 1, 0, 2);
}

/* The logits of the last layer and the context, [1, batch, .]; a context of NULL is none. */
static onnx_value predict(const lb_seq2seq *model, onnx_graph *g, onnx_value top, onnx_value context)
{
    if (context) top = onnx_concat(g, top, context, 2);
    if (model->combine.weight) top = onnx_linear(g, top, model->combine.weight, NULL);
    if (model->combine.weight && model->attention.type->combines) top = ONNX(g, "Tanh", top);
    return onnx_linear(g, top, model->output.weight, model->output.bias);
}

/* One step of the decoder. */
static void decode(const lb_seq2seq *model, onnx_graph *g)
{
    bool first = model->config.attention == LB_ATTENTION_ADDITIVE, last = model->attention.depth && !first;
    onnx_input(g, "symbol", ONNX_INT64, "batch");
    onnx_value x = onnx_unsqueeze(g, onnx_gather(g, model->target_embedding.weight, "symbol"), 0);
    onnx_value weights = NULL, context = NULL;
    if (first) {
        context = attend(g, model, output_of(g, &model->decoder, state_name(g, 0), NULL), &weights);
        x = onnx_concat(g, x, context, 2);
    }
    for (int64_t layer = 0; layer < model->config.layers; layer++) {
        onnx_value name = state_name(g, layer), next;
        run_layer(g, &model->decoder, layer, x, "", name, &next);
        onnx_hand_on(g, next, name, state_axes(g, model));
        x = output_of(g, &model->decoder, next, NULL);
    }
    if (last) context = attend(g, model, x, &weights);
    onnx_end_step(g, &model->base, predict(model, g, x, context), 0, weights);
}

void onnx_recurrent_add(const lb_model *base, onnx_graphs *graphs)
{
    const lb_seq2seq *model = (const lb_seq2seq *)base;
    onnx_value present = onnx_source(&graphs->encoder), memory = encode(model, graphs, present);
    if (model->attention.depth) {
        onnx_mask(graphs, present);
        hand_over_memory(model, graphs, memory);
    }
    decode(model, &graphs->decoder);
}
