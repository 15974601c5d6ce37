#include "models/file/extensions.h"

#include "models/attention/decoder_attention.h"
#include "models/ensemble/ensemble.h"
#include "models/seq2seq.h"
#include "models/transformer.h"

#include <string.h>

static const lb_model_kind *const built_in[] = {&lb_seq2seq_kind, &lb_transformer_kind, &lb_ensemble_kind,
                                                &lb_vote_kind, NULL};

static const lb_model_kind *find_kind(const lb_model_kind *const *kinds, const char *name)
{
    for (; kinds && *kinds; kinds++)
        if (strcmp((*kinds)->name, name) == 0) return *kinds;
    return NULL;
}

const lb_model_kind *lb_model_kind_find(const char *name, const lb_extensions *own, lb_error *error)
{
    const lb_model_kind *found = find_kind(built_in, name);
    if (!found && own) found = find_kind(own->kinds, name);
    if (!found)
        lb_error_set(
            error, LB_ERROR_FORMAT,
            "unknown model kind '%.80s' in the file: a custom kind must be in the kinds of lb_extensions",
            name);
    return found;
}

/* A lookup finds another kind if the name is taken. */
lb_status lb_extensions_check(const lb_extensions *own, lb_error *error)
{
    for (const lb_model_kind *const *at = own ? own->kinds : NULL; at && *at; at++) {
        const lb_model_kind *kind = *at;
        if (lb_model_kind_find(kind->name, own, NULL) != kind)
            return lb_error_set(error, LB_ERROR_ARGUMENT,
                                "custom model kind cannot be named '%.80s': the name is taken", kind->name);
        if (!find_kind(built_in, kind->name) && (!kind->config_json || !kind->restore))
            return lb_error_set(error, LB_ERROR_ARGUMENT,
                                "model kind '%.80s' lacks config_json or restore: model files need both",
                                kind->name);
    }
    for (const lb_attention_type *const *at = own ? own->attentions : NULL; at && *at; at++)
        if (lb_attention_type_check(*at, own, error)) return LB_ERROR_ARGUMENT;
    return LB_OK;
}
