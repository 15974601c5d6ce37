#include "data/formats/recognise.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "data/formats/pair_file.h"

#include <stdio.h>

/* A BOM is not part of the first line, and a line that may be cut is none. */
static void take_lines(lb_first_lines *s, const char *text, size_t length, bool whole)
{
    lb_line first = {.text = text, .length = length, .number = 1};
    (void)lb_line_drop_mark(&first);
    const char *at = first.text, *end = text + length;
    int tabs = 0;
    for (int64_t number = 1; at < end && s->count < LB_SAMPLE_LINES; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop && !whole) break;
        size_t count = (size_t)((stop ? stop : end) - at);
        if (count > 0 && at[count - 1] == '\r') count--;
        const lb_line line = {.text = at, .length = count};
        if (!lb_line_is_blank(&line)) s->line[s->count++] = (lb_sample_line){{at, count}, .number = number};
        tabs += memchr(at, '\t', count) != NULL;
        at = stop ? stop + 1 : end;
    }
    s->whole = whole && at == end;
    s->tabs = tabs > lb_few(s->count);
}

/* The members are those of the first object, unless most lines have others, or too few of them. */
static bool is_jsonl(lb_first_lines *s)
{
    enum { TRIED = 5 };
    for (int k = 0, full = 0; k <= TRIED && 2 * full <= s->count; k++) {
        lb_fields_clear(&s->kind.keys);
        full = 0;
        for (int i = k < TRIED ? k : 0; i < s->count; i++) {
            int texts = 0;
            s->line[i].odd =
                !strchr("{[", *s->line[i].text.text) || lb_sample_divide(s, i) != LB_LINE_IS_FIELDS;
            for (int column = 0; !s->line[i].odd && column < s->fields.count; column++)
                texts += lb_field(&s->fields, column).length > 0;
            full += texts >= s->least;
        }
    }
    return true;
}

/* A comma of a sentence has a blank or the end of the line behind it. With quotes, blanks may be so in a table. */
static bool has_sentence(const lb_pair_kind *kind, lb_span line, const lb_fields *fields)
{
    if (kind->blanks) return !memchr(line.text, '"', line.length);
    for (int i = 1; i < fields->count; i++) {
        lb_span text = lb_field(fields, i);
        if (text.length > 0 ? *text.text == ' ' : fields->count == 2) return true;
    }
    return false;
}

enum { NO_COLUMNS = -1 };

/* The number of columns that most lines have wins the vote of all; other lines are odd. */
static void vote_for_width(lb_first_lines *s, const int *columns)
{
    int votes = 0;
    for (int i = 0; i < s->count; i++) {
        if (columns[i] == NO_COLUMNS) continue;
        if (votes == 0) s->width = columns[i];
        votes += columns[i] == s->width ? 1 : -1;
    }
    for (int i = 0; i < s->count; i++)
        s->line[i].odd = s->line[i].odd || (columns[i] != NO_COLUMNS && columns[i] != s->width);
}

/* Lines have as many fields, at least two. Without names or quotes, few lines may be so by chance. Where a quoted field
 * does not end, or has text behind its end, the next line begins anew. */
static bool is_table(lb_first_lines *s)
{
    enum { SURE = 5 };
    int columns[LB_SAMPLE_LINES];
    bool open = false, sure = s->count >= SURE;
    s->width = 0;
    for (int i = 0, first = 0; i < s->count; i++) {
        first = open ? first : i;
        lb_pair_line_is found = lb_pair_kind_split(&s->kind, s->line[i].text, open, &s->fields);
        bool names = first <= lb_few(s->count) && lb_columns_named(s), stray = found == LB_LINE_IS_STRAY;
        bool bad = (open && stray) || (found == LB_LINE_IS_OPEN && i + 1 == s->count && s->whole);
        sure = sure || names || memchr(s->line[i].text.text, '"', s->line[i].text.length);
        open = found == LB_LINE_IS_OPEN && !bad;
        columns[i] = NO_COLUMNS;
        s->line[i].odd = false;
        if (names && !bad && !open) s->width = s->fields.count;
        if (bad && first == 0) columns[0] = 0;
        if (bad) i = first;
        if (bad || open || names) continue;
        columns[first] = s->fields.count;
        s->line[first].odd = s->manner ? has_sentence(&s->kind, s->line[first].text, &s->fields) : stray;
    }
    vote_for_width(s, columns);
    return s->width > 1 && sure;
}

