/* Files that people write by hand, or get from elsewhere: pairs, reviews, options, a sweep, a font. Damage may leave
 * them as they should be; otherwise the message names the place. */
#ifndef PROOF_DAMAGED_TEXTS_H
#define PROOF_DAMAGED_TEXTS_H

#include <stdbool.h>

enum { PROOF_TEXTS = 5 };

/** "a file of pairs". */
const char *proof_text_name(int kind);

/** Writes one that is as it should be. */
void proof_text_write(int kind, const char *path);

/** Reads one that may be damaged, and says what is wrong with that; NULL: nothing. An empty file has no line to
 *  name. */
const char *proof_text_check(int kind, const char *path, bool empty);

#endif
