/* The configuration of an lb_transformer in files. */
#include "models/file/model_formats.h"
#include "models/transformer.h"

#define FIELD(name) #name, offsetof(lb_transformer_config, name)

const lb_config_field lb_transformer_fields[] = {
    {FIELD(source_vocab), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(target_vocab), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(width), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(heads), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(attention_weights), LB_CONFIG_CHOICE, LB_SOFTMAX, lb_normalizer_names},
    {FIELD(feed_forward), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(layers), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(post_norm), LB_CONFIG_FLAG, false, NULL},
    {FIELD(positions), LB_CONFIG_CHOICE, LB_CONFIG_NEEDED, lb_positional_names},
    {FIELD(max_length), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(dropout), LB_CONFIG_FRACTION, LB_CONFIG_NEEDED, NULL},
    {FIELD(tied), LB_CONFIG_FLAG, false, NULL},
    {"loss", offsetof(lb_transformer_config, output), LB_CONFIG_CHOICE, LB_SOFTMAX, lb_loss_names},
    {FIELD(kv_heads), LB_CONFIG_SIZE, LB_CONFIG_UNWRITTEN(0), NULL},
    {FIELD(softcap), LB_CONFIG_POSITIVE, LB_CONFIG_UNWRITTEN(0), NULL},
    {FIELD(window), LB_CONFIG_SIZE, LB_CONFIG_UNWRITTEN(0), NULL},
    {FIELD(feature_positions), LB_CONFIG_FLAG, LB_CONFIG_UNWRITTEN(false), NULL},
    {FIELD(copy), LB_CONFIG_FLAG, LB_CONFIG_UNWRITTEN(false), NULL},
    {0},
};

char *lb_transformer_config_json(const lb_model *model)
{
    return lb_config_write(lb_transformer_fields, &((const lb_transformer *)model)->config);
}

lb_model *lb_transformer_restore(lb_params *params, const char *name, const char *config,
                                 const lb_extensions *own, lb_error *error)
{
    (void)own;
    lb_transformer_config parsed = {0};
    if (lb_config_read(lb_transformer_fields, config, &parsed, error)) return NULL;
    lb_transformer *model = lb_params_alloc(params, sizeof *model);
    if (!model || lb_transformer_init(model, params, name, parsed)) return lb_config_fail(params, error);
    return &model->base;
}
