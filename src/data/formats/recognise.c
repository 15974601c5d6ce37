#include "data/formats/recognise.h"

#include "base/alloc.h"
#include "lookback/base.h"

#include <string.h>

enum { MOST_LINES = 500 };

typedef struct span {
    const char *text;
    size_t length;
} span;

/* The first lines with a text. */
typedef struct sample {
    span line[MOST_LINES];
    int count;
    int header; /* 1: the first one has names */
    int least;  /* columns of a line: 2, or 1 without targets */
    bool tabs;  /* one of them has a tab */
    const lb_pair_columns *usual;
    lb_pair_kind kind;
    lb_fields fields; /* of the last line that was divided */
} sample;

/* A BOM is not part of the first line, and a line that may be cut is none. */
static void take_lines(sample *s, const char *text, size_t length, bool whole)
{
    const char *at = text, *end = text + length;
    if (lb_pair_line_has_mark(at, length)) at += LB_PAIR_LINE_MARK;
    while (at < end && s->count < MOST_LINES) {
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

static bool is_small(char letter)
{
    return letter >= 'a' && letter <= 'z';
}

static bool is_capital(char letter)
{
    return letter >= 'A' && letter <= 'Z';
}

static char small(char letter)
{
    return is_capital(letter) ? (char)(letter - 'A' + 'a') : letter;
}

static bool is_one_of(span word, const char *const *words)
{
    for (; *words; words++) {
        size_t i = 0;
        while (i < word.length && (*words)[i] && small(word.text[i]) == small((*words)[i])) i++;
        if (i == word.length && !(*words)[i]) return true;
    }
    return false;
}

/* The phones of CMUdict, without the digit of a stress. */
static bool is_phone(span word)
{
    static const char *const phones[] = {"aa", "ae", "ah", "ao", "aw", "ax", "ay", "b",  "ch", "d", "dh",
                                         "eh", "er", "ey", "f",  "g",  "hh", "ih", "iy", "jh", "k", "l",
                                         "m",  "n",  "ng", "ow", "oy", "p",  "r",  "s",  "sh", "t", "th",
                                         "uh", "uw", "v",  "w",  "y",  "z",  "zh", NULL};
    bool stressed = word.length > 1 && word.text[word.length - 1] >= '0' && word.text[word.length - 1] <= '2';
    for (size_t i = 0; i < word.length; i++)
        if (is_small(word.text[i])) return false;
    return is_one_of((span){word.text, word.length - stressed}, phones);
}

static span field(const sample *s, int number)
{
    span found;
    found.text = lb_field(&s->fields, number, &found.length);
    return found;
}

static bool are_phones(span text)
{
    const char *at = text.text, *end = at + text.length;
    while (at < end) {
        const char *blank = memchr(at, ' ', (size_t)(end - at)), *stop = blank ? blank : end;
        if (stop > at && !is_phone((span){at, (size_t)(stop - at)})) return false;
        at = blank ? stop + 1 : end;
    }
    return text.length > 0;
}

/* Divides a line; only what the kind makes of it counts. */
static lb_pair_line_is divide(sample *s, int line)
{
    return lb_pair_kind_split(&s->kind, s->line[line].text, s->line[line].length, false, &s->fields);
}

static bool is_cmudict(sample *s)
{
    int words = 0;
    for (int i = 0; i < s->count; i++) {
        lb_pair_line_is found = divide(s, i);
        if (found == LB_LINE_IS_COMMENT) continue;
        if (s->fields.count != 2 || !are_phones(field(s, 1))) return false;
        words++;
    }
    return words > 0;
}

static bool is_jsonl(sample *s)
{
    for (int i = 0; i < s->count; i++)
        if (*s->line[i].text != '{' || divide(s, i) != LB_LINE_IS_FIELDS || s->fields.count < s->least)
            return false;
    return true;
}

/* A comma of a sentence has a blank or the end of the line behind it. */
static bool has_sentence(const sample *s)
{
    for (int i = 1; i < s->fields.count; i++) {
        span text = field(s, i);
        if (text.length > 0 ? *text.text == ' ' : s->fields.count == 2) return true;
    }
    return false;
}

static bool is_name(span text, const char *name)
{
    const char *const words[] = {name, NULL};
    return *name && is_one_of(text, words);
}

/* Two of its fields are names of columns. */
static bool has_names(const sample *s)
{
    int names = 0;
    for (int i = 0; i < s->fields.count; i++) {
        span text = field(s, i);
        names += lb_is_column_name(text.text, text.length) || is_name(text, s->usual->source_name) ||
                 is_name(text, s->usual->target_name);
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
        if (found || s->fields.count < 2 || (columns && s->fields.count != columns) || has_sentence(s))
            return false;
        columns = s->fields.count;
    }
    return columns > 1 && sure;
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

/* What is in no other file comes first. */
static const struct {
    const char *name;
    bool (*is)(sample *);
} kinds[] = {
    {"jsonl", is_jsonl},
    {"lines: ||| ", is_divided},
    {"lines: -> ", is_divided},
    {"lists:->", is_divided},
    {"lines: => ", is_divided},
    {"lines:=>", is_divided},
    {"lines: \xE2\x86\x92 ", is_divided},
    {"lines:\xE2\x86\x92", is_divided},
    {"csv", is_table},
    {"csv:;", is_table},
    {"cmudict", is_cmudict},
    {"lines:~", is_divided},
    {"lines:: ", is_divided},
};

static size_t length_of_kind(const char *name)
{
    const char *header = strstr(name, LB_PAIR_KIND_HEADER);
    return header ? (size_t)(header - name) : strlen(name);
}

bool lb_is_same_kind(const char *a, const char *b)
{
    if (!*a) a = "tsv";
    if (!*b) b = "tsv";
    size_t length = length_of_kind(a);
    return length == length_of_kind(b) && memcmp(a, b, length) == 0;
}

static lb_status set_kind(sample *s, const char *name, lb_error *error)
{
    lb_pair_kind_free(&s->kind);
    return lb_pair_kind_parse(name, &s->kind, error);
}

/* Text with tabs is TSV, and JSON may have some. */
static lb_status find_kind(sample *s, lb_recognised *found, lb_error *error)
{
    int count = s->count == 0 ? 0 : s->tabs ? 1 : (int)(sizeof kinds / sizeof *kinds);
    for (int i = 0; i < count; i++) {
        if (set_kind(s, kinds[i].name, error)) return error->status;
        if (!kinds[i].is(s)) continue;
        memcpy(found->kind, kinds[i].name, strlen(kinds[i].name) + 1);
        found->recognised = true;
        return LB_OK;
    }
    return set_kind(s, "tsv", error);
}

/* What the lines would be in this format, without a header. */
static lb_status take_kind(sample *s, const char *name, lb_recognised *found, lb_error *error)
{
    bool plain = lb_is_same_kind(name, "");
    memcpy(found->kind, name, plain ? 0 : length_of_kind(name));
    return set_kind(s, found->kind, error);
}

/* A file that looks like nothing in particular may be of the usual format, if both have tabs, or none. */
static lb_status fall_back(sample *s, lb_recognised *found, lb_error *error)
{
    lb_pair_kind kind;
    lb_status status = lb_pair_kind_parse(s->usual->kind, &kind, error);
    bool fits = !status && lb_pair_kind_has_tabs(&kind) == s->tabs;
    lb_pair_kind_free(&kind);
    return status || !fits ? status : take_kind(s, s->usual->kind, found, error);
}

/* The row that recognises a format, also one with other text between its columns; NULL: there is none. */
static bool (*check_of(const char *kind))(sample *)
{
    size_t word = strcspn(kind, ":+");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcspn(kinds[i].name, ":+") == word && memcmp(kinds[i].name, kind, word) == 0)
            return kinds[i].is;
    return NULL;
}

/* ---- Which column is which. ---- */

static const char *const sources[] = {"source",    "src",         "input", "word",  "grapheme",
                                      "graphemes", "orthography", "text",  "lemma", NULL};
static const char *const targets[] = {"target",        "tgt",         "trg",    "output",
                                      "pronunciation", "phonemes",    "ipa",    "transcription",
                                      "form",          "translation", "phones", NULL};
static const char *const features_names[] = {"features", "feats", "feat",     "tags", "tag",
                                             "msd",      "morph", "unimorph", "pos",  NULL};
static const char *const weights[] = {"count", "counts", "freq", "frequency", "weight", "weights", NULL};

bool lb_is_weight_name(const char *text, size_t length)
{
    return is_one_of((span){text, length}, weights);
}

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

/* By the names that such columns usually have. */
static bool take_names(const lb_fields *names, lb_recognised *found)
{
    int32_t source = find_name(names, sources), target = find_name(names, targets);
    if (!source || !target) return false;
    found->source = source;
    found->target = target;
    found->features = find_name(names, features_names);
    return true;
}

static int32_t find_usual(const lb_fields *names, const char *name)
{
    const char *const words[] = {name, NULL};
    return *name ? find_name(names, words) : 0;
}

/* By the names that the columns had in training: all that are needed. */
static bool take_usual_names(const lb_fields *names, const lb_pair_columns *usual, bool no_target,
                             lb_recognised *found)
{
    int32_t source = find_usual(names, usual->source_name), target = find_usual(names, usual->target_name);
    int32_t features = find_usual(names, usual->features_name);
    if (!source || (!target && !no_target) || (!features && *usual->features_name)) return false;
    found->source = source;
    found->target = target;
    found->features = features;
    return true;
}

/* Whether the first line has the names of the columns. */
static bool has_header(sample *s)
{
    lb_recognised found = {0};
    return divide(s, 0) == LB_LINE_IS_FIELDS && s->fields.count > 1 &&
           (take_usual_names(&s->fields, s->usual, true, &found) || take_names(&s->fields, &found));
}

/* Without targets: texts, unless the first line looks like one of the usual format. Sentences have commas, too. */
static lb_status try_usual(sample *s, lb_recognised *found, lb_error *error)
{
    bool (*is)(sample *) = check_of(s->usual->kind);
    lb_status status = take_kind(s, s->usual->kind, found, error);
    found->recognised = !status && is && s->count > 0 && (is == is_table ? has_header(s) : is(s));
    if (status || found->recognised) return status;
    *found->kind = '\0';
    return set_kind(s, "tsv", error);
}

static lb_status choose_kind(sample *s, const lb_pair_format *format, lb_recognised *found, lb_error *error)
{
    if (format->kind && *format->kind) return set_kind(s, format->kind, error);
    if (format->no_target) return try_usual(s, found, error);
    lb_status status = find_kind(s, found, error);
    return status || *found->kind ? status : fall_back(s, found, error);
}

/* "V;PST;3;SG" or "N;ACC(PL)": capitals, digits and signs, with semicolons. Source: UniMorph. */
static bool is_bundle(span text, bool *divided)
{
    bool capital = false;
    for (size_t i = 0; i < text.length; i++) {
        char letter = text.text[i];
        if (is_small(letter) || letter <= ' ' || letter > '~') return false;
        capital = capital || is_capital(letter);
        *divided = *divided || letter == ';';
    }
    return capital;
}

/* "pos=V,tense=PST". Source: SIGMORPHON 2016. */
static bool is_assignment(span text)
{
    return text.length > 0 && memchr(text.text, '=', text.length) && !memchr(text.text, ' ', text.length);
}

/* Whether all lines have as many columns, and features in this one. */
static bool has_features(sample *s, int column, int columns, const char **between)
{
    int divided = 0, assigned = 0, bundles = 0, count = s->count - s->header;
    for (int i = s->header; i < s->count; i++) {
        bool semicolon = false;
        divide(s, i);
        if (s->fields.count != columns) return false;
        bundles += is_bundle(field(s, column - 1), &semicolon);
        assigned += is_assignment(field(s, column - 1));
        divided += semicolon;
    }
    *between = assigned == count ? "," : ";";
    return count > 0 && (assigned == count || (bundles == count && 2 * divided > count));
}

static void find_features(sample *s, lb_recognised *found)
{
    const char *third, *second;
    bool in_third = has_features(s, 3, 3, &third), in_second = has_features(s, 2, 3, &second);
    if (in_third == in_second) return;
    found->by_content = true;
    found->source = 1;
    found->features = in_third ? 3 : 2;
    found->target = in_third ? 2 : 3;
    found->between_features = in_third ? third : second;
}

/* Beside columns with names: the one that is named so, or else one that looks so. */
static void find_named_features(sample *s, lb_recognised *found)
{
    const char *between;
    int columns = found->names.count;
    for (int i = 1; i <= columns && !found->features; i++)
        if (i != found->source && i != found->target && has_features(s, i, columns, &between))
            found->features = i;
    if (!found->features) return;
    found->between_features = has_features(s, found->features, columns, &between) ? between : ";";
}

/* Sentences of Tatoeba have their origin in a third column. */
static bool has_origins(sample *s)
{
    static const char licence[] = "CC-BY";
    for (int i = 0; i < s->count; i++) {
        divide(s, i);
        if (s->fields.count != 3) return false;
        span third = field(s, 2);
        if (third.length < sizeof licence || memcmp(third.text, licence, sizeof licence - 1) != 0)
            return false;
    }
    return s->count > 0;
}

static void keep_names(const lb_fields *names, lb_fields *kept)
{
    for (int i = 0; i < names->count; i++) {
        size_t length;
        const char *name = lb_field(names, i, &length);
        lb_fields_add(kept, name, length);
    }
}

/* A model of before knows that its file had a header, but not which. */
static bool has_usual_header(const sample *s, const lb_pair_format *format, const lb_recognised *found)
{
    const char *usual = s->usual->kind;
    bool given = format->kind && *format->kind;
    return !given && !format->no_target && strstr(usual, LB_PAIR_KIND_HEADER) && !*s->usual->source_name &&
           lb_is_same_kind(found->kind, usual);
}

static void find_columns(sample *s, const lb_pair_format *format, lb_recognised *found)
{
    if (s->count == 0) return;
    divide(s, 0);
    bool json = s->kind.keys.count > 0, given = format->kind && *format->kind;
    bool tabs = lb_pair_kind_has_tabs(&s->kind), plain = given && tabs && !s->kind.header;
    const lb_fields *first = json ? &s->kind.keys : &s->fields;
    found->columns = first->count;
    found->by_name =
        (json || first->count > 1) && take_usual_names(first, s->usual, format->no_target, found);
    bool named = found->by_name || (!plain && take_names(first, found));
    found->header = !json && (named || s->kind.header || has_usual_header(s, format, found));
    found->recognised = found->recognised || (found->header && !s->kind.header);
    if (json || found->header) keep_names(first, &found->names);
    s->header = found->header;
    if (named) find_named_features(s, found);
    if (named || !tabs || found->header) return;
    find_features(s, found);
    if (found->features && !given && !format->features_column) {
        memcpy(found->kind, "unimorph", sizeof "unimorph");
        found->recognised = true;
    }
    if (!found->features && has_origins(s)) {
        found->source = 1;
        found->target = 2;
    }
}

lb_status lb_recognise(const char *text, size_t length, bool whole, const lb_pair_format *format,
                       lb_recognised *found, lb_error *error)
{
    static const lb_pair_columns none = {0};
    *found = (lb_recognised){0};
    sample *s = lb_alloc_zero(sizeof *s);
    if (!s) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the first lines");
    s->usual = format->usual ? format->usual : &none;
    s->least = format->no_target ? 1 : 2;
    take_lines(s, text, length, whole);
    if (format->no_target && s->count > 1) s->count = 1;
    lb_status status = choose_kind(s, format, found, error);
    if (!status) find_columns(s, format, found);
    if (!status && (s->fields.text.failed || found->names.text.failed))
        status = lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the first lines");
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
