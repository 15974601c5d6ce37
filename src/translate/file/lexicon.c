#include "translate/file/lexicon.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "io/safetensors.h"
#include "lookback/tensor.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>
#include <zlib.h>

#include "translate/file/lexicon_search.h"

/* The words of the head. */
enum { CHECKSUM, FOLDS, ENTRIES, WORDS, WORD = sizeof(uint32_t), HEAD = WORDS * WORD };

static const char END[] = "\xFF"; /* of an entry */

static uint32_t word_at(const void *bytes, int word)
{
    return (uint32_t)lb_file_integer((const unsigned char *)bytes + (size_t)word * WORD, WORD);
}

static uint32_t checksum_of(const lb_lexicon *l)
{
    return (uint32_t)crc32_z(0, (const unsigned char *)l->bytes + WORD, l->size - WORD);
}

lb_status lb_lexicon_damaged(lb_error *error)
{
    return lb_error_set(error, LB_ERROR_FORMAT, "the lexicon of the model is damaged");
}

lb_status lb_lexicon_open(lb_lexicon *l, const void *bytes, size_t size, lb_error *error)
{
    *l = (lb_lexicon){0};
    if (size <= HEAD || ((const char *)bytes)[size - 1] != *END || word_at(bytes, FOLDS) > 1)
        return lb_lexicon_damaged(error);
    char *copy = lb_alloc(size);
    if (!copy) return lb_no_memory(error, "a lexicon");
    memcpy(copy, bytes, size);
    *l = (lb_lexicon){copy, size, word_at(bytes, ENTRIES), word_at(bytes, FOLDS) == 1};
    return LB_OK;
}

void lb_lexicon_free(lb_lexicon *l)
{
    lb_release(l->bytes);
    *l = (lb_lexicon){0};
}

/* ---- Keys. ---- */

/* Replaces a text by one without its case, which features keep. */
static char *fold(char *text, lb_error *error)
{
    enum { ROOM = 16 };
    lb_buffer key = {0};
    const char *at = text;
    int32_t character, folded[ROOM];
    for (utf8proc_ssize_t more; *at && *at != '\t'; at += more) {
        int last = 0;
        utf8proc_uint8_t bytes[4];
        more = utf8proc_iterate((const utf8proc_uint8_t *)at, -1, &character);
        utf8proc_ssize_t count = utf8proc_decompose_char(character, folded, ROOM, UTF8PROC_CASEFOLD, &last);
        for (utf8proc_ssize_t i = 0; i < count && i < ROOM; i++)
            lb_buffer_add(&key, bytes, (size_t)utf8proc_encode_char(folded[i], bytes));
    }
    lb_buffer_print(&key, "%s", at);
    lb_release(text);
    text = lb_buffer_end(&key);
    return text ? text : lb_null(lb_no_memory(error, "a lexicon"));
}

char *lb_lexicon_key(const lb_symbol_rule *rule, const lb_symbols *source, bool folds, lb_error *error)
{
    lb_symbol_rule as_read = *rule;
    as_read.normalize = LB_NORMAL_FORM_NONE; /* that of the symbols stays */
    char *key = lb_symbols_join(&as_read, source->symbol, source->count, error);
    return key && *key && folds ? fold(key, error) : key;
}

/* ---- Entries. ---- */

const char *lb_lexicon_find(const lb_lexicon *l, const char *key)
{
    return l->bytes ? lexicon_find(l->bytes + HEAD, l->bytes + l->size, key, strlen(key)) : NULL;
}

const char *lb_lexicon_next_answer(const char **answers, size_t *length)
{
    const char *answer = *answers;
    if (!answer) return NULL;
    *length = strcspn(answer, END);
    *answers = answer[*length] ? NULL : answer + *length + 1;
    return answer;
}

bool lb_lexicon_walk_next(lb_lexicon_walk *w, lb_error *error)
{
    const lb_lexicon *l = w->lexicon;
    if (!l->bytes) return false;
    const char *key = w->end ? w->end : l->bytes + HEAD, *after = l->bytes + l->size;
    if (w->entry == l->entries && key == after) return false;
    const char *last = memchr(key, *END, (size_t)(after - key));
    const char *gap = last ? memchr(key, 0, (size_t)(last - key)) : NULL;
    bool good =
        gap && lb_utf8_valid(key, (size_t)(last - key)) && w->entry < l->entries &&
        (w->entry > 0 ? strcmp(w->key, key) < 0 : gap > key && checksum_of(l) == word_at(l->bytes, CHECKSUM));
    if (good)
        *w = (lb_lexicon_walk){l, w->entry + 1, key, gap + 1, last + 1};
    else
        lb_lexicon_damaged(error);
    return good;
}

/* ---- Making one. ---- */