/* "1,5;eins Komma fünf": all commas are between digits. */
static bool is_decimal_table(lb_first_lines *s)
{
    bool table = is_table(s);
    for (int i = 0; i < s->count; i++) {
        const char *first = s->line[i].text.text, *end = first + s->line[i].text.length, *at = first;
        for (; (at = memchr(at, ',', (size_t)(end - at))) != NULL; at++)
            if (at == first || at + 1 == end || !lb_is_digit(at[-1]) || !lb_is_digit(at[1]))
                s->line[i].odd = true;
    }
    return table;
}

/* The text between the fields of a line is there again. */
static bool is_divided_twice(const lb_pair_kind *kind, lb_span line, const lb_fields *fields)
{
    size_t length = strlen(kind->between);
    int times = 0;
    (void)fields;
    for (size_t at = 0; at + length <= line.length; at++)
        times += memcmp(line.text + at, kind->between, length) == 0;
    return times > 1;
}

/* How the lines of a format look, and what to expect where one does not look so. */
typedef struct manner {
    bool (*is_odd)(const lb_pair_kind *kind, lb_span line, const lb_fields *fields);
    const char *expected;
} manner;

static const manner divided_once = {is_divided_twice, "what divides it once"},
                    no_sentences = {has_sentence, "no space after what divides it"},
                    probabilities = {lb_is_odd_lexiconp, "a word, a probability and symbols"},
                    phones = {lb_is_odd_cmudict, "sounds of CMUdict after a word"};

/* What is in no other file comes first, even if a few lines are otherwise. With tabs, it is TSV or one of the first. */
enum { WITH_TABS = 4, DISTINCT = 12 };

static const struct recogniser {
    const char *name;
    bool (*is)(lb_first_lines *); /* NULL: there are lines that the format divides */
    const manner *manner;         /* NULL: it has none */
} kinds[] = {
    {"jsonl", is_jsonl, NULL},
    {"conllu", NULL, NULL},
    {"scan", NULL, NULL},
    {"lexiconp", lb_is_lexiconp, &probabilities},
    {"lines: ||| ", NULL, &divided_once},
    {"lines: -> ", NULL, &divided_once},
    {"lists:->", NULL, &divided_once},
    {"lines: => ", NULL, &divided_once},
    {"lines:=>", NULL, &divided_once},
    {"lines: \xE2\x86\x92 ", NULL, &divided_once},
    {"lines:\xE2\x86\x92", NULL, &divided_once},
    {"csv:;", is_decimal_table, &no_sentences},
    {"csv", is_table, &no_sentences},
    {"csv:;", is_table, &no_sentences},
    {"cmudict", NULL, &phones},
    {"lines:~", NULL, &divided_once},
    {"lines:: ", NULL, &divided_once},
};

static lb_status set_kind(lb_first_lines *s, const char *name, lb_error *error)
{
    lb_pair_kind_free(&s->kind);
    lb_status status = lb_pair_kind_parse(name, &s->kind, error);
    int blanks = 0;
    for (int i = 0; i < s->count && !status && s->kind.row->quotes; i++) {
        bool all = lb_sample_divide(s, i) == LB_LINE_IS_FIELDS && s->fields.count > 1;
        for (int column = 1; column < s->fields.count; column++) {
            lb_span text = lb_field(&s->fields, column);
            all = all && text.length > 0 && *text.text == ' ';
        }
        blanks += all;
    }
    s->kind.blanks = blanks > 0 && s->count - blanks <= lb_few(s->count);
    return status;
}

/* What recognises a format, also one with other text between its columns. TSV is a table. */
static const struct recogniser *recogniser_of(const lb_pair_kind_row *row)
{
    const struct recogniser *at = kinds + sizeof kinds / sizeof *kinds;
    const char *name = row->tabs ? "csv" : row->name;
    size_t length = strlen(name);
    do at--;
    while (at > kinds && (strcspn(at->name, ":") != length || memcmp(at->name, name, length) != 0));
    return at;
}

const char *lb_odd_line_lacks(const lb_pair_kind *kind, lb_span line, const lb_fields *fields)
{
    const manner *is = recogniser_of(kind->row)->manner;
    return is && is->is_odd(kind, line, fields) ? is->expected : NULL;
}

