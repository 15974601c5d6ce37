#include "models/seq2seq_file.h"

#include "io/json.h"
#include "tensor/alloc.h"

#include <cJSON.h>
#include <string.h>

static const char MODEL_KEY[] = "lookback.model", CONFIG_KEY[] = "lookback.config", MODEL_KIND[] = "seq2seq";

enum { MOST_METADATA = 16 };

char *lb_seq2seq_config_json(const lb_seq2seq_config *c)
{
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

lb_status lb_seq2seq_save(const char *path, const lb_seq2seq *model, const lb_params *params,
                          const lb_safetensors_metadata *metadata, size_t metadata_count, lb_error *error)
{
    lb_safetensors_metadata all[MOST_METADATA];
    if (metadata_count > MOST_METADATA - 2)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: more than %d metadata", path, MOST_METADATA - 2);
    char *config = lb_seq2seq_config_json(&model->config);
    if (!config) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory while saving", path);
    all[0] = (lb_safetensors_metadata){MODEL_KEY, MODEL_KIND};
    all[1] = (lb_safetensors_metadata){CONFIG_KEY, config};
    for (size_t i = 0; i < metadata_count; i++) all[i + 2] = metadata[i];
    lb_checkpoint_extra extra = {.metadata = all, .metadata_count = metadata_count + 2};
    lb_status status = lb_checkpoint_save(path, params, extra, error);
    lb_release(config);
    return status;
}

static double number(const cJSON *json, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    return cJSON_IsNumber(item) ? item->valuedouble : -1;
}

/* A whole number from `least` to a million; -1 if it is anything else. */
static int64_t size_of(const cJSON *json, const char *key, int64_t least)
{
    double value = number(json, key);
    bool fits = value >= (double)least && value <= 1e6 && value == (double)(int64_t)value;
    return fits ? (int64_t)value : -1;
}

static int attention_of(const cJSON *json)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, "attention");
    for (int i = 0; lb_attention_names[i] && cJSON_IsString(item); i++)
        if (strcmp(item->valuestring, lb_attention_names[i]) == 0) return i;
    return -1;
}

static lb_status parse_config(const char *text, lb_seq2seq_config *config, lb_error *error)
{
    cJSON *json = cJSON_Parse(text);
    int attention = attention_of(json);
    *config = (lb_seq2seq_config){
        .source_vocab = size_of(json, "source_vocab", 1),
        .target_vocab = size_of(json, "target_vocab", 1),
        .embed = size_of(json, "embed", 1),
        .hidden = size_of(json, "hidden", 1),
        .layers = (int)size_of(json, "layers", 1),
        .bidirectional = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "bidirectional")),
        .attention = (lb_attention_kind)attention,
        .heads = cJSON_HasObjectItem(json, "heads") ? size_of(json, "heads", 1) : 1,
        .dropout = (lb_real)number(json, "dropout"),
    };
    cJSON_Delete(json);
    bool sound = config->source_vocab > 0 && config->target_vocab > 0 && config->embed > 0 &&
                 config->hidden > 0 && config->layers > 0 && config->heads > 0 && attention >= 0 &&
                 config->dropout >= 0 && config->dropout < 1;
    return sound ? LB_OK
                 : lb_error_set(error, LB_ERROR_FORMAT, "the model's configuration makes no sense: %.200s",
                                text);
}

lb_status lb_seq2seq_load(const lb_safetensors *file, lb_seq2seq *model, lb_params *params, lb_error *error)
{
    const char *kind = lb_safetensors_metadata_value(file, MODEL_KEY);
    const char *text = lb_safetensors_metadata_value(file, CONFIG_KEY);
    if (!kind || !text || strcmp(kind, MODEL_KIND) != 0)
        return lb_error_set(error, LB_ERROR_FORMAT, "the file holds %s%.80s, not a %s model",
                            kind ? "a model of kind " : "weights without a model's description",
                            kind ? kind : "", MODEL_KIND);
    lb_seq2seq_config config;
    if (parse_config(text, &config, error)) return LB_ERROR_FORMAT;
    lb_status status = lb_seq2seq_init(model, params, "", config);
    if (status) return lb_error_set(error, status, "%s", lb_params_error(params));
    status = lb_checkpoint_load(file, params, error);
    return status == LB_ERROR_SHAPE ? LB_ERROR_FORMAT : status;
}
