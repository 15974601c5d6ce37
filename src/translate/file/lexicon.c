#include "translate/file/lexicon.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "io/safetensors.h"
#include "lookback/tensor.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>
#include <zlib.h>

#define FOLDS 1 /* keys may be in small letters */
#include "translate/file/lexicon_search.h"

/* The words of the head. */
enum { CHECKSUM, KEYS, ENTRIES, WORDS, WORD = sizeof(uint32_t), HEAD = WORDS * WORD };

static const char END[] = "\xFF";  /* of an entry */
static const char MARK[] = "\xFE"; /* around the spelling of a source, in front of its answer */

/* Each eighth key is whole; others share so many bytes, which is UTF-8, too. */
enum { BLOCK = 8, MOST_SHARED = 127 };

static uint32_t word_at(const void *bytes, int word)
{
    return (uint32_t)lb_file_integer((const unsigned char *)bytes + (size_t)word * WORD, WORD);
}

static uint32_t checksum_of(const void *bytes, size_t size)
{
    return (uint32_t)crc32_z(0, (const unsigned char *)bytes + WORD, size - WORD);
}

void lb_lexicon_free(lb_lexicon *l)
{
    lb_release(l->bytes);
    *l = (lb_lexicon){0};
}

/* ---- Keys. ---- */

int32_t lb_lexicon_small(int32_t character)
{
    enum { LAST_SIGMA = 0x3C2, SIGMA }; /* both have the same capital */
    return character == LAST_SIGMA ? SIGMA : utf8proc_tolower(character);
}