/* How many lines may be unlike most. */
static int few(const lb_first_lines *s)
{
    return s->kind.row->members ? (s->count - 1) / 2 : lb_few(s->count);
}

/* Finds the lines that are unlike the kind of the sample. Returns how many; more than there are: it is another kind. */
static int find_odd(lb_first_lines *s, const struct recogniser *r)
{
    int odd = 0, good = 0;
    for (int i = 0; i < s->count; i++) {
        lb_sample_line *line = &s->line[i];
        lb_pair_line_is found = lb_sample_divide(s, i);
        bool fields = found == LB_LINE_IS_FIELDS, asked = fields && s->manner && r->manner;
        line->odd = found == LB_LINE_IS_BAD || (asked && r->manner->is_odd(&s->kind, line->text, &s->fields));
        good += fields && !line->odd;
    }
    bool is = r->is ? r->is(s) : good > 0;
    for (int i = 0; i < s->count; i++) odd += s->line[i].odd;
    return is ? odd : s->count + 1;
}

/* What divides a table, by its first line, which is then left out. */
static void take_divider(lb_first_lines *s, lb_recognised *found)
{
    char divider = s->count > 0 ? lb_csv_divider(s->line[0].text) : '\0';
    if (!divider) return;
    lb_sample_drop_first(s);
    if (*s->kind.between) return; /* given */
    snprintf(found->kind, sizeof found->kind, divider == '\t' ? "csv:tab" : "csv:%c", divider);
    found->recognised = true;
}

static lb_status find_kind(lb_first_lines *s, lb_recognised *found, lb_error *error)
{
    size_t count = s->count == 0 ? 0 : s->tabs ? WITH_TABS : sizeof kinds / sizeof *kinds;
    s->manner = true;
    for (size_t i = 0; i < 2 * count && !found->recognised; i++) { /* then again, as if all were distinct */
        const struct recogniser *r = &kinds[i % count];
        lb_status status = set_kind(s, r->name, error);
        if (status) return status;
        found->recognised = find_odd(s, r) <= (i < DISTINCT || i >= count ? few(s) : 0);
        if (!found->recognised) continue;
        memcpy(found->kind, r->name, strlen(r->name) + 1);
        found->look.last = s->line[s->count - 1].number;
    }
    s->manner = false;
    found->ambiguous = strcmp(found->kind, "csv") == 0 && !set_kind(s, "csv:;", error) &&
                       find_odd(s, recogniser_of(s->kind.row)) == 0;
    s->manner = found->recognised;
    return set_kind(s, found->kind, error);
}

/* What the lines would be in this format, without a header. */
static lb_status take_kind(lb_first_lines *s, const char *name, lb_recognised *found, lb_error *error)
{
    bool plain = lb_is_same_kind(name, "");
    snprintf(found->kind, sizeof found->kind, "%.*s", plain ? 0 : (int)lb_kind_length(name), name);
    return set_kind(s, found->kind, error);
}

/* A brace and a quote, even if they are of no object. */
static bool begins_object(lb_span line)
{
    return *line.text == '{' && (memchr(line.text, '"', line.length) || memchr(line.text, '\'', line.length));
}

/* Whether the name of a file says that its lines are objects, and one looks so, or the training had names. */
static bool is_named_jsonl(const lb_first_lines *s, const char *name, bool no_target)
{
    const char *last = lb_os_name_of(name);
    bool may = no_target ? *s->usual->source_name != '\0' : s->count == 0;
    for (int i = 0; i < s->count; i++) may = may || begins_object(s->line[i].text);
    return may && (strstr(last, ".json") || strstr(last, ".ndjson"));
}

/* Whether a sound of CMUdict behind the word is a vowel. Letters, as in "T V", are only consonants of it. */
static bool has_vowel(lb_span line)
{
    for (size_t i = 1; i < line.length; i++)
        if (line.text[i - 1] == ' ' && line.text[i] && strchr("AEIOU", line.text[i])) return true;
    return false;
}

/* Whether the first line of sources is one of this format. Sentences have commas, too. */
static bool looks_usual(lb_first_lines *s)
{
    const lb_pair_kind_row *row = s->kind.row;
    if (s->count == 0 || row->tabs) return false;
    if (row->quotes) return lb_columns_have_header(s, false);
    if (strcmp(row->name, "cmudict") == 0 && !has_vowel(s->line[0].text)) return false;
    s->manner = true;
    return find_odd(s, recogniser_of(row)) == 0 || (row->members && begins_object(s->line[0].text)) ||
           lb_sample_divide(s, 0) == LB_LINE_IS_COMMENT;
}

