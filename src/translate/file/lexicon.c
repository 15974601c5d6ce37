#include "translate/file/lexicon.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "data/subwords.h"
#include "io/safetensors.h"
#include "lookback/tensor.h"
#include "translate/file/lexicon_search.h"

#include <string.h>
#include <utf8proc.h>
#include <zlib.h>

static uint32_t word_at(const lb_lexicon *l, size_t at)
{
    return (uint32_t)lb_file_integer(l->bytes + at, LB_LEXICON_WORD);
}

lb_status lb_lexicon_damaged(lb_error *error)
{
    return lb_error_set(error, LB_ERROR_FORMAT, "the lexicon of the model is damaged");
}

static size_t blocks_of(int64_t entries)
{
    return ((size_t)entries + LEXICON_BLOCK - 1) / LEXICON_BLOCK;
}

static lexicon_table table_of(const lb_lexicon *l)
{
    const unsigned char *places = l->bytes + LB_LEXICON_HEAD;
    return (lexicon_table){.entries = places + blocks_of(l->entries) * LEXICON_PLACE,
                           .end = l->bytes + l->size,
                           .places = places,
                           .count = (size_t)l->entries};
}

/* Whether there is room for the places of the blocks, and these follow each other, with at least a byte in each. */
static bool has_places(const lb_lexicon *l)
{
    size_t blocks = blocks_of(l->entries), least = 0;
    if (blocks == 0 || blocks > (l->size - LB_LEXICON_HEAD) / LEXICON_PLACE) return false;
    const lexicon_table table = table_of(l);
    for (size_t i = 0; i < blocks; i++) {
        size_t place = lexicon_place(&table, i);
        if (place < least || place >= (size_t)(table.end - table.entries) || (i == 0 && place > 0))
            return false;
        least = place + 1;
    }
    return true;
}

lb_status lb_lexicon_open(lb_lexicon *l, const void *bytes, size_t size, lb_error *error)
{
    *l = (lb_lexicon){.size = size};
    if (size < LB_LEXICON_HEAD) return lb_lexicon_damaged(error);
    l->bytes = lb_alloc(size);
    if (!l->bytes) return lb_no_memory(error, "a lexicon");
    memcpy(l->bytes, bytes, size);
    uint32_t flags = word_at(l, LB_LEXICON_WORD);
    l->folds = flags == 1;
    l->entries = word_at(l, 2 * (size_t)LB_LEXICON_WORD);
    if (flags <= 1 && has_places(l)) return LB_OK;
    lb_lexicon_free(l);
    return lb_lexicon_damaged(error);
}

void lb_lexicon_free(lb_lexicon *l)
{
    lb_release(l->bytes);
    *l = (lb_lexicon){0};
}

uint32_t lb_lexicon_checksum(const lb_lexicon *l)
{
    return l->bytes ? word_at(l, 0) : 0;
}

/* ---- Keys. ---- */

/* Appends valid UTF-8 without its case. */
static void add_folded(lb_buffer *key, const char *text)
{
    enum { ROOM = 16 };
    int32_t character, folded[ROOM];
    for (utf8proc_ssize_t more; *text; text += more) {
        int last = 0;
        utf8proc_uint8_t bytes[4];
        more = utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &character);
        if (more <= 0) return;
        utf8proc_ssize_t count = utf8proc_decompose_char(character, folded, ROOM, UTF8PROC_CASEFOLD, &last);
        for (utf8proc_ssize_t i = 0; i < count && i < ROOM; i++)
            lb_buffer_add(key, bytes, (size_t)utf8proc_encode_char(folded[i], bytes));
    }
}

/* The text that pieces of words are. */
static void add_pieces(lb_buffer *key, const lb_symbols *source, bool folds)
{
    lb_buffer text = {0};
    char piece[LB_SUBWORD_PIECE + 1];
    for (size_t i = 0; i < source->count && !lb_symbol_is_feature(source->symbol[i]); i++)
        lb_buffer_add(&text, piece, (size_t)(lb_subwords_append(piece, source->symbol[i]) - piece));
    const char *written = !text.text ? "" : text.text + (*text.text == ' ');
    key->failed = key->failed || text.failed;
    if (folds)
        add_folded(key, written);
    else
        lb_buffer_add(key, written, strlen(written));
    lb_release(text.text);
}

void lb_lexicon_key(const lb_symbol_rule *rule, const lb_symbols *source, bool folds, lb_buffer *key)
{
    const char *separator = rule->separator ? rule->separator : "";
    key->length = 0;
    if (rule->subwords) add_pieces(key, source, folds);
    for (size_t i = 0; i < source->count; i++) {
        const char *symbol = source->symbol[i];
        bool feature = lb_symbol_is_feature(symbol);
        if (rule->subwords && !feature) continue;
        if (i > 0 && !feature) lb_buffer_add(key, separator, strlen(separator));
        if (folds && !feature)
            add_folded(key, symbol);
        else
            lb_buffer_add(key, symbol, strlen(symbol));
    }
}

