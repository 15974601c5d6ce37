/* Finds the column of the features, and what divides them, in the first lines of a file. */
#include "data/formats/recognise.h"
#include "data/text/symbols.h"

#include "base/alloc.h"
#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

/* What may divide features, where it is no part of a value: values of Universal Dependencies have commas. */
static const char *const separators[] = {"|", ";", ","};
enum { SEPARATORS = sizeof separators / sizeof *separators, USUAL = 1 };

/* "Number=Plur" */
typedef struct assignment {
    uint64_t key, whole; /* hashes */
    bool number;         /* the value is one */
} assignment;

/* The assignments of a column. */
typedef struct assignments {
    assignment *list;
    size_t count, room;
    bool divided; /* a line has several */
} assignments;

/* Parses an assignment, which has one sign of equality, between a key and a value. */
static bool parse_assignment(lb_span text, assignment *parsed)
{
    const char *sign = memchr(text.text, '=', text.length);
    size_t key = sign ? (size_t)(sign - text.text) : 0, value = key ? text.length - key - 1 : 0;
    if (value == 0 || memchr(sign + 1, '=', value) || memchr(text.text, ' ', text.length)) return false;
    *parsed = (assignment){lb_hash(LB_HASH, text.text, key), lb_hash(LB_HASH, text.text, text.length), true};
    for (const char *at = sign + 1; at < sign + 1 + value; at++)
        parsed->number = parsed->number && (lb_is_digit(*at) || *at == '.' || *at == '-');
    return true;
}

/* Whether nearly all lines have assignments in this column. Without memory, the fields have failed. */
static bool gather(lb_first_lines *s, int32_t column, const char *separator, assignments *all)
{
    int odd = 0;
    all->count = 0;
    all->divided = false;
    for (int i = 0; i < s->count && odd <= lb_few(s->count); i++) {
        lb_span piece;
        size_t before = all->count;
        bool good = true;
        lb_sample_divide(s, i);
        odd += s->fields.count < column;
        if (s->fields.count < column) continue;
        lb_span text = lb_field(&s->fields, column - 1);
        lb_pieces pieces = lb_pieces_of(text, separator);
        /* a word without features. Sources: SIGMORPHON 2016, https://universaldependencies.org/format.html */
        if (lb_span_is(text, "_")) continue;
        while (good && lb_pieces_next(&pieces, &piece)) {
            if (!lb_alloc_more(&all->list, all->count, &all->room, sizeof *all->list))
                return !(s->fields.text.failed = true);
            good = parse_assignment(piece, &all->list[all->count++]);
        }
        odd += !good;
        if (!good) all->count = before;
        all->divided = all->divided || all->count > before + 1;
    }
    return all->count > 0 && odd <= lb_few(s->count);
}

/* A separator with which all features are assignments, preferably one that occurs; NULL: there is none. */
static const char *gather_any(lb_first_lines *s, int32_t column, assignments *all)
{
    bool found = false;
    for (int i = 0; i < SEPARATORS; i++) {
        bool only = gather(s, column, separators[i], all);
        if (only && all->divided) return separators[i];
        found = found || only;
    }
    return found && gather(s, column, separators[USUAL], all) ? separators[USUAL] : NULL;
}

/* The end of the assignments that are equal to the one at `at` in their key, or as a whole. */
static size_t end_of(const assignments *all, size_t at, bool whole)
{
    const assignment *first = &all->list[at];
    while (at < all->count && all->list[at].key == first->key &&
           (!whole || all->list[at].whole == first->whole))
        at++;
    return at;
}

/* Whether keys and values recur. A key with a new value in each line has numbers of lines; a single key may be
 * anything; and counts are no features. */
static bool do_recur(assignments *all)
{
    enum { SURE = 6 };
    size_t keys = 0, again = 0, words = 0;
    qsort(all->list, all->count, sizeof *all->list, lb_compare_two);
    for (size_t key = 0; key < all->count; keys++) {
        size_t next = end_of(all, key, false), different = 0;
        for (size_t at = key; at < next; different++) {
            size_t stop = end_of(all, at, true);
            if (stop - at > 1) again += stop - at;
            if (stop - at > 1 && !all->list[at].number) words++;
            at = stop;
        }
        if (next - key >= SURE && different == next - key) return false;
        key = next;
    }
    return keys > 1 && words > 0 && 2 * again >= all->count;
}

