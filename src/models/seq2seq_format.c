/* The configuration of an lb_seq2seq in files. */
#include "models/model_config.h"
#include "models/model_formats.h"
#include "models/seq2seq.h"

#define FIELD(name) #name, offsetof(lb_seq2seq_config, name)

static const lb_config_field fields[] = {
    {FIELD(source_vocab), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(target_vocab), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(embed), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(hidden), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(layers), LB_CONFIG_COUNT, LB_CONFIG_NEEDED, NULL},
    {FIELD(bidirectional), LB_CONFIG_FLAG, false, NULL},
    {FIELD(attention), LB_CONFIG_CHOICE, LB_CONFIG_NEEDED, lb_attention_names},
    {FIELD(heads), LB_CONFIG_SIZE, 1, NULL},
    {FIELD(dropout), LB_CONFIG_FRACTION, LB_CONFIG_NEEDED, NULL},
    {FIELD(tied), LB_CONFIG_FLAG, false, NULL},
    {0},
};

static char *config_json(const lb_model *model)
{
    return lb_config_write(fields, &((const lb_seq2seq *)model)->config);
}

static lb_model *restore(lb_params *params, const char *name, const char *json, lb_error *error)
{
    lb_seq2seq_config config = {0};
    lb_seq2seq *model = lb_config_read(fields, json, &config) ? lb_params_alloc(params, sizeof *model) : NULL;
    if (!model || lb_seq2seq_init(model, params, name, config)) return lb_config_fail(params, error);
    return &model->base;
}

const lb_model_format lb_seq2seq_format = {
    .kind = &lb_seq2seq_kind,
    .config_json = config_json,
    .restore = restore,
};
