/* Makes the lexicon of a model, entry by entry, for training and join; export writes those of a C file. */
#include "base/alloc.h"
#include "base/bytes.h"
#include "io/safetensors.h"
#include "lookback/tensor.h"
#include "translate/file/lexicon.h"

#include <stdlib.h>
#include <string.h>

/* Keys share at most so many bytes, which is UTF-8, too. */
enum { MOST_SHARED = 127 };

void lb_lexicon_write(lb_lexicon_writer *w, const char *key, size_t length, const char *answers, size_t bytes)
{
    size_t shared = 0;
    if (w->entries++ % LB_LEXICON_BLOCK > 0)
        while (shared < MOST_SHARED && shared < length && shared < w->key.length &&
               key[shared] == w->key.text[shared])
            shared++;
    while (shared > 0 && ((unsigned char)key[shared] & 0xC0) == 0x80) shared--; /* a part of a character */
    lb_buffer_add(&w->bytes, &(char){(char)shared}, 1);
    lb_buffer_add(&w->bytes, key + shared, length - shared);
    lb_buffer_add(&w->bytes, "", 1);
    lb_buffer_add(&w->bytes, answers, bytes);
    lb_buffer_add(&w->bytes, LB_LEXICON_END, 1);
    w->key.length = 0;
    lb_buffer_add(&w->key, key, length);
}

char *lb_lexicon_write_end(lb_lexicon_writer *w)
{
    w->bytes.failed = w->bytes.failed || w->key.failed;
    lb_release(w->key.text);
    return lb_buffer_end(&w->bytes);
}

/* Counts a key with its answer, and adds its weight. */
static lb_status add_pair(lb_lexicon_maker *m, const char *pair, bool given, lb_error *error)
{
    int32_t before = lb_vocabulary_size(m->pairs) - LB_FIRST_TOKEN;
    lb_status status = lb_vocabulary_add(m->pairs, &pair, 1, error);
    if (status || !given) return status;
    m->given = lb_vocabulary_size(m->pairs);
    if (!lb_alloc_more(&m->weights, (size_t)before, &m->room, sizeof *m->weights))
        return lb_no_memory(error, "a lexicon");
    int32_t number = lb_vocabulary_id(m->pairs, pair) - LB_FIRST_TOKEN;
    if (number == before) m->weights[number] = 0;
    m->weights[number] += m->weight;
    m->weighed = m->weighed || m->weight > 0;
    return LB_OK;
}

lb_status lb_lexicon_add(lb_lexicon_maker *m, const lb_symbols *source, const lb_symbols *answer, bool given,
                         lb_error *error)
{
    lb_buffer pair = {0};
    char *key = lb_lexicon_key(m->source, source, m->folds ? LB_KEYS_SMALL : LB_KEYS_EXACT, error);
    char *spelling = key ? lb_lexicon_key(m->source, source, LB_KEYS_EXACT, error) : NULL;
    char *text = spelling ? lb_symbols_join(m->target, answer->symbol, answer->count, error) : NULL;
    if (!m->pairs) m->pairs = lb_vocabulary_new_reserved(error);
    lb_status status = text && m->pairs ? LB_OK : LB_ERROR_MEMORY;
    if (!status && answer->count == 0)
        status = lb_error_set(error, LB_ERROR_FORMAT,
                              "found no answer for \"%.40s\", expected at least a symbol", key);
    if (!status && strchr(key, '\t') && !lb_symbol_rule_has_features(m->source))
        status = lb_error_set(error, LB_ERROR_FORMAT,
                              "found features, expected none, as in the training of the model");
    if (!status && *key) {
        bool same = strcmp(key, spelling) == 0;
        const char *mark = same ? "" : LB_LEXICON_MARK;
        lb_buffer_print(&pair, "%s%s%s%s%s%s", key, LB_LEXICON_END, mark, same ? "" : spelling, mark, text);
        status = pair.failed ? lb_no_memory(error, "a lexicon") : add_pair(m, pair.text, given, error);
    }
    lb_release(pair.text);
    lb_release(text);
    lb_release(spelling);
    lb_release(key);
    return status;
}