/* Source: UniMorph, https://unimorph.github.io/schema/ */
bool lb_is_bundle(lb_span text, bool *divided)
{
    static const char not [] = "non{";
    bool capital = false;
    for (size_t i = 0; i < text.length; i++) {
        char letter = text.text[i];
        if (text.length - i >= sizeof not &&memcmp(text.text + i, not, sizeof not -1) == 0)
            i += sizeof not -1;
        else if ((letter >= 'a' && letter <= 'z') || letter <= ' ' || letter > '~')
            return false;
        capital = capital || lb_is_capital(letter);
        *divided = *divided || letter == ';';
    }
    return capital;
}

typedef enum shape { NOTHING, ASSIGNMENTS, FEATURES } shape;

/* What nearly all lines have in this column, if there are so many. */
static shape find_shape(lb_first_lines *s, int32_t column, int columns, const char **between)
{
    int divided = 0, bundles = 0, odd = 0;
    for (int i = 0; i < s->count; i++) {
        bool semicolon = false;
        lb_sample_divide(s, i);
        odd += s->fields.count != columns;
        if (s->fields.count != columns) continue;
        bundles += lb_is_bundle(lb_field(&s->fields, column - 1), &semicolon);
        divided += semicolon;
    }
    if (odd > lb_few(s->count)) return NOTHING;
    *between = separators[USUAL];
    if (s->count - bundles <= lb_few(s->count) && 2 * divided > s->count) return FEATURES;
    assignments all = {0};
    const char *found = gather_any(s, column, &all);
    bool recur = found && do_recur(&all);
    lb_release(all.list);
    if (found) *between = found;
    return recur ? FEATURES : found ? ASSIGNMENTS : NOTHING;
}

void lb_features_find(lb_first_lines *s, lb_recognised *found)
{
    enum { LEAST = 3, MOST = 4 }; /* columns */
    const char *between[MOST] = {0}, *divides = NULL;
    const int columns = found->columns;
    shape best = NOTHING, shapes[MOST];
    if (columns < LEAST || columns > MOST) return;
    for (int i = 0; i < columns; i++) {
        shapes[i] = find_shape(s, i + 1, columns, &between[i]);
        best = shapes[i] > best ? shapes[i] : best;
    }
    int32_t text[MOST] = {0}, texts = 0, last = 0;
    for (int i = 0; i < columns; i++) {
        if (shapes[i] < best) {
            text[texts++] = i + 1;
            continue;
        }
        last = i + 1;
        divides = between[i];
    }
    if (texts < 2 || (columns == MOST && best < FEATURES)) return;
    found->source = text[0];
    found->target = text[1];
    found->by_content = best == FEATURES;
    found->unused = best == FEATURES ? 0 : last;
    if (best < FEATURES) return;
    found->features = last;
    found->between_features = divides;
}

void lb_features_find_beside(lb_first_lines *s, int columns, lb_recognised *found)
{
    const char *between;
    for (int i = 1; i <= columns && !found->features && s->count > 0; i++)
        if (i != found->source && i != found->target && find_shape(s, i, columns, &between) == FEATURES)
            found->features = i;
}

const char *lb_features_between(lb_first_lines *s, int32_t column)
{
    assignments all = {0};
    int bars = 0, semicolons = 0;
    const char *found = gather_any(s, column, &all);
    lb_release(all.list);
    if (found) return found;
    for (int i = 0; i < s->count; i++) {
        lb_sample_divide(s, i);
        if (s->fields.count < column) continue;
        lb_span text = lb_field(&s->fields, column - 1);
        bars += memchr(text.text, '|', text.length) != NULL;
        semicolons += memchr(text.text, ';', text.length) != NULL;
    }
    return separators[bars > 0 && semicolons == 0 ? 0 : USUAL];
}