/* Lines without targets are texts, unless the first line looks like one of the usual format, or has the usual names. */
static lb_status try_usual(lb_first_lines *s, lb_recognised *found, lb_error *error)
{
    static const char *const with_names[] = {"jsonl", "csv", "csv:;"};
    lb_status status = take_kind(s, s->usual->kind, found, error);
    found->recognised = !status && looks_usual(s);
    for (size_t i = 0; i < sizeof with_names / sizeof *with_names && !status && !found->recognised; i++) {
        if (s->count == 0 || !*s->usual->source_name || (i == 0 && *s->line[0].text.text != '{')) continue;
        status = take_kind(s, with_names[i], found, error);
        found->recognised = !status && lb_columns_have_header(s, true);
    }
    return status || found->recognised ? status : take_kind(s, "", found, error);
}

/* The texts of a file that is named a table are a column of it. */
static lb_status take_table(lb_first_lines *s, const char *name, lb_recognised *found, lb_error *error)
{
    if (!lb_ends_with(name, ".csv") || s->count == 0) return LB_OK;
    const lb_span line = s->line[0].text;
    bool other = memchr(line.text, ';', line.length) && !memchr(line.text, ',', line.length);
    found->recognised = true;
    return take_kind(s, other ? "csv:;" : "csv", found, error);
}

static lb_status choose_kind(lb_first_lines *s, const char *name, const lb_pair_format *format,
                             lb_recognised *found, lb_error *error)
{
    bool given = format->kind && *format->kind;
    found->recognised = !given && is_named_jsonl(s, name, format->no_target);
    if (found->recognised) return take_kind(s, "jsonl", found, error);
    if (format->no_target && !given) {
        lb_status status = try_usual(s, found, error);
        return status || found->recognised ? status : take_table(s, name, found, error);
    }
    lb_status status = given ? set_kind(s, format->kind, error) : LB_OK;
    if (!given || s->kind.row->quotes) take_divider(s, found);
    if (given || status) return status;
    status = find_kind(s, found, error);
    if (status || *found->kind) return status;
    /* A file that looks like nothing in particular may be of the usual format, if both have tabs, or none. */
    status = take_kind(s, s->usual->kind, found, error);
    return status || s->kind.row->tabs == s->tabs ? status : take_kind(s, "", found, error);
}

/* Leaves lines that are unlike most out of the sample, unless they are too many. */
static void leave_odd_out(lb_first_lines *s, lb_recognised *found)
{
    int count = s->count, odd = find_odd(s, recogniser_of(s->kind.row));
    bool table = s->kind.row->quotes || s->kind.row->tabs;
    if (odd > 0 && table) found->look.width = odd > few(s) ? LB_WIDTH_VARIES : s->width;
    if (odd == 0 || odd > few(s)) return;
    s->count = 0;
    for (int i = 0; i < count; i++)
        if (!s->line[i].odd) s->line[s->count++] = s->line[i];
}

lb_status lb_recognise(const char *name, const char *text, size_t length, bool whole,
                       const lb_pair_format *format, lb_recognised *found, lb_error *error)
{
    static const lb_pair_columns none = {0};
    *found = (lb_recognised){0};
    lb_first_lines *s = lb_alloc_zero(sizeof *s);
    if (!s) return lb_no_memory(error, "the first lines");
    s->usual = format->usual ? format->usual : &none;
    s->least = format->no_target ? 1 : 2;
    take_lines(s, text, length, whole);
    const int count = s->count;
    if (format->no_target && s->count > 1) s->count = 1;
    lb_status status = choose_kind(s, name, format, found, error);
    found->blanks = s->kind.blanks;
    if (!status && s->kind.row->members) s->count = count; /* the first object has the members */
    if (!status && s->count > 0) leave_odd_out(s, found);
    if (!status) lb_columns_find(s, format, found);
    if (!status && (s->fields.text.failed || found->names.text.failed))
        status = lb_no_memory(error, "the first lines");
    lb_pair_kind_free(&s->kind);
    lb_release(s->fields.text.text);
    lb_release(s);
    return status;
}
