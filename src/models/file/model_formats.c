#include "models/file/model_formats.h"

#include "models/ensemble/ensemble.h"
#include "models/seq2seq.h"
#include "models/transformer.h"

#include <string.h>

typedef struct format {
    const lb_model_kind *kind;
    char *(*config_json)(const lb_model *model);
    lb_model *(*restore)(lb_params *params, const char *name, const char *config, const lb_extensions *own,
                         lb_error *error);
    const lb_config_field *fields;
} format;

/* The built-in kinds do not refer to these functions, so that linking a kind does not link the JSON reader. */
static const format built_in[] = {
    {&lb_seq2seq_kind, lb_seq2seq_config_json, lb_seq2seq_restore, lb_seq2seq_fields},
    {&lb_transformer_kind, lb_transformer_config_json, lb_transformer_restore, lb_transformer_fields},
    {&lb_ensemble_kind, lb_ensemble_config_json, lb_ensemble_restore, NULL},
    {&lb_vote_kind, lb_ensemble_config_json, lb_ensemble_restore, NULL},
};

static format format_of(const lb_model_kind *kind)
{
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
        if (built_in[i].kind == kind) return built_in[i];
    return (format){kind, kind->config_json, kind->restore, NULL};
}

char *lb_model_config_json(const lb_model *model)
{
    return format_of(model->kind).config_json(model);
}

lb_model *lb_model_restore(const lb_model_kind *kind, lb_params *params, const char *name, const char *config,
                           const lb_extensions *own, lb_error *error)
{
    return format_of(kind).restore(params, name, config, own, error);
}

const lb_config_field *lb_model_fields(const char *kind)
{
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
        if (strcmp(built_in[i].kind->name, kind) == 0) return built_in[i].fields;
    return NULL;
}
