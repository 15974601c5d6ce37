/* Cuts a text at its separators, but not within brackets, for features and for several right answers. */
#include "data/text/symbols.h"

#include <assert.h>
#include <string.h>

static const char opening[] = "([{", closing[] = ")]}";

enum { KINDS = sizeof opening - 1 };

/* How many brackets of each kind are open. */
typedef struct depth {
    size_t open[KINDS];
} depth;

static bool is_outside(const depth *d)
{
    return d->open[0] == 0 && d->open[1] == 0 && d->open[2] == 0;
}

/* False for a closing bracket without a partner. */
static bool count_bracket(depth *d, char letter)
{
    for (int kind = 0; kind < KINDS; kind++) {
        if (letter == opening[kind]) d->open[kind]++;
        if (letter != closing[kind]) continue;
        if (d->open[kind] == 0) return false;
        d->open[kind]--;
    }
    return true;
}

lb_pieces lb_pieces_of(lb_span text, const char *separator)
{
    depth d = {{0}};
    lb_pieces pieces = lb_pieces_at(text, separator);
    bool partners = !strpbrk(separator, opening) && !strpbrk(separator, closing);
    for (size_t i = 0; i < text.length && partners; i++) partners = count_bracket(&d, text.text[i]);
    pieces.nested = partners && is_outside(&d);
    return pieces;
}

/* The next separator, outside brackets if these count; NULL: there is none. */
static const char *find_separator(const lb_pieces *pieces, size_t gap)
{
    depth d = {{0}};
    for (const char *at = pieces->at, *end = pieces->end; (size_t)(end - at) >= gap; at++) {
        if (!pieces->nested) at = memchr(at, *pieces->separator, (size_t)(end - at) - gap + 1);
        if (!at || (is_outside(&d) && memcmp(at, pieces->separator, gap) == 0)) return at;
        if (pieces->nested) count_bracket(&d, *at);
    }
    return NULL;
}

bool lb_pieces_next(lb_pieces *pieces, lb_span *piece)
{
    if (!pieces->at) return false;
    size_t gap = strlen(pieces->separator);
    assert(gap > 0);
    const char *stop = find_separator(pieces, gap);
    *piece = (lb_span){pieces->at, (size_t)((stop ? stop : pieces->end) - pieces->at)};
    pieces->at = stop ? stop + gap : NULL;
    return true;
}
