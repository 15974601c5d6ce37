#include "data/formats/pair_kind.h"
#include "data/text/symbols.h"

#include "base/bytes.h"
#include "base/format.h"

#include <stdio.h>
#include <string.h>

static const char HEADER[] = LB_PAIR_KIND_HEADER, TAB[] = "tab", PLAIN[] = "tsv";

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t';
}

static lb_pair_line_is split_tabs(lb_pair_kind *kind, const char *line, size_t length, lb_fields *fields)
{
    const char *at = line, *end = line + length, *stop;
    (void)kind;
    for (; (stop = memchr(at, '\t', (size_t)(end - at))) != NULL; at = stop + 1)
        lb_fields_add(fields, at, (size_t)(stop - at));
    lb_fields_add(fields, at, (size_t)(end - at));
    return LB_LINE_IS_FIELDS;
}

/* Adds a quoted field, from `at` inside it on. Returns its end; NULL: it goes on in the next line. */
static const char *read_quoted(const char *at, const char *end, lb_fields *fields)
{
    for (;;) {
        const char *quote = memchr(at, '"', (size_t)(end - at));
        lb_buffer_add(&fields->text, at, (size_t)((quote ? quote : end) - at));
        if (!quote) return NULL;
        at = quote + 1;
        if (at == end || *at != '"') return at;
        lb_buffer_add(&fields->text, at++, 1);
    }
}

/* Divides a line of CSV; where `open`, it goes on with a quoted field. Source: RFC 4180. */
static lb_pair_line_is split_quoted(const lb_pair_kind *kind, const char *line, size_t length, bool open,
                                    lb_fields *fields)
{
    const char between = *kind->between;
    const char *at = line, *end = line + length;
    bool stray = false;
    for (;;) {
        bool quoted = open || (at < end && *at == '"');
        if (quoted) at = read_quoted(open ? at : at + 1, end, fields);
        if (!at) return LB_LINE_IS_OPEN;
        open = false;
        const char *stop = memchr(at, between, (size_t)(end - at));
        stray = stray || (quoted && at < (stop ? stop : end));
        lb_fields_add(fields, at, (size_t)((stop ? stop : end) - at));
        if (!stop) return stray ? LB_LINE_IS_STRAY : LB_LINE_IS_FIELDS;
        at = stop + 1;
        while (kind->blanks && at < end && *at == ' ') at++;
    }
}

static lb_pair_line_is split_csv(lb_pair_kind *kind, const char *line, size_t length, lb_fields *fields)
{
    return split_quoted(kind, line, length, false, fields);
}

/* A text without the blanks around it. */
static lb_span trimmed(const char *text, size_t length)
{
    while (length > 0 && is_blank(*text)) text++, length--;
    while (length > 0 && is_blank(text[length - 1])) length--;
    return (lb_span){text, length};
}

/* Adds a field without the blanks around it. */
static void add_trimmed(lb_fields *fields, const char *text, size_t length)
{
    lb_span field = trimmed(text, length);
    lb_fields_add(fields, field.text, field.length);
}

/* Divides a line where the text between its fields occurs first. */
static lb_pair_line_is split_at(const lb_pair_kind *kind, const char *line, size_t length, lb_fields *fields,
                                const char **rest)
{
    lb_pieces pieces = {.at = line, .end = line + length, .separator = kind->between};
    (void)lb_pieces_next(&pieces, &line, &length);
    *rest = pieces.at;
    add_trimmed(fields, line, length);
    return *rest ? LB_LINE_IS_FIELDS : LB_LINE_IS_BAD;
}

static lb_pair_line_is split_line(lb_pair_kind *kind, const char *line, size_t length, lb_fields *fields)
{
    const char *rest;
    if (split_at(kind, line, length, fields, &rest)) return LB_LINE_IS_BAD;
    add_trimmed(fields, rest, length - (size_t)(rest - line));
    return LB_LINE_IS_FIELDS;
}

/* Several right answers have commas between them; behind the last one, there may be a comma, too. */
static lb_pair_line_is split_list(lb_pair_kind *kind, const char *line, size_t length, lb_fields *fields)
{
    static const char or = LB_FIELDS_OR;
    const char *rest, *answer;
    size_t count;
    if (split_at(kind, line, length, fields, &rest)) return LB_LINE_IS_BAD;
    lb_pieces answers = lb_pieces_of(rest, length - (size_t)(rest - line), ",");
    for (bool first = true; lb_pieces_next(&answers, &answer, &count);) {
        lb_span text = trimmed(answer, count);
        if (text.length == 0) continue;
        if (!first) lb_buffer_add(&fields->text, & or, 1);
        lb_buffer_add(&fields->text, text.text, text.length);
        first = false;
    }
    lb_fields_end(fields);
    return LB_LINE_IS_FIELDS;
}

