#include "data/vocabulary_json.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "data/symbols.h"
#include "io/json.h"
#include "lookback/tensor.h"

#include <string.h>

char *lb_vocabulary_print(const lb_vocabulary *vocabulary)
{
    lb_buffer json = {0};
    lb_json_open(&json, NULL, "[");
    for (int32_t id = 0; id < lb_vocabulary_size(vocabulary); id++)
        lb_json_string(&json, NULL, lb_vocabulary_symbol(vocabulary, id));
    lb_buffer_print(&json, "]");
    return lb_buffer_end(&json);
}

/* Adds the symbol with this id. */
static lb_status add(lb_vocabulary *vocabulary, int32_t id, const char *symbol, lb_error *error)
{
    if (!symbol) return lb_error_set(error, LB_ERROR_FORMAT, "symbol %d is not a string", (int)id);
    if (id < LB_FIRST_TOKEN) {
        const char *special = lb_vocabulary_symbol(vocabulary, id);
        if (strcmp(special, symbol) == 0) return LB_OK;
        return lb_error_set(error, LB_ERROR_FORMAT, "symbol %d is \"%.40s\", expected %s", (int)id, symbol,
                            special);
    }
    if (*symbol == '\0' || strpbrk(lb_symbol_name(symbol), "\t\n"))
        return lb_error_set(error, LB_ERROR_FORMAT, "symbol %d is %s", (int)id,
                            *symbol ? "invalid: it contains a tab or a line end" : "empty");
    lb_status status = lb_vocabulary_add(vocabulary, &symbol, 1, error);
    if (status || lb_vocabulary_size(vocabulary) > id) return status;
    return lb_error_set(error, LB_ERROR_FORMAT, "symbol %d, \"%.40s\", occurs twice", (int)id, symbol);
}

static lb_status add_all(lb_vocabulary *vocabulary, const cJSON *symbols, lb_error *error)
{
    const cJSON *symbol;
    int32_t id = 0;
    cJSON_ArrayForEach(symbol, symbols)
    {
        lb_status status = add(vocabulary, id++, cJSON_GetStringValue(symbol), error);
        if (status) return status;
    }
    if (id >= LB_FIRST_TOKEN) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "found %d symbols, expected at least the %d special ones",
                        (int)id, LB_FIRST_TOKEN);
}

/* How many strings a list of strings has, by the commas that are not in one of them. */
static int64_t count_strings(const char *text)
{
    int64_t count = 1;
    bool inside = false;
    for (; *text; text++) {
        if (*text == '"') inside = !inside;
        if (inside && text[0] == '\\' && text[1]) text++;
        if (!inside && *text == ',') count++;
    }
    return count;
}

lb_vocabulary *lb_vocabulary_parse(const char *text, int32_t most, lb_error *error)
{
    cJSON *symbols = NULL;
    /* A tree takes much more memory than its text. */
    int64_t count = text ? count_strings(text) : 0;
    if (count > most)
        return lb_null(lb_error_set(error, LB_ERROR_FORMAT, "found %lld symbols, expected at most %d",
                                    (long long)count, (int)most));
    if (text && lb_json_parse(text, strlen(text), NULL, &symbols) == LB_ERROR_MEMORY)
        return lb_null(lb_error_set(error, LB_ERROR_MEMORY, "out of memory"));
    if (!cJSON_IsArray(symbols)) {
        cJSON_Delete(symbols);
        return lb_null(
            lb_error_set(error, LB_ERROR_FORMAT, "%s", text ? "not a list of symbols" : "missing"));
    }
    lb_vocabulary *vocabulary = lb_vocabulary_new_reserved(error);
    if (vocabulary && add_all(vocabulary, symbols, error)) {
        lb_vocabulary_free(vocabulary);
        vocabulary = NULL;
    }
    cJSON_Delete(symbols);
    return vocabulary;
}
