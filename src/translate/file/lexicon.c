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

/* Replaces a text by one without its case, which features keep. */
static char *fold(char *text, lb_error *error)
{
    enum { GROWS = 3 }; /* a character to as many */
    size_t length = strcspn(text, "\t"), rest = strlen(text + length) + 1, room = GROWS * length + rest;
    int32_t *folded = lb_alloc(room * sizeof *folded);
    if (folded) {
        utf8proc_ssize_t count =
            utf8proc_decompose((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length, folded,
                               (utf8proc_ssize_t)(GROWS * length), UTF8PROC_CASEFOLD);
        count = utf8proc_reencode(folded, count, UTF8PROC_CASEFOLD);
        memcpy((char *)folded + count, text + length, rest);
    }
    lb_release(text);
    return folded ? (char *)folded : lb_null(lb_no_memory(error, "a lexicon"));
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
    const char *at = w->end ? w->end : l->bytes + HEAD, *own = at + 1, *after = l->bytes + l->size;
    if (at == after) return false;
    const char *last = memchr(at, *END, (size_t)(after - at));
    const char *gap = last > own ? memchr(own, 0, (size_t)(last - own)) : NULL;
    size_t shared = (unsigned char)*at, most = w->entry++ % BLOCK ? w->key.length : 0;
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a key that is not empty has a text */
    if (!gap || shared > most || strcmp(shared < w->key.length ? w->key.text + shared : "", own) >= 0) {
        lb_error_set(error, LB_ERROR_FORMAT, "found %s",
                     gap ? "a key that is not after the one before it" : "no answer behind a key");
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

static lb_status check(const lb_lexicon *l, const lb_symbol_rule *source, const lb_symbol_rule *target,
                       lb_error *error)
{
    size_t length;
    lb_error found = {0};
    lb_symbols symbols = {0};
    lb_lexicon_walk w = {.lexicon = l};
    while (!found.status && lb_lexicon_walk_next(&w, &found)) {
        check_text(source, w.key.text, w.key.length, &symbols, &found);
        char *read = found.status ? NULL : lb_lexicon_key(source, &symbols, l->folds, &found);
        if (read && strcmp(read, w.key.text) != 0)
            lb_error_set(&found, LB_ERROR_FORMAT, "found the key \"%.40s\", which no source can have",
                         w.key.text);
        lb_release(read);
        for (const char *answer; !found.status && (answer = lb_lexicon_next_answer(&w.answers, &length));)
            check_text(target, answer, length, &symbols, &found);
    }
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
    if (size <= HEAD || ((const char *)bytes)[size - 1] != *END || word_at(bytes, FOLDS) > 1 ||
        checksum_of(bytes, size) != word_at(bytes, CHECKSUM))
        return lb_error_set(error, LB_ERROR_FORMAT, LB_LEXICON_ARRAY ": found another checksum, head or end");
    char *copy = lb_alloc(size + 1); /* with a NUL, as a string */
    if (!copy) return lb_no_memory(error, "a lexicon");
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    *l = (lb_lexicon){copy, size, word_at(bytes, ENTRIES), word_at(bytes, FOLDS) == 1};
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

lb_status lb_lexicon_add(lb_lexicon_maker *m, const lb_symbols *source, const lb_symbols *answer, bool given,
                         lb_error *error)
{
    lb_buffer pair = {0};
    char *key = lb_lexicon_key(m->source, source, m->folds, error);
    char *text = key ? lb_symbols_join(m->target, answer->symbol, answer->count, error) : NULL;
    if (!m->pairs) m->pairs = lb_vocabulary_new_reserved(error);
    lb_status status = text && m->pairs ? LB_OK : LB_ERROR_MEMORY;
    if (!status && answer->count == 0)
        status = lb_error_set(error, LB_ERROR_FORMAT,
                              "found no answer for \"%.40s\", expected at least a symbol", key);
    if (!status && strchr(key, '\t') && !lb_symbol_rule_has_features(m->source))
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

/* Adds the entries of sorted pairs. */
static void add_entries(lb_lexicon_maker *m, const pair *pairs, int32_t count, lb_lexicon_writer *w)
{
    lb_buffer answers = {0};
    for (const pair *first = pairs, *next; first < pairs + count; first = next) {
        bool given = first->times == INT64_MAX;
        int32_t several = 0;
        answers.length = 0;
        for (next = first; next < pairs + count && compare_keys(first, next) == 0; next++) {
            if (given && next->times < INT64_MAX) continue;
            if (several++ > 0) lb_buffer_add(&answers, "", 1);
            lb_buffer_add(&answers, next->answer, strlen(next->answer));
        }
        lb_lexicon_write(w, first->key, first->length, answers.text, answers.length);
        m->different += several > 1;
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
    *lexicon = (lb_lexicon){all, size, writer.entries, m->folds};
    set_word(lexicon, FOLDS, m->folds);
    set_word(lexicon, ENTRIES, (uint32_t)lexicon->entries);
    set_word(lexicon, CHECKSUM, checksum_of(all, size));
    return LB_OK;
}

void lb_lexicon_maker_free(lb_lexicon_maker *m)
{
    lb_vocabulary_free(m->pairs);
    *m = (lb_lexicon_maker){0};
}