/* Replaces a text by one without its case, which features keep. */
static char *fold(char *text, lb_lexicon_keys keys, lb_error *error)
{
    enum { GROWS = 3 }; /* a character to as many */
    size_t length = strcspn(text, "\t"), rest = strlen(text + length) + 1, room = GROWS * length + rest;
    int32_t *folded = lb_alloc(room * sizeof *folded);
    if (folded) {
        utf8proc_option_t full = keys == LB_KEYS_FOLDED ? UTF8PROC_CASEFOLD : (utf8proc_option_t)0;
        utf8proc_ssize_t count = utf8proc_decompose((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length,
                                                    folded, (utf8proc_ssize_t)(GROWS * length), full);
        for (utf8proc_ssize_t i = 0; i < count && !full; i++) folded[i] = lb_lexicon_small(folded[i]);
        count = utf8proc_reencode(folded, count, full);
        memcpy((char *)folded + count, text + length, rest);
    }
    lb_release(text);
    return folded ? (char *)folded : lb_null(lb_no_memory(error, "a lexicon"));
}

char *lb_lexicon_key(const lb_symbol_rule *rule, const lb_symbols *source, lb_lexicon_keys keys,
                     lb_error *error)
{
    lb_symbol_rule as_read = *rule;
    as_read.normalize = LB_NORMAL_FORM_NONE; /* that of the symbols stays */
    char *key = lb_symbols_join(&as_read, source->symbol, source->count, error);
    return key && *key && keys != LB_KEYS_EXACT ? fold(key, keys, error) : key;
}

/* ---- Entries. ---- */

const char *lb_lexicon_find(const lb_lexicon *l, const char *key)
{
    return l->bytes ? lexicon_find(l->bytes + HEAD, l->bytes + l->size, key, strlen(key)) : NULL;
}

const char *lb_lexicon_spelling(const char *answers, size_t *length)
{
    if (*answers != *MARK) return NULL;
    *length = strcspn(answers + 1, MARK);
    return answers + 1;
}

bool lb_lexicon_are_alike(const char *a, const char *b)
{
    size_t marked = *a == *MARK ? strcspn(a + 1, MARK) + 2 : 0;
    return (*a == *MARK) == (*b == *MARK) && strncmp(a, b, marked) == 0;
}

const char *lb_lexicon_next_answer(const char **answers, size_t *length)
{
    const char *answer = *answers;
    if (!answer) return NULL;
    if (lb_lexicon_spelling(answer, length)) answer += *length + 2;
    *length = strcspn(answer, END);
    *answers = answer[*length] ? NULL : answer + *length + 1;
    return answer;
}

lb_status lb_lexicon_ask(const lb_lexicon *l, const lb_symbol_rule *rule, const lb_symbols *source,
                         lb_lexicon_answers *found, lb_error *error)
{
    char *key = lb_lexicon_key(rule, source, l->keys, error), *spelling = NULL;
    *found = (lb_lexicon_answers){NULL, NULL};
    if (!key) return LB_ERROR_MEMORY;
    found->first = lb_lexicon_find(l, key);
    if (found->first) spelling = lb_lexicon_key(rule, source, LB_KEYS_EXACT, error);
    if (spelling)
        found->like = lexicon_spelled(found->first, strcmp(key, spelling) == 0, spelling, strlen(spelling));
    bool failed = found->first && !spelling;
    lb_release(spelling);
    lb_release(key);
    return failed ? LB_ERROR_MEMORY : LB_OK;
}

bool lb_lexicon_walk_next(lb_lexicon_walk *w, lb_error *error)
{
    const lb_lexicon *l = w->lexicon;
    if (!l->bytes) return false;
    const char *at = w->end ? w->end : l->bytes + HEAD, *own = at + 1, *after = l->bytes + l->size;
    if (at == after) return false;
    const char *last = memchr(at, *END, (size_t)(after - at));
    const char *gap = last > own ? memchr(own, 0, (size_t)(last - own)) : NULL;
    size_t shared = (unsigned char)*at, most = w->entry++ % BLOCK ? w->key.length : 0;
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a key that is not empty has a text */
    if (!gap || shared > most || strcmp(shared < w->key.length ? w->key.text + shared : "", own) >= 0) {
        lb_error_set(error, LB_ERROR_FORMAT, "found %s",
                     gap ? "a key that is not after the one before it" : "no answer after a key");
        return false;
    }
    w->key.length = shared;
    lb_buffer_add(&w->key, own, (size_t)(gap - own));
    w->answers = gap + 1;
    w->end = last + 1;
    if (w->key.failed) lb_no_memory(error, "a lexicon");
    return !w->key.failed;
}

void lb_lexicon_walk_end(lb_lexicon_walk *w)
{
    lb_release(w->key.text);
}

/* ---- Opening one. ---- */

/* A text has symbols and is on one line, before the features of the rule, as vocabularies demand it of a symbol. */
static void check_text(const lb_symbol_rule *rule, const char *text, size_t length, lb_symbols *symbols,
                       lb_error *error)
{
    size_t tabs = 0, most = lb_symbol_rule_has_features(rule);
    for (size_t i = 0; i < length; i++) tabs += text[i] == '\n' ? 2 : text[i] == '\t';
    if (!lb_symbols_split(rule, text, length, symbols, error) && (tabs > most || symbols->count == 0))
        lb_error_set(error, LB_ERROR_FORMAT, "found %s", tabs ? "a tab or a line end" : "no symbols");
}

/* A source is spelled as the model reads it, and its key is that of the entry. */
static void check_source(const lb_lexicon *l, const lb_symbol_rule *rule, const char *text, size_t length,
                         const char *key, lb_symbols *symbols, lb_error *error)
{
    check_text(rule, text, length, symbols, error);
    char *read = error->status ? NULL : lb_lexicon_key(rule, symbols, LB_KEYS_EXACT, error);
    bool same =
        read && (l->keys == LB_KEYS_FOLDED || lb_bytes_compare(read, strlen(read), text, length) == 0);
    if (read && l->keys != LB_KEYS_EXACT) read = fold(read, l->keys, error);
    if (read && (!same || strcmp(read, key) != 0))
        lb_error_set(error, LB_ERROR_FORMAT, "found the key \"%.40s\", which no source can have", key);
    lb_release(read);
}

/* The spelling of the next answer, which it need not have, and the answer. */
static void check_answer(lb_lexicon_walk *w, const lb_symbol_rule *source, const lb_symbol_rule *target,
                         lb_symbols *symbols, lb_error *error)
{
    size_t length;
    const lb_lexicon *l = w->lexicon;
    const char *key = w->key.text, *spelling = lb_lexicon_spelling(w->answers, &length);
    if (spelling && (l->keys != LB_KEYS_SMALL || spelling[length] != *MARK ||
                     lb_bytes_compare(spelling, length, key, w->key.length) == 0))
        lb_error_set(error, LB_ERROR_FORMAT, "found a spelling without need or end");
    else
        check_source(l, source, spelling ? spelling : key, spelling ? length : w->key.length, key, symbols,
                     error);
    if (error->status) return;
    const char *answer = lb_lexicon_next_answer(&w->answers, &length);
    check_text(target, answer, length, symbols, error);
}

static lb_status check(const lb_lexicon *l, const lb_symbol_rule *source, const lb_symbol_rule *target,
                       lb_error *error)
{
    lb_error found = {0};
    lb_symbols symbols = {0};
    lb_lexicon_walk w = {.lexicon = l};
    while (!found.status && lb_lexicon_walk_next(&w, &found))
        while (!found.status && w.answers) check_answer(&w, source, target, &symbols, &found);
    lb_symbols_free(&symbols);
    lb_lexicon_walk_end(&w);
    if (!found.status && w.entry != l->entries)
        lb_error_set(&found, LB_ERROR_FORMAT, "found the end, expected %lld entries", (long long)l->entries);
    if (found.status != LB_ERROR_FORMAT) return found.status ? lb_no_memory(error, "a lexicon") : LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, LB_LEXICON_ARRAY ": entry %lld: %s", (long long)w.entry,
                        found.message);
}

