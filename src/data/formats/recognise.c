#include "data/formats/recognise.h"

#include "base/alloc.h"
#include "data/formats/features.h"
#include "data/formats/sample.h"
#include "data/formats/sounds.h"
#include "lookback/base.h"

#include <stdio.h>
#include <string.h>

typedef lb_span span;
typedef lb_sample sample;

/* A BOM is not part of the first line, and a line that may be cut is none. */
static void take_lines(sample *s, const char *text, size_t length, bool whole)
{
    const char *at = text, *end = text + length;
    if (lb_pair_line_has_mark(at, length)) at += LB_PAIR_LINE_MARK;
    while (at < end && s->count < LB_SAMPLE_LINES) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop && !whole) return;
        size_t count = (size_t)((stop ? stop : end) - at);
        if (count > 0 && at[count - 1] == '\r') count--;
        size_t blanks = 0;
        while (blanks < count && (at[blanks] == ' ' || at[blanks] == '\t')) blanks++;
        if (blanks < count) s->line[s->count++] = (span){at, count};
        s->tabs = s->tabs || memchr(at, '\t', count);
        at = stop ? stop + 1 : end;
    }
}

static char small(char letter)
{
    return lb_is_capital(letter) ? (char)(letter - 'A' + 'a') : letter;
}

static bool is_one_of(span word, const char *const *words)
{
    for (; *words; words++) {
        size_t i = 0;
        while (i < word.length && (*words)[i] && small(word.text[i]) == (*words)[i]) i++;
        if (i == word.length && !(*words)[i]) return true;
    }
    return false;
}

static bool is_jsonl(sample *s)
{
    for (int i = 0; i < s->count; i++)
        if (*s->line[i].text != '{' || lb_sample_divide(s, i) != LB_LINE_IS_FIELDS || s->fields.count < 2)
            return false;
    return true;
}

/* A comma of a sentence has a blank or the end of the line behind it. */
static bool has_sentence(const sample *s)
{
    for (int i = 1; i < s->fields.count; i++) {
        span text = lb_sample_field(s, i);
        if (text.length > 0 ? *text.text == ' ' : s->fields.count == 2) return true;
    }
    return false;
}

/* Two of its fields are names of columns. */
static bool has_names(const sample *s)
{
    int names = 0;
    for (int i = 0; i < s->fields.count; i++) {
        span text = lb_sample_field(s, i);
        names += lb_is_column_name(text.text, text.length);
    }
    return names > 1;
}

/* All lines have as many fields, at least two. Without names or quotes, few lines may be so by chance. */
static bool is_table(sample *s)
{
    enum { FEW = 5 };
    int columns = 0;
    bool open = false, sure = s->count >= FEW;
    for (int i = 0; i < s->count; i++) {
        lb_pair_line_is found =
            lb_pair_kind_split(&s->kind, s->line[i].text, s->line[i].length, open, &s->fields);
        open = found == LB_LINE_IS_OPEN;
        sure = sure || memchr(s->line[i].text, '"', s->line[i].length) || (i == 0 && has_names(s));
        if (open) continue;
        if (found == LB_LINE_IS_BAD || s->fields.count < 2 || (columns && s->fields.count != columns) ||
            has_sentence(s))
            return false;
        columns = s->fields.count;
    }
    return columns > 1 && sure;
}

/* The same, even if it looks like sentences; but no line has text behind a quoted field, as with a wrong divider. */
static bool may_be_table(sample *s)
{
    int columns = 0;
    for (int i = 0; i < s->count; i++) {
        if (lb_sample_divide(s, i) != LB_LINE_IS_FIELDS || (columns && s->fields.count != columns))
            return false;
        columns = s->fields.count;
    }
    return columns > 1;
}

/* "1,5;eins Komma fünf": all commas are between digits. */
static bool is_decimal_table(sample *s)
{
    for (int i = 0; i < s->count; i++) {
        const char *first = s->line[i].text, *end = first + s->line[i].length, *at = first;
        for (; (at = memchr(at, ',', (size_t)(end - at))) != NULL; at++)
            if (at == first || at + 1 == end || !lb_is_digit(at[-1]) || !lb_is_digit(at[1])) return false;
    }
    return is_table(s);
}

