/* Gives symbols their ids and counts them, and keeps them as text for the file of a model. */
#include "data/text/symbols.h"

#include "base/alloc.h"
#include "base/table.h"
#include "io/json.h"
#include "lookback/tensor.h"

#include <stdlib.h>
#include <string.h>

/* ---- A symbol. ---- */

bool lb_symbol_is_feature(const char *symbol)
{
    return symbol[0] == '\t' && symbol[1];
}

const char *lb_symbol_name(const char *symbol)
{
    return lb_symbol_is_feature(symbol) ? symbol + 1 : symbol;
}

/* ---- Symbols and their ids. ---- */

typedef struct entry {
    const char *symbol; /* in the arena */
    int64_t count;
} entry;

struct lb_vocabulary {
    entry *entries; /* [table.room], by id */
    lb_table table; /* of ids */
    int32_t size, specials, unknown;
    int32_t reserved; /* ids below are not in the table: no spelling leads to them */
    lb_arena *arena;
};

static lb_table_key key_of(const void *vocabulary, int32_t id)
{
    return lb_table_string(((const lb_vocabulary *)vocabulary)->entries[id].symbol);
}

/* The id of a symbol; LB_TABLE_NONE if there is none. */
static int32_t find(const lb_vocabulary *v, const char *symbol)
{
    int32_t id = lb_table_find(&v->table, lb_table_string(symbol));
    return id == LB_TABLE_NONE || strcmp(v->entries[id].symbol, symbol) == 0 ? id : LB_TABLE_NONE;
}

/* The entry of a symbol, which is created if needed; NULL if there is no memory. */
static entry *find_or_add(lb_vocabulary *v, const char *symbol)
{
    if (!lb_table_more(&v->table, v->reserved, v->size, &v->entries, sizeof *v->entries)) return NULL;
    int32_t id = find(v, symbol);
    if (id != LB_TABLE_NONE) return &v->entries[id];
    size_t bytes = strlen(symbol) + 1;
    char *copy = lb_arena_alloc(v->arena, bytes);
    if (!copy) return NULL;
    memcpy(copy, symbol, bytes);
    v->entries[v->size] = (entry){.symbol = copy};
    lb_table_add(&v->table, v->size);
    return &v->entries[v->size++];
}

static lb_status add_specials(lb_vocabulary *v, const char *const *specials, int32_t count, lb_error *error)
{
    v->arena = lb_arena_new();
    if (!v->arena) return lb_no_memory(error, "a vocabulary");
    for (int32_t i = 0; i < count; i++) {
        if (!find_or_add(v, specials[i])) return lb_no_memory(error, "a vocabulary");
        if (v->size == i)
            return lb_error_set(error, LB_ERROR_ARGUMENT, "vocabulary: special symbol \"%s\" occurs twice",
                                specials[i]);
    }
    return LB_OK;
}

lb_vocabulary *lb_vocabulary_new(const char *const *specials, int32_t count, int32_t unknown, lb_error *error)
{
    if (unknown < 0 || unknown >= count)
        return lb_null(
            lb_error_set(error, LB_ERROR_ARGUMENT,
                         "vocabulary: invalid unknown symbol %d, expected one of the %d special symbols",
                         (int)unknown, (int)count));
    lb_vocabulary *v = lb_alloc_zero(sizeof *v);
    if (!v) return lb_null(lb_no_memory(error, "a vocabulary"));
    v->table = (lb_table){.key_of = key_of, .owner = v};
    v->specials = count;
    v->unknown = unknown;
    if (add_specials(v, specials, count, error) == LB_OK) return v;
    lb_vocabulary_free(v);
    return NULL;
}

lb_vocabulary *lb_vocabulary_new_reserved(lb_error *error)
{
    static const char *const specials[LB_FIRST_TOKEN] = {
        [LB_PAD] = "<pad>", [LB_BOS] = "<bos>", [LB_EOS] = "<eos>", [LB_UNK] = "<unk>"};
    lb_vocabulary *v = lb_vocabulary_new(specials, LB_FIRST_TOKEN, LB_UNK, error);
    if (!v) return NULL;
    v->reserved = LB_FIRST_TOKEN;
    (void)lb_table_fill(&v->table, v->table.room, v->reserved, v->size);
    return v;
}

void lb_vocabulary_free(lb_vocabulary *v)
{
    if (!v) return;
    lb_release(v->entries);
    lb_release(v->table.forks);
    lb_arena_free(v->arena);
    lb_release(v);
}

lb_status lb_vocabulary_add(lb_vocabulary *v, const char *const *symbols, int64_t count, lb_error *error)
{
    for (int64_t i = 0; i < count; i++) {
        entry *found = find_or_add(v, symbols[i]);
        if (!found) return lb_no_memory(error, "a vocabulary");
        found->count++;
    }
    return LB_OK;
}

/* The byte order of UTF-8 is the order of its characters. */
static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return strcmp(x->symbol, y->symbol);
}

void lb_vocabulary_sort(lb_vocabulary *v, int64_t least)
{
    int32_t kept = v->specials;
    for (int32_t id = v->specials; id < v->size; id++)
        if (v->entries[id].count >= least) v->entries[kept++] = v->entries[id];
    v->size = kept;
    qsort(v->entries + v->specials, (size_t)(kept - v->specials), sizeof *v->entries, compare);
    (void)lb_table_fill(&v->table, v->table.room, v->reserved, v->size);
}

int32_t lb_vocabulary_size(const lb_vocabulary *v)
{
    return v->size;
}

int32_t lb_vocabulary_id(const lb_vocabulary *v, const char *symbol)
{
    int32_t id = find(v, symbol);
    return id == LB_TABLE_NONE ? v->unknown : id;
}

static bool is_id(const lb_vocabulary *v, int32_t id)
{
    return id >= 0 && id < lb_vocabulary_size(v);
}

const char *lb_vocabulary_symbol(const lb_vocabulary *v, int32_t id)
{
    return is_id(v, id) ? v->entries[id].symbol : NULL;
}

int64_t lb_vocabulary_count(const lb_vocabulary *v, int32_t id)
{
    return is_id(v, id) ? v->entries[id].count : 0;
}

void lb_vocabulary_set_counts(lb_vocabulary *v, const int64_t *counts)
{
    for (int32_t id = 0; id < v->size; id++) v->entries[id].count = counts[id];
}

int32_t lb_vocabulary_encode(const lb_vocabulary *v, const char *const *symbols, int64_t count, int32_t *id,
                             int32_t length)
{
    int32_t used = count < length ? (int32_t)count : length;
    for (int32_t i = 0; i < length; i++) id[i] = i < used ? lb_vocabulary_id(v, symbols[i]) : LB_PAD;
    return used;
}

/* ---- A vocabulary as text, as stored in the file of a model. ---- */

char *lb_vocabulary_print(const lb_vocabulary *vocabulary)
{
    lb_buffer json = {0};
    lb_json_open(&json, NULL, "[");
    for (int32_t id = 0; id < lb_vocabulary_size(vocabulary); id++)
        lb_json_string(&json, NULL, lb_vocabulary_symbol(vocabulary, id));
    lb_buffer_print(&json, "]");
    return lb_buffer_end(&json);
}

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
        return lb_null(lb_no_memory(error, NULL));
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