lb_status lb_lexicon_add(lb_lexicon_maker *m, const lb_symbols *source, const lb_symbols *answer, bool given,
                         lb_error *error)
{
    lb_buffer pair = {0};
    bool features = source->count > 0 && lb_symbol_is_feature(source->symbol[source->count - 1]);
    char *key = lb_lexicon_key(m->source, source, m->folds, error);
    char *text = key ? lb_symbols_join(m->target, answer->symbol, answer->count, error) : NULL;
    if (!m->pairs) m->pairs = lb_vocabulary_new_reserved(error);
    lb_status status = text && m->pairs ? LB_OK : LB_ERROR_MEMORY;
    if (!status && answer->count == 0)
        status = lb_error_set(error, LB_ERROR_FORMAT,
                              "found no answer for \"%.40s\", expected at least a symbol", key);
    if (!status && features && !lb_symbol_rule_has_features(m->source))
        status = lb_error_set(error, LB_ERROR_FORMAT,
                              "found features, expected none, as in the training of the model");
    if (!status && *key) {
        lb_buffer_print(&pair, "%s%s%s", key, END, text);
        status = pair.failed ? lb_no_memory(error, "a lexicon")
                             : lb_vocabulary_add(m->pairs, &(const char *){pair.text}, 1, error);
        if (given) m->given = lb_vocabulary_size(m->pairs);
    }
    lb_release(pair.text);
    lb_release(text);
    lb_release(key);
    return status;
}

typedef struct pair {
    const char *key, *answer;
    size_t length; /* of the key */
    int64_t times; /* it was added; INT64_MAX: it is given */
    int32_t number;
} pair;

static pair pair_of(const lb_lexicon_maker *m, int32_t number)
{
    const char *key = lb_vocabulary_symbol(m->pairs, number);
    size_t length = strcspn(key, END);
    int64_t times = number < m->given ? INT64_MAX : lb_vocabulary_count(m->pairs, number);
    return (pair){key, key + length + 1, length, times, number};
}

static int compare_keys(const pair *a, const pair *b)
{
    return lb_bytes_compare(a->key, a->length, b->key, b->length);
}

static int compare(const void *first, const void *second)
{
    const pair *a = first, *b = second;
    int order = compare_keys(a, b);
    if (!order) order = (a->times < b->times) - (a->times > b->times);
    return order ? order : a->number - b->number;
}

/* Adds the entries of sorted pairs. Returns their number. */
static int64_t add_entries(lb_lexicon_maker *m, const pair *pairs, int32_t count, lb_buffer *bytes)
{
    int64_t entries = 0;
    for (const pair *first = pairs, *next; first < pairs + count; first = next, entries++) {
        bool given = first->times == INT64_MAX;
        int32_t answers = 0;
        lb_buffer_add(bytes, first->key, first->length);
        for (next = first; next < pairs + count && compare_keys(first, next) == 0; next++) {
            if (given && next->times < INT64_MAX) continue;
            lb_buffer_add(bytes, "", 1);
            lb_buffer_add(bytes, next->answer, strlen(next->answer));
            answers++;
        }
        lb_buffer_add(bytes, END, 1);
        m->different += answers > 1;
    }
    return entries;
}

static void set_word(lb_lexicon *l, int word, uint32_t value)
{
    lb_file_order(&value, 1, WORD);
    memcpy(l->bytes + (size_t)word * WORD, &value, WORD);
}

lb_status lb_lexicon_finish(lb_lexicon_maker *m, lb_lexicon *lexicon, lb_error *error)
{
    int32_t count = m->pairs ? lb_vocabulary_size(m->pairs) - LB_FIRST_TOKEN : 0;
    lb_buffer bytes = {0};
    *lexicon = (lb_lexicon){0};
    if (count == 0) return LB_OK;
    pair *pairs = lb_alloc((size_t)count * sizeof *pairs);
    if (!pairs) return lb_no_memory(error, "a lexicon");
    for (int32_t i = 0; i < count; i++) pairs[i] = pair_of(m, LB_FIRST_TOKEN + i);
    qsort(pairs, (size_t)count, sizeof *pairs, compare);
    lb_buffer_add(&bytes, (const char[HEAD]){0}, HEAD);
    int64_t entries = add_entries(m, pairs, count, &bytes);
    size_t size = bytes.length;
    char *all = lb_buffer_end(&bytes);
    lb_release(pairs);
    if (!all) return lb_no_memory(error, "a lexicon");
    *lexicon = (lb_lexicon){all, size, entries, m->folds};
    set_word(lexicon, FOLDS, m->folds);
    set_word(lexicon, ENTRIES, (uint32_t)entries);
    set_word(lexicon, CHECKSUM, checksum_of(lexicon));
    return LB_OK;
}

void lb_lexicon_maker_free(lb_lexicon_maker *m)
{
    lb_vocabulary_free(m->pairs);
    *m = (lb_lexicon_maker){0};
}