/* All lines have the text between their fields, and just once. */
static bool is_divided(sample *s)
{
    size_t length = strlen(s->kind.between);
    for (int i = 0; i < s->count; i++) {
        int times = 0;
        span line = s->line[i];
        for (size_t at = 0; at + length <= line.length; at++)
            times += memcmp(line.text + at, s->kind.between, length) == 0;
        if (times != 1) return false;
    }
    return true;
}

/* Words with ten columns, and the first of them has numbers. */
static bool is_conllu(sample *s)
{
    enum { COLUMNS = 10 };
    int words = 0;
    for (int i = 0; i < s->count; i++) {
        lb_pair_line_is found = lb_sample_divide(s, i);
        if (found == LB_LINE_IS_COMMENT) continue;
        if (found == LB_LINE_IS_BAD) return false;
        span id = lb_sample_field(s, 0);
        for (size_t k = 0; k < id.length; k++)
            if (!lb_is_digit(id.text[k]) && id.text[k] != '-' && id.text[k] != '.') return false;
        if (id.length == 0 || s->fields.count < COLUMNS) return false;
        words++;
    }
    return words > 0;
}

static bool is_scan(sample *s)
{
    for (int i = 0; i < s->count; i++)
        if (lb_sample_divide(s, i) != LB_LINE_IS_FIELDS) return false;
    return true;
}

/* What is in no other file comes first. Text with tabs is TSV, or one of the first. */
enum { WITH_TABS = 4 };

static const struct {
    const char *name;
    bool (*is)(sample *);
} kinds[] = {
    {"jsonl", is_jsonl},
    {"conllu", is_conllu},
    {"scan", is_scan},
    {"lexiconp", lb_is_lexiconp},
    {"lines: ||| ", is_divided},
    {"lines: -> ", is_divided},
    {"lists:->", is_divided},
    {"lines: => ", is_divided},
    {"lines:=>", is_divided},
    {"lines: \xE2\x86\x92 ", is_divided},
    {"lines:\xE2\x86\x92", is_divided},
    {"csv:;", is_decimal_table},
    {"csv", is_table},
    {"csv:;", is_table},
    {"cmudict", lb_is_cmudict},
    {"lines:~", is_divided},
    {"lines:: ", is_divided},
};

/* Whether the lines are of this kind. */
static lb_status try_kind(sample *s, const char *name, bool (*is)(sample *), bool *are, lb_error *error)
{
    lb_pair_kind_free(&s->kind);
    lb_status status = lb_pair_kind_parse(name, &s->kind, error);
    *are = !status && is(s);
    return status;
}

static void drop_first(sample *s)
{
    memmove(s->line, s->line + 1, (size_t)--s->count * sizeof *s->line);
}

/* What divides a table, by its first line, which is then left out. */
static void take_divider(sample *s, lb_recognised *found)
{
    char divider = s->count > 0 ? lb_csv_divider(s->line[0].text, s->line[0].length) : '\0';
    if (!divider) return;
    snprintf(found->kind, sizeof found->kind, divider == '\t' ? "csv:tab" : "csv:%c", divider);
    drop_first(s);
}

static lb_status choose_kind(sample *s, lb_recognised *found, lb_error *error)
{
    bool are = false;
    if (*found->kind) return lb_pair_kind_parse(found->kind, &s->kind, error);
    size_t count = s->count == 0 ? 0 : s->tabs ? WITH_TABS : sizeof kinds / sizeof *kinds;
    for (size_t i = 0; i < count; i++) {
        if (try_kind(s, kinds[i].name, kinds[i].is, &are, error)) return error->status;
        if (!are) continue;
        memcpy(found->kind, kinds[i].name, strlen(kinds[i].name) + 1);
        if (strcmp(found->kind, "csv") != 0) return LB_OK;
        if (try_kind(s, "csv:;", may_be_table, &found->ambiguous, error)) return error->status;
        break;
    }
    lb_pair_kind_free(&s->kind);
    return lb_pair_kind_parse(*found->kind ? found->kind : "tsv", &s->kind, error);
}