/* The length of a word without the number of a variant, "read(2)". */
static size_t without_variant(const char *word, size_t length)
{
    size_t at = length;
    if (length < 4 || word[length - 1] != ')') return length;
    at--;
    while (at > 0 && word[at - 1] >= '0' && word[at - 1] <= '9') at--;
    return at > 1 && at < length - 1 && word[at - 1] == '(' ? at - 1 : length;
}

/* "READ(2)  R EH1 D # comment". Source: CMUdict, https://github.com/cmusphinx/cmudict */
static lb_pair_line_is split_cmudict(lb_pair_kind *kind, const char *line, size_t length, lb_fields *fields)
{
    (void)kind;
    if (length >= 3 && memcmp(line, ";;;", 3) == 0) return LB_LINE_IS_COMMENT;
    lb_pieces pieces = {.at = line, .end = line + length, .separator = " #"};
    (void)lb_pieces_next(&pieces, &line, &length); /* a comment follows */
    size_t word = 0;
    while (word < length && !is_blank(line[word])) word++;
    lb_fields_add(fields, line, without_variant(line, word));
    if (word == length) return LB_LINE_IS_FIELDS;
    add_trimmed(fields, line + word, length - word);
    return LB_LINE_IS_FIELDS;
}

/* Adds a word up to the next blank, behind the blanks in front of it. Returns what follows. */
static const char *add_word(lb_fields *fields, const char *at, const char *end)
{
    while (at < end && is_blank(*at)) at++;
    const char *stop = at;
    while (stop < end && !is_blank(*stop)) stop++;
    lb_fields_add(fields, at, (size_t)(stop - at));
    return stop;
}

/* "read 0.4 R EH D", with blanks or tabs. Source: Kaldi, https://kaldi-asr.org/doc/data_prep.html */
static lb_pair_line_is split_lexiconp(lb_pair_kind *kind, const char *line, size_t length, lb_fields *fields)
{
    const char *end = line + length, *at = add_word(fields, line, end);
    (void)kind;
    at = add_word(fields, at, end);
    add_trimmed(fields, at, (size_t)(end - at));
    return LB_LINE_IS_FIELDS;
}

/* A word has ten columns, and gets an 11th with its part of speech and its features. Ranges of words, "2-3", and words
 * that are not there, "5.1", repeat what other lines have. Source: https://universaldependencies.org/format.html */
static lb_pair_line_is split_conllu(lb_pair_kind *kind, const char *line, size_t length, lb_fields *fields)
{
    enum { COLUMNS = 10, SPEECH = 3, FEATURES = 5 };
    if (length > 0 && *line == '#') return LB_LINE_IS_COMMENT;
    split_tabs(kind, line, length, fields);
    lb_span id = lb_field(fields, 0);
    size_t digits = 0;
    while (digits < id.length && strchr("0123456789-.", id.text[digits])) digits++;
    bool word = digits == id.length && digits > 0;
    if (word && (memchr(id.text, '-', digits) || memchr(id.text, '.', digits))) return LB_LINE_IS_ASIDE;
    if (!word || fields->count != COLUMNS) {
        snprintf(kind->why, sizeof kind->why, "found %d column%s%s, expected %d with a number in the first",
                 fields->count, lb_plural(fields->count), word ? "" : " without it", COLUMNS);
        return LB_LINE_IS_BAD;
    }
    const size_t *end = fields->end;
    lb_span speech = {line + end[SPEECH - 1] + SPEECH, end[SPEECH] - end[SPEECH - 1]},
            features = {line + end[FEATURES - 1] + FEATURES, end[FEATURES] - end[FEATURES - 1]};
    bool none = features.length == 1 && *features.text == *kind->row->nothing;
    lb_buffer_add(&fields->text, speech.text, speech.length);
    if (!none) {
        lb_buffer_add(&fields->text, kind->row->features, 1);
        lb_buffer_add(&fields->text, features.text, features.length);
    }
    lb_fields_end(fields);
    return LB_LINE_IS_FIELDS;
}

/* "IN: jump twice OUT: JUMP JUMP". Source: SCAN, https://github.com/brendenlake/SCAN */
static lb_pair_line_is split_scan(lb_pair_kind *kind, const char *line, size_t length, lb_fields *fields)
{
    static const char in[] = "IN:";
    while (length > 0 && is_blank(*line)) line++, length--;
    if (length < sizeof in || memcmp(line, in, sizeof in - 1) != 0) {
        snprintf(kind->why, sizeof kind->why, "found no %s, expected IN: and OUT:", in);
        return LB_LINE_IS_BAD;
    }
    return split_line(kind, line + sizeof in - 1, length - (sizeof in - 1), fields);
}

