#include "data/formats/pair_kind.h"
#include "data/text/symbols.h"

#include "base/format.h"

#include <stdio.h>
#include <string.h>

static const char BLANKS[] = " \t";

static lb_pair_line_is split_tabs(lb_pair_kind *kind, lb_span line, lb_fields *fields)
{
    lb_span field;
    lb_pieces pieces = lb_pieces_at(line, "\t");
    (void)kind;
    while (lb_pieces_next(&pieces, &field)) lb_fields_add(fields, field);
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
static lb_pair_line_is split_quoted(const lb_pair_kind *kind, lb_span line, bool open, lb_fields *fields)
{
    const char between = *kind->between;
    const char *at = line.text, *end = at + line.length;
    bool stray = false;
    for (;;) {
        bool quoted = open || (at < end && *at == '"');
        if (quoted) at = read_quoted(open ? at : at + 1, end, fields);
        if (!at) return LB_LINE_IS_OPEN;
        open = false;
        const char *stop = memchr(at, between, (size_t)(end - at));
        stray = stray || (quoted && at < (stop ? stop : end));
        lb_fields_add(fields, (lb_span){at, (size_t)((stop ? stop : end) - at)});
        if (!stop) return stray ? LB_LINE_IS_STRAY : LB_LINE_IS_FIELDS;
        at = stop + 1;
        while (kind->blanks && at < end && *at == ' ') at++;
    }
}

static lb_pair_line_is split_csv(lb_pair_kind *kind, lb_span line, lb_fields *fields)
{
    return split_quoted(kind, line, false, fields);
}

/* Adds what is in front of the first text between fields, and leaves the rest of the line. */
static lb_pair_line_is split_at(const lb_pair_kind *kind, lb_span *line, lb_fields *fields)
{
    lb_span field;
    lb_pieces pieces = lb_pieces_at(*line, kind->between);
    (void)lb_pieces_next(&pieces, &field);
    lb_fields_add(fields, lb_span_trim(field, BLANKS));
    if (!pieces.at) return LB_LINE_IS_BAD;
    *line = (lb_span){pieces.at, (size_t)(pieces.end - pieces.at)};
    return LB_LINE_IS_FIELDS;
}

static lb_pair_line_is split_line(lb_pair_kind *kind, lb_span line, lb_fields *fields)
{
    if (split_at(kind, &line, fields)) return LB_LINE_IS_BAD;
    lb_fields_add(fields, lb_span_trim(line, BLANKS));
    return LB_LINE_IS_FIELDS;
}

/* Several right answers have commas between them; behind the last one, there may be a comma, too. */
static lb_pair_line_is split_list(lb_pair_kind *kind, lb_span line, lb_fields *fields)
{
    static const char or = LB_FIELDS_OR;
    lb_span text;
    if (split_at(kind, &line, fields)) return LB_LINE_IS_BAD;
    lb_pieces answers = lb_pieces_of(line, ",");
    for (bool first = true; lb_pieces_next(&answers, &text);) {
        text = lb_span_trim(text, BLANKS);
        if (text.length == 0) continue;
        if (!first) lb_buffer_add(&fields->text, & or, 1);
        lb_buffer_add(&fields->text, text.text, text.length);
        first = false;
    }
    lb_fields_end(fields);
    return LB_LINE_IS_FIELDS;
}

/* The word up to the next blank, which is taken off a line. */
static lb_span take_word(lb_span *line)
{
    lb_span word = {line->text, 0};
    while (word.length < line->length && !memchr(BLANKS, word.text[word.length], sizeof BLANKS - 1))
        word.length++;
    line->text += word.length;
    line->length -= word.length;
    return word;
}

/* A word without the number of a variant, "read(2)". */
static lb_span without_variant(lb_span word)
{
    size_t at = word.length - 1;
    if (word.length < 4 || word.text[at] != ')') return word;
    while (at > 0 && word.text[at - 1] >= '0' && word.text[at - 1] <= '9') at--;
    bool variant = at > 1 && at < word.length - 1 && word.text[at - 1] == '(';
    return (lb_span){word.text, variant ? at - 1 : word.length};
}

/* "READ(2)  R EH1 D # comment". Source: CMUdict, https://github.com/cmusphinx/cmudict */
static lb_pair_line_is split_cmudict(lb_pair_kind *kind, lb_span line, lb_fields *fields)
{
    (void)kind;
    if (line.length >= 3 && memcmp(line.text, ";;;", 3) == 0) return LB_LINE_IS_COMMENT;
    lb_pieces pieces = lb_pieces_at(line, " #");
    (void)lb_pieces_next(&pieces, &line); /* a comment follows */
    lb_fields_add(fields, without_variant(take_word(&line)));
    if (line.length > 0) lb_fields_add(fields, lb_span_trim(line, BLANKS));
    return LB_LINE_IS_FIELDS;
}

/* "read 0.4 R EH D", with blanks or tabs. Source: Kaldi, https://kaldi-asr.org/doc/data_prep.html */
static lb_pair_line_is split_lexiconp(lb_pair_kind *kind, lb_span line, lb_fields *fields)
{
    (void)kind;
    for (int i = 0; i < 2; i++) {
        line = lb_span_trim(line, BLANKS);
        lb_fields_add(fields, take_word(&line));
    }
    lb_fields_add(fields, lb_span_trim(line, BLANKS));
    return LB_LINE_IS_FIELDS;
}

/* A word has ten columns, and gets an 11th with its part of speech and its features. Ranges of words, "2-3", and words
 * that are not there, "5.1", repeat what other lines have. Source: https://universaldependencies.org/format.html */
static lb_pair_line_is split_conllu(lb_pair_kind *kind, lb_span line, lb_fields *fields)
{
    enum { COLUMNS = 10, SPEECH = 3, FEATURES = 5 };
    if (line.length > 0 && *line.text == '#') return LB_LINE_IS_COMMENT;
    split_tabs(kind, line, fields);
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
    lb_span speech = {line.text + end[SPEECH - 1] + SPEECH, end[SPEECH] - end[SPEECH - 1]},
            features = {line.text + end[FEATURES - 1] + FEATURES, end[FEATURES] - end[FEATURES - 1]};
    bool none = lb_span_is(features, kind->row->nothing);
    lb_buffer_add(&fields->text, speech.text, speech.length);
    if (!none) {
        lb_buffer_add(&fields->text, kind->row->features, 1);
        lb_buffer_add(&fields->text, features.text, features.length);
    }
    lb_fields_end(fields);
    return LB_LINE_IS_FIELDS;
}

/* "IN: jump twice OUT: JUMP JUMP". Source: SCAN, https://github.com/brendenlake/SCAN */
static lb_pair_line_is split_scan(lb_pair_kind *kind, lb_span line, lb_fields *fields)
{
    static const char in[] = "IN:";
    while (line.length > 0 && memchr(BLANKS, *line.text, sizeof BLANKS - 1)) line.text++, line.length--;
    if (line.length < sizeof in || memcmp(line.text, in, sizeof in - 1) != 0) {
        snprintf(kind->why, sizeof kind->why, "found no %s, expected IN: and OUT:", in);
        return LB_LINE_IS_BAD;
    }
    return split_line(kind, (lb_span){line.text + sizeof in - 1, line.length - (sizeof in - 1)}, fields);
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

lb_status lb_pair_kind_parse(const char *name, lb_pair_kind *kind, lb_error *error)
{
    const lb_pair_kind_row *row = lb_pair_kinds;
    *kind = (lb_pair_kind){.row = row};
    if (!name || !*name) name = row->name;
    size_t length = strlen(name), ending = strlen(LB_PAIR_KIND_HEADER);
    if (length >= LB_PAIR_KIND_NAME) return unknown(name, error);
    kind->header = length > ending && lb_ends_with(name, LB_PAIR_KIND_HEADER);
    if (kind->header) length -= ending;
    const char *colon = memchr(name, ':', length);
    const lb_span word = {name, colon ? (size_t)(colon - name) : length};
    lb_span between = {name + word.length + 1, colon ? length - word.length - 1 : 0};
    while (row->name && !lb_span_is(word, row->name)) row++;
    if (!row->name || (colon ? !row->choice || between.length == 0 : !row->between))
        return unknown(name, error);
    if (row->quotes && lb_span_is(between, "tab")) between = lb_span_of("\t");
    if (row->quotes && between.length > 1) return unknown(name, error);
    kind->row = row;
    if (!colon) between = lb_span_of(row->between);
    snprintf(kind->between, sizeof kind->between, "%.*s", (int)between.length, between.text);
    return LB_OK;
}

void lb_pair_kind_free(lb_pair_kind *kind)
{
    lb_release(kind->keys.text.text);
    *kind = (lb_pair_kind){0};
}

lb_pair_line_is lb_pair_kind_split(lb_pair_kind *kind, lb_span line, bool open, lb_fields *fields)
{
    if (open) return split_quoted(kind, line, true, fields);
    lb_fields_clear(fields);
    *kind->why = '\0';
    lb_pair_line_is found = kind->row->split(kind, line, fields);
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

char lb_csv_divider(lb_span line)
{
    static const char begins[] = "sep=";
    bool is = line.length == sizeof begins && lb_same_letters(line.text, begins, line.length - 1);
    return is ? line.text[line.length - 1] : '\0';
}
