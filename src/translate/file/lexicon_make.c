#include "translate/file/lexicon.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "io/safetensors.h"
#include "lookback/tensor.h"
#include "translate/file/lexicon_search.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void lb_lexicon_add_number(lb_buffer *bytes, size_t number)
{
    enum { BITS = 7, MORE = 1 << BITS };
    do {
        unsigned char byte = (unsigned char)((number & (MORE - 1)) | (number < MORE ? 0 : MORE));
        lb_buffer_add(bytes, &byte, 1);
        number >>= BITS;
    } while (number > 0);
}

static void add_word(lb_buffer *bytes, size_t word)
{
    unsigned char all[LB_LEXICON_WORD];
    for (int i = 0; i < LB_LEXICON_WORD; i++, word >>= 8) all[i] = (unsigned char)word;
    lb_buffer_add(bytes, all, sizeof all);
}

void lb_lexicon_table_add(lb_lexicon_table *t, const char *key, size_t length, const lb_buffer *answers)
{
    size_t shared = 0;
    if (t->count++ % LEXICON_BLOCK == 0)
        add_word(&t->places, t->entries.length);
    else
        while (shared < t->key.length && shared < length && t->key.text[shared] == key[shared]) shared++;
    lb_lexicon_add_number(&t->entries, shared);
    lb_lexicon_add_number(&t->entries, length - shared);
    lb_buffer_add(&t->entries, key + shared, length - shared);
    lb_lexicon_add_number(&t->entries, answers->length);
    lb_buffer_add(&t->entries, answers->text, answers->length);
    t->key.length = 0;
    lb_buffer_add(&t->key, key, length);
}

void lb_lexicon_table_free(lb_lexicon_table *t)
{
    lb_release(t->entries.text);
    lb_release(t->places.text);
    lb_release(t->key.text);
}

/* An answer to a key, in the bytes of the maker. */
typedef struct lb_lexicon_pair {
    size_t key, key_length, answer, answer_length;
    int64_t times; /* it was added; 0: it is given */
    size_t number; /* of the pair in the order of adding */
    const char *bytes;
} pair;

static void add_answer(const lb_lexicon_maker *m, const lb_symbols *answer, lb_buffer *bytes)
{
    lb_lexicon_add_number(bytes, answer->count);
    for (size_t i = 0; i < answer->count; i++) {
        const char *symbol = answer->symbol[i];
        int32_t id = lb_vocabulary_id(m->target, symbol);
        bool known = id >= LB_FIRST_TOKEN;
        lb_lexicon_add_number(bytes, known ? (size_t)id : 0);
        if (known) continue;
        lb_lexicon_add_number(bytes, strlen(symbol));
        lb_buffer_add(bytes, symbol, strlen(symbol));
    }
}

lb_status lb_lexicon_add(lb_lexicon_maker *m, const lb_symbols *source, const lb_symbols *answer, bool given,
                         lb_error *error)
{
    lb_lexicon_key(m->source, source, m->folds, &m->key);
    if (answer->count == 0)
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "found no answer for \"%.40s\", expected at least a symbol",
                            m->key.text ? m->key.text : "");
    bool features = source->count > 0 && lb_symbol_is_feature(source->symbol[source->count - 1]);
    if (features && !lb_symbol_rule_has_features(m->source))
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "found features, expected none, as in the training of the model");
    if (!lb_alloc_more(&m->pairs, m->count, &m->room, sizeof *m->pairs))
        return lb_no_memory(error, "a lexicon");
    pair *added = &m->pairs[m->count];
    *added = (pair){.key = m->bytes.length, .key_length = m->key.length, .times = !given, .number = m->count};
    lb_buffer_add(&m->bytes, m->key.text, m->key.length);
    added->answer = m->bytes.length;
    add_answer(m, answer, &m->bytes);
    added->answer_length = m->bytes.length - added->answer;
    if (m->bytes.failed || m->key.failed) return lb_no_memory(error, "a lexicon");
    m->count += m->key.length > 0;
    return LB_OK;
}

/* ---- Order. ---- */

static int compare_keys(const pair *a, const pair *b)
{
    return lb_bytes_compare(a->bytes + a->key, a->key_length, b->bytes + b->key, b->key_length);
}

