/* Model files that somebody made on purpose: with a right length and a right checksum, and anything in between. */
#ifndef PROOF_HOSTILE_H
#define PROOF_HOSTILE_H

#include <stddef.h>
#include <stdint.h>

/** A hostile file made from the sound one `model`, by changes that depend on the seed: of names, dtypes, shapes,
 *  offsets, sizes, vocabularies, merges, the lexicon, nesting, and values. Returns its bytes, to be freed. */
unsigned char *proof_make_hostile(const unsigned char *model, size_t model_bytes, uint64_t seed,
                                  size_t *count);

#endif
