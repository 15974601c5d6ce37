#include "apply/votes.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "models/built_in.h"

lb_status app_votes_ask(app_votes *votes, lb_translator *translator, const char *const *texts, size_t count,
                        lb_translate_config config, lb_error *error)
{
    const lb_ensemble *ensemble = (const lb_ensemble *)lb_translator_about(translator).model;
    *votes = (app_votes){ensemble, lb_alloc_zero((size_t)ensemble->count * sizeof(lb_translations *))};
    if (!votes->member)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for %lld members",
                            (long long)ensemble->count);
    config.n_best = 1;
    config.attention = config.copy_unknown = config.sample = false;
    for (int m = 0; m < ensemble->count; m++) {
        config.member = m + 1;
        votes->member[m] = lb_translate_all(translator, texts, (int64_t)count, config, error);
        if (!votes->member[m]) return error->status;
    }
    return LB_OK;
}

void app_votes_print(lb_buffer *lines, const app_votes *votes, size_t at, const char *source,
                     const lb_translation *together)
{
    char label[LB_LABEL];
    for (int64_t i = 0; i < together->count; i++)
        lb_buffer_print(lines, "%s\t%s\t%.6f\t1\ttogether\n", source, together->output[i].text,
                        together->output[i].score);
    for (int m = 0; m < votes->ensemble->count; m++) {
        const lb_output *output = votes->member[m]->text[at].output;
        lb_buffer_print(lines, "%s\t%s\t%.6f\t%.4g\t%s\n", source, output->text, output->score,
                        lb_ensemble_weight(votes->ensemble, m),
                        lb_model_label(votes->ensemble->member[m], label));
    }
}

void app_votes_add(const app_votes *votes, size_t at, lb_buffer *json)
{
    enum { DIGITS = 9 };
    char label[LB_LABEL];
    if (json->failed) return;
    json->text[--json->length] = '\0'; /* its brace */
    lb_json_open(json, "votes", "[");
    for (int m = 0; m < votes->ensemble->count; m++) {
        const lb_output *output = votes->member[m]->text[at].output;
        lb_json_open(json, NULL, "{");
        lb_json_string(json, "member", lb_model_label(votes->ensemble->member[m], label));
        lb_json_number(json, "weight", lb_ensemble_weight(votes->ensemble, m), DIGITS);
        lb_json_string(json, "text", output->text);
        lb_json_number(json, "score", output->score, DIGITS);
        lb_buffer_print(json, "}");
    }
    lb_buffer_print(json, "]}");
}

void app_votes_close(app_votes *votes)
{
    for (int m = 0; votes->member && m < votes->ensemble->count; m++) lb_translations_free(votes->member[m]);
    lb_release((void *)votes->member);
    *votes = (app_votes){0};
}
