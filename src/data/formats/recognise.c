#include "data/formats/recognise.h"

#include "base/alloc.h"
#include "lookback/base.h"

#include <stdio.h>
#include <string.h>

/* A BOM is not part of the first line, and a line that may be cut is none. */
static void take_lines(lb_first_lines *s, const char *text, size_t length, bool whole)
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
        if (blanks < count) s->line[s->count++] = (lb_span){at, count};
        s->tabs = s->tabs || memchr(at, '\t', count);
        at = stop ? stop + 1 : end;
    }
}

static bool is_jsonl(lb_first_lines *s)
{
    for (int i = 0; i < s->count; i++)
        if (*s->line[i].text != '{' || lb_sample_divide(s, i) != LB_LINE_IS_FIELDS ||
            s->fields.count < s->least)
            return false;
    return true;
}

/* A comma of a sentence has a blank or the end of the line behind it. */
static bool has_sentence(const lb_first_lines *s)
{
    for (int i = 1; i < s->fields.count; i++) {
        lb_span text = lb_field(&s->fields, i);
        if (text.length > 0 ? *text.text == ' ' : s->fields.count == 2) return true;
    }
    return false;
}

/* All lines have as many fields, at least two. Without names or quotes, few lines may be so by chance. */
static bool is_table(lb_first_lines *s)
{
    enum { FEW = 5 };
    int columns = 0;
    bool open = false, sure = s->count >= FEW;
    for (int i = 0; i < s->count; i++) {
        lb_pair_line_is found =
            lb_pair_kind_split(&s->kind, s->line[i].text, s->line[i].length, open, &s->fields);
        open = found == LB_LINE_IS_OPEN;
        sure = sure || memchr(s->line[i].text, '"', s->line[i].length) || (i == 0 && lb_columns_named(s));
        if (open) continue;
        bool names = i == 0 && lb_columns_named(s);
        if (found == LB_LINE_IS_BAD || s->fields.count < 2 || (columns && s->fields.count != columns) ||
            (has_sentence(s) && !names))
            return false;
        columns = s->fields.count;
    }
    return columns > 1 && sure;
}

/* The same, even if it looks like sentences; but no line has text behind a quoted field, as with a wrong divider. */
static bool may_be_table(lb_first_lines *s)
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
static bool is_decimal_table(lb_first_lines *s)
{
    for (int i = 0; i < s->count; i++) {
        const char *first = s->line[i].text, *end = first + s->line[i].length, *at = first;
        for (; (at = memchr(at, ',', (size_t)(end - at))) != NULL; at++)
            if (at == first || at + 1 == end || !lb_is_digit(at[-1]) || !lb_is_digit(at[1])) return false;
    }
    return is_table(s);
}

/* All lines have the text between their fields, and just once. */
static bool is_divided(lb_first_lines *s)
{
    size_t length = strlen(s->kind.between);
    for (int i = 0; i < s->count; i++) {
        int times = 0;
        lb_span line = s->line[i];
        for (size_t at = 0; at + length <= line.length; at++)
            times += memcmp(line.text + at, s->kind.between, length) == 0;
        if (times != 1) return false;
    }
    return true;
}

/* Whether all lines are words with ten columns, of which the first has numbers. */
static bool is_conllu(lb_first_lines *s)
{
    enum { COLUMNS = 10 };
    int words = 0;
    for (int i = 0; i < s->count; i++) {
        lb_pair_line_is found = lb_sample_divide(s, i);
        if (found == LB_LINE_IS_COMMENT) continue;
        if (found == LB_LINE_IS_BAD) return false;
        lb_span id = lb_field(&s->fields, 0);
        for (size_t k = 0; k < id.length; k++)
            if (!lb_is_digit(id.text[k]) && id.text[k] != '-' && id.text[k] != '.') return false;
        if (id.length == 0 || s->fields.count < COLUMNS) return false;
        words++;
    }
    return words > 0;
}

static bool all_divide(lb_first_lines *s)
{
    for (int i = 0; i < s->count; i++)
        if (lb_sample_divide(s, i) != LB_LINE_IS_FIELDS) return false;
    return true;
}

/* What is in no other file comes first. Text with tabs is TSV, or one of the first. */
enum { WITH_TABS = 4 };

