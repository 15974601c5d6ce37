#include "export/export.h"

#include "base/format.h"
#include "models/attention/decoder_attention.h"

#include <math.h>

enum { NAME = 64 };

static const app_recurrent_attention attentions[] = {
    {LB_ATTENTION_NONE, true, {NULL}},
    {LB_ATTENTION_ADDITIVE, true, {"ADDITIVE"}},
    {LB_ATTENTION_COVERAGE, false, {"RECALLS"}},
    {LB_ATTENTION_LOCATION, false, {"RECALLS", "LOCATION"}},
    {LB_ATTENTION_MULTI_HEAD, true, {"DOTS", "SCALED", "MULTI_HEAD"}},
    {LB_ATTENTION_DOT, true, {"DOTS"}},
    {LB_ATTENTION_SCALED_DOT, true, {"DOTS", "SCALED"}},
    {LB_ATTENTION_GENERAL, true, {"DOTS", "GENERAL"}},
    {LB_ATTENTION_LOCAL_M, false, {"DOTS", "GENERAL", "LOCAL"}},
    {LB_ATTENTION_LOCAL_P, false, {"DOTS", "GENERAL", "LOCAL", "PREDICTS"}},
};

const app_recurrent_attention *app_recurrent_attention_of(const lb_decoder_attention *attention)
{
    for (size_t i = 0; i < sizeof attentions / sizeof *attentions; i++)
        if (lb_attention_is(attention, attentions[i].kind)) return &attentions[i];
    return NULL;
}

/* The parameters of all kinds of attention, and what the code does with some: a model has those of its own. */
static const struct {
    const char *name, *weight, *bias, *flag;
    bool array;
} attention_parameters[] = {
    {"attention_query", .weight = "attention.W_q.weight", .flag = "ASKS"},
    {"attention_key", .weight = "attention.W_k.weight", .flag = "PROJECTS"},
    {"attention_value", .weight = "attention.W_v.weight"},
    {"attention_output", .weight = "attention.W_o.weight"},
    {"attention_v", .weight = "attention.v.weight", .array = true},
    {"attention_weight", .weight = "attention.W.weight", .flag = "ASKS"},
    {"attention_features", .weight = "attention.W_c.weight"},
    {"attention_features", .weight = "attention.U.weight", .bias = "attention.U.bias"},
    {"attention_filters", .weight = "attention.F.weight", .array = true},
    {"attention_middle", .weight = "attention.W_p.weight"},
    {"attention_position", .weight = "attention.v_p.weight"},
};

