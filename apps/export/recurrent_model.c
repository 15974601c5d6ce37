/* Writes a recurrent model as constants in C, for kernel/recurrent.h, and knows which attention it may have. */
#include "export/export.h"

#include "base/format.h"

#include <math.h>
#include <string.h>

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
        if (strcmp(attention->type->name, lb_attention_names[attentions[i].kind]) == 0) return &attentions[i];
    return NULL;
}

/* Whether the decoder attends before each step. */
static bool attends_first(lb_attention_kind kind)
{
    return kind == LB_ATTENTION_ADDITIVE || kind == LB_ATTENTION_COVERAGE || kind == LB_ATTENTION_LOCATION;
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

static void add_cells(app_numbers *n, const char *stack, const lb_recurrent *layers)
{
    char name[NAME], part[NAME];
    lb_buffer_print(&n->layers, "static const cell %s[] = {\n", stack);
    for (int64_t i = 0; i < layers->config.layers * layers->directions; i++) {
        const lb_recurrent_cell *cell = &layers->cell[i];
        lb_snprintf(name, NAME, "%s_%lld%s", stack, (long long)(i / layers->directions),
                    i % layers->directions ? "_reverse" : "");
        lb_buffer_print(&n->layers, "    {");
        lb_snprintf(part, NAME, "%s_input", name);
        app_numbers_linear(n, part, cell->weight_ih, cell->bias_ih, 0, 0);
        lb_buffer_print(&n->layers, ",\n     ");
        lb_snprintf(part, NAME, "%s_state", name);
        app_numbers_linear(n, part, cell->weight_hh, cell->bias_hh, 0, 0);
        lb_buffer_print(&n->layers, "},\n");
    }
    lb_buffer_print(&n->layers, "};\n");
}

static void add_bridges(app_numbers *n, const lb_seq2seq *model)
{
    char name[NAME];
    lb_buffer_print(&n->layers, "static const linear bridge[] = {\n");
    for (int64_t i = 0; i < model->config.layers; i++) {
        lb_snprintf(name, NAME, "bridge_%lld", (long long)i);
        lb_buffer_print(&n->layers, "    ");
        app_numbers_linear(n, name, model->bridge[i].weight, model->bridge[i].bias, 0, 0);
        lb_buffer_print(&n->layers, ",\n");
    }
    lb_buffer_print(&n->layers, "};\n");
}

static void add_attention(const lb_seq2seq *model, app_numbers *n, app_kernel *k)
{
    for (size_t i = 0; i < sizeof attention_parameters / sizeof *attention_parameters; i++) {
        const char *name = attention_parameters[i].name, *bias = attention_parameters[i].bias;
        const lb_tensor *weight = lb_params_find(n->params, attention_parameters[i].weight);
        if (!weight) continue;
        if (attention_parameters[i].flag) app_kernel_flag(k, attention_parameters[i].flag);
        if (attention_parameters[i].array)
            app_numbers_array(n, name, "", weight);
        else
            app_numbers_named(n, name, weight, bias ? lb_params_find(n->params, bias) : NULL);
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
    const app_recurrent_attention *attention = app_recurrent_attention_of(&model->attention);
    for (const char *const *flag = attention->flags; *flag; flag++) app_kernel_flag(k, *flag);
    if (model->attention.depth) {
        app_kernel_flag(k, "ATTENDS");
        app_kernel_flag(k, attends_first(attention->kind) ? "ATTENDS_FIRST" : "ATTENDS_LAST");
    }
    app_kernel_flag(k, "USES_TANH");
    if (c->cell == LB_CELL_LSTM) app_kernel_flag(k, "LSTM");
    if (model->combine.weight) app_kernel_flag(k, "COMBINES");
    if (model->attention.type->combines) app_kernel_flag(k, "COMBINES_TANH");
    if (model->attention.depth && c->attention_weights != LB_SOFTMAX) app_kernel_flag(k, "SPARSE");
    if (c->attention_weights == LB_ENTMAX) app_kernel_flag(k, "ENTMAX");
}

lb_status app_recurrent_model_add(const lb_model *base, app_numbers *n, app_kernel *k, lb_error *error)
{
    const lb_seq2seq *model = (const lb_seq2seq *)base;
    (void)error;
    add_flags(model, k);
    add_sizes(model, k);
    app_numbers_named(n, "source_embedding", model->source_embedding.weight, NULL);
    app_numbers_named(n, "target_embedding", model->target_embedding.weight, NULL);
    add_cells(n, "encoder", &model->encoder);
    add_bridges(n, model);
    add_attention(model, n, k);
    add_cells(n, "decoder", &model->decoder);
    if (model->combine.weight) app_numbers_named(n, "combine", model->combine.weight, NULL);
    app_numbers_output(n, &model->output, &model->target_embedding);
    return LB_OK;
}
