/* Writes the symbols of a model, and the normal forms of their characters, as tables in C, for kernel/text.h. */
#include "export/export.h"

#include "base/alloc.h"
#include "data/text/subwords.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

/* ---- Which characters of Unicode are composed of others. ---- */

enum { CHARACTERS = 0x110000, PARTS = 4, ROOM = 16, HANGUL = 0xAC00, HANGUL_END = 0xD7A4 };

/* What is known of a character of Unicode, bit by bit. */
enum {
    OF_SOURCE = 1,  /* it is a part of a symbol of a source */
    OF_TARGET = 2,  /* or of a target */
    DECOMPOSED = 4, /* the file has its decomposition */
    COMPOSED = 8,   /* and composes it, too */
    PART = 16,      /* it is a part of one that is decomposed */
    OF_KEY = 32     /* a key of the lexicon has it, in small letters */
};

/* The canonical decomposition of a character. */
typedef struct decomposition {
    int32_t character[ROOM];
    int count;
} decomposition;

static decomposition parts_of(int32_t character)
{
    decomposition found = {.count = 0};
    int last = 0;
    utf8proc_ssize_t count = utf8proc_decompose_char(
        character, found.character, ROOM, (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE), &last);
    found.count = count > 0 && count <= ROOM ? (int)count : 0;
    return found;
}