const lb_pair_kind_row lb_pair_kinds[] = {
    {"tsv", "\t", .plain = true, .tabs = true, .split = split_tabs},
    {"csv", ",", .choice = true, .quotes = true, .split = split_csv},
    {"cmudict", " ", .split = split_cmudict, .target_separator = " "},
    {"lexiconp", " ", .split = split_lexiconp, .target_separator = " ", .source = 1, .weight = 2,
     .target = 3},
    {"unimorph", "\t", .tabs = true, .split = split_tabs},
    {"conllu", "\t", .split = split_conllu, .features = "|", .nothing = "_", .source = 2, .target = 3},
    {"jsonl", "", .members = true, .split = lb_json_split},
    {"scan", "OUT:", .split = split_scan, .source_separator = " ", .target_separator = " "},
    {"lines", NULL, .choice = true, .split = split_line},
    {"lists", NULL, .choice = true, .split = split_list},
    {0},
};

static lb_status unknown(const char *name, lb_error *error)
{
    char names[LB_MESSAGE_LENGTH / 2] = "";
    size_t length = 0;
    for (const lb_pair_kind_row *row = lb_pair_kinds; row->name && length < sizeof names; row++)
        if (row->between)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s, ", row->name);
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "unknown format \"%.40s\", expected %slines:TEXT or lists:TEXT, maybe with +header "
                        "after it",
                        name, names);
}

static const lb_pair_kind_row *row_named(const char *name, size_t length)
{
    const lb_pair_kind_row *row = lb_pair_kinds;
    while (row->name && (strlen(row->name) != length || memcmp(row->name, name, length) != 0)) row++;
    return row->name ? row : NULL;
}

lb_status lb_pair_kind_parse(const char *name, lb_pair_kind *kind, lb_error *error)
{
    if (!name || !*name) name = PLAIN;
    *kind = (lb_pair_kind){.row = lb_pair_kinds};
    size_t length = strlen(name), ending = sizeof HEADER - 1;
    if (length >= LB_PAIR_KIND_NAME) return unknown(name, error);
    kind->header = length > ending && strcmp(name + length - ending, HEADER) == 0;
    if (kind->header) length -= ending;
    const char *colon = memchr(name, ':', length);
    const size_t word = colon ? (size_t)(colon - name) : length, between = colon ? length - word - 1 : 0;
    const lb_pair_kind_row *row = row_named(name, word);
    if (!row || (colon ? !row->choice || between == 0 : !row->between)) return unknown(name, error);
    const bool tab = between == sizeof TAB - 1 && memcmp(colon + 1, TAB, between) == 0;
    if (row->quotes && between > 1 && !tab) return unknown(name, error);
    kind->row = row;
    const char *text = row->quotes && tab ? "\t" : colon ? colon + 1 : row->between;
    snprintf(kind->between, sizeof kind->between, "%.*s", colon ? (int)between : (int)strlen(text), text);
    return LB_OK;
}

void lb_pair_kind_free(lb_pair_kind *kind)
{
    lb_release(kind->keys.text.text);
    *kind = (lb_pair_kind){0};
}

lb_pair_line_is lb_pair_kind_split(lb_pair_kind *kind, const char *line, size_t length, bool open,
                                   lb_fields *fields)
{
    if (open) return split_quoted(kind, line, length, true, fields);
    lb_fields_clear(fields);
    *kind->why = '\0';
    lb_pair_line_is found = kind->row->split(kind, line, length, fields);
    if (found == LB_LINE_IS_BAD && !*kind->why)
        snprintf(kind->why, sizeof kind->why, "found 1 column, expected 2, separated by \"%s\"",
                 kind->between);
    return found;
}

bool lb_span_number(lb_span text, double most, double *number)
{
    enum { LONGEST = 48 };
    char copy[LONGEST], *end;
    if (text.length == 0 || text.length >= LONGEST || strspn(text.text, "0123456789.eE+-") < text.length)
        return false;
    memcpy(copy, text.text, text.length);
    copy[text.length] = '\0';
    *number = lb_strtod(copy, &end);
    return *end == '\0' && *number >= 0 && *number <= most;
}

char lb_csv_divider(const char *line, size_t length)
{
    static const char begins[] = "sep=";
    bool is = length == sizeof begins && lb_same_letters(line, begins, length - 1);
    return is ? line[length - 1] : '\0';
}
