/* A lexicon as the bytes of a model file. What is opened is sound: a walk over all of it finds each entry, and a search
 * the same answers, which have symbols and are on one line. */
#include "fuzz.h"
#include "translate/file/lexicon.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEAD = 12, WORD = 4 };

static const lb_symbol_rule letters = {.normalize = LB_NORMAL_FORM_NFD}, words = {.separator = " "};

/* Reads all answers, which end within the lexicon. */
static void read_answers(const lb_lexicon *lexicon, const char *answers)
{
    size_t length;
    for (const char *answer; (answer = lb_lexicon_next_answer(&answers, &length));) {
        fuzz_require(answer + length < lexicon->bytes + lexicon->size, "an answer is within the lexicon");
        fuzz_require(length > 0 && !memchr(answer, '\n', length), "an answer is a text on one line");
    }
}

static void walk(const lb_lexicon *lexicon)
{
    lb_error error = {0};
    lb_lexicon_walk w = {.lexicon = lexicon};
    while (lb_lexicon_walk_next(&w, &error)) {
        fuzz_require(lb_lexicon_find(lexicon, w.key.text) == w.answers, "an entry is found");
        read_answers(lexicon, w.answers);
    }
    lb_lexicon_walk_end(&w);
    fuzz_require(!error.status && w.entry == lexicon->entries, "a walk finds all entries");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lb_error error = {0};
    lb_lexicon lexicon;
    /* The checksum would refuse whatever was changed. */
    char *bytes = fuzz_text(data, size);
    if (size > HEAD) {
        uint32_t sum = (uint32_t)crc32_z(0, data + WORD, size - WORD);
        for (int i = 0; i < WORD; i++, sum >>= 8) bytes[i] = (char)(unsigned char)sum;
    }
    lb_status status = lb_lexicon_open(&lexicon, &letters, &words, bytes, size, &error);
    fuzz_require_told(!status, &error);
    if (!status) {
        read_answers(&lexicon, lb_lexicon_find(&lexicon, "a"));
        read_answers(&lexicon, lb_lexicon_find(&lexicon, "abc\tV"));
        walk(&lexicon);
        lb_lexicon_free(&lexicon);
    }
    free(bytes);
    return 0;
}