/* The composed form of some parts, if it is one character; otherwise 0. */
static int32_t one_of(const int32_t *part, int count)
{
    int32_t composed[ROOM];
    memcpy(composed, part, (size_t)count * sizeof *part);
    utf8proc_ssize_t left =
        utf8proc_normalize_utf32(composed, count, (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    return left == 1 ? composed[0] : 0;
}

/* Marks the parts of a text. Returns their number. */
static int64_t mark_parts(unsigned char *known, unsigned char mark, const char *text)
{
    int64_t count = 0;
    int32_t character;
    for (utf8proc_ssize_t more; *text; text += more) {
        more = utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &character);
        if (more <= 0) return count;
        decomposition found = parts_of(character);
        for (int i = 0; i < found.count; i++) known[found.character[i]] |= mark;
        count += found.count;
    }
    return count;
}

/* How many of the parts are marked. */
static int count_marked(const unsigned char *known, unsigned char mark, const decomposition *of)
{
    int count = 0;
    for (int i = 0; i < of->count; i++) count += (known[of->character[i]] & mark) != 0;
    return count;
}

/* Finds the characters that consist of others: whatever has a part in a source or consists of parts of targets. Only
 * the latter is composed, unless `composes`. */
static void find_composed(unsigned char *known, bool composes)
{
    for (int32_t c = 0; c < CHARACTERS; c++) {
        decomposition of = parts_of(c);
        if ((c >= HANGUL && c < HANGUL_END) || of.count < 1 || (of.count == 1 && of.character[0] == c))
            continue;
        bool target = count_marked(known, OF_TARGET, &of) == of.count;
        if (!target && count_marked(known, OF_SOURCE, &of) == 0) continue;
        known[c] |= DECOMPOSED;
        for (int i = 0; i < of.count; i++) known[of.character[i]] |= PART;
        /* What it is composed of may be composed itself. */
        for (int count = of.count; (target || composes) && count > 1; count--) {
            int32_t whole = one_of(of.character, count);
            if (whole) known[whole] |= DECOMPOSED | COMPOSED;
        }
    }
}

static void add_decompositions(const unsigned char *known, app_kernel *kernel, lb_buffer *out)
{
    int64_t rows = 0;
    lb_buffer_print(out, "static const decomposition decompositions[] = {\n");
    for (int32_t c = 0; c < CHARACTERS; c++) {
        if (!(known[c] & DECOMPOSED)) continue;
        decomposition of = parts_of(c);
        lb_buffer_print(out, "    {0x%X, {", (unsigned)c);
        for (int i = 0; i < of.count && i < PARTS; i++)
            lb_buffer_print(out, "%s0x%X", i ? ", " : "", (unsigned)of.character[i]);
        lb_buffer_print(out, "}},\n");
        rows++;
    }
    app_kernel_end_table(kernel, out, "    {0, {0}}\n", "DECOMPOSITIONS", rows);
}

static void add_marks(const unsigned char *known, app_kernel *kernel, lb_buffer *out)
{
    int64_t rows = 0;
    lb_buffer_print(out, "static const mark marks[] = {\n");
    for (int32_t c = 0; c < CHARACTERS; c++) {
        int order = utf8proc_get_property(c)->combining_class;
        if (!(known[c] & (OF_SOURCE | OF_TARGET | PART)) || order == 0) continue;
        lb_buffer_print(out, "    {0x%X, %d},\n", (unsigned)c, order);
        rows++;
    }
    app_kernel_end_table(kernel, out, "    {0, 0}\n", "MARKS", rows);
}

static void add_compositions(const unsigned char *known, app_kernel *kernel, lb_buffer *out)
{
    int64_t rows = 0;
    lb_buffer_print(out, "static const composition compositions[] = {\n");
    for (int32_t c = 0; c < CHARACTERS; c++) {
        if (!(known[c] & COMPOSED)) continue;
        decomposition of = parts_of(c);
        lb_buffer_print(out, "    {0x%X, 0x%X, 0x%X},\n", (unsigned)one_of(of.character, of.count - 1),
                        (unsigned)of.character[of.count - 1], (unsigned)c);
        rows++;
    }
    app_kernel_end_table(kernel, out, "    {0, 0, 0}\n", "COMPOSITIONS", rows);
}

/* The letters that keys have in small letters, and letters of other case in sources, which are known from now on. */
static void add_letters(unsigned char *known, app_kernel *kernel, lb_buffer *out)
{
    int64_t rows = 0;
    lb_buffer_print(out, "static const cased letters[] = {\n");
    for (int32_t c = 0; c < CHARACTERS; c++) {
        int32_t small = lb_lexicon_small(c);
        if (small == c || !(known[small] & OF_KEY)) continue;
        lb_buffer_print(out, "    {0x%X, 0x%X},\n", (unsigned)c, (unsigned)small);
        known[c] |= OF_SOURCE;
        rows++;
    }
    app_kernel_end_table(kernel, out, "    {0, 0}\n", "LETTERS", rows);
    app_kernel_flag(kernel, "FOLDS");
}

/* ---- Symbols. ---- */

/* Symbols by their bytes. */
typedef struct entry {
    const char *symbol;
    int32_t id;
} entry;

static int compare(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->symbol, ((const entry *)b)->symbol);
}

/* Whether a reader of the file sees the character as it is: no mark, no blank, nothing that changes the line. */
static bool is_plain(const char *text, size_t bytes)
{
    int32_t character;
    if (bytes == 0 ||
        utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)bytes, &character) < 1)
        return false;
    if (character == '"' || character == '\\' || character == '?') return false; /* ? begins trigraphs */
    utf8proc_category_t is = utf8proc_category(character);
    bool letter = is >= UTF8PROC_CATEGORY_LU && is <= UTF8PROC_CATEGORY_LO;
    return character < 0x80 ? character >= ' ' : letter || is == UTF8PROC_CATEGORY_ND;
}

/* A string of C. */
static void add_string(lb_buffer *out, const char *text)
{
    lb_buffer_print(out, "\"");
    while (*text) {
        size_t bytes = app_visible(text);
        if (is_plain(text, bytes)) {
            lb_buffer_add(out, text, bytes);
            text += bytes;
        } else {
            lb_buffer_print(out, "\\%03o", (unsigned)(unsigned char)*text++);
        }
    }
    lb_buffer_print(out, "\"");
}

