#include "common/unknown.h"

#include "common/input.h"
#include "common/report.h"

#include <stdio.h>
#include <string.h>

enum {
    NAMED = 20, /* symbols of which it is said one by one that they are unknown */
    SAMPLE = 8, /* symbols that are shown of what the model knows */
    SAMPLE_BYTES = 128
};

/* "e, a, t": what such a model knows. */
static void write_sample(const lb_vocabulary *vocabulary, char sample[SAMPLE_BYTES])
{
    size_t used = 0;
    sample[0] = '\0';
    for (int32_t id = LB_FIRST_TOKEN; id < LB_FIRST_TOKEN + SAMPLE && id < lb_vocabulary_size(vocabulary);
         id++) {
        const char *symbol = lb_vocabulary_symbol(vocabulary, id);
        if (used + strlen(symbol) + sizeof ", " > SAMPLE_BYTES) return;
        used += (size_t)snprintf(sample + used, SAMPLE_BYTES - used, "%s%s", used ? ", " : "", symbol);
    }
}

static bool all_are_named(const app_unknown *unknown)
{
    return unknown->named && lb_vocabulary_size(unknown->named) == LB_FIRST_TOKEN + NAMED;
}

static lb_status name(app_unknown *unknown, int64_t number, const char *symbol, lb_error *error)
{
    unknown->times++;
    if (all_are_named(unknown)) return LB_OK;
    if (!unknown->named) unknown->named = lb_vocabulary_new_reserved(error);
    if (!unknown->named) return LB_ERROR_MEMORY;
    int32_t before = lb_vocabulary_size(unknown->named);
    lb_status status = lb_vocabulary_add(unknown->named, &symbol, 1, error);
    if (status || lb_vocabulary_size(unknown->named) == before) return status;
    app_note("%s:%lld: the model does not know the symbol \"%.40s\"", app_input_name, (long long)number,
             symbol);
    return LB_OK;
}

lb_status app_unknown_note(app_unknown *unknown, const lb_translator_facts *model, int64_t number,
                           const lb_translation *text, lb_error *error)
{
    lb_status status = LB_OK;
    if (text->length > 0 && text->unknown_count == text->length && !unknown->strangers_said) {
        char sample[SAMPLE_BYTES];
        write_sample(model->source, sample);
        app_note("%s:%lld: the model knows no symbol of this text; it was trained on texts of %s ...",
                 app_input_name, (long long)number, sample);
        unknown->strangers_said = true;
    }
    for (int64_t i = 0; i < text->unknown_count && !status; i++)
        status = name(unknown, number, text->unknown[i], error);
    return status;
}

void app_unknown_close(app_unknown *unknown)
{
    if (all_are_named(unknown))
        app_note("%lld symbols of the texts were unknown to the model; not all have been named",
                 (long long)unknown->times);
    lb_vocabulary_free(unknown->named);
}