lb_status lb_lexicon_open(lb_lexicon *l, const lb_symbol_rule *source, const lb_symbol_rule *target,
                          const void *bytes, size_t size, lb_error *error)
{
    *l = (lb_lexicon){0};
    if (size <= HEAD || ((const char *)bytes)[size - 1] != *END || word_at(bytes, KEYS) > LB_KEYS_SMALL ||
        checksum_of(bytes, size) != word_at(bytes, CHECKSUM))
        return lb_error_set(error, LB_ERROR_FORMAT, LB_LEXICON_ARRAY ": found another checksum, head or end");
    char *copy = lb_alloc(size + 1); /* with a NUL, as a string */
    if (!copy) return lb_no_memory(error, "a lexicon");
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    *l = (lb_lexicon){copy, size, word_at(bytes, ENTRIES), (lb_lexicon_keys)word_at(bytes, KEYS)};
    lb_status status = check(l, source, target, error);
    if (status) lb_lexicon_free(l);
    return status;
}

/* ---- Making one. ---- */

void lb_lexicon_write(lb_lexicon_writer *w, const char *key, size_t length, const char *answers, size_t bytes)
{
    size_t shared = 0;
    if (w->entries++ % BLOCK > 0)
        while (shared < MOST_SHARED && shared < length && shared < w->key.length &&
               key[shared] == w->key.text[shared])
            shared++;
    while (shared > 0 && ((unsigned char)key[shared] & 0xC0) == 0x80) shared--; /* a part of a character */
    lb_buffer_add(&w->bytes, &(char){(char)shared}, 1);
    lb_buffer_add(&w->bytes, key + shared, length - shared);
    lb_buffer_add(&w->bytes, "", 1);
    lb_buffer_add(&w->bytes, answers, bytes);
    lb_buffer_add(&w->bytes, END, 1);
    w->key.length = 0;
    lb_buffer_add(&w->key, key, length);
}

char *lb_lexicon_write_end(lb_lexicon_writer *w)
{
    w->bytes.failed = w->bytes.failed || w->key.failed;
    lb_release(w->key.text);
    return lb_buffer_end(&w->bytes);
}

/* Counts a key with its answer, and adds the weight of one that is given. */
static lb_status count_pair(lb_lexicon_maker *m, const char *text, bool given, lb_error *error)
{
    int32_t size = lb_vocabulary_size(m->pairs);
    lb_status status = lb_vocabulary_add(m->pairs, &text, 1, error);
    if (status || !given) return status;
    if (!lb_alloc_more(&m->weights, (size_t)(size - LB_FIRST_TOKEN), &m->room, sizeof *m->weights))
        return lb_no_memory(error, "a lexicon");
    double *weight = &m->weights[lb_vocabulary_id(m->pairs, text) - LB_FIRST_TOKEN];
    *weight = m->weight + (lb_vocabulary_size(m->pairs) > size ? 0 : *weight);
    m->weighed = m->weighed || m->weight > 0;
    m->given = lb_vocabulary_size(m->pairs);
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
        bool small = strcmp(key, spelling) == 0;
        lb_buffer_print(&pair, "%s%s", key, END);
        if (!small) lb_buffer_print(&pair, "%s%s%s", MARK, spelling, MARK);
        lb_buffer_print(&pair, "%s", text);
        status = pair.failed ? lb_no_memory(error, "a lexicon") : count_pair(m, pair.text, given, error);
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
    double weight; /* of one that is learned: how often it was added */
    int32_t number;
} pair;

static pair pair_of(const lb_lexicon_maker *m, int32_t number)
{
    const char *key = lb_vocabulary_symbol(m->pairs, number);
    size_t length = strcspn(key, END);
    bool given = number < m->given;
    double times = (double)lb_vocabulary_count(m->pairs, number);
    return (pair){key,   key + length + 1, length, given, given ? m->weights[number - LB_FIRST_TOKEN] : times,
                  number};
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
    lb_file_order(&value, 1, WORD);
    memcpy(l->bytes + (size_t)word * WORD, &value, WORD);
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
    lb_buffer_add(&writer.bytes, (const char[HEAD]){0}, HEAD);
    add_entries(m, pairs, count, &writer);
    lb_release(pairs);
    size_t size = writer.bytes.length;
    char *all = lb_lexicon_write_end(&writer);
    if (!all) return lb_no_memory(error, "a lexicon");
    *lexicon = (lb_lexicon){all, size, writer.entries, m->folds ? LB_KEYS_SMALL : LB_KEYS_EXACT};
    set_word(lexicon, KEYS, lexicon->keys);
    set_word(lexicon, ENTRIES, (uint32_t)lexicon->entries);
    set_word(lexicon, CHECKSUM, checksum_of(all, size));
    return LB_OK;
}

void lb_lexicon_maker_free(lb_lexicon_maker *m)
{
    lb_vocabulary_free(m->pairs);
    lb_release(m->weights);
    *m = (lb_lexicon_maker){0};
}