static lb_status add_sources(const lb_text_model *model, app_kernel *kernel, lb_buffer *out, lb_error *error)
{
    int32_t count = lb_vocabulary_size(model->source) - LB_FIRST_TOKEN;
    entry *entries = lb_alloc((size_t)count * sizeof *entries + 1);
    size_t longest = 1;
    if (!entries) return lb_no_memory(error, NULL);
    for (int32_t i = 0; i < count; i++) {
        entries[i] = (entry){lb_vocabulary_symbol(model->source, LB_FIRST_TOKEN + i), LB_FIRST_TOKEN + i};
        size_t bytes = strlen(entries[i].symbol);
        longest = bytes > longest ? bytes : longest;
    }
    qsort(entries, (size_t)count, sizeof *entries, compare);
    lb_buffer_print(out, "static const symbol source_symbols[] = {\n");
    for (int32_t i = 0; i < count; i++) {
        lb_buffer_print(out, "    {");
        add_string(out, entries[i].symbol);
        lb_buffer_print(out, ", %d},\n", (int)entries[i].id);
    }
    app_kernel_end_table(kernel, out, "    {\"\", 0}\n", "SOURCES", count);
    app_kernel_size_is(kernel, "SPELLING", (int64_t)longest);
    lb_release(entries);
    return LB_OK;
}

/* The bytes of a piece stand for themselves, and a blank for its mark. */
static void add_targets(const lb_text_model *model, app_kernel *kernel, lb_buffer *out)
{
    int32_t count = lb_vocabulary_size(model->target);
    lb_buffer_print(out, "static const char *const target_symbols[] = {\n");
    for (int32_t id = 0; id < count; id++) {
        char text[LB_SUBWORD_PIECE + 1];
        const char *symbol = lb_vocabulary_symbol(model->target, id);
        if (id < LB_FIRST_TOKEN) symbol = id == LB_UNK ? "\xEF\xBF\xBD" : "";
        bool piece =
            id >= LB_FIRST_TOKEN && model->target_rule.subwords && strlen(symbol) <= LB_SUBWORD_PIECE;
        if (piece) lb_subwords_append(text, symbol);
        lb_buffer_print(out, "    ");
        add_string(out, piece ? text : symbol);
        lb_buffer_print(out, ",\n");
    }
    lb_buffer_print(out, "};\n");
    app_kernel_size_is(kernel, "TARGETS", count);
}

/* ---- Separators, and room. ---- */

static bool is_separated(const lb_symbol_rule *rule)
{
    return rule->separator && *rule->separator;
}

static void add_separators(const lb_text_model *model, app_kernel *kernel, lb_buffer *out)
{
    const char *separator = model->source_rule.separator;
    bool separated = is_separated(&model->source_rule);
    bool blanks = separated && strspn(separator, " ") == strlen(separator);
    if (separated) {
        int64_t count = 0;
        int32_t character;
        lb_buffer_print(out, "static const uint32_t source_separator[] = {");
        for (utf8proc_ssize_t more; *separator; separator += more, count++) {
            more = utf8proc_iterate((const utf8proc_uint8_t *)separator, -1, &character);
            lb_buffer_print(out, "%s0x%X", count ? ", " : "", (unsigned)character);
        }
        lb_buffer_print(out, "};\n");
        app_kernel_size_is(kernel, "SEPARATOR", count);
        app_kernel_flag(kernel, "SEPARATED");
    }
    if (blanks) app_kernel_flag(kernel, "BLANKS");
    bool pieces = model->source_rule.subwords;
    if (blanks || (!separated && !pieces && lb_vocabulary_id(model->source, " ") == LB_UNK))
        app_kernel_flag(kernel, "TRIMS");
    if (!is_separated(&model->target_rule)) return;
    app_kernel_flag(kernel, "TARGET_SEPARATED");
    lb_buffer_print(out, "static const char target_separator[] = ");
    add_string(out, model->target_rule.separator);
    lb_buffer_print(out, ";\n");
}

