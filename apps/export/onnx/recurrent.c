#include "export/onnx/recurrent.h"

#include "export/onnx/heads.h"
#include "export/onnx/protobuf.h"

/* States have the shape [1, batch, width], as GRU and LSTM of ONNX want them; the decoder works on [1, batch, .]. */
enum { MOST_GATES = 4 };

/* What the decoder attends to, as its inputs. Keys and values are `memory` unless the attention projects them. */
typedef struct attended {
    app_onnx_value memory, keys, values, mask;
} attended;

const char *app_onnx_recurrent_hindrance(const lb_seq2seq *model)
{
    lb_attention_kind kind = model->config.attention;
    if (model->attention.depth && model->config.attention_weights != LB_SOFTMAX)
        return "attention weights other than softmax";
    switch (kind) {
    case LB_ATTENTION_NONE:
    case LB_ATTENTION_ADDITIVE:
    case LB_ATTENTION_DOT:
    case LB_ATTENTION_GENERAL:
    case LB_ATTENTION_SCALED_DOT:
    case LB_ATTENTION_MULTI_HEAD:
        return NULL;
    default:
        return lb_attention_names[kind];
    }
}

/* Appends the gates of a weight or bias in the order of ONNX: z, r, n of a GRU; i, o, f, g of an LSTM. */
static void add_gates(lb_cell_kind kind, const lb_tensor *x, lb_buffer *raw)
{
    static const int gru[] = {1, 0, 2}, lstm[MOST_GATES] = {0, 3, 1, 2};
    int gates = kind == LB_CELL_LSTM ? 4 : 3;
    int64_t size = lb_count(x) / gates;
    for (int i = 0; i < gates; i++)
        app_protobuf_raw_floats(raw, x->data + (kind == LB_CELL_LSTM ? lstm : gru)[i] * size, size);
}

/* The weights W, R and B of a layer, in all of its directions. */
static void add_weights(app_onnx_graph *g, const lb_recurrent *layers, int64_t layer, app_onnx_value made[3])
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
        app_onnx_value name = app_onnx_name(g, "%s.%c_l%lld", layers->name, "WRB"[i], (long long)layer);
        made[i] = app_onnx_tensor(g, name, APP_ONNX_FLOAT, shape[i], &raw[i]);
    }
}

/* The parts of the state of an LSTM, [1, batch, 2 hidden]: h, which is its output, and c. */
static void split_state(app_onnx_graph *g, app_onnx_value state, app_onnx_value part[2])
{
    app_onnx_whole(g, "axis", 2);
    app_onnx_add(g, "Split", (const app_onnx_value[]){state, NULL}, 2, part);
}

/* What a cell in this state has put out. */
static app_onnx_value output_of(app_onnx_graph *g, const lb_recurrent *layers, app_onnx_value state)
{
    app_onnx_value part[2] = {state};
    if (layers->cell->kind == LB_CELL_LSTM) split_state(g, state, part);
    return part[0];
}

/* A layer over x, [time, batch, .]. Returns what it makes at each step, [time, directions, batch, hidden]. Sets the last
 * states, [directions, batch, .]; those of an LSTM are [h; c]. `initial` and `lengths` may be "". */
static app_onnx_value run_layer(app_onnx_graph *g, const lb_recurrent *layers, int64_t layer,
                                app_onnx_value x, app_onnx_value lengths, app_onnx_value initial,
                                app_onnx_value *last)
{
    bool lstm = layers->cell->kind == LB_CELL_LSTM;
    app_onnx_value weight[3], state[2] = {initial, lstm ? "" : NULL}, made[3];
    add_weights(g, layers, layer, weight);
    if (lstm && *initial) split_state(g, initial, state);
    app_onnx_whole(g, "hidden_size", layers->config.hidden);
    app_onnx_text(g, "direction", layers->directions == 2 ? "bidirectional" : "forward");
    if (!lstm) app_onnx_whole(g, "linear_before_reset", 1); /* as in PyTorch */
    app_onnx_add(
        g, lstm ? "LSTM" : "GRU",
        (const app_onnx_value[]){x, weight[0], weight[1], weight[2], lengths, state[0], state[1], NULL},
        lstm ? 3 : 2, made);
    *last = lstm ? app_onnx_concat(g, made[1], made[2], 2) : made[1];
    return made[0];
}

/* [time, directions, batch, width] -> [time, batch, directions width]. */
static app_onnx_value join_directions(app_onnx_graph *g, app_onnx_value x, int64_t width)
{
    app_onnx_value turned = APP_ONNX_TRANSPOSE(g, x, 0, 2, 1, 3);
    app_onnx_value shape = APP_ONNX_LIST(g, 0, 0, width); /* 0: as it is */
    return APP_ONNX(g, "Reshape", turned, shape);
}