static const struct {
    const char *name;
    bool (*is)(lb_first_lines *);
} kinds[] = {
    {"jsonl", is_jsonl},
    {"conllu", is_conllu},
    {"scan", all_divide},
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

static lb_status set_kind(lb_first_lines *s, const char *name, lb_error *error)
{
    lb_pair_kind_free(&s->kind);
    return lb_pair_kind_parse(name, &s->kind, error);
}

/* Whether the lines are of this kind. */
static bool try_kind(lb_first_lines *s, const char *name, bool (*is)(lb_first_lines *))
{
    return set_kind(s, name, NULL) == LB_OK && is(s);
}

/* What divides a table, by its first line, which is then left out. */
static void take_divider(lb_first_lines *s, lb_recognised *found)
{
    char divider = s->count > 0 ? lb_csv_divider(s->line[0].text, s->line[0].length) : '\0';
    if (!divider) return;
    lb_sample_drop_first(s);
    if (*s->kind.between) return; /* given */
    snprintf(found->kind, sizeof found->kind, divider == '\t' ? "csv:tab" : "csv:%c", divider);
    found->recognised = true;
}

static lb_status find_kind(lb_first_lines *s, lb_recognised *found, lb_error *error)
{
    size_t count = s->count == 0 ? 0 : s->tabs ? WITH_TABS : sizeof kinds / sizeof *kinds;
    for (size_t i = 0; i < count && !found->recognised; i++) {
        found->recognised = try_kind(s, kinds[i].name, kinds[i].is);
        if (found->recognised) memcpy(found->kind, kinds[i].name, strlen(kinds[i].name) + 1);
        found->ambiguous =
            found->recognised && strcmp(found->kind, "csv") == 0 && try_kind(s, "csv:;", may_be_table);
    }
    return set_kind(s, *found->kind ? found->kind : "tsv", error);
}

/* What the lines would be in this format, without a header. */
static lb_status take_kind(lb_first_lines *s, const char *name, lb_recognised *found, lb_error *error)
{
    bool plain = lb_is_same_kind(name, "");
    snprintf(found->kind, sizeof found->kind, "%.*s", plain ? 0 : (int)lb_kind_length(name), name);
    return set_kind(s, found->kind, error);
}

/* A file that looks like nothing in particular may be of the usual format, if both have tabs, or none. */
static lb_status fall_back(lb_first_lines *s, lb_recognised *found, lb_error *error)
{
    lb_pair_kind kind;
    lb_status status = lb_pair_kind_parse(s->usual->kind, &kind, error);
    bool fits = !status && kind.row->tabs == s->tabs;
    lb_pair_kind_free(&kind);
    return status || !fits ? status : take_kind(s, s->usual->kind, found, error);
}

/* What recognises a format, also one with other text between its columns; NULL: there is nothing. */
static bool (*check_of(const char *kind))(lb_first_lines *)
{
    size_t word = strcspn(kind, ":+");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcspn(kinds[i].name, ":+") == word && memcmp(kinds[i].name, kind, word) == 0)
            return kinds[i].is;
    return NULL;
}

/* Whether the first line of sources is one of this format. Sentences have commas, too. */
static bool looks_usual(lb_first_lines *s, const char *kind)
{
    bool (*is)(lb_first_lines *) = check_of(kind);
    if (!is || s->count == 0) return false;
    if (s->kind.row->quotes) return lb_columns_have_header(s, false);
    return is(s) || lb_sample_divide(s, 0) == LB_LINE_IS_COMMENT;
}

/* Lines without targets are texts, unless the first line looks like one of the usual format, or has the usual names. */
static lb_status try_usual(lb_first_lines *s, lb_recognised *found, lb_error *error)
{
    static const char *const with_names[] = {"jsonl", "csv", "csv:;"};
    lb_status status = take_kind(s, s->usual->kind, found, error);
    found->recognised = !status && looks_usual(s, s->usual->kind);
    for (size_t i = 0; i < sizeof with_names / sizeof *with_names && !status && !found->recognised; i++) {
        if (s->count == 0 || !*s->usual->source_name || (i == 0 && *s->line[0].text != '{')) continue;
        status = take_kind(s, with_names[i], found, error);
        found->recognised = !status && lb_columns_have_header(s, true);
    }
    if (status || found->recognised) return status;
    *found->kind = '\0';
    return set_kind(s, "tsv", error);
}

static lb_status choose_kind(lb_first_lines *s, const lb_pair_format *format, lb_recognised *found,
                             lb_error *error)
{
    bool given = format->kind && *format->kind;
    if (format->no_target && !given) return try_usual(s, found, error);
    lb_status status = given ? set_kind(s, format->kind, error) : LB_OK;
    if (!given || s->kind.row->quotes) take_divider(s, found);
    if (given || status) return status;
    status = find_kind(s, found, error);
    return status || *found->kind ? status : fall_back(s, found, error);
}

lb_status lb_recognise(const char *text, size_t length, bool whole, const lb_pair_format *format,
                       lb_recognised *found, lb_error *error)
{
    static const lb_pair_columns none = {0};
    *found = (lb_recognised){0};
    lb_first_lines *s = lb_alloc_zero(sizeof *s);
    if (!s) return lb_no_memory(error, "the first lines");
    s->usual = format->usual ? format->usual : &none;
    s->least = format->no_target ? 1 : 2;
    take_lines(s, text, length, whole);
    if (format->no_target && s->count > 1) s->count = 1;
    lb_status status = choose_kind(s, format, found, error);
    if (!status) lb_columns_find(s, format, found);
    if (!status && (s->fields.text.failed || found->names.text.failed))
        status = lb_no_memory(error, "the first lines");
    lb_pair_kind_free(&s->kind);
    lb_release(s->fields.text.text);
    lb_release(s);
    return status;
}

void lb_recognised_free(lb_recognised *found)
{
    lb_release(found->names.text.text);
    found->names = (lb_fields){0};
}
