#include "data/text/symbols.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/format.h"
#include "data/text/subwords.h"

#include <string.h>
#include <utf8proc.h>

const char *const lb_normal_form_names[] = {
    [LB_NORMAL_FORM_NONE] = "none", [LB_NORMAL_FORM_NFC] = "nfc", [LB_NORMAL_FORM_NFD] = "nfd", NULL};

const char *const lb_symbol_kind_names[] = {[false] = "characters", [true] = "graphemes", NULL};

enum { FEATURE = '\t' }; /* before the features of a text */

/* A quick check whether valid UTF-8 is normalised. ASCII is, and below U+0300, which starts with byte 0xCC, every
 * character is composed. */
static bool is_plain(lb_normal_form form, const char *text, size_t length)
{
    unsigned char largest = 0;
    for (size_t i = 0; i < length; i++)
        largest = (unsigned char)text[i] > largest ? (unsigned char)text[i] : largest;
    return form == LB_NORMAL_FORM_NONE || largest < (form == LB_NORMAL_FORM_NFC ? 0xCC : 0x80);
}

/* Whether there are so many marks in a row that sorting them one by one would take too long. */
static bool has_endless_marks(const char *text, size_t length)
{
    int marks = 0;
    for (size_t at = 0; at < length && marks <= LB_SYMBOL_MARKS;) {
        int32_t character;
        at += (size_t)utf8proc_iterate((const utf8proc_uint8_t *)text + at, (utf8proc_ssize_t)(length - at),
                                       &character);
        marks = utf8proc_get_property(character)->combining_class ? marks + 1 : 0;
    }
    return marks > LB_SYMBOL_MARKS;
}

/* Converts valid UTF-8 to a normal form, in `characters`. Returns it, or NULL if there is no memory. */
static const char *normalize(lb_normal_form form, const char *text, size_t *length, lb_symbols *symbols)
{
    utf8proc_option_t options =
        (utf8proc_option_t)(UTF8PROC_STABLE |
                            (form == LB_NORMAL_FORM_NFC ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE));
    utf8proc_ssize_t count = (utf8proc_ssize_t)(2 * *length);
    do { /* utf8proc says how much room it needs, and encoding ends with a NUL */
        if (!lb_alloc_room(&symbols->characters, 0, (size_t)count + 1, &symbols->character_room,
                           sizeof *symbols->characters))
            return NULL;
        count =
            utf8proc_decompose((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)*length, symbols->characters,
                               (utf8proc_ssize_t)symbols->character_room - 1, options);
    } while (count > (utf8proc_ssize_t)symbols->character_room - 1);
    *length = (size_t)utf8proc_reencode(symbols->characters, count, options);
    return (const char *)symbols->characters;
}

static const char *separator_of(const lb_symbol_rule *rule)
{
    return rule->separator ? rule->separator : "";
}

bool lb_symbol_rule_has_features(const lb_symbol_rule *rule)
{
    return rule->features && *rule->features;
}

static lb_status check_separator(const lb_symbol_rule *rule, const char *separator, lb_error *error)
{
    size_t length = strlen(separator), normal_length = length;
    if (!lb_utf8_valid(separator, length) || strpbrk(separator, "\t\r\n"))
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "invalid symbol separator, expected UTF-8 without tabs and line ends");
    if (rule->normalize == LB_NORMAL_FORM_NONE) return LB_OK;
    lb_symbols symbols = {0};
    const char *normal = normalize(rule->normalize, separator, &normal_length, &symbols);
    bool equal = normal && normal_length == length && memcmp(normal, separator, length) == 0;
    lb_symbols_free(&symbols);
    if (!normal) return lb_no_memory(error, "the symbols of a text");
    if (equal) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "separator \"%.40s\" is not in %s: no text would contain it", separator,
                        lb_normal_form_names[rule->normalize]);
}

lb_status lb_symbol_rule_check(const lb_symbol_rule *rule, lb_error *error)
{
    int forms = lb_choices(lb_normal_form_names);
    if ((unsigned)rule->normalize >= (unsigned)forms)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "normalize is %d, expected 0 to %d",
                            (int)rule->normalize, forms - 1);
    if (rule->subwords && (*separator_of(rule) || rule->graphemes))
        return lb_error_set(error, LB_ERROR_ARGUMENT, "subwords have neither a separator nor graphemes");
    lb_status status = check_separator(rule, separator_of(rule), error);
    return status || !lb_symbol_rule_has_features(rule) ? status
                                                        : check_separator(rule, rule->features, error);
}

/* Each character or grapheme cluster is a symbol, written to `to`. Returns the position after the last one. */
static char *cut_characters(const char *text, size_t length, bool graphemes, char *to, lb_symbols *symbols)
{
    int32_t before = 0, character = 0, state = 0;
    for (size_t at = 0; at < length; before = character) {
        if (graphemes)
            utf8proc_iterate((const utf8proc_uint8_t *)text + at, (utf8proc_ssize_t)(length - at),
                             &character);
        if (at == 0 || !graphemes || utf8proc_grapheme_break_stateful(before, character, &state)) {
            if (at > 0) *to++ = '\0';
            symbols->symbol[symbols->count++] = to;
        }
        do *to++ = text[at++];
        while (at < length && ((unsigned char)text[at] & 0xC0) == 0x80);
    }
    *to++ = '\0';
    return to;
}

