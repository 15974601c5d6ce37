#include "models/model_formats.h"

#include <string.h>

const lb_model_format *lb_model_format_find(const char *name)
{
    static const lb_model_format *const formats[] = {&lb_seq2seq_format, &lb_transformer_format,
                                                     &lb_ensemble_format};
    for (size_t i = 0; name && i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i]->kind->name, name) == 0) return formats[i];
    return NULL;
}

char *lb_model_config_json(const lb_model *model)
{
    const lb_model_format *format = lb_model_format_find(model->kind->name);
    return format ? format->config_json(model) : NULL;
}
