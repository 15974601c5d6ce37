#include "common/text_model.h"

#include "common/decoding.h"
#include "common/model_path.h"
#include "data/symbols.h"
#include "train/translator.h"

#include <string.h>

enum { LONG = 1000 };

static const char NO_SYMBOL[] = "\xEF\xBF\xBD"; /* U+FFFD */

lb_status app_text_model_load(app_text_model *model, const char *path, const lb_safetensors *file,
                              lb_error *error)
{
    lb_error found = {0};
    *model = (app_text_model){.tape = lb_tape_new(), .search = {.beam = APP_TEXT_BEAM}};
    if (!model->tape) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    if (lb_translator_load(file, &model->translator, &found)) return app_name_file(path, &found, error);
    int32_t trained = model->translator.longest_source;
    model->longest = trained > LONG ? trained : LONG;
    return LB_OK;
}

void app_text_model_close(app_text_model *model)
{
    lb_tape_free(model->tape);
    lb_translator_free(&model->translator);
    *model = (app_text_model){0};
}

int64_t app_text_affordable(const app_text_model *model, const app_text *texts, int64_t count)
{
    const lb_translator *t = &model->translator;
    int64_t limit = lb_translator_limit(t, texts->length), longest = 0, fit = 0;
    while (fit < count && lb_translator_limit(t, texts[fit].length) == limit) {
        longest = texts[fit].length > longest ? texts[fit].length : longest;
        int64_t each = app_decoding_reals(t->model, model->search.beam, longest, limit);
        if (fit > 0 && (fit + 1) * each > APP_DECODING_MOST) break;
        fit++;
    }
    return fit;
}

static lb_tokens make_tokens(lb_tape *tape, const app_text *texts, int64_t count)
{
    int32_t longest = 0, *id, *lengths;
    for (int64_t row = 0; row < count; row++)
        longest = texts[row].length > longest ? texts[row].length : longest;
    lb_tokens tokens = lb_tokens_new(tape, count, longest, &id, &lengths);
    for (int64_t row = 0; row < tokens.batch; row++) {
        lengths[row] = texts[row].length;
        memcpy(id + row * longest, texts[row].id, (size_t)texts[row].length * sizeof *id);
    }
    return tokens;
}

lb_status app_text_decode(app_text_model *model, const app_text *texts, int64_t count, lb_beam *found,
                          lb_error *error)
{
    const lb_translator *t = &model->translator;
    lb_beam_config config = model->search;
    config.limit = lb_translator_limit(t, texts->length);
    lb_tape_reset(model->tape);
    *found = lb_beam_search(t->model, make_tokens(model->tape, texts, count), config);
    if (found->batch == count) return LB_OK;
    return lb_error_set(error, lb_tape_status(model->tape), "%s", lb_tape_error(model->tape));
}

const char *app_target_symbol(const app_text_model *model, int32_t id)
{
    return id < LB_FIRST_TOKEN ? NO_SYMBOL : lb_vocabulary_symbol(model->translator.target, id);
}

char *app_target_text(const app_text_model *model, const lb_hypothesis *output, lb_error *error)
{
    const char **symbols = lb_alloc((size_t)output->length * sizeof *symbols);
    if (!symbols) {
        lb_error_set(error, LB_ERROR_MEMORY, "out of memory for an output");
        return NULL;
    }
    for (int64_t i = 0; i < output->length; i++) symbols[i] = app_target_symbol(model, output->id[i]);
    char *text = lb_symbols_join(&model->translator.target_rule, symbols, (size_t)output->length, error);
    lb_release((void *)symbols);
    return text;
}
