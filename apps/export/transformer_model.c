/* Writes a transformer as constants in C, for kernel/transformer.h. */
#include "export/export.h"

#include "base/format.h"

#include <assert.h>
#include <math.h>

enum { NAME = 96 };

static const double ROTARY_BASE = 10000;

/* Queries, keys and values are rows of one packed matrix. */
static void add_attention(app_numbers *n, const char *layer, const char *ours, const lb_multi_head *attention)
{
    static const char *const parts[] = {"query", "key", "value"};
    const lb_multi_head_config *c = &attention->config;
    char name[NAME];
    int64_t first = 0;
    lb_buffer_print(&n->layers, "{");
    for (int i = 0; i < 3; i++) {
        int64_t rows = (i == 0 ? c->heads : c->kv_heads) * c->key_width;
        lb_snprintf(name, NAME, "%s_%s_%s", layer, ours, parts[i]);
        app_numbers_linear(n, name, attention->packed_weight, attention->packed_bias, first, rows);
        lb_buffer_print(&n->layers, ",\n      ");
        first += rows;
    }
    assert(first == lb_dim(attention->packed_weight, 0));
    lb_snprintf(name, NAME, "%s_%s_output", layer, ours);
    app_numbers_linear(n, name, attention->output.weight, attention->output.bias, 0, 0);
    lb_buffer_print(&n->layers, "},\n     ");
}

static void add_linear(app_numbers *n, const char *layer, const char *ours, const lb_linear *linear)
{
    char name[NAME];
    lb_snprintf(name, NAME, "%s_%s", layer, ours);
    app_numbers_linear(n, name, linear->weight, linear->bias, 0, 0);
    lb_buffer_print(&n->layers, ",\n     ");
}

static void add_norm(app_numbers *n, const char *name, const lb_layer_norm *norm)
{
    app_numbers_array(n, name, "_weight", norm->weight);
    app_numbers_array(n, name, "_bias", norm->bias);
    lb_buffer_print(&n->layers, "{%s_weight, %s_bias}", name, name);
}

static void add_stack(app_numbers *n, const char *stack, const lb_transformer_stack *layers)
{
    char name[NAME], norm[NAME];
    lb_buffer_print(&n->layers, "static const %s_layer %s[] = {\n", stack, stack);
    for (int64_t i = 0; i < layers->layers; i++) {
        const lb_transformer_layer *layer = &layers->layer[i];
        lb_snprintf(name, NAME, "%s_%lld", stack, (long long)i);
        lb_buffer_print(&n->layers, "    {");
        add_attention(n, name, "self", &layer->self);
        if (layer->crosses) add_attention(n, name, "cross", &layer->cross);
        add_linear(n, name, "inner", &layer->inner);
        add_linear(n, name, "outer", &layer->outer);
        for (int k = 0; k < (layer->crosses ? 3 : 2); k++) {
            lb_snprintf(norm, NAME, "%s_norm%d", name, k + 1);
            lb_buffer_print(&n->layers, k > 0 ? ", " : "");
            add_norm(n, norm, &layer->norm[k]);
        }
        lb_buffer_print(&n->layers, "},\n");
    }
    lb_buffer_print(&n->layers, "};\nstatic const norm %s_norm = ", stack);
    lb_snprintf(name, NAME, "%s_norm", stack);
    add_norm(n, name, &layers->norm);
    lb_buffer_print(&n->layers, ";\n");
}

static void add_constant(app_numbers *n, const char *name, double value)
{
    lb_buffer_print(&n->layers, "static const float %s = %#.9gF;\n", name, value);
}

static void add_table(app_numbers *n, const char *name, const lb_tensor *table)
{
    if (lb_is_sound(table)) app_numbers_floats(&n->arrays, name, "", lb_count(table), table->data);
}

/* Sine and cosine of each position, as the library adds them to zeros. */
static void add_sinusoids(const lb_transformer *model, int64_t positions, app_numbers *n, lb_tape *tape)
{
    lb_tensor *zeros = lb_tensor_new(tape, LB_SHAPE(1, positions, model->config.width), NULL);
    lb_tensor *table = lb_positional_forward(&model->source_positions, zeros, 0);
    add_table(n, "sinusoids", table);
}

/* The cosine and sine of each angle: of a pair (1, 0) that is turned, the two numbers. */
static void add_rotations(int64_t positions, int64_t pairs, app_numbers *n, lb_tape *tape)
{
    lb_tensor *table = lb_tensor_new(tape, LB_SHAPE(positions * pairs, 2), NULL);
    for (int64_t i = 0; lb_is_sound(table) && i < positions * pairs; i++) {
        int64_t position = i / pairs, pair = i % pairs;
        double angle = (double)position * pow(ROTARY_BASE, -(double)pair / (double)pairs);
        table->data[2 * i] = (lb_real)cos(angle);
        table->data[2 * i + 1] = (lb_real)sin(angle);
    }
    add_table(n, "rotations", table);
}

