/* Texts to translate, as predict reads and answers them. The first byte chooses the columns; the rest is the file. */
#include "apply/input.h"
#include "base/alloc.h"
#include "fuzz.h"

#include <lookback/lookback.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 96, BATCH = 3, BEAM = 2, LIMIT = 6 };

static lb_translator *translator;

static void free_translator(void)
{
    lb_translator_close(translator);
}

/* Without features if it is that of the targets. */
static lb_vocabulary *new_vocabulary(int64_t count, lb_error *error)
{
    static const char *const symbols[] = {"a", "b", "\xc3\xa9", "\tX", "\tY"};
    lb_vocabulary *made = lb_vocabulary_new_reserved(error);
    fuzz_require(made && lb_vocabulary_add(made, symbols, count, error) == LB_OK,
                 "there is memory for symbols");
    return made;
}

/* A small model with the weights of its seed, whose sources have features. */
static void open_translator(void)
{
    lb_error error = {0};
    char path[PATH];
    lb_seq2seq model;
    lb_params *params = lb_params_new(1);
    lb_vocabulary *source = new_vocabulary(5, &error), *target = new_vocabulary(3, &error);
    int32_t reads = lb_vocabulary_size(source), writes = lb_vocabulary_size(target);
    const lb_translator_texts texts = {.source = source, .target = target, .source_rule.features = ";"};
    snprintf(path, sizeof path, "%s/model", fuzz_folder("model", "", 0));
    bool made = lb_seq2seq_init(&model, params, "",
                                (lb_seq2seq_config){reads, writes, .embed = 2, .hidden = 2}) == LB_OK &&
                lb_translator_save(&model.base, params, path, texts, &error) == LB_OK;
    translator = made ? lb_translator_open(path, &error) : NULL;
    fuzz_require(translator && atexit(free_translator) == 0, "a model can be saved and opened");
    lb_vocabulary_free(source);
    lb_vocabulary_free(target);
    lb_params_free(params);
}

static void answer(const app_input *input)
{
    lb_error error = {0};
    lb_translate_config config = {.beam = BEAM, .limit = LIMIT, .skip_bad_texts = true};
    lb_translations *all = lb_translate_all(translator, input->text, input->text_count, config, &error);
    fuzz_require_told(all != NULL, &error);
    fuzz_require(all && all->count == input->text_count, "each text has an answer");
    for (int64_t i = 0; i < all->count; i++)
        fuzz_require(all->text[i].error || (all->text[i].count == 1 && all->text[i].output->length <= LIMIT),
                     "an answer is an output or an error");
    lb_translations_free(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!translator) open_translator();
    lb_error error = {0};
    app_input input;
    uint8_t columns = fuzz_byte(&data, &size);
    const lb_pair_format format = {.source_column = columns % 3,
                                   .no_target = true,
                                   .source.features = lb_translator_about(translator).source_rule.features,
                                   .skip_bad_lines = (columns & 128) != 0};
    if (lb_pair_format_check(&format, NULL)) return 0; /* the column of the features */
    lb_status status = app_input_open(&input, fuzz_file(data, size), BATCH, format, false, &error);
    fuzz_require_told(status == LB_OK, &error); /* damaged gzip data */
    for (bool more = !status; more;) {
        more = app_input_gather(&input, &error);
        if (input.text_count > 0) answer(&input);
    }
    fuzz_require(!error.status || *error.message, "an error has a message");
    input.skipped = 0; /* without a note */
    app_input_close(&input);
    return 0;
}
