/* How a model file has the rules of symbols: what is between symbols, the normal form, and the merges of subwords. */
#include "base/alloc.h"
#include "base/buffer.h"
#include "base/format.h"
#include "data/text/subwords.h"
#include "data/text/symbols.h"
#include "io/json.h"
#include "translate/file/text_model.h"

#include <string.h>

static const char TASK_KEY[] = LB_SORT_TASK_KEY;

/* Whether features are kept together by brackets. Files from before do not have it. */
static const char BRACKETS[] = "brackets";

void lb_model_rule_print(lb_buffer *json, const char *key, const lb_symbol_rule *rule)
{
    lb_json_open(json, key, "{");
    lb_json_string(json, "separator", rule->separator ? rule->separator : "");
    lb_json_string(json, "normalize", lb_normal_form_names[rule->normalize]);
    if (rule->graphemes) lb_json_bool(json, "graphemes", true);
    bool features = lb_symbol_rule_has_features(rule);
    if (features) lb_json_string(json, "features", rule->features);
    if (features && !rule->flat_features) lb_json_bool(json, BRACKETS, true);
    lb_buffer_print(json, "}");
}

lb_status lb_model_keep(lb_text_model *t, const char *text, const char **kept, lb_error *error)
{
    lb_status status = lb_strings_add(&t->texts, lb_alloc_string(text), error);
    if (!status) *kept = t->texts.text[t->texts.count - 1];
    return status;
}

lb_status lb_model_rule_parse(lb_text_model *t, const cJSON *json, const char *key, lb_symbol_rule *rule,
                              lb_error *error)
{
    const cJSON *fields = lb_json_get(json, key);
    const char *separator = lb_json_text(fields, "separator");
    const char *normalize = lb_json_text(fields, "normalize");
    if (!fields) return lb_error_set(error, LB_ERROR_FORMAT, "%s: found no \"%s\"", TASK_KEY, key);
    if (!separator || !normalize)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: found no text \"%s\" in \"%s\"", TASK_KEY,
                            separator ? "normalize" : "separator", key);
    int form = lb_choice_find(lb_normal_form_names, normalize);
    if (form < 0)
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "%s: \"normalize\" in \"%s\": found \"%.40s\", expected none, nfc or nfd",
                            TASK_KEY, key, normalize);
    const char *features = lb_json_text(fields, "features");
    rule->normalize = (lb_normal_form)form;
    rule->graphemes = cJSON_IsTrue(lb_json_get(fields, "graphemes"));
    lb_status status = lb_model_keep(t, separator, &rule->separator, error);
    if (!status && features) status = lb_model_keep(t, features, &rule->features, error);
    rule->flat_features = features && !cJSON_IsTrue(lb_json_get(fields, BRACKETS));
    if (!status) status = lb_symbol_rule_check(rule, error);
    if (status == LB_ERROR_ARGUMENT && error) error->status = LB_ERROR_FORMAT;
    return status == LB_ERROR_ARGUMENT ? LB_ERROR_FORMAT : status;
}

size_t lb_model_subwords_name(const lb_text_model *t, lb_safetensors_metadata *metadata)
{
    const lb_subwords *source = t->source_rule.subwords, *target = t->target_rule.subwords;
    if (!source) return 0;
    bool shared = strcmp(source->text, target->text) == 0;
    metadata[0] = (lb_safetensors_metadata){LB_SOURCE_SUBWORDS_KEY, source->text};
    if (!shared) metadata[1] = (lb_safetensors_metadata){LB_TARGET_SUBWORDS_KEY, target->text};
    return shared ? 1 : 2;
}

/* The rule of a side gets its merges; the vocabulary says which pieces there are. */
static lb_status load_subwords(const char *key, const char *text, int side, lb_text_model *t, lb_error *error)
{
    lb_error found = {0};
    lb_symbol_rule *rule = side ? &t->target_rule : &t->source_rule;
    lb_subwords *subwords = t->subwords[side] = lb_subwords_parse(text, &found);
    rule->subwords = subwords;
    lb_status status =
        subwords ? lb_subwords_restrict(subwords, side ? t->target : t->source, &found) : found.status;
    if (!status) status = lb_symbol_rule_check(rule, &found);
    if (!status) return LB_OK;
    return lb_error_set(error, status == LB_ERROR_MEMORY ? status : LB_ERROR_FORMAT, "%s: %s", key,
                        found.message);
}

lb_status lb_model_subwords_load(const lb_safetensors *file, lb_text_model *t, lb_error *error)
{
    const char *source = lb_safetensors_metadata_value(file, LB_SOURCE_SUBWORDS_KEY);
    const char *target = lb_safetensors_metadata_value(file, LB_TARGET_SUBWORDS_KEY);
    if (!source) return LB_OK;
    lb_status status = load_subwords(LB_SOURCE_SUBWORDS_KEY, source, 0, t, error);
    return status ? status : load_subwords(LB_TARGET_SUBWORDS_KEY, target ? target : source, 1, t, error);
}
