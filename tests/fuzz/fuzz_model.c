/* A model file of any kind: opened, and applied to a text. */
#include "fuzz.h"
#include "lookback/translate.h"

enum { STEPS = 4, BEAM = 2 };

static void translate(lb_translator *translator, const char *text)
{
    lb_error error = {0};
    lb_translate_config config = {.beam = BEAM, .limit = STEPS, .attention = true};
    lb_translations *all = lb_translate_all(translator, &text, 1, config, &error);
    fuzz_require_told(all != NULL, &error);
    lb_translations_free(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lb_error error = {0};
    lb_set_threads(1);
    lb_translator *translator = lb_translator_open(fuzz_file(data, size), &error);
    fuzz_require_told(translator != NULL, &error);
    if (!translator) return 0;
    bool sorts = lb_translator_about(translator).sorts;
    translate(translator, sorts ? "2 0 1" : "ab");
    translate(translator, "\xc3\xa9 b\tV;PST");
    lb_translator_close(translator);
    return 0;
}
