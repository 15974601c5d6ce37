#include "apply/decoding.h"

#include "base/format.h"
#include "console/console.h"
#include "data/text/symbols.h"
#include "io/json.h"
#include "settings/settings.h"

#include <cJSON.h>
#include <stdio.h>
#include <string.h>

/* A file or a folder may be a model. Nothing else is opened: a pipe can be read only once. */
static bool is_model(const char *file)
{
    lb_os_info found;
    if (!lb_os_info_at(file, true, &found) || found.kind == LB_OS_IS_OTHER) return false;
    lb_error ignored = {0};
    lb_safetensors *opened = lb_model_file_open(file, NULL, &ignored);
    lb_safetensors_close(opened);
    return opened != NULL;
}

lb_translator *app_open_model(const char *model, const char *file, lb_translator_facts *about,
                              lb_error *error)
{
    lb_error found = {0};
    lb_translator *translator = lb_translator_open(model, &found);
    if (translator) *about = lb_translator_about(translator);
    if (translator) return translator;
    bool swapped = found.status != LB_ERROR_MEMORY && file && is_model(file);
    if (swapped)
        lb_error_set(error, found.status, "%s; the model comes first: %s %s", found.message, file, model);
    else
        lb_error_set(error, found.status, "%s", found.message);
    return NULL;
}

lb_status app_check_attention(const lb_translator_facts *model, const char *option, lb_error *error)
{
    if (model->model->heads > 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: %s needs a model with attention", model->path, option);
}

lb_status app_check_held_out(const lb_translator_facts *model, lb_error *error)
{
    cJSON *record = NULL;
    const char *text = model->training;
    if (text && lb_json_parse(text, strlen(text), NULL, &record) == LB_ERROR_MEMORY)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    const char *dev = cJSON_GetStringValue(lb_settings_recorded(record, "dev"));
    if (dev || cJSON_IsFalse(lb_settings_recorded(record, "hold-out")))
        lb_error_set(error, LB_ERROR_ARGUMENT,
                     "--held-out: %s was trained with %s%s, which holds no pair out", model->path,
                     dev ? "--dev " : "--no-hold-out", dev ? dev : "");
    cJSON_Delete(record);
    return error->status;
}

/* ---- Symbols that a model does not know. ---- */

enum {
    MOST = 10000,     /* distinct unknown symbols counted: there is no limit on words */
    NAMED = 20,       /* listed symbols, and lines */
    LIST_BYTES = 800, /* less than the limit of a note */
    ENTRY_BYTES = 80, /* maximum for a listed symbol, or for the text after the list */
    SAMPLE = 8,       /* known symbols shown as examples */
    SAMPLE_BYTES = 128
};

/* "e, a, t": examples of known symbols. */
static void write_sample(const lb_vocabulary *vocabulary, char sample[SAMPLE_BYTES])
{
    size_t used = 0;
    sample[0] = '\0';
    for (int32_t id = LB_FIRST_TOKEN; id < LB_FIRST_TOKEN + SAMPLE && id < lb_vocabulary_size(vocabulary);
         id++) {
        char shown[LB_SYMBOL_SHOWN];
        const char *symbol = lb_symbol_show(lb_vocabulary_symbol(vocabulary, id), shown);
        if (used + strlen(symbol) + sizeof ", " > SAMPLE_BYTES) return;
        used += (size_t)snprintf(sample + used, SAMPLE_BYTES - used, "%s%s", used ? ", " : "", symbol);
    }
}

static lb_status count_symbol(app_unknown *unknown, const char *symbol, lb_error *error)
{
    unknown->times++;
    if (!unknown->named) unknown->named = lb_vocabulary_new_reserved(error);
    if (!unknown->named) return LB_ERROR_MEMORY;
    bool full = lb_vocabulary_size(unknown->named) >= LB_FIRST_TOKEN + MOST;
    if (!full || lb_vocabulary_id(unknown->named, symbol) != LB_UNK)
        return lb_vocabulary_add(unknown->named, &symbol, 1, error);
    unknown->full = true;
    return LB_OK;
}

lb_status app_unknown_count(app_unknown *unknown, const lb_translation *text, lb_error *error)
{
    lb_status status = LB_OK;
    unknown->symbols += text->length;
    for (int64_t i = 0; i < text->unknown_count && !status; i++)
        status = count_symbol(unknown, text->unknown[i], error);
    return status;
}

void app_unknown_note(app_unknown *unknown, const lb_translator_facts *model, const char *where,
                      int64_t number, const lb_translation *text)
{
    if (text->length == 0 || text->unknown_count < text->length || unknown->strangers_said) return;
    char sample[SAMPLE_BYTES];
    write_sample(model->source, sample);
    app_warn("%s:%lld: the model knows no symbol of this text; it was trained on texts of %s ...", where,
             (long long)number, sample);
    unknown->strangers_said = true;
}

void app_unknown_length(app_unknown *unknown, const lb_translator_facts *model, const char *where,
                        int64_t number, int64_t length)
{
    bool shorter = length < model->shortest_source;
    bool longer = model->longest_source > 0 && length > model->longest_source;
    bool *said = shorter ? &unknown->shorter_said : &unknown->longer_said;
    if ((!shorter && !longer) || *said) return;
    *said = true;
    app_warn("%s:%lld: found %lld %s%s; the %s %s in training had %d", where, (long long)number,
             (long long)length, model->sorts ? "number" : "symbol", lb_plural(length),
             shorter ? "shortest" : "longest", model->sorts ? "list" : "text",
             (int)(shorter ? model->shortest_source : model->longest_source));
}

void app_unlike_count(app_unknown *unknown, int64_t number, const lb_translation *text)
{
    unknown->texts++;
    if (text->unlike && unknown->unlike++ < NAMED)
        lb_buffer_print(&unknown->lines, "%s %lld", unknown->unlike > 1 ? "," : "", (long long)number);
}

void app_unknown_say(app_unknown *unknown, const char *where)
{
    if (unknown->unlike > 0)
        app_warn(
            "%s: %lld of %lld texts %s unlike the training: line%s%s%s; read what the model makes of them",
            where, (long long)unknown->unlike, (long long)unknown->texts, unknown->unlike == 1 ? "is" : "are",
            lb_plural(unknown->unlike), unknown->lines.text, unknown->unlike > NAMED ? ", ..." : "");
    if (unknown->times == 0) return;
    char list[LIST_BYTES];
    size_t used = 0;
    lb_vocabulary_sort(unknown->named, 0);
    int32_t size = lb_vocabulary_size(unknown->named), id = LB_FIRST_TOKEN;
    for (; id < size && id < LB_FIRST_TOKEN + NAMED && used + ENTRY_BYTES < sizeof list; id++) {
        int64_t times = lb_vocabulary_count(unknown->named, id);
        char shown[LB_SYMBOL_SHOWN];
        used += (size_t)snprintf(list + used, sizeof list - used, "%s\"%.40s\" %lld time%s", used ? ", " : "",
                                 lb_symbol_show(lb_vocabulary_symbol(unknown->named, id), shown),
                                 (long long)times, lb_plural(times));
    }
    if (id < size)
        snprintf(list + used, sizeof list - used, " and %s%d other%s", unknown->full ? "at least " : "",
                 (int)(size - id), lb_plural(size - id));
    app_warn("%s: the model does not know %lld of the %lld symbols: %s", where, (long long)unknown->times,
             (long long)unknown->symbols, list);
}

void app_unknown_close(app_unknown *unknown)
{
    lb_release(unknown->lines.text);
    lb_vocabulary_free(unknown->named);
}
