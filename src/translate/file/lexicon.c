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

static uint32_t word_at(const void *bytes, int word)
{
    return (uint32_t)lb_file_integer((const unsigned char *)bytes + (size_t)word * LB_LEXICON_WORD,
                                     LB_LEXICON_WORD);
}

uint32_t lb_lexicon_checksum(const void *bytes, size_t size)
{
    return (uint32_t)crc32_z(0, (const unsigned char *)bytes + LB_LEXICON_WORD, size - LB_LEXICON_WORD);
}

void lb_lexicon_free(lb_lexicon *l)
{
    lb_release(l->bytes);
    *l = (lb_lexicon){0};
}

/* ---- Keys. ---- */

/* The sigma at the end of a word has the same capital as others. */
int32_t lb_lexicon_small(int32_t character)
{
    enum { LAST_SIGMA = 0x3C2, SIGMA };
    return character == LAST_SIGMA ? SIGMA : utf8proc_tolower(character);
}

static utf8proc_int32_t make_small(utf8proc_int32_t character, void *context)
{
    (void)context;
    return lb_lexicon_small(character);
}

/* Replaces a text by one without its case, which features keep. */
static char *fold(char *text, lb_lexicon_keys keys, lb_error *error)
{
    enum { GROWS = 3 }; /* a character to as many */
    size_t length = strcspn(text, "\t"), rest = strlen(text + length) + 1, room = GROWS * length + rest;
    int32_t *folded = lb_alloc(room * sizeof *folded);
    if (folded) {
        utf8proc_option_t how = keys == LB_KEYS_FOLDED ? UTF8PROC_CASEFOLD : (utf8proc_option_t)0;
        utf8proc_ssize_t count = utf8proc_decompose_custom(
            (const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length, folded,
            (utf8proc_ssize_t)(GROWS * length), how, keys == LB_KEYS_SMALL ? make_small : NULL, NULL);
        count = utf8proc_reencode(folded, count, how);
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
    return l->bytes ? lexicon_find(l->bytes + LB_LEXICON_HEAD, l->bytes + l->size, key, strlen(key)) : NULL;
}

const char *lb_lexicon_spelling(const char *answers, size_t *length)
{
    if (*answers != *LB_LEXICON_MARK) return NULL;
    *length = strcspn(answers + 1, LB_LEXICON_MARK);
    return answers + 1;
}

const char *lb_lexicon_next_answer(const char **answers, size_t *length)
{
    const char *answer = *answers, *spelling;
    if (!answer) return NULL;
    spelling = lb_lexicon_spelling(answer, length);
    if (spelling) answer = spelling + *length + 1;
    *length = strcspn(answer, LB_LEXICON_END);
    *answers = answer[*length] ? NULL : answer + *length + 1;
    return answer;
}

bool lb_lexicon_are_alike(const char *a, const char *b)
{
    size_t length, other;
    a = lb_lexicon_spelling(a, &length);
    b = lb_lexicon_spelling(b, &other);
    return a && b ? length == other && memcmp(a, b, length) == 0 : a == b;
}

const char *lb_lexicon_answers_next(lb_lexicon_answers *a, size_t *length)
{
    for (;;) {
        if (!a->next && a->like && !a->others) {
            a->next = a->first;
            a->others = true;
        }
        const char *at = a->next, *answer = lb_lexicon_next_answer(&a->next, length);
        if (!answer || !a->like || lb_lexicon_are_alike(at, a->like) != a->others) return answer;
    }
}

lb_status lb_lexicon_ask(const lb_lexicon *l, const lb_symbol_rule *rule, const lb_symbols *source,
                         lb_lexicon_answers *answers, lb_error *error)
{
    *answers = (lb_lexicon_answers){0};
    char *key = lb_lexicon_key(rule, source, l->keys, error), *spelling = NULL;
    if (key) answers->first = answers->next = lb_lexicon_find(l, key);
    if (answers->first && l->keys == LB_KEYS_SMALL) {
        spelling = lb_lexicon_key(rule, source, LB_KEYS_EXACT, error);
        if (spelling)
            answers->like =
                lexicon_spelled(answers->first, strcmp(key, spelling) == 0, spelling, strlen(spelling));
    }
    bool failed = !key || (answers->first && l->keys == LB_KEYS_SMALL && !spelling);
    lb_release(spelling);
    lb_release(key);
    return failed ? LB_ERROR_MEMORY : LB_OK;
}

bool lb_lexicon_walk_next(lb_lexicon_walk *w, lb_error *error)
{
    const lb_lexicon *l = w->lexicon;
    if (!l->bytes) return false;
    const char *at = w->end ? w->end : l->bytes + LB_LEXICON_HEAD, *own = at + 1, *after = l->bytes + l->size;
    if (at == after) return false;
    const char *last = memchr(at, *LB_LEXICON_END, (size_t)(after - at));
    const char *gap = last > own ? memchr(own, 0, (size_t)(last - own)) : NULL;
    size_t shared = (unsigned char)*at, most = w->entry++ % LB_LEXICON_BLOCK ? w->key.length : 0;
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

/* A text that is to be read as a source, which the model reads as it is there, and whose key is that of the entry. */
static void check_source(const lb_lexicon *l, const lb_symbol_rule *rule, const char *text, size_t length,
                         const char *key, lb_symbols *symbols, lb_error *error)
{
    check_text(rule, text, length, symbols, error);
    char *read = error->status ? NULL : lb_lexicon_key(rule, symbols, l->keys, error);
    char *exact =
        read && l->keys == LB_KEYS_SMALL ? lb_lexicon_key(rule, symbols, LB_KEYS_EXACT, error) : NULL;
    bool same = read && strcmp(read, key) == 0;
    if (exact) same = same && strlen(exact) == length && memcmp(exact, text, length) == 0;
    if (!error->status && !same)
        lb_error_set(error, LB_ERROR_FORMAT, "found the key \"%.40s\", which no source can have", key);
    lb_release(exact);
    lb_release(read);
}

/* Without small letters, no spelling is UTF-8. */
static void check_answers(const lb_lexicon *l, const lb_symbol_rule *source, const lb_symbol_rule *target,
                          const lb_lexicon_walk *w, lb_symbols *symbols, lb_error *error)
{
    const char *key = w->key.text;
    size_t length;
    if (l->keys != LB_KEYS_SMALL) check_source(l, source, key, w->key.length, key, symbols, error);
    for (const char *at = w->answers; !error->status && at;) {
        const char *spelling = l->keys == LB_KEYS_SMALL ? lb_lexicon_spelling(at, &length) : NULL;
        bool same = spelling && length == w->key.length && memcmp(spelling, key, length) == 0;
        if (spelling && (same || spelling[length] != *LB_LEXICON_MARK))
            lb_error_set(error, LB_ERROR_FORMAT, "found a spelling without an end, or that of the key");
        else if (l->keys == LB_KEYS_SMALL)
            check_source(l, source, spelling ? spelling : key, spelling ? length : w->key.length, key,
                         symbols, error);
        const char *answer = spelling ? spelling + length + 1 : at;
        if (error->status) return;
        length = strcspn(answer, LB_LEXICON_END);
        check_text(target, answer, length, symbols, error);
        at = answer[length] ? NULL : answer + length + 1;
    }
}

static lb_status check(const lb_lexicon *l, const lb_symbol_rule *source, const lb_symbol_rule *target,
                       lb_error *error)
{
    lb_error found = {0};
    lb_symbols symbols = {0};
    lb_lexicon_walk w = {.lexicon = l};
    while (!found.status && lb_lexicon_walk_next(&w, &found))
        check_answers(l, source, target, &w, &symbols, &found);
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
    if (size <= LB_LEXICON_HEAD || ((const char *)bytes)[size - 1] != *LB_LEXICON_END ||
        word_at(bytes, LB_LEXICON_KEYS) > LB_KEYS_SMALL ||
        lb_lexicon_checksum(bytes, size) != word_at(bytes, LB_LEXICON_CHECKSUM))
        return lb_error_set(error, LB_ERROR_FORMAT, LB_LEXICON_ARRAY ": found another checksum, head or end");
    char *copy = lb_alloc(size + 1); /* with a NUL, as a string */
    if (!copy) return lb_no_memory(error, "a lexicon");
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    *l = (lb_lexicon){copy, size, word_at(bytes, LB_LEXICON_ENTRIES),
                      (lb_lexicon_keys)word_at(bytes, LB_LEXICON_KEYS)};
    lb_status status = check(l, source, target, error);
    if (status) lb_lexicon_free(l);
    return status;
}
