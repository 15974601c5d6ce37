#include "export/recurrent_model.h"

#include "base/format.h"
#include "models/attention/decoder_attention.h"

#include <math.h>

enum { NAME = 64 };

/* What the code of an attention is made of: attention.h in kernel/. */
typedef struct attention_code {
    lb_attention_kind kind;
    const char *flags[10]; /* ends with NULL */
} attention_code;

static const attention_code attentions[] = {
    {LB_ATTENTION_NONE, {NULL}},
    {LB_ATTENTION_ADDITIVE, {"ATTENDS", "ATTENDS_FIRST", "ADDITIVE", "PROJECTS", "ASKS"}},
    {LB_ATTENTION_COVERAGE, {"ATTENDS", "ATTENDS_FIRST", "RECALLS", "PROJECTS", "ASKS"}},
    {LB_ATTENTION_LOCATION, {"ATTENDS", "ATTENDS_FIRST", "RECALLS", "PROJECTS", "ASKS", "LOCATION"}},
    {LB_ATTENTION_MULTI_HEAD, {"ATTENDS", "ATTENDS_LAST", "MULTI_HEAD", "PROJECTS", "ASKS", "DOTS"}},
    {LB_ATTENTION_DOT, {"ATTENDS", "ATTENDS_LAST", "DOTS", "COMBINES_TANH"}},
    {LB_ATTENTION_SCALED_DOT, {"ATTENDS", "ATTENDS_LAST", "DOTS", "COMBINES_TANH", "SCALED"}},
    {LB_ATTENTION_GENERAL, {"ATTENDS", "ATTENDS_LAST", "DOTS", "COMBINES_TANH", "GENERAL", "ASKS"}},
    {LB_ATTENTION_LOCAL_M, {"ATTENDS", "ATTENDS_LAST", "DOTS", "COMBINES_TANH", "GENERAL", "ASKS", "LOCAL"}},
    {LB_ATTENTION_LOCAL_P,
     {"ATTENDS", "ATTENDS_LAST", "DOTS", "COMBINES_TANH", "GENERAL", "ASKS", "LOCAL", "PREDICTS"}},
};

static const attention_code *code_of(const lb_decoder_attention *attention)
{
    for (size_t i = 0; i < sizeof attentions / sizeof *attentions; i++)
        if (lb_attention_is(attention, attentions[i].kind)) return &attentions[i];
    return NULL;
}

bool app_recurrent_model_can_attend(const lb_decoder_attention *attention)
{
    return code_of(attention) != NULL;
}

static void add_sizes(const lb_seq2seq *model, app_kernel *k)
{
    const lb_seq2seq_config *c = &model->config;
    bool lstm = c->cell == LB_CELL_LSTM, deep = c->layers > 1;
    int64_t directions = c->bidirectional ? 2 : 1, outputs = directions * c->hidden;
    int64_t context = model->attention.depth;
    bool general = c->attention == LB_ATTENTION_GENERAL || c->attention == LB_ATTENTION_LOCAL_M ||
                   c->attention == LB_ATTENTION_LOCAL_P;
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
        {"KEYS", general ? outputs : c->hidden},
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

static void add_scale(app_numbers *n, int64_t width)
{
    lb_real scale = 1 / (lb_real)sqrt((double)width);
    lb_buffer_print(&n->layers, "static const float attention_scale = %#.9gF;\n", (double)scale);
}

static void add_attention(const lb_seq2seq *model, app_numbers *n, app_kernel *k)
{
    lb_attention_kind kind = model->config.attention;
    switch (kind) {
    case LB_ATTENTION_ADDITIVE:
    case LB_ATTENTION_COVERAGE:
    case LB_ATTENTION_LOCATION:
        app_numbers_named(n, "attention_query", "attention.W_q.weight", NULL);
        app_numbers_named(n, "attention_key", "attention.W_k.weight", NULL);
        app_numbers_array(n, "attention_v", "attention.v.weight");
        break;
    case LB_ATTENTION_MULTI_HEAD:
        app_numbers_named(n, "attention_query", "attention.W_q.weight", NULL);
        app_numbers_named(n, "attention_key", "attention.W_k.weight", NULL);
        app_numbers_named(n, "attention_value", "attention.W_v.weight", NULL);
        app_numbers_named(n, "attention_output", "attention.W_o.weight", NULL);
        add_scale(n, model->config.hidden / model->attention.heads);
        break;
    case LB_ATTENTION_GENERAL:
    case LB_ATTENTION_LOCAL_M:
    case LB_ATTENTION_LOCAL_P:
        app_numbers_named(n, "attention_weight", "attention.W.weight", NULL);
        break;
    case LB_ATTENTION_SCALED_DOT:
        add_scale(n, model->attention.config.key);
        break;
    default:
        break;
    }
    if (kind == LB_ATTENTION_COVERAGE)
        app_numbers_named(n, "attention_features", "attention.W_c.weight", NULL);
    if (kind == LB_ATTENTION_LOCATION) {
        app_numbers_named(n, "attention_features", "attention.U.weight", "attention.U.bias");
        app_numbers_array(n, "attention_filters", "attention.F.weight");
        app_kernel_size_is(k, "FILTERS", lb_dim(lb_params_find(n->params, "attention.F.weight"), 0));
    }
    if (kind == LB_ATTENTION_LOCAL_P) {
        app_numbers_named(n, "attention_middle", "attention.W_p.weight", NULL);
        app_numbers_named(n, "attention_position", "attention.v_p.weight", NULL);
    }
}

static void add_flags(const lb_seq2seq *model, app_kernel *k)
{
    const lb_seq2seq_config *c = &model->config;
    const attention_code *attention = code_of(&model->attention);
    for (int i = 0; attention && attention->flags[i]; i++) app_kernel_flag(k, attention->flags[i]);
    app_kernel_flag(k, "USES_TANH");
    if (c->cell == LB_CELL_LSTM) app_kernel_flag(k, "LSTM");
    if (model->combine.weight) app_kernel_flag(k, "COMBINES");
    if (model->attention.depth && c->attention_weights != LB_SOFTMAX) app_kernel_flag(k, "SPARSE");
    if (c->attention_weights == LB_ENTMAX) app_kernel_flag(k, "ENTMAX");
}

void app_recurrent_model_add(const lb_seq2seq *model, app_numbers *n, app_kernel *k)
{
    const lb_seq2seq_config *c = &model->config;
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
}