static int64_t most_parts(const lb_vocabulary *vocabulary, const lb_symbol_rule *rule, unsigned char *known,
                          unsigned char mark)
{
    int64_t most = 1;
    for (int32_t id = LB_FIRST_TOKEN; id < lb_vocabulary_size(vocabulary); id++) {
        int64_t parts = mark_parts(known, mark, lb_vocabulary_symbol(vocabulary, id));
        most = parts > most ? parts : most;
    }
    return most + (is_separated(rule) ? mark_parts(known, mark, rule->separator) : 0);
}

/* No symbol has more bytes than four for each of its parts. */
static void add_room(const lb_text_model *model, int64_t limit, int64_t known, app_kernel *kernel)
{
    size_t most = 3, gap = is_separated(&model->target_rule) ? strlen(model->target_rule.separator) : 0;
    for (int32_t id = LB_FIRST_TOKEN; id < lb_vocabulary_size(model->target); id++) {
        size_t bytes = strlen(lb_vocabulary_symbol(model->target, id));
        most = bytes > most ? bytes : most;
    }
    int64_t room = limit * (int64_t)(most + gap);
    app_kernel_size_is(kernel, "ROOM_BYTES", (room > known ? room : known) + 1);
    if (model->target_rule.subwords)
        app_kernel_size_is(kernel, "OUTPUT_WORDS", (limit * (int64_t)most + 4) / 4);
}

/* The most parts of a source in the lexicon, whose characters the tables have, too. */
static int64_t most_known(const lb_text_model *model, unsigned char *known, lb_error *error)
{
    int64_t most = 0;
    lb_lexicon_walk walk = {.lexicon = &model->lexicon};
    while (lb_lexicon_walk_next(&walk, error)) {
        int64_t parts = mark_parts(known, OF_SOURCE, walk.key.text);
        int32_t character;
        most = parts > most ? parts : most;
        for (const char *at = walk.key.text; *at; known[character] |= OF_KEY)
            at += utf8proc_iterate((const utf8proc_uint8_t *)at, -1, &character);
    }
    lb_lexicon_walk_end(&walk);
    return most;
}

lb_status app_spelling_add(const lb_text_model *model, int64_t longest, int64_t limit, int64_t room,
                           app_kernel *kernel, lb_buffer *out, lb_error *error)
{
    unsigned char *known = lb_alloc_zero(CHARACTERS);
    if (!known) return lb_no_memory(error, NULL);
    lb_status status = model->source_rule.subwords ? app_spelling_add_subwords(model, kernel, out, error)
                                                   : add_sources(model, kernel, out, error);
    if (!status) {
        add_targets(model, kernel, out);
        add_separators(model, kernel, out);
        add_room(model, limit, room, kernel);
        int64_t read = longest * most_parts(model->source, &model->source_rule, known, OF_SOURCE);
        int64_t written = limit * most_parts(model->target, &model->target_rule, known, OF_TARGET);
        int64_t found = most_known(model, known, error);
        status = error->status;
        if (found > read) read = found;
        bool folds = model->lexicon.keys == LB_KEYS_SMALL, subwords = model->source_rule.subwords,
             normalizes = model->source_rule.normalize != LB_NORMAL_FORM_NONE;
        if (folds) add_letters(known, kernel, out);
        if (folds || subwords || normalizes) app_kernel_flag(kernel, "FINDS_ROWS");
        app_kernel_size_is(kernel, "CHARACTERS", read > written ? read : written);
        /* Bytes can be any character. */
        if (subwords) memset(known, OF_SOURCE | OF_TARGET, CHARACTERS);
        bool composes = model->source_rule.normalize == LB_NORMAL_FORM_NFC;
        if (composes) app_kernel_flag(kernel, "COMPOSES");
        if (normalizes) {
            app_kernel_flag(kernel, "NORMALIZES");
            find_composed(known, composes);
            add_decompositions(known, kernel, out);
            add_marks(known, kernel, out);
            add_compositions(known, kernel, out);
        }
    }
    lb_release(known);
    return status;
}