/* The name and the axes of the state of a layer. */
static app_onnx_value state_name(app_onnx_graph *g, int64_t layer)
{
    return app_onnx_name(g, "state_%lld", (long long)layer);
}

static app_onnx_value state_axes(app_onnx_graph *g, const lb_linear *bridge)
{
    return app_onnx_name(g, "1 batch %lld", (long long)lb_dim(bridge->weight, 0));
}

/* Hands over the state in which a layer of the decoder begins: tanh(bridge(last states of the encoder)). */
static void begin_state(app_onnx_graphs *graphs, const lb_linear *bridge, int64_t layer, app_onnx_value last)
{
    app_onnx_graph *g = &graphs->encoder;
    app_onnx_value states = app_onnx_unsqueeze(g, last, 0);
    app_onnx_value joined = join_directions(g, states, lb_dim(bridge->weight, 1));
    app_onnx_value sum = app_onnx_linear(g, joined, bridge);
    app_onnx_value state = APP_ONNX(g, "Tanh", sum);
    app_onnx_hand_over(graphs, state, state_name(g, layer), state_axes(g, bridge));
}

/* Runs the encoder, and returns its outputs, [batch, length, width]. */
static app_onnx_value encode(const lb_seq2seq *model, app_onnx_graphs *graphs, app_onnx_value source,
                             app_onnx_value present)
{
    app_onnx_graph *g = &graphs->encoder;
    app_onnx_whole(g, "to", APP_ONNX_INT32);
    app_onnx_value ones = APP_ONNX(g, "Cast", present), axes = APP_ONNX_LIST(g, 1), last;
    app_onnx_whole(g, "keepdims", 0);
    app_onnx_value lengths = APP_ONNX(g, "ReduceSum", ones, axes);
    app_onnx_value by_step = APP_ONNX_TRANSPOSE(g, source, 1, 0);
    app_onnx_value embedding = app_onnx_weight(g, model->source_embedding.weight);
    app_onnx_value x = APP_ONNX(g, "Gather", embedding, by_step);
    for (int64_t layer = 0; layer < model->config.layers; layer++) {
        app_onnx_value made = run_layer(g, &model->encoder, layer, x, lengths, "", &last);
        x = join_directions(g, made, model->encoder.directions * model->config.hidden);
        begin_state(graphs, &model->bridge[layer], layer, last);
    }
    return APP_ONNX_TRANSPOSE(g, x, 1, 0, 2);
}

/* Hands over what the decoder attends to. */
static attended prepare(const lb_seq2seq *model, app_onnx_graphs *graphs, app_onnx_value memory,
                        app_onnx_value present)
{
    app_onnx_graph *g = &graphs->encoder;
    lb_attention_kind kind = model->config.attention;
    const lb_additive_attention *additive = model->attention.own;
    app_onnx_value mask = app_onnx_mask(g, present);
    attended a = {.mask = app_onnx_hand_over(graphs, mask, "mask", "batch 1 length")};
    if (kind == LB_ATTENTION_MULTI_HEAD) {
        a.keys = app_onnx_hand_over_heads(graphs, model->attention.own, APP_ONNX_KEYS, memory, "keys");
        a.values = app_onnx_hand_over_heads(graphs, model->attention.own, APP_ONNX_VALUES, memory, "values");
        return a;
    }
    app_onnx_value axes = app_onnx_name(g, "batch length %lld", (long long)model->attention.depth);
    a.memory = app_onnx_hand_over(graphs, memory, "memory", axes);
    if (kind == LB_ATTENTION_ADDITIVE) {
        app_onnx_value weight = app_onnx_weight(g, additive->key);
        app_onnx_value keys = app_onnx_affine(g, memory, weight, NULL);
        axes = app_onnx_name(g, "batch length %lld", (long long)lb_dim(additive->key, 0));
        a.keys = app_onnx_hand_over(graphs, keys, "keys", axes);
    }
    return a;
}

/* v' tanh(W_q q + keys): [batch, 1, length] of a query [batch, 1, hidden]. */
static app_onnx_value score_by_sum(app_onnx_graph *g, const lb_additive_attention *own, const attended *a,
                                   app_onnx_value query)
{
    app_onnx_value weight = app_onnx_weight(g, own->query), v = app_onnx_weight(g, own->v);
    app_onnx_value asked = app_onnx_affine(g, query, weight, NULL);
    app_onnx_value sum = APP_ONNX(g, "Add", a->keys, asked);
    app_onnx_value bent = APP_ONNX(g, "Tanh", sum);
    app_onnx_value scores = app_onnx_affine(g, bent, v, NULL);
    return APP_ONNX_TRANSPOSE(g, scores, 0, 2, 1);
}

