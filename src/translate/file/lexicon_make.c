#include "translate/file/lexicon.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "io/safetensors.h"
#include "lookback/tensor.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void lb_lexicon_add_number(lb_buffer *bytes, size_t number)
{
    unsigned char byte;
    for (; number >= LB_LEXICON_MORE; number >>= LB_LEXICON_BITS) {
        byte = (unsigned char)(LB_LEXICON_MORE | (number & (LB_LEXICON_MORE - 1)));
        lb_buffer_add(bytes, &byte, 1);
    }
    byte = (unsigned char)number;
    lb_buffer_add(bytes, &byte, 1);
}

void lb_lexicon_add_key(lb_buffer *bytes, const char *before, size_t before_length, const char *key,
                        size_t length)
{
    size_t shared = 0;
    while (before && shared < before_length && shared < length && before[shared] == key[shared]) shared++;
    lb_lexicon_add_number(bytes, shared);
    lb_lexicon_add_number(bytes, length - shared);
    lb_buffer_add(bytes, key + shared, length - shared);
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

static void put_word(lb_buffer *bytes, size_t at, size_t word)
{
    for (size_t i = 0; i < LB_LEXICON_WORD; i++, word >>= 8) bytes->text[at + i] = (char)(unsigned char)word;
}

/* Adds an entry of the pairs from `first` to `end`; `before` is a pair of the entry before it, NULL for the first one
 * of a block. */
static void add_entry(const pair *before, const pair *first, const pair *end, lb_buffer *bytes)
{
    size_t answers = 0;
    lb_lexicon_add_key(bytes, before ? before->bytes + before->key : NULL, before ? before->key_length : 0,
                       first->bytes + first->key, first->key_length);
    for (const pair *p = first; p < end; p++) answers += p->answer_length;
    lb_lexicon_add_number(bytes, answers);
    for (const pair *p = first; p < end; p++) lb_buffer_add(bytes, p->bytes + p->answer, p->answer_length);
}

static size_t end_of_key(const lb_lexicon_maker *m, size_t first)
{
    size_t end = first + 1;
    while (end < m->count && compare_keys(&m->pairs[first], &m->pairs[end]) == 0) end++;
    return end;
}

/* Room for the head, and for the places of the blocks. */
static size_t add_head(lb_lexicon_maker *m, lb_buffer *bytes)
{
    static const char zeros[LB_LEXICON_WORD];
    size_t entries = 0;
    for (size_t first = 0; first < m->count; first = end_of_key(m, first)) entries++;
    size_t blocks = (entries + LB_LEXICON_BLOCK - 1) / LB_LEXICON_BLOCK;
    for (size_t i = 0; i < LB_LEXICON_HEAD / LB_LEXICON_WORD + blocks; i++)
        lb_buffer_add(bytes, zeros, LB_LEXICON_WORD);
    if (bytes->failed) return 0;
    put_word(bytes, LB_LEXICON_WORD, m->folds);
    put_word(bytes, 2 * (size_t)LB_LEXICON_WORD, entries);
    put_word(bytes, 3 * (size_t)LB_LEXICON_WORD, blocks);
    return entries;
}

static void add_entries(lb_lexicon_maker *m, lb_buffer *bytes)
{
    const pair *before = NULL;
    int64_t entry = 0;
    for (size_t first = 0, end; first < m->count; first = end, entry++) {
        end = end_of_key(m, first);
        size_t kept = merge(m->pairs, first, end);
        if (entry % LB_LEXICON_BLOCK == 0)
            put_word(bytes, LB_LEXICON_HEAD + (size_t)(entry / LB_LEXICON_BLOCK) * LB_LEXICON_WORD,
                     bytes->length);
        add_entry(entry % LB_LEXICON_BLOCK ? before : NULL, &m->pairs[first], &m->pairs[kept], bytes);
        m->different += kept > first + 1;
        before = &m->pairs[first];
    }
}

lb_status lb_lexicon_finish(lb_lexicon_maker *m, lb_lexicon *lexicon, lb_error *error)
{
    lb_buffer bytes = {0};
    *lexicon = (lb_lexicon){0};
    if (m->count == 0) return LB_OK;
    for (size_t i = 0; i < m->count; i++) m->pairs[i].bytes = m->bytes.text;
    qsort(m->pairs, m->count, sizeof *m->pairs, by_answer);
    if (add_head(m, &bytes) > 0) add_entries(m, &bytes);
    lb_status status = bytes.failed ? lb_no_memory(error, "a lexicon") : LB_OK;
    if (!status && bytes.length > UINT32_MAX)
        status = lb_error_set(error, LB_ERROR_ARGUMENT,
                              "found a lexicon of %zu bytes, expected less than 4 GiB", bytes.length);
    if (!status) {
        put_word(
            &bytes, 0,
            crc32_z(0, (const unsigned char *)bytes.text + LB_LEXICON_WORD, bytes.length - LB_LEXICON_WORD));
        status = lb_lexicon_open(lexicon, bytes.text, bytes.length, error);
    }
    lb_release(bytes.text);
    return status;
}

void lb_lexicon_maker_free(lb_lexicon_maker *m)
{
    lb_release(m->key.text);
    lb_release(m->bytes.text);
    lb_release(m->pairs);
    *m = (lb_lexicon_maker){0};
}
