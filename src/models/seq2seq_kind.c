/* lb_seq2seq as an lb_model. */
#include "models/seq2seq.h"

#include "autograd/op.h"
#include "io/json.h"
#include "models/model_config.h"
#include "tensor/alloc.h"

typedef struct state {
    lb_seq2seq_encoded encoded;
    lb_tensor **layer; /* [layers] of [batch, hidden] */
} state;

static lb_decoder_state encode(const lb_model *model, lb_tokens source)
{
    state *s = lb_tape_alloc(source.tape, sizeof *s);
    if (!s) return NULL;
    s->encoded = lb_seq2seq_encode((const lb_seq2seq *)model, source);
    s->layer = s->encoded.initial;
    return s;
}

static lb_model_step decode(const lb_model *model, lb_decoder_state from, lb_tokens target_in)
{
    const state *before = from;
    state *after = lb_tape_alloc(target_in.tape, sizeof *after);
    if (!before || !after)
        return (lb_model_step){.logits = lb_tape_fail(target_in.tape, LB_ERROR_MEMORY, "out of memory")};
    lb_seq2seq_decoded decoded =
        lb_seq2seq_decode((const lb_seq2seq *)model, &before->encoded, before->layer, target_in);
    *after = (state){before->encoded, decoded.final};
    return (lb_model_step){decoded.logits, decoded.weights, after};
}

static lb_decoder_state select_rows(const lb_model *model, lb_tape *tape, lb_decoder_state from,
                                    const int64_t *row, int64_t count)
{
    const state *before = from;
    int layers = ((const lb_seq2seq *)model)->config.layers;
    state *after = lb_tape_alloc(tape, sizeof *after);
    lb_tensor **layer = lb_tape_alloc(tape, (size_t)layers * sizeof *layer);
    if (!after || !layer) return NULL;
    const lb_attended_memory *memory = &before->encoded.memory;
    *after = (state){before->encoded, layer};
    lb_attended_memory *selected = &after->encoded.memory;
    selected->values = lb_select_rows(tape, memory->values, row, count);
    selected->keys =
        memory->keys == memory->values ? selected->values : lb_select_rows(tape, memory->keys, row, count);
    selected->mask = lb_select_rows(tape, memory->mask, row, count);
    for (int i = 0; i < layers; i++) layer[i] = lb_select_rows(tape, before->layer[i], row, count);
    return after;
}

static char *config_json(const lb_model *model)
{
    const lb_seq2seq_config *c = &((const lb_seq2seq *)model)->config;
    lb_json json = {0};
    lb_json_print(&json, "{\"source_vocab\":%lld,\"target_vocab\":%lld,\"embed\":%lld,\"hidden\":%lld,",
                  (long long)c->source_vocab, (long long)c->target_vocab, (long long)c->embed,
                  (long long)c->hidden);
    lb_json_print(&json,
                  "\"layers\":%d,\"bidirectional\":%s,\"attention\":\"%s\",\"heads\":%lld,\"dropout\":%.9g}",
                  c->layers, c->bidirectional ? "true" : "false", lb_attention_names[c->attention],
                  (long long)c->heads, (double)c->dropout);
    if (!json.failed) return json.text;
    lb_release(json.text);
    return NULL;
}

static lb_model *restore(lb_params *params, const char *name, const cJSON *json, lb_error *error)
{
    int attention = lb_config_choice(json, "attention", lb_attention_names);
    double dropout = lb_config_share(json, "dropout");
    lb_seq2seq_config config = {
        .source_vocab = lb_config_size(json, "source_vocab", 1),
        .target_vocab = lb_config_size(json, "target_vocab", 1),
        .embed = lb_config_size(json, "embed", 1),
        .hidden = lb_config_size(json, "hidden", 1),
        .layers = (int)lb_config_size(json, "layers", 1),
        .bidirectional = lb_config_flag(json, "bidirectional"),
        .attention = (lb_attention_kind)attention,
        .heads = cJSON_HasObjectItem(json, "heads") ? lb_config_size(json, "heads", 1) : 1,
        .dropout = (lb_real)dropout,
    };
    bool sound = config.source_vocab > 0 && config.target_vocab > 0 && config.embed > 0 &&
                 config.hidden > 0 && config.layers > 0 && config.heads > 0 && attention >= 0 && dropout >= 0;
    lb_seq2seq *model = sound ? lb_params_alloc(params, sizeof *model) : NULL;
    if (!model || lb_seq2seq_init(model, params, name, config)) return lb_config_fail(params, error);
    return &model->base;
}

const lb_model_kind lb_seq2seq_kind = {
    .name = "seq2seq",
    .encode = encode,
    .decode = decode,
    .select = select_rows,
    .config_json = config_json,
    .restore = restore,
};