/* scale (W q)' k, where W may be missing. */
static app_onnx_value score_by_product(app_onnx_graph *g, const lb_multiplicative_attention *own,
                                       const attended *a, app_onnx_value query)
{
    if (own->weight) {
        app_onnx_value weight = app_onnx_weight(g, own->weight);
        query = app_onnx_affine(g, query, weight, NULL);
    }
    app_onnx_value turned = APP_ONNX_TRANSPOSE(g, a->memory, 0, 2, 1);
    app_onnx_value scores = APP_ONNX(g, "MatMul", query, turned);
    app_onnx_value scale = app_onnx_number(g, (double)own->scale);
    return APP_ONNX(g, "Mul", scores, scale);
}

/* Asks with [1, batch, hidden]. Returns a context, [1, batch, depth], and sets the weights, [batch, 1, heads, length]. */
static app_onnx_value attend(app_onnx_graph *g, const lb_decoder_attention *attention, lb_attention_kind kind,
                             const attended *a, app_onnx_value query, app_onnx_value *weights)
{
    app_onnx_value asked = APP_ONNX_TRANSPOSE(g, query, 1, 0, 2), seen;
    if (kind == LB_ATTENTION_MULTI_HEAD) {
        app_onnx_value heads = app_onnx_heads(g, attention->own, APP_ONNX_QUERIES, asked);
        seen = app_onnx_ask(g, attention->own, heads, a->keys, a->values, a->mask, weights);
        *weights = APP_ONNX_TRANSPOSE(g, *weights, 0, 2, 1, 3);
    } else {
        app_onnx_value scores = kind == LB_ATTENTION_ADDITIVE ? score_by_sum(g, attention->own, a, asked)
                                                              : score_by_product(g, attention->own, a, asked);
        app_onnx_value shares = app_onnx_softmax(g, scores, a->mask);
        seen = APP_ONNX(g, "MatMul", shares, a->memory);
        *weights = app_onnx_unsqueeze(g, shares, 1);
    }
    return APP_ONNX_TRANSPOSE(g, seen, 1, 0, 2);
}

/* The output of the model for the last layer and the context, [1, batch, .]; a context of NULL is none. */
static void predict(const lb_seq2seq *model, app_onnx_graph *g, app_onnx_value top, app_onnx_value context)
{
    if (context) top = app_onnx_concat(g, top, context, 2);
    if (model->combine.weight) top = app_onnx_linear(g, top, &model->combine);
    if (model->combine.weight && model->attention.type->combines) top = APP_ONNX(g, "Tanh", top);
    top = app_onnx_linear(g, top, &model->output);
    app_onnx_logits(g, top, 0, model->config.target_vocab);
}

/* One step of the decoder. */
static void decode(const lb_seq2seq *model, app_onnx_graph *g, const attended *a)
{
    lb_attention_kind kind = model->config.attention;
    bool first = kind == LB_ATTENTION_ADDITIVE, last = model->attention.depth && !first;
    app_onnx_value weights, context = NULL, next, symbol = app_onnx_symbol(g);
    app_onnx_value embedding = app_onnx_weight(g, model->target_embedding.weight);
    app_onnx_value x = APP_ONNX(g, "Gather", embedding, symbol);
    x = app_onnx_unsqueeze(g, x, 0);
    if (first) {
        app_onnx_value query = output_of(g, &model->decoder, state_name(g, 0));
        context = attend(g, &model->attention, kind, a, query, &weights);
        x = app_onnx_concat(g, x, context, 2);
    }
    for (int64_t layer = 0; layer < model->config.layers; layer++) {
        run_layer(g, &model->decoder, layer, x, "", state_name(g, layer), &next);
        app_onnx_hand_on(g, next, state_name(g, layer), state_axes(g, &model->bridge[layer]));
        x = output_of(g, &model->decoder, next);
    }
    if (last) context = attend(g, &model->attention, kind, a, x, &weights);
    predict(model, g, x, context);
    if (context) app_onnx_attention(g, weights, 1, model->base.heads);
}

void app_onnx_recurrent_add(const lb_seq2seq *model, app_onnx_graphs *graphs)
{
    attended a = {0};
    app_onnx_value source = app_onnx_source(&graphs->encoder);
    app_onnx_value present = app_onnx_present(&graphs->encoder, source);
    app_onnx_value memory = encode(model, graphs, source, present);
    if (model->attention.depth) a = prepare(model, graphs, memory, present);
    decode(model, &graphs->decoder, &a);
}