/* ---- Which column is which. ---- */

static const char *const sources[] = {"source",    "src",         "input", "word",  "grapheme",
                                      "graphemes", "orthography", "text",  "lemma", NULL};
static const char *const targets[] = {"target",        "tgt",         "trg",    "output",
                                      "pronunciation", "phonemes",    "ipa",    "transcription",
                                      "form",          "translation", "phones", NULL};
static const char *const features_names[] = {"features", "feats", "tags", "msd", NULL};

bool lb_is_column_name(const char *text, size_t length)
{
    span name = {text, length};
    return is_one_of(name, sources) || is_one_of(name, targets) || is_one_of(name, features_names);
}

static int32_t find_name(const lb_fields *names, const char *const *words)
{
    for (int i = 0; i < names->count; i++) {
        span name;
        name.text = lb_field(names, i, &name.length);
        if (is_one_of(name, words)) return i + 1;
    }
    return 0;
}

static bool take_names(const lb_fields *names, lb_recognised *found)
{
    int32_t source = find_name(names, sources), target = find_name(names, targets);
    if (!source || !target) return false;
    found->source = source;
    found->target = target;
    found->features = find_name(names, features_names);
    if (found->features) found->between_features = ";";
    return true;
}

/* Sentences of Tatoeba have their origin in a third column. */
static bool has_origins(sample *s)
{
    static const char licence[] = "CC-BY";
    for (int i = 0; i < s->count; i++) {
        lb_sample_divide(s, i);
        if (s->fields.count != 3) return false;
        span third = lb_sample_field(s, 2);
        if (third.length < sizeof licence || memcmp(third.text, licence, sizeof licence - 1) != 0)
            return false;
    }
    return s->count > 0;
}

static void find_columns(sample *s, bool named, lb_recognised *found)
{
    if (s->count == 0) return;
    lb_sample_divide(s, 0);
    if (s->kind.keys.count > 0) {
        take_names(&s->kind.keys, found);
        return;
    }
    bool tabs = lb_pair_kind_has_tabs(&s->kind), plain = named && tabs && !s->kind.header;
    found->header = (!plain && take_names(&s->fields, found)) || s->kind.header;
    if (found->source || !tabs) return;
    lb_features_find(s, found);
    if (found->features && !named) memcpy(found->kind, "unimorph", sizeof "unimorph");
    if (!found->features && has_origins(s)) {
        found->source = 1;
        found->target = 2;
    }
}

/* The columns of the format, or those that the lines have. */
static void take_columns(sample *s, bool named, int32_t features, lb_recognised *found)
{
    const lb_pair_kind_row *row = s->kind.row;
    found->fixed = row->source > 0;
    found->source = row->source;
    found->target = row->target;
    if (!found->fixed) find_columns(s, named, found);
    if (found->header && s->count > 0) drop_first(s);
    found->ambiguous = found->ambiguous && !found->header;
    if (features == 0) features = found->features;
    if (features > 0)
        found->between_features = row->features ? row->features : lb_features_between(s, features);
}

lb_status lb_recognise(const char *text, size_t length, bool whole, const char *kind, int32_t features,
                       lb_recognised *found, lb_error *error)
{
    *found = (lb_recognised){0};
    sample *s = lb_alloc_zero(sizeof *s);
    if (!s) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the first lines");
    take_lines(s, text, length, whole);
    found->tabs = s->tabs;
    take_divider(s, found);
    lb_status status = kind ? lb_pair_kind_parse(kind, &s->kind, error) : choose_kind(s, found, error);
    if (!status) take_columns(s, kind != NULL, features, found);
    if (!status && s->fields.text.failed)
        status = lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the first lines");
    lb_pair_kind_free(&s->kind);
    lb_release(s->fields.text.text);
    lb_release(s);
    return status;
}