typedef enum pieces_are { SYMBOLS, FEATURES, FLAT_FEATURES } pieces_are;

/* Each piece between separators is a symbol, with a tab in front if it is a feature. Blanks around a separator of
 * blanks, and around the whole text, belong to it. Returns the position after the last one; NULL if one is empty. */
static char *cut_pieces(lb_span text, const char *separator, pieces_are are, char *to, lb_symbols *symbols)
{
    bool blanks = strspn(separator, " ") == strlen(separator);
    lb_span piece;
    if (blanks) text = lb_span_trim(text, " ");
    if (blanks && text.length == 0) return to;
    lb_pieces pieces = (are == FEATURES ? lb_pieces_of : lb_pieces_at)(text, separator);
    while (lb_pieces_next(&pieces, &piece)) {
        if (piece.length == 0) return NULL;
        symbols->symbol[symbols->count++] = to;
        if (are != SYMBOLS) *to++ = FEATURE; /* as lb_symbol_is_feature expects */
        memcpy(to, piece.text, piece.length);
        to[piece.length] = '\0';
        to += piece.length + 1;
        while (blanks && pieces.at && *pieces.at == ' ') pieces.at++; /* another character follows */
    }
    return to;
}

static lb_status check_bytes(const char *text, size_t length, lb_error *error)
{
    size_t valid = lb_utf8_prefix(text, length);
    const char *zero = memchr(text, '\0', valid);
    if (zero)
        return lb_error_set(error, LB_ERROR_FORMAT, "found a zero byte at byte %zu, expected text",
                            (size_t)(zero - text) + 1);
    if (valid == length) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "found 0x%02X at byte %zu, expected UTF-8",
                        (unsigned)(unsigned char)text[valid], valid + 1);
}

static char *cut_text(const lb_symbol_rule *rule, const char *text, size_t length, lb_symbols *symbols)
{
    const char *separator = separator_of(rule);
    if (rule->subwords) return lb_subwords_cut(rule->subwords, text, length, symbols);
    if (*separator) return cut_pieces((lb_span){text, length}, separator, SYMBOLS, symbols->letters, symbols);
    return cut_characters(text, length, rule->graphemes, symbols->letters, symbols);
}

static lb_status empty_symbol(lb_error *error)
{
    return lb_error_set(error, LB_ERROR_FORMAT,
                        "found an empty symbol, expected text before and after each separator");
}

/* The text before the tab, and the features after it. */
static lb_status cut_both(const lb_symbol_rule *rule, const char *text, size_t length, lb_symbols *symbols,
                          lb_error *error)
{
    const char *tab = memchr(text, FEATURE, length);
    if (!tab)
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "found no features, expected a tab and features such as A%sB", rule->features);
    size_t before = (size_t)(tab - text);
    char *to = before ? cut_text(rule, text, before, symbols) : NULL;
    size_t letters = symbols->count;
    pieces_are are = rule->flat_features ? FLAT_FEATURES : FEATURES;
    const lb_span features = {tab + 1, length - before - 1};
    if (!to || letters == 0 || !cut_pieces(features, rule->features, are, to, symbols))
        return empty_symbol(error);
    return symbols->count > letters ? LB_OK : empty_symbol(error);
}

lb_status lb_symbols_split(const lb_symbol_rule *rule, const char *text, size_t length, lb_symbols *symbols,
                           lb_error *error)
{
    symbols->count = 0;
    if (length == 0) return LB_OK;
    lb_status status = check_bytes(text, length, error);
    if (status) return status;
    if (!is_plain(rule->normalize, text, length)) {
        if (has_endless_marks(text, length))
            return lb_error_set(error, LB_ERROR_FORMAT,
                                "found more than %d combining marks in a row, expected letters between them",
                                LB_SYMBOL_MARKS);
        text = normalize(rule->normalize, text, &length, symbols);
        if (!text) return lb_no_memory(error, "the symbols of a text");
    }
    if (!lb_alloc_room(&symbols->letters, 0, 3 * length, &symbols->letter_room, 1) ||
        !lb_alloc_room(&symbols->symbol, 0, length + 1, &symbols->symbol_room, sizeof *symbols->symbol) ||
        (rule->subwords &&
         !lb_alloc_room(&symbols->links, 0, length + 1, &symbols->link_room, LB_SUBWORD_LINK)))
        return lb_no_memory(error, "the symbols of a text");
    if (lb_symbol_rule_has_features(rule)) return cut_both(rule, text, length, symbols, error);
    return cut_text(rule, text, length, symbols) ? LB_OK : empty_symbol(error);
}

static char *append(char *to, const char *text)
{
    size_t size = strlen(text);
    memcpy(to, text, size + 1);
    return to + size;
}

