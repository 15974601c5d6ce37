#ifndef G2P_H
#define G2P_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The memory that g2p_translate needs, in bytes. It has to be aligned as a float: one from malloc is, and so is
 *     static float work[G2P_WORK / sizeof(float)];
 * What is in it before does not matter. Threads may translate at once, each with memory of its own. */
#define G2P_WORK WORK_BYTES

/* The most symbols of a text. */
#define G2P_LONGEST LONGEST

/* Room that is enough for every output, in bytes, with the NUL at its end. */
#define G2P_ROOM ROOM_BYTES

/* What g2p_translate returns instead of a length. `out` is then an empty text, if there is room for one. */
enum {
    G2P_NOT_UTF8 = -1, /* the text is not UTF-8 */
    G2P_EMPTY = -2,    /* the text has no symbols, or one of them is empty: two separators in a row */
    G2P_TOO_LONG = -3, /* the text has more than G2P_LONGEST symbols */
    G2P_NO_ROOM = -4   /* the output and its NUL do not fit into `room` bytes */
};

/* Writes the output for a text, both UTF-8 that ends with a NUL, to `out`, which has `room` bytes. Symbols that the
 * model does not know are allowed. An output without an end is cut off. Returns the bytes of the output without its
 * NUL, or an error, which is negative. */
int g2p_translate(const char *text, char *out, size_t room, void *work);

#ifdef __cplusplus
}
#endif

#endif