/* Biases by head and distance, from those of a first and a last query to all keys. */
static void add_biases(const lb_positional *positions, const char *name, int64_t count, app_numbers *n,
                       lb_tape *tape)
{
    lb_tensor *bias = lb_positional_bias(positions, tape, 0, count);
    if (!bias || !lb_is_sound(bias)) return;
    int64_t heads = lb_dim(bias, 0), distances = 2 * count - 1;
    lb_tensor *table = lb_tensor_new(tape, LB_SHAPE(heads, distances), NULL);
    for (int64_t i = 0; lb_is_sound(table) && i < heads * distances; i++) {
        int64_t away = i % distances - (count - 1), query = away < 0 ? count - 1 : 0;
        table->data[i] = bias->data[(i / distances * count + query) * count + query + away];
    }
    add_table(n, name, table);
}

static lb_status add_positions(const lb_transformer *model, app_numbers *n, app_kernel *k, lb_error *error)
{
    int64_t positions = app_kernel_size_of(k, "SCORES");
    lb_tape *tape = lb_tape_new();
    if (!tape) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    switch (model->config.positions) {
    case LB_POSITIONAL_SINUSOIDAL:
    case LB_POSITIONAL_RANDOM:
        app_kernel_flag(k, "SINUSOIDAL");
        add_sinusoids(model, positions, n, tape);
        break;
    case LB_POSITIONAL_LEARNED:
        app_kernel_flag(k, "LEARNED");
        app_numbers_named(n, "source_positions", model->source_positions.weight, NULL);
        app_numbers_named(n, "target_positions", model->target_positions.weight, NULL);
        break;
    case LB_POSITIONAL_ROTARY:
        app_kernel_flag(k, "ROTATES");
        add_rotations(positions, app_kernel_size_of(k, "PAIRS"), n, tape);
        break;
    case LB_POSITIONAL_RELATIVE:
    case LB_POSITIONAL_ALIBI:
        app_kernel_flag(k, "BIASED");
        add_biases(&model->source_positions, "source_biases", positions, n, tape);
        add_biases(&model->target_positions, "target_biases", positions, n, tape);
        break;
    case LB_POSITIONAL_NONE:
    case LB_POSITIONAL_FIRE:
        break;
    }
    lb_status status = lb_tape_status(tape);
    if (status) lb_error_set(error, status, "%s", lb_tape_error(tape));
    lb_tape_free(tape);
    return status;
}

static void add_sizes(const lb_transformer_config *c, app_kernel *k)
{
    int64_t longest = app_kernel_size_of(k, "LONGEST"), limit = app_kernel_size_of(k, "LIMIT");
    int64_t positions = longest > limit ? longest : limit, head = c->width / c->heads;
    const app_kernel_size sizes[] = {
        {"LAYERS", c->layers},
        {"WIDTH", c->width},
        {"HEADS", c->heads},
        {"HEAD", head},
        {"KEYS", (c->kv_heads ? c->kv_heads : c->heads) * head},
        {"FORWARD", c->feed_forward},
        {"PAIRS", head / 2},
        {"WINDOW", c->window},
        {"SCORES", positions},
        {"FARTHEST", positions - 1},
        {"DISTANCES", 2 * positions - 1},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        app_kernel_size_is(k, sizes[i].name, sizes[i].value);
}

static void add_flags(const lb_transformer_config *c, app_kernel *k)
{
    static const char *const always[] = {"TRANSFORMER", "ATTENDS", "DOTS"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) app_kernel_flag(k, always[i]);
    if (c->post_norm) app_kernel_flag(k, "POST_NORM");
    if (c->window > 0) app_kernel_flag(k, "WINDOWED");
    if (c->softcap > 0) {
        app_kernel_flag(k, "CAPPED");
        app_kernel_flag(k, "USES_TANH");
    }
    if (c->attention_weights != LB_SOFTMAX) app_kernel_flag(k, "SPARSE");
    if (c->attention_weights == LB_ENTMAX) app_kernel_flag(k, "ENTMAX");
}

lb_status app_transformer_model_add(const lb_model *base, app_numbers *n, app_kernel *k, lb_error *error)
{
    const lb_transformer *model = (const lb_transformer *)base;
    const lb_transformer_config *c = &model->config;
    add_flags(c, k);
    add_sizes(c, k);
    add_constant(n, "norm_epsilon", (double)model->encoder.norm.epsilon);
    add_constant(n, "embedding_scale", sqrt((double)c->width));
    add_constant(n, "attention_scale", 1 / sqrt((double)c->width / (double)c->heads));
    if (c->softcap > 0) add_constant(n, "attention_cap", c->softcap);
    app_numbers_named(n, "source_embedding", model->source_embedding.weight, NULL);
    app_numbers_named(n, "target_embedding", model->target_embedding.weight, NULL);
    add_stack(n, "encoder", &model->encoder);
    add_stack(n, "decoder", &model->decoder);
    app_numbers_output(n, &model->output, &model->target_embedding);
    return add_positions(model, n, k, error);
}