/* The symbols with the separators between them. NULL if there is no memory. */
static char *concatenate(const lb_symbol_rule *rule, const char *const *symbols, size_t count, size_t *length)
{
    bool features = lb_symbol_rule_has_features(rule), first = true;
    const char *separator = separator_of(rule);
    size_t gap = strlen(separator) + (features ? strlen(rule->features) : 0), bytes = 1;
    for (size_t i = 0; i < count; i++) bytes += strlen(symbols[i]) + gap;
    char *text = lb_alloc(bytes), *to = text;
    if (!text) return NULL;
    *to = '\0';
    for (size_t i = 0; i < count; i++) {
        if (features && *symbols[i] == FEATURE) {
            to = append(to, first ? symbols[i] : rule->features);
            if (!first) to = append(to, symbols[i] + 1);
            first = false;
        } else {
            to = append(to, i > 0 ? separator : "");
            to = rule->subwords ? lb_subwords_append(to, symbols[i]) : append(to, symbols[i]);
        }
    }
    *length = (size_t)(to - text);
    return rule->subwords ? lb_subwords_finish(text, length) : text;
}

char *lb_symbols_join(const lb_symbol_rule *rule, const char *const *symbols, size_t count, lb_error *error)
{
    size_t length;
    char *text = concatenate(rule, symbols, count, &length);
    if (!text) lb_no_memory(error, "the symbols of a text");
    if (!text || rule->normalize == LB_NORMAL_FORM_NONE || is_plain(LB_NORMAL_FORM_NFC, text, length) ||
        has_endless_marks(text, length))
        return text;
    lb_symbols composed = {0};
    const char *normal = normalize(LB_NORMAL_FORM_NFC, text, &length, &composed);
    lb_release(text);
    text = normal ? lb_alloc_string(normal) : NULL;
    if (!text) lb_no_memory(error, "the symbols of a text");
    lb_symbols_free(&composed);
    return text;
}

/* Blanks other than the usual one, joiners, marks of direction, controls, and what chooses a variant of the character
 * before it. */
static bool is_invisible(int32_t character)
{
    enum { SELECTOR = 0xFE00, LAST_SELECTOR = 0xFE0F, MORE_SELECTORS = 0xE0100, LAST_OF_MORE = 0xE01EF };
    utf8proc_category_t category = utf8proc_category(character);
    if (character == ' ' || character < ' ') return false; /* whoever prints controls escapes them */
    return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
           category == UTF8PROC_CATEGORY_ZP || category == UTF8PROC_CATEGORY_CF ||
           category == UTF8PROC_CATEGORY_CC || (character >= SELECTOR && character <= LAST_SELECTOR) ||
           (character >= MORE_SELECTORS && character <= LAST_OF_MORE);
}

/* A flag, an emoji, a key: joiners and selectors within it show. */
static bool is_picture(const char *name, int32_t first)
{
    static const char keycap[] = "\xE2\x83\xA3"; /* U+20E3, around the character before it */
    const utf8proc_property_t *property = utf8proc_get_property(first);
    return property->category == UTF8PROC_CATEGORY_SO ||
           property->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC || strstr(name, keycap);
}

static bool is_mark(int32_t character)
{
    utf8proc_category_t category = utf8proc_category(character);
    return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_ME;
}

bool lb_symbol_is_mark(const char *symbol)
{
    int32_t character;
    return utf8proc_iterate((const utf8proc_uint8_t *)symbol, -1, &character) > 0 && is_mark(character);
}

const char *lb_symbol_show(const char *symbol, char shown[LB_SYMBOL_SHOWN])
{
    enum { NUMBER = 12 };
    const char *name = lb_symbol_name(symbol);
    size_t length = strlen(name), used = 0;
    bool picture = false, bare = true; /* no letter yet that a mark could combine with */
    for (size_t at = 0; at < length && used + NUMBER < LB_SYMBOL_SHOWN;) {
        int32_t character;
        utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)name + at,
                                                  (utf8proc_ssize_t)(length - at), &character);
        if (bytes < 1) break;
        if (at == 0) picture = is_picture(name, character);
        bare = bare && is_mark(character);
        if (bare || (is_invisible(character) && !picture)) {
            used += (size_t)lb_snprintf(shown + used, NUMBER, "U+%04X", (unsigned)character);
        } else {
            memcpy(shown + used, name + at, (size_t)bytes);
            used += (size_t)bytes;
        }
        at += (size_t)bytes;
    }
    shown[used] = '\0';
    return shown;
}

uint64_t lb_symbols_hash(const lb_symbols *symbols, uint64_t hash)
{
    for (size_t i = 0; i < symbols->count; i++)
        hash = lb_hash(hash, symbols->symbol[i], strlen(symbols->symbol[i]) + 1);
    return hash;
}

void lb_symbols_free(lb_symbols *symbols)
{
    lb_release((void *)symbols->symbol);
    lb_release(symbols->letters);
    lb_release(symbols->characters);
    lb_release(symbols->links);
    *symbols = (lb_symbols){0};
}
