/* Merges of subwords, as text of a model file, and behind a zero byte a text that they cut. What is accepted is kept as
 * it was, and any text comes back from its pieces, also from those that a vocabulary has only in part. */
#include "data/text/subwords.h"
#include "fuzz.h"
#include "lookback/tensor.h"

#include <stdlib.h>
#include <string.h>

/* A vocabulary of every other piece. */
static lb_vocabulary *half_of(const lb_subwords *subwords)
{
    lb_error error = {0};
    const lb_subword_piece *pieces = subwords->pieces;
    lb_vocabulary *half = lb_vocabulary_new_reserved(&error);
    for (int32_t id = LB_FIRST_TOKEN; half && id < lb_vocabulary_size(subwords->ids); id += 2)
        if (lb_vocabulary_add(half, &pieces[id].text, 1, &error)) fuzz_fail("there is memory for pieces");
    fuzz_require(half != NULL, "there is memory for a vocabulary");
    return half;
}

/* A merge can make a piece that looks like a byte. Such a model writes that byte. */
static bool looks_like_bytes(const lb_subwords *subwords)
{
    return strchr(subwords->text, '<') && strchr(subwords->text, '>');
}

static void cut(const lb_subwords *subwords, const char *text)
{
    lb_error error = {0};
    lb_symbols pieces = {0};
    const lb_symbol_rule rule = {.subwords = subwords};
    lb_status status = lb_symbols_split(&rule, text, strlen(text), &pieces, &error);
    fuzz_require_told(!status, &error);
    if (!status) {
        fuzz_require(pieces.count <= strlen(text) + 1, "there are no more pieces than bytes");
        char *joined = lb_symbols_join(&rule, pieces.symbol, pieces.count, &error);
        fuzz_require_told(joined != NULL, &error);
        fuzz_require(looks_like_bytes(subwords) || (joined && strcmp(joined, text) == 0),
                     "a text comes back from its pieces");
        lb_release(joined);
    }
    lb_symbols_free(&pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lb_error error = {0};
    char *merges = fuzz_text(data, size);
    const char *text = strlen(merges) < size ? merges + strlen(merges) + 1 : "";
    lb_subwords *subwords = lb_subwords_parse(merges, &error);
    fuzz_require_told(subwords != NULL, &error);
    if (subwords) {
        fuzz_require(strcmp(subwords->text, merges) == 0, "merges are kept as they were");
        cut(subwords, text);
        lb_vocabulary *half = half_of(subwords);
        if (lb_subwords_restrict(subwords, half, &error)) fuzz_fail("there is memory for the vocabulary");
        cut(subwords, text);
        lb_vocabulary_free(half);
    }
    lb_subwords_free(subwords);
    free(merges);
    return 0;
}