static void add_sizes(const lb_seq2seq *model, app_kernel *k)
{
    const lb_seq2seq_config *c = &model->config;
    bool lstm = c->cell == LB_CELL_LSTM, deep = c->layers > 1;
    int64_t directions = c->bidirectional ? 2 : 1, outputs = directions * c->hidden;
    int64_t context = model->attention.depth;
    const app_kernel_size sizes[] = {
        {"LAYERS", c->layers},
        {"EMBED", c->embed},
        {"HIDDEN", c->hidden},
        {"STATE", c->hidden * (lstm ? 2 : 1)},
        {"GATES", c->hidden * (lstm ? 4 : 3)},
        {"DIRECTIONS", directions},
        {"OUTPUTS", outputs},
        {"BUFFERS", deep ? 2 : 1},
        {"LAST_BUFFER", deep ? (c->layers - 1) % 2 : 0},
        {"CONTEXT", context},
        {"INPUT", c->embed + context},
        {"JOINED", c->hidden + context},
        {"COMBINED", c->tied ? c->embed : c->hidden},
        {"KEYS", app_kernel_has(k, "GENERAL") ? outputs : c->hidden},
        {"HEADS", model->attention.heads},
        {"REACH", c->window},
        {"SCORES", app_kernel_size_of(k, "LONGEST")},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        app_kernel_size_is(k, sizes[i].name, sizes[i].value);
}

static void add_cell(app_numbers *n, const char *stack, int layer, bool backward)
{
    static const char *const parts[] = {"input", "state"}, *const names[] = {"ih", "hh"};
    for (int i = 0; i < 2; i++) {
        char name[NAME], weight[NAME], bias[NAME];
        const char *reverse = backward ? "_reverse" : "";
        lb_snprintf(name, sizeof name, "%s_%d%s_%s", stack, layer, reverse, parts[i]);
        lb_snprintf(weight, sizeof weight, "%s.weight_%s_l%d%s", stack, names[i], layer, reverse);
        lb_snprintf(bias, sizeof bias, "%s.bias_%s_l%d%s", stack, names[i], layer, reverse);
        lb_buffer_print(&n->layers, i ? ",\n     " : "    {");
        app_numbers_linear(n, name, weight, bias, 0, 0);
    }
    lb_buffer_print(&n->layers, "},\n");
}

static void add_cells(app_numbers *n, const char *stack, int layers, int directions)
{
    lb_buffer_print(&n->layers, "static const cell %s[] = {\n", stack);
    for (int i = 0; i < layers * directions; i++) add_cell(n, stack, i / directions, i % directions == 1);
    lb_buffer_print(&n->layers, "};\n");
}

static void add_bridges(app_numbers *n, int layers)
{
    lb_buffer_print(&n->layers, "static const linear bridge[] = {\n");
    for (int i = 0; i < layers; i++) {
        char name[NAME], weight[NAME], bias[NAME];
        lb_snprintf(name, sizeof name, "bridge_%d", i);
        lb_snprintf(weight, sizeof weight, "bridge.%d.weight", i);
        lb_snprintf(bias, sizeof bias, "bridge.%d.bias", i);
        lb_buffer_print(&n->layers, "    ");
        app_numbers_linear(n, name, weight, bias, 0, 0);
        lb_buffer_print(&n->layers, ",\n");
    }
    lb_buffer_print(&n->layers, "};\n");
}

static void add_attention(const lb_seq2seq *model, app_numbers *n, app_kernel *k)
{
    for (size_t i = 0; i < sizeof attention_parameters / sizeof *attention_parameters; i++) {
        const char *name = attention_parameters[i].name, *weight = attention_parameters[i].weight;
        if (!lb_params_find(n->params, weight)) continue;
        if (attention_parameters[i].flag) app_kernel_flag(k, attention_parameters[i].flag);
        if (attention_parameters[i].array)
            app_numbers_array(n, name, weight);
        else
            app_numbers_named(n, name, weight, attention_parameters[i].bias);
    }
    const lb_tensor *filters = lb_params_find(n->params, "attention.F.weight");
    if (filters) app_kernel_size_is(k, "FILTERS", lb_dim(filters, 0));
    if (!app_kernel_has(k, "SCALED")) return;
    int64_t width = model->config.hidden / model->attention.heads; /* of a head */
    lb_real scale = 1 / (lb_real)sqrt((double)width);
    lb_buffer_print(&n->layers, "static const float attention_scale = %#.9gF;\n", (double)scale);
}

static void add_flags(const lb_seq2seq *model, app_kernel *k)
{
    const lb_seq2seq_config *c = &model->config;
    const lb_built_in_attention *type = lb_built_in_attention_of(&model->attention);
    for (const char *const *flag = app_recurrent_attention_of(&model->attention)->flags; *flag; flag++)
        app_kernel_flag(k, *flag);
    if (model->attention.depth) {
        app_kernel_flag(k, "ATTENDS");
        app_kernel_flag(k, type->attends_first ? "ATTENDS_FIRST" : "ATTENDS_LAST");
    }
    app_kernel_flag(k, "USES_TANH");
    if (c->cell == LB_CELL_LSTM) app_kernel_flag(k, "LSTM");
    if (model->combine.weight) app_kernel_flag(k, "COMBINES");
    if (type->type.combines) app_kernel_flag(k, "COMBINES_TANH");
    if (model->attention.depth && c->attention_weights != LB_SOFTMAX) app_kernel_flag(k, "SPARSE");
    if (c->attention_weights == LB_ENTMAX) app_kernel_flag(k, "ENTMAX");
}

lb_status app_recurrent_model_add(const lb_model *base, app_numbers *n, app_kernel *k, lb_error *error)
{
    const lb_seq2seq *model = (const lb_seq2seq *)base;
    const lb_seq2seq_config *c = &model->config;
    (void)error;
    add_flags(model, k);
    add_sizes(model, k);
    app_numbers_named(n, "source_embedding", "source_embedding.weight", NULL);
    app_numbers_named(n, "target_embedding", "target_embedding.weight", NULL);
    add_cells(n, "encoder", (int)c->layers, c->bidirectional ? 2 : 1);
    add_bridges(n, (int)c->layers);
    add_attention(model, n, k);
    add_cells(n, "decoder", (int)c->layers, 1);
    if (model->combine.weight) app_numbers_named(n, "combine", "combine.weight", NULL);
    app_numbers_output(n, c->tied);
    return LB_OK;
}