char *lb_lexicon_source(const lb_symbol_rule *rule, const char *key, lb_error *error)
{
    lb_buffer text = {0};
    lb_symbols symbols = {0};
    size_t written = strcspn(key, "\t");
    const char *features = key + written;
    if (*features && !lb_symbol_rule_has_features(rule)) return lb_null(lb_lexicon_damaged(error));
    lb_buffer_add(&text, key, written);
    for (bool first = true; *features; first = false) {
        size_t length = strcspn(++features, "\t");
        lb_buffer_print(&text, "%s%.*s", first ? "\t" : rule->features, (int)length, features);
        features += length;
    }
    lb_status status = text.failed ? lb_no_memory(error, "a text")
                                   : lb_symbols_split(rule, text.text, text.length, &symbols, error);
    char *source = status ? NULL : lb_symbols_join(rule, symbols.symbol, symbols.count, error);
    lb_symbols_free(&symbols);
    lb_release(text.text);
    return source;
}

/* ---- Entries. ---- */

static bool is_text(const char *bytes, size_t length)
{
    return lb_utf8_valid(bytes, length) && !memchr(bytes, '\0', length);
}

lb_status lb_lexicon_find(const lb_lexicon *l, const lb_buffer *key, lb_lexicon_answers *answers,
                          lb_error *error)
{
    lexicon_entry entry;
    *answers = (lb_lexicon_answers){0};
    if (!l->bytes || key->length == 0) return LB_OK;
    const lexicon_table table = table_of(l);
    int found = lexicon_find(&table, (const unsigned char *)key->text, key->length, &entry);
    if (found < 0) return lb_lexicon_damaged(error);
    if (found > 0) *answers = (lb_lexicon_answers){entry.answers, entry.answers + entry.bytes};
    return LB_OK;
}

/* The next number of answers. */
static bool read_number(lb_lexicon_answers *answers, size_t *number)
{
    const unsigned char *next = lexicon_number(answers->at, answers->end, number);
    if (next) answers->at = next;
    return next;
}

/* The next symbol of an answer; NULL if it is damaged, or there is no memory, which `*failed` says then. */
static char *read_symbol(lb_lexicon_answers *answers, const lb_vocabulary *target, bool *failed)
{
    lb_buffer text = {0};
    size_t number, length;
    if (!read_number(answers, &number)) return NULL;
    if (number > 0) {
        bool known = number >= LB_FIRST_TOKEN && number < (size_t)lb_vocabulary_size(target);
        const char *symbol = known ? lb_vocabulary_symbol(target, (int32_t)number) : "";
        lb_buffer_add(&text, symbol, strlen(symbol));
    } else {
        if (!read_number(answers, &length) || length > (size_t)(answers->end - answers->at)) return NULL;
        if (is_text((const char *)answers->at, length)) lb_buffer_add(&text, answers->at, length);
        answers->at += length;
    }
    *failed = text.failed;
    return text.length > 0 ? lb_buffer_end(&text) : NULL;
}

lb_status lb_lexicon_next_answer(lb_lexicon_answers *answers, const lb_vocabulary *target,
                                 lb_strings *symbols, lb_error *error)
{
    size_t count;
    lb_status status = LB_OK;
    lb_strings_free(symbols);
    if (answers->at == answers->end) return LB_OK;
    if (!read_number(answers, &count) || count == 0) return lb_lexicon_damaged(error);
    for (size_t i = 0; i < count && !status; i++) {
        bool failed = false;
        char *symbol = read_symbol(answers, target, &failed);
        if (!symbol && !failed) return lb_lexicon_damaged(error);
        status = lb_strings_add(symbols, symbol, error);
    }
    return status;
}

/* ---- All of them. ---- */

static bool has_checksum(const lb_lexicon *l)
{
    return crc32_z(0, l->bytes + LB_LEXICON_WORD, l->size - LB_LEXICON_WORD) == word_at(l, 0);
}

bool lb_lexicon_walk_next(lb_lexicon_walk *w, lb_error *error)
{
    const lb_lexicon *l = w->lexicon;
    const lexicon_table table = table_of(l);
    lexicon_entry entry;
    if (w->entry == l->entries) {
        if (w->entry > 0 && w->at != table.end) lb_lexicon_damaged(error);
        return false;
    }
    bool begins = w->entry % LEXICON_BLOCK == 0;
    const unsigned char *place =
        begins ? table.entries + lexicon_place(&table, (size_t)w->entry / LEXICON_BLOCK) : w->at;
    bool good = w->entry > 0 ? w->at == place : has_checksum(l);
    w->at = good ? lexicon_read(&table, place, &entry) : NULL;
    good = w->at && entry.shared <= (begins ? 0 : w->key.length);
    const char *before = w->key.text ? w->key.text : "";
    good = good &&
           lb_bytes_compare(entry.key, entry.own, before + entry.shared, w->key.length - entry.shared) > 0;
    /* A search relies on it that an entry shares all that it can. */
    if (!good || (!begins && *entry.key == (unsigned char)before[entry.shared])) {
        lb_lexicon_damaged(error);
        return false;
    }
    w->key.length = entry.shared;
    lb_buffer_add(&w->key, entry.key, entry.own);
    w->answers = (lb_lexicon_answers){entry.answers, entry.answers + entry.bytes};
    w->entry++;
    if (w->key.failed) lb_no_memory(error, "a lexicon");
    if (w->key.failed || is_text(w->key.text, w->key.length)) return !w->key.failed;
    lb_lexicon_damaged(error);
    return false;
}
