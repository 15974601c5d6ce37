#include "data/formats/pair_kind.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

static const char HEADER[] = "+header", TAB[] = "tab", PLAIN[] = "tsv";

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t';
}

static const char *find(const char *line, size_t length, const char *text)
{
    size_t count = strlen(text);
    for (const char *at = line; (size_t)(at - line) + count <= length; at++)
        if (memcmp(at, text, count) == 0) return at;
    return NULL;
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

static lb_pair_line_is split_csv(lb_pair_kind *kind, const char *line, size_t length, lb_fields *fields)
{
    return lb_csv_split(*kind->between, line, length, false, fields);
}

static lb_pair_line_is split_json(lb_pair_kind *kind, const char *line, size_t length, lb_fields *fields)
{
    return lb_json_split(&kind->keys, line, length, fields);
}

/* Without blanks around it. */
static void add_trimmed(lb_fields *fields, const char *text, size_t length)
{
    while (length > 0 && is_blank(*text)) text++, length--;
    while (length > 0 && is_blank(text[length - 1])) length--;
    lb_buffer_add(&fields->text, text, length);
}

/* At its first occurrence. */
static lb_pair_line_is split_at(const lb_pair_kind *kind, const char *line, size_t length, lb_fields *fields,
                                const char **rest)
{
    const char *at = find(line, length, kind->between);
    *rest = at ? at + strlen(kind->between) : NULL;
    add_trimmed(fields, line, at ? (size_t)(at - line) : length);
    lb_fields_end(fields);
    return at ? LB_LINE_IS_FIELDS : LB_LINE_IS_BAD;
}

static lb_pair_line_is split_line(lb_pair_kind *kind, const char *line, size_t length, lb_fields *fields)
{
    const char *rest;
    if (split_at(kind, line, length, fields, &rest)) return LB_LINE_IS_BAD;
    add_trimmed(fields, rest, length - (size_t)(rest - line));
    lb_fields_end(fields);
    return LB_LINE_IS_FIELDS;
}

/* Several right answers with commas between them; behind the last one, there may be a comma, too. */
static lb_pair_line_is split_list(lb_pair_kind *kind, const char *line, size_t length, lb_fields *fields)
{
    static const char or = LB_FIELDS_OR;
    const char *at, *end = line + length;
    if (split_at(kind, line, length, fields, &at)) return LB_LINE_IS_BAD;
    for (bool first = true; at < end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
        size_t before = fields->text.length;
        if (!first) lb_buffer_add(&fields->text, & or, 1);
        size_t begin = fields->text.length;
        add_trimmed(fields, at, (size_t)(stop - at));
        if (fields->text.length == begin)
            fields->text.length = before;
        else
            first = false;
        at = comma ? stop + 1 : end;
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
    const char *comment = find(line, length, " #");
    if (comment) length = (size_t)(comment - line);
    size_t word = 0;
    while (word < length && !is_blank(line[word])) word++;
    lb_fields_add(fields, line, without_variant(line, word));
    if (word == length) return LB_LINE_IS_FIELDS;
    add_trimmed(fields, line + word, length - word);
    lb_fields_end(fields);
    return LB_LINE_IS_FIELDS;
}

static const lb_pair_kind_row rows[] = {
    {"tsv", "\t", false, NULL, split_tabs},      {"csv", ",", true, NULL, split_csv},
    {"cmudict", " ", false, " ", split_cmudict}, {"unimorph", "\t", false, NULL, split_tabs},
    {"jsonl", "", false, NULL, split_json},      {"lines", NULL, true, NULL, split_line},
    {"lists", NULL, true, NULL, split_list},
};

static lb_status unknown(const char *name, lb_error *error)
{
    return lb_error_set(
        error, LB_ERROR_ARGUMENT,
        "unknown format \"%.40s\", expected tsv, csv, cmudict, unimorph, jsonl, lines:TEXT or "
        "lists:TEXT, maybe with +header behind it",
        name);
}

lb_status lb_pair_kind_parse(const char *name, lb_pair_kind *kind, lb_error *error)
{
    if (!name || !*name) name = PLAIN;
    *kind = (lb_pair_kind){.row = rows};
    size_t length = strlen(name), ending = sizeof HEADER - 1;
    if (length >= LB_PAIR_KIND_NAME) return unknown(name, error);
    kind->header = length > ending && strcmp(name + length - ending, HEADER) == 0;
    if (kind->header) length -= ending;
    const char *colon = memchr(name, ':', length);
    size_t word = colon ? (size_t)(colon - name) : length;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kind->row = &rows[i];
        if (strlen(rows[i].name) != word || memcmp(rows[i].name, name, word) != 0) continue;
        size_t between = colon ? length - word - 1 : 0;
        if ((colon && (!rows[i].choice || between == 0)) || (!colon && !rows[i].between)) break;
        bool tab = between == sizeof TAB - 1 && memcmp(colon + 1, TAB, between) == 0;
        if (rows[i].split == split_csv && between > 1 && !tab) break;
        if (rows[i].split == split_csv && tab) {
            *kind->between = '\t';
            return LB_OK;
        }
        snprintf(kind->between, sizeof kind->between, "%.*s",
                 colon ? (int)between : (int)strlen(rows[i].between), colon ? colon + 1 : rows[i].between);
        return LB_OK;
    }
    return unknown(name, error);
}

void lb_pair_kind_free(lb_pair_kind *kind)
{
    lb_release(kind->keys.text.text);
    *kind = (lb_pair_kind){0};
}

bool lb_pair_kind_is_plain(const lb_pair_kind *kind)
{
    return strcmp(kind->row->name, PLAIN) == 0 && !kind->header;
}

bool lb_pair_kind_has_tabs(const lb_pair_kind *kind)
{
    return kind->row->split == split_tabs;
}

lb_pair_line_is lb_pair_kind_split(lb_pair_kind *kind, const char *line, size_t length, bool open,
                                   lb_fields *fields)
{
    if (open) return lb_csv_split(*kind->between, line, length, true, fields);
    lb_fields_clear(fields);
    return kind->row->split(kind, line, length, fields);
}