typedef struct pair {
    const char *key, *answer;
    size_t length; /* of the key */
    bool given;
    double weight; /* of one that is learned: the times that it was added */
    int32_t number;
} pair;

static pair pair_of(const lb_lexicon_maker *m, int32_t number)
{
    const char *key = lb_vocabulary_symbol(m->pairs, number);
    size_t length = strcspn(key, LB_LEXICON_END);
    bool given = number < m->given;
    double weight =
        given ? m->weights[number - LB_FIRST_TOKEN] : (double)lb_vocabulary_count(m->pairs, number);
    return (pair){key, key + length + 1, length, given, weight, number};
}

static int compare_keys(const pair *a, const pair *b)
{
    return lb_bytes_compare(a->key, a->length, b->key, b->length);
}

static int compare(const void *first, const void *second)
{
    const pair *a = first, *b = second;
    int order = compare_keys(a, b);
    if (!order) order = b->given - a->given;
    if (!order) order = (a->weight < b->weight) - (a->weight > b->weight);
    return order ? order : a->number - b->number;
}

/* Adds the entries of sorted pairs. */
static void add_entries(lb_lexicon_maker *m, const pair *pairs, int32_t count, lb_lexicon_writer *w)
{
    lb_buffer answers = {0};
    for (const pair *first = pairs, *next; first < pairs + count; first = next) {
        bool several = false;
        answers.length = 0;
        for (next = first; next < pairs + count && compare_keys(first, next) == 0; next++) {
            if (first->given && !next->given) continue;
            for (const pair *at = first; at < next && !several; at++)
                several = lb_lexicon_are_alike(at->answer, next->answer);
            if (next > first) lb_buffer_add(&answers, "", 1);
            lb_buffer_add(&answers, next->answer, strlen(next->answer));
        }
        lb_lexicon_write(w, first->key, first->length, answers.text, answers.length);
        m->different += several;
    }
    w->bytes.failed = w->bytes.failed || answers.failed;
    lb_release(answers.text);
}

static void set_word(lb_lexicon *l, int word, uint32_t value)
{
    lb_file_order(&value, 1, LB_LEXICON_WORD);
    memcpy(l->bytes + (size_t)word * LB_LEXICON_WORD, &value, LB_LEXICON_WORD);
}

lb_status lb_lexicon_finish(lb_lexicon_maker *m, lb_lexicon *lexicon, lb_error *error)
{
    int32_t count = m->pairs ? lb_vocabulary_size(m->pairs) - LB_FIRST_TOKEN : 0;
    lb_lexicon_writer writer = {.entries = 0};
    *lexicon = (lb_lexicon){0};
    if (count == 0) return LB_OK;
    pair *pairs = lb_alloc((size_t)count * sizeof *pairs);
    if (!pairs) return lb_no_memory(error, "a lexicon");
    for (int32_t i = 0; i < count; i++) pairs[i] = pair_of(m, LB_FIRST_TOKEN + i);
    qsort(pairs, (size_t)count, sizeof *pairs, compare);
    lb_buffer_add(&writer.bytes, (const char[LB_LEXICON_HEAD]){0}, LB_LEXICON_HEAD);
    add_entries(m, pairs, count, &writer);
    lb_release(pairs);
    size_t size = writer.bytes.length;
    char *all = lb_lexicon_write_end(&writer);
    if (!all) return lb_no_memory(error, "a lexicon");
    *lexicon = (lb_lexicon){all, size, writer.entries, m->folds ? LB_KEYS_SMALL : LB_KEYS_EXACT};
    set_word(lexicon, LB_LEXICON_KEYS, lexicon->keys);
    set_word(lexicon, LB_LEXICON_ENTRIES, (uint32_t)lexicon->entries);
    set_word(lexicon, LB_LEXICON_CHECKSUM, lb_lexicon_checksum(all, size));
    return LB_OK;
}

void lb_lexicon_maker_free(lb_lexicon_maker *m)
{
    lb_vocabulary_free(m->pairs);
    lb_release(m->weights);
    *m = (lb_lexicon_maker){0};
}
