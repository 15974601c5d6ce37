#include "translate/file/lexicon.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "data/subwords.h"
#include "io/safetensors.h"
#include "lookback/tensor.h"

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

/* Whether the blocks follow each other, with at least a byte in each. */
static bool has_places(const lb_lexicon *l)
{
    size_t before = LB_LEXICON_HEAD + (size_t)l->blocks * LB_LEXICON_WORD;
    if (l->blocks > 0 && word_at(l, LB_LEXICON_HEAD) != before) return false;
    for (int64_t i = 0; i < l->blocks; i++) {
        size_t place = word_at(l, LB_LEXICON_HEAD + (size_t)i * LB_LEXICON_WORD);
        if (place < before || place >= l->size) return false;
        before = place + 1;
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
    l->blocks = word_at(l, 3 * (size_t)LB_LEXICON_WORD);
    bool fits = flags <= 1 && l->entries > 0 &&
                l->blocks == (l->entries + LB_LEXICON_BLOCK - 1) / LB_LEXICON_BLOCK &&
                (size_t)l->blocks <= (size - LB_LEXICON_HEAD) / LB_LEXICON_WORD;
    if (fits && has_places(l)) return LB_OK;
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

/* Reads a number of seven bits in each byte. */
static bool read_number(const unsigned char **at, const unsigned char *end, size_t *number)
{
    enum { MOST_BITS = 28 };
    *number = 0;
    for (int shift = 0; *at < end && shift <= MOST_BITS; shift += LB_LEXICON_BITS) {
        unsigned char byte = *(*at)++;
        *number |= (size_t)(byte & (LB_LEXICON_MORE - 1)) << shift;
        if (!(byte & LB_LEXICON_MORE)) return true;
    }
    return false;
}

/* An entry as it is stored. */
typedef struct stored {
    size_t shared, rest; /* bytes of the key: those of the one before, and those at `key` */
    const unsigned char *key;
    lb_lexicon_answers answers;
} stored;

/* Reads the entry at `*at`, which receives the place after it. */
static bool read_entry(const lb_lexicon *l, const unsigned char **at, stored *entry)
{
    const unsigned char *end = l->bytes + l->size;
    size_t bytes;
    if (!read_number(at, end, &entry->shared) || !read_number(at, end, &entry->rest)) return false;
    if (entry->rest > (size_t)(end - *at)) return false;
    entry->key = *at;
    *at += entry->rest;
    if (!read_number(at, end, &bytes) || bytes == 0 || bytes > (size_t)(end - *at)) return false;
    entry->answers = (lb_lexicon_answers){*at, *at + bytes};
    *at += bytes;
    return true;
}

static const unsigned char *block_at(const lb_lexicon *l, int64_t block)
{
    return l->bytes + word_at(l, LB_LEXICON_HEAD + (size_t)block * LB_LEXICON_WORD);
}

/* The last block that begins with the key or one before it; -1: there is none. -2: it is damaged. */
static int64_t find_block(const lb_lexicon *l, const lb_buffer *key)
{
    int64_t first = 0, end = l->blocks;
    while (first < end) {
        int64_t middle = first + (end - first) / 2;
        const unsigned char *at = block_at(l, middle);
        stored entry;
        if (!read_entry(l, &at, &entry) || entry.shared > 0) return -2;
        if (lb_bytes_compare(entry.key, entry.rest, key->text, key->length) <= 0)
            first = middle + 1;
        else
            end = middle;
    }
    return first - 1;
}

/* Scans a block without the keys in it: `same` is how many bytes of the key the entry before has. All entries so far
 * were before the key, so that one that shares more than those is, too, and one that shares fewer is after it. */
static lb_status scan(const lb_lexicon *l, int64_t block, const lb_buffer *key, lb_lexicon_answers *answers,
                      lb_error *error)
{
    const unsigned char *at = block_at(l, block);
    size_t same = 0;
    int64_t count = l->entries - block * LB_LEXICON_BLOCK;
    for (int64_t i = 0; i < count && i < LB_LEXICON_BLOCK; i++) {
        stored entry;
        if (!read_entry(l, &at, &entry)) return lb_lexicon_damaged(error);
        if (entry.shared > same) continue;
        if (entry.shared < same) return LB_OK;
        size_t left = key->length - same, common = 0;
        while (common < left && common < entry.rest &&
               entry.key[common] == (unsigned char)key->text[same + common])
            common++;
        if (common == left && common == entry.rest) {
            *answers = entry.answers;
            return LB_OK;
        }
        bool after = common < entry.rest &&
                     (common == left || entry.key[common] > (unsigned char)key->text[same + common]);
        if (after) return LB_OK;
        same += common;
    }
    return LB_OK;
}

lb_status lb_lexicon_find(const lb_lexicon *l, const lb_buffer *key, lb_lexicon_answers *answers,
                          lb_error *error)
{
    *answers = (lb_lexicon_answers){0};
    if (!l->bytes || key->length == 0) return LB_OK;
    int64_t block = find_block(l, key);
    if (block < -1) return lb_lexicon_damaged(error);
    return block < 0 ? LB_OK : scan(l, block, key, answers, error);
}

int64_t lb_lexicon_next_answer(lb_lexicon_answers *answers)
{
    size_t count;
    if (answers->at == answers->end) return 0;
    if (!read_number(&answers->at, answers->end, &count)) return -1;
    return count > 0 && count <= (size_t)(answers->end - answers->at) ? (int64_t)count : -1;
}

bool lb_lexicon_next_symbol(lb_lexicon_answers *answers, int64_t symbols, lb_lexicon_symbol *symbol)
{
    size_t number;
    *symbol = (lb_lexicon_symbol){.id = LB_UNK};
    if (!read_number(&answers->at, answers->end, &number)) return false;
    if (number > 0) {
        symbol->id = (int32_t)number;
        return number >= LB_FIRST_TOKEN && number < (size_t)symbols;
    }
    if (!read_number(&answers->at, answers->end, &symbol->length)) return false;
    symbol->text = (const char *)answers->at;
    if (symbol->length == 0 || symbol->length > (size_t)(answers->end - answers->at)) return false;
    answers->at += symbol->length;
    return is_text(symbol->text, symbol->length);
}

char *lb_lexicon_answer_text(const lb_symbol_rule *rule, const lb_vocabulary *target,
                             lb_lexicon_answers *answers, int64_t length, lb_error *error)
{
    lb_strings symbols = {0};
    lb_status status = LB_OK;
    for (int64_t i = 0; i < length && !status; i++) {
        lb_lexicon_symbol symbol;
        lb_buffer text = {0};
        if (!lb_lexicon_next_symbol(answers, lb_vocabulary_size(target), &symbol)) {
            status = lb_lexicon_damaged(error);
        } else {
            if (symbol.id != LB_UNK) symbol.text = lb_vocabulary_symbol(target, symbol.id);
            lb_buffer_add(&text, symbol.text, symbol.id == LB_UNK ? symbol.length : strlen(symbol.text));
            status = lb_strings_add(&symbols, lb_buffer_end(&text), error);
        }
    }
    char *text =
        status ? NULL : lb_symbols_join(rule, (const char *const *)symbols.text, symbols.count, error);
    lb_strings_free(&symbols);
    return text;
}

/* ---- All of them. ---- */

static bool has_checksum(const lb_lexicon *l)
{
    return crc32_z(0, l->bytes + LB_LEXICON_WORD, l->size - LB_LEXICON_WORD) == word_at(l, 0);
}

bool lb_lexicon_walk_next(lb_lexicon_walk *w, lb_error *error)
{
    const lb_lexicon *l = w->lexicon;
    const unsigned char *end = l->bytes + l->size;
    stored entry;
    if (w->entry == l->entries) {
        if (w->entry > 0 && w->at != end) lb_lexicon_damaged(error);
        return false;
    }
    bool begins = w->entry % LB_LEXICON_BLOCK == 0;
    const unsigned char *place = begins ? block_at(l, w->entry / LB_LEXICON_BLOCK) : w->at;
    bool good = w->entry > 0 ? w->at == place : has_checksum(l);
    w->at = place;
    good = good && read_entry(l, &w->at, &entry) && entry.shared <= (begins ? 0 : w->key.length);
    const char *before = w->key.text ? w->key.text : "";
    good = good &&
           lb_bytes_compare(entry.key, entry.rest, before + entry.shared, w->key.length - entry.shared) > 0;
    /* A search relies on it that an entry shares all that it can. */
    if (!good || (!begins && *entry.key == (unsigned char)before[entry.shared])) {
        lb_lexicon_damaged(error);
        return false;
    }
    w->key.length = entry.shared;
    lb_buffer_add(&w->key, entry.key, entry.rest);
    w->answers = entry.answers;
    w->entry++;
    if (w->key.failed) lb_no_memory(error, "a lexicon");
    if (w->key.failed || is_text(w->key.text, w->key.length)) return !w->key.failed;
    lb_lexicon_damaged(error);
    return false;
}
