/* A lexicon as the bytes of a model file. What is opened is read within its bytes; a walk over all of it finds each
 * entry, and a search the same answers. */
#include "fuzz.h"
#include "lookback/tensor.h"
#include "translate/file/lexicon.h"

#include <stdlib.h>
#include <zlib.h>

enum { HEAD = 12, WORD = 4 };

static const lb_symbol_rule rule = {.features = ";", .normalize = LB_NORMAL_FORM_NFD};
static lb_vocabulary *target;

/* Reads all answers. */
static void read_answers(lb_lexicon_answers answers)
{
    lb_error error = {0};
    lb_strings symbols = {0};
    lb_status status;
    do {
        status = lb_lexicon_next_answer(&answers, target, &symbols, &error);
        fuzz_require_told(!status, &error);
    } while (!status && symbols.count > 0);
    lb_strings_free(&symbols);
}

static void find(const lb_lexicon *lexicon, const char *text, size_t length,
                 const lb_lexicon_answers *expected)
{
    lb_error error = {0};
    lb_buffer key = {0};
    lb_lexicon_answers answers;
    lb_buffer_add(&key, text, length);
    lb_status status = lb_lexicon_find(lexicon, &key, &answers, &error);
    fuzz_require_told(!status, &error);
    if (!status) read_answers(answers);
    if (expected) fuzz_require(!status && answers.at == expected->at, "an entry is found");
    lb_release(key.text);
}

/* The entries of a lexicon that is whole are all found. */
static void walk(const lb_lexicon *lexicon, bool whole)
{
    lb_error error = {0};
    lb_lexicon_walk w = {.lexicon = lexicon};
    while (lb_lexicon_walk_next(&w, &error)) {
        lb_error found = {0};
        read_answers(w.answers);
        if (whole) find(lexicon, w.key.text, w.key.length, &w.answers);
        char *source = lb_lexicon_source(&rule, w.key.text, &found);
        fuzz_require_told(source != NULL, &found);
        lb_release(source);
    }
    if (whole)
        fuzz_require(!error.status && w.entry == lexicon->entries, "a walk ends where it ended before");
    lb_release(w.key.text);
    w = (lb_lexicon_walk){.lexicon = lexicon};
    error = (lb_error){0};
    while (!whole && lb_lexicon_walk_next(&w, &error)) {
    }
    lb_release(w.key.text);
    if (!whole && !error.status) walk(lexicon, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const symbols[] = {"a", "b", "c"};
    lb_error error = {0};
    lb_lexicon lexicon;
    if (!target) target = lb_vocabulary_new_reserved(&error);
    if (target && lb_vocabulary_size(target) == LB_FIRST_TOKEN)
        fuzz_require(lb_vocabulary_add(target, symbols, 3, &error) == LB_OK, "there is memory");
    /* The checksum would refuse whatever was changed. */
    char *bytes = fuzz_text(data, size);
    if (size > HEAD) {
        uint32_t sum = (uint32_t)crc32_z(0, data + WORD, size - WORD);
        for (int i = 0; i < WORD; i++, sum >>= 8) bytes[i] = (char)(unsigned char)sum;
    }
    lb_status status = lb_lexicon_open(&lexicon, bytes, size, &error);
    fuzz_require_told(!status, &error);
    if (!status) {
        find(&lexicon, "a", 1, NULL);
        find(&lexicon, "abc\tV", 5, NULL);
        walk(&lexicon, false);
        lb_lexicon_free(&lexicon);
    }
    free(bytes);
    return 0;
}
