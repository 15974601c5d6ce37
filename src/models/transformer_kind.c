/* lb_transformer as an lb_model. */
#include "models/transformer.h"

#include "io/json.h"
#include "models/model_config.h"
#include "tensor/alloc.h"

static const char *const position_names[] = {
    [LB_POSITIONAL_SINUSOIDAL] = "sinusoidal", [LB_POSITIONAL_LEARNED] = "learned", NULL};

static lb_decoder_state encode(const lb_model *model, lb_tokens source)
{
    lb_transformer_memory *memory = lb_tape_alloc(source.tape, sizeof *memory);
    if (memory) *memory = lb_transformer_encode((const lb_transformer *)model, source);
    return memory;
}

static lb_model_step decode(const lb_model *model, lb_decoder_state from, lb_tokens target_in)
{
    lb_transformer_memory *after = lb_tape_alloc(target_in.tape, sizeof *after);
    if (!from || !after)
        return (lb_model_step){.logits = lb_tape_fail(target_in.tape, LB_ERROR_MEMORY, "out of memory")};
    lb_transformer_decoded decoded = lb_transformer_decode((const lb_transformer *)model, from, target_in);
    *after = decoded.memory;
    return (lb_model_step){decoded.logits, decoded.weights, after};
}

static lb_key_values select_key_values(lb_tape *tape, lb_key_values from, const int64_t *row, int64_t count)
{
    return (lb_key_values){lb_select_rows(tape, from.keys, row, count),
                           lb_select_rows(tape, from.values, row, count)};
}

static lb_decoder_state select_rows(const lb_model *model, lb_tape *tape, lb_decoder_state from,
                                    const int64_t *row, int64_t count)
{
    const lb_transformer_memory *before = from;
    int layers = ((const lb_transformer *)model)->config.layers;
    lb_transformer_memory *after = lb_tape_alloc(tape, sizeof *after);
    lb_key_values *all = lb_tape_alloc(tape, 2 * (size_t)layers * sizeof *all);
    if (!after || !all) return NULL;
    *after = (lb_transformer_memory){all, lb_select_rows(tape, before->mask, row, count), all + layers,
                                     before->length};
    for (int i = 0; i < layers; i++) {
        after->source[i] = select_key_values(tape, before->source[i], row, count);
        after->past[i] = select_key_values(tape, before->past[i], row, count);
    }
    return after;
}

static char *config_json(const lb_model *model)
{
    const lb_transformer_config *c = &((const lb_transformer *)model)->config;
    lb_json json = {0};
    lb_json_print(&json, "{\"source_vocab\":%lld,\"target_vocab\":%lld,\"width\":%lld,\"heads\":%lld,",
                  (long long)c->source_vocab, (long long)c->target_vocab, (long long)c->width,
                  (long long)c->heads);
    lb_json_print(&json, "\"feed_forward\":%lld,\"layers\":%d,\"post_norm\":%s,", (long long)c->feed_forward,
                  c->layers, c->post_norm ? "true" : "false");
    lb_json_print(&json, "\"positions\":\"%s\",\"max_length\":%lld,\"dropout\":%.9g}",
                  position_names[c->positions], (long long)c->max_length, (double)c->dropout);
    if (!json.failed) return json.text;
    lb_release(json.text);
    return NULL;
}

static lb_model *restore(lb_params *params, const char *name, const cJSON *json, lb_error *error)
{
    int positions = lb_config_choice(json, "positions", position_names);
    double dropout = lb_config_share(json, "dropout");
    lb_transformer_config config = {
        .source_vocab = lb_config_size(json, "source_vocab", 1),
        .target_vocab = lb_config_size(json, "target_vocab", 1),
        .width = lb_config_size(json, "width", 1),
        .heads = lb_config_size(json, "heads", 1),
        .feed_forward = lb_config_size(json, "feed_forward", 1),
        .layers = (int)lb_config_size(json, "layers", 1),
        .post_norm = lb_config_flag(json, "post_norm"),
        .positions = (lb_positional_kind)positions,
        .max_length = lb_config_size(json, "max_length", 1),
        .dropout = (lb_real)dropout,
    };
    bool sound = config.source_vocab > 0 && config.target_vocab > 0 && config.width > 0 && config.heads > 0 &&
                 config.feed_forward > 0 && config.layers > 0 && config.max_length > 0 && positions >= 0 &&
                 dropout >= 0;
    lb_transformer *model = sound ? lb_params_alloc(params, sizeof *model) : NULL;
    if (!model || lb_transformer_init(model, params, name, config)) return lb_config_fail(params, error);
    return &model->base;
}

const lb_model_kind lb_transformer_kind = {
    .name = "transformer",
    .encode = encode,
    .decode = decode,
    .select = select_rows,
    .config_json = config_json,
    .restore = restore,
};