static int compare_answers(const pair *a, const pair *b)
{
    return lb_bytes_compare(a->bytes + a->answer, a->answer_length, b->bytes + b->answer, b->answer_length);
}

/* Equal answers to a key are neighbours, the first one first, and those that are given before others. */
static int by_answer(const void *first, const void *second)
{
    const pair *a = first, *b = second;
    int order = compare_keys(a, b);
    if (!order && (a->times == 0) != (b->times == 0)) order = a->times == 0 ? -1 : 1;
    if (!order) order = compare_answers(a, b);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* The order of the answers to a key. */
static int by_rank(const void *first, const void *second)
{
    const pair *a = first, *b = second;
    if (a->times != b->times) return a->times > b->times ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Makes one pair of equal ones, and drops what is learned of a key that has given answers. Returns the new end of those
 * from `first` to `end`, which have one key. */
static size_t merge(pair *pairs, size_t first, size_t end)
{
    size_t kept = first + 1;
    for (size_t i = first + 1; i < end; i++) {
        if (pairs[first].times == 0 && pairs[i].times > 0) break;
        if (compare_answers(&pairs[kept - 1], &pairs[i]) == 0)
            pairs[kept - 1].times += pairs[i].times;
        else
            pairs[kept++] = pairs[i];
    }
    qsort(pairs + first, kept - first, sizeof *pairs, by_rank);
    return kept;
}

/* ---- Bytes. ---- */

static void add_entries(lb_lexicon_maker *m, lb_lexicon_table *table)
{
    lb_buffer answers = {0};
    for (size_t first = 0, end; first < m->count; first = end) {
        const pair *p = &m->pairs[first];
        for (end = first + 1; end < m->count && compare_keys(p, &m->pairs[end]) == 0;) end++;
        size_t kept = merge(m->pairs, first, end);
        answers.length = 0;
        for (size_t i = first; i < kept; i++)
            lb_buffer_add(&answers, p->bytes + m->pairs[i].answer, m->pairs[i].answer_length);
        lb_lexicon_table_add(table, p->bytes + p->key, p->key_length, &answers);
        m->different += kept > first + 1;
    }
    table->entries.failed = table->entries.failed || answers.failed;
    lb_release(answers.text);
}

/* Puts all of it together, the checksum first. */
static lb_status put_together(const lb_lexicon_maker *m, const lb_lexicon_table *t, lb_lexicon *lexicon,
                              lb_error *error)
{
    lb_buffer bytes = {0}, whole = {0};
    add_word(&bytes, m->folds);
    add_word(&bytes, (size_t)t->count);
    lb_buffer_add(&bytes, t->places.text, t->places.length);
    lb_buffer_add(&bytes, t->entries.text, t->entries.length);
    bool failed = bytes.failed || t->places.failed || t->entries.failed || t->key.failed;
    if (!failed) add_word(&whole, crc32_z(0, (const unsigned char *)bytes.text, bytes.length));
    if (!failed) lb_buffer_add(&whole, bytes.text, bytes.length);
    lb_status status = failed || whole.failed ? lb_no_memory(error, "a lexicon") : LB_OK;
    if (!status && whole.length > UINT32_MAX)
        status = lb_error_set(error, LB_ERROR_ARGUMENT,
                              "found a lexicon of %zu bytes, expected less than 4 GiB", whole.length);
    if (!status) status = lb_lexicon_open(lexicon, whole.text, whole.length, error);
    lb_release(whole.text);
    lb_release(bytes.text);
    return status;
}

lb_status lb_lexicon_finish(lb_lexicon_maker *m, lb_lexicon *lexicon, lb_error *error)
{
    lb_lexicon_table table = {.count = 0};
    *lexicon = (lb_lexicon){0};
    if (m->count == 0) return LB_OK;
    for (size_t i = 0; i < m->count; i++) m->pairs[i].bytes = m->bytes.text;
    qsort(m->pairs, m->count, sizeof *m->pairs, by_answer);
    add_entries(m, &table);
    lb_status status = put_together(m, &table, lexicon, error);
    lb_lexicon_table_free(&table);
    return status;
}

void lb_lexicon_maker_free(lb_lexicon_maker *m)
{
    lb_release(m->key.text);
    lb_release(m->bytes.text);
    lb_release(m->pairs);
    *m = (lb_lexicon_maker){0};
}
