/* A text in pieces: features, or several right answers. */
#ifndef LB_PIECES_H
#define LB_PIECES_H

#include <stdbool.h>
#include <stddef.h>

/** The pieces of a text, one after the other. */
typedef struct lb_pieces {
    const char *at, *end; /* what is left; `at` is NULL after the last piece */
    const char *separator;
    bool nested; /* a separator within brackets is part of its piece */
} lb_pieces;

/** Begins with a text. Brackets of each kind keep together what is in them, as in "PSS(1,PL)" or "N;non{NOM;ACC}",
 *  unless one of them has no partner, or the separator has one: then they are letters.
 *  Separator: of at least one byte. Cost: O(length), for all pieces together, too. */
lb_pieces lb_pieces_of(const char *text, size_t length, const char *separator);

/** The next piece, which may be empty; false after the last one. There is at least one. */
bool lb_pieces_next(lb_pieces *pieces, const char **piece, size_t *length);

#endif
