/* A vocabulary as the JSON text of a model file. What is accepted is printed as a text that means the same. */
#include "data/text/symbols.h"
#include "fuzz.h"
#include "lookback/tensor.h"

#include <stdlib.h>
#include <string.h>

static void require_round_trip(const lb_vocabulary *vocabulary)
{
    lb_error error = {0};
    char *text = lb_vocabulary_print(vocabulary);
    lb_vocabulary *again = text ? lb_vocabulary_parse(text, lb_vocabulary_size(vocabulary), &error) : NULL;
    if (!again) fuzz_fail("a printed vocabulary can be read");
    char *same = lb_vocabulary_print(again);
    fuzz_require(same && strcmp(text, same) == 0, "a printed vocabulary is read as the same");
    /* Special symbols are reserved by their ids only: a text cannot name them. */
    for (int32_t id = LB_FIRST_TOKEN; id < lb_vocabulary_size(again); id++)
        fuzz_require(lb_vocabulary_id(vocabulary, lb_vocabulary_symbol(again, id)) == id,
                     "a symbol has the id of its place");
    lb_release(same);
    lb_vocabulary_free(again);
    lb_release(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lb_error error = {0};
    char *text = fuzz_text(data, size);
    lb_vocabulary *vocabulary = lb_vocabulary_parse(text, INT32_MAX, &error);
    fuzz_require_told(vocabulary != NULL, &error);
    if (vocabulary) require_round_trip(vocabulary);
    lb_vocabulary_free(vocabulary);
    free(text);
    return 0;
}
