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
    bool tabs; /* one of them has a tab */
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
        while (i < word.length && (*words)[i] && small(word.text[i]) == (*words)[i]) i++;
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
        if (*s->line[i].text != '{' || divide(s, i) != LB_LINE_IS_FIELDS || s->fields.count < 2) return false;
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

/* Two of its fields are names of columns. */
static bool has_names(const sample *s)
{
    int names = 0;
    for (int i = 0; i < s->fields.count; i++) {
        span text = field(s, i);
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

/* Text with tabs is TSV, and JSON may have some. */
static lb_status choose_kind(sample *s, lb_recognised *found, lb_error *error)
{
    int count = s->count == 0 ? 0 : s->tabs ? 1 : (int)(sizeof kinds / sizeof *kinds);
    for (int i = 0; i < count; i++) {
        lb_pair_kind_free(&s->kind);
        if (lb_pair_kind_parse(kinds[i].name, &s->kind, error)) return error->status;
        if (!kinds[i].is(s)) continue;
        memcpy(found->kind, kinds[i].name, strlen(kinds[i].name) + 1);
        return LB_OK;
    }
    lb_pair_kind_free(&s->kind);
    return lb_pair_kind_parse("tsv", &s->kind, error);
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

/* Whether all lines have three columns, and features in this one. */
static bool has_features(sample *s, int column, const char **between)
{
    int divided = 0, assigned = 0, bundles = 0;
    for (int i = 0; i < s->count; i++) {
        bool semicolon = false;
        divide(s, i);
        if (s->fields.count != 3) return false;
        bundles += is_bundle(field(s, column - 1), &semicolon);
        assigned += is_assignment(field(s, column - 1));
        divided += semicolon;
    }
    *between = assigned == s->count ? "," : ";";
    return assigned == s->count || (bundles == s->count && 2 * divided > s->count);
}

static void find_features(sample *s, lb_recognised *found)
{
    const char *third, *second;
    bool in_third = has_features(s, 3, &third), in_second = has_features(s, 2, &second);
    if (s->count == 0 || in_third == in_second) return;
    found->source = 1;
    found->features = in_third ? 3 : 2;
    found->target = in_third ? 2 : 3;
    found->between_features = in_third ? third : second;
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

static void find_columns(sample *s, bool named, lb_recognised *found)
{
    if (s->count == 0) return;
    divide(s, 0);
    if (s->kind.keys.count > 0) {
        take_names(&s->kind.keys, found);
        return;
    }
    bool tabs = lb_pair_kind_has_tabs(&s->kind), plain = named && tabs && !s->kind.header;
    found->header = (!plain && take_names(&s->fields, found)) || s->kind.header;
    if (found->source || !tabs) return;
    find_features(s, found);
    if (found->features && !named) memcpy(found->kind, "unimorph", sizeof "unimorph");
    if (!found->features && has_origins(s)) {
        found->source = 1;
        found->target = 2;
    }
}

lb_status lb_recognise(const char *text, size_t length, bool whole, const char *kind, lb_recognised *found,
                       lb_error *error)
{
    *found = (lb_recognised){0};
    sample *s = lb_alloc_zero(sizeof *s);
    if (!s) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the first lines");
    take_lines(s, text, length, whole);
    found->tabs = s->tabs;
    lb_status status = kind ? lb_pair_kind_parse(kind, &s->kind, error) : choose_kind(s, found, error);
    if (!status) find_columns(s, kind != NULL, found);
    if (!status && s->fields.text.failed)
        status = lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the first lines");
    lb_pair_kind_free(&s->kind);
    lb_release(s->fields.text.text);
    lb_release(s);
    return status;
}
