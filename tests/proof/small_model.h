/* Models of a few KB with random weights: there are few bits to flip in them, and they are quick to write. */
#ifndef PROOF_SMALL_MODEL_H
#define PROOF_SMALL_MODEL_H

#include <lookback/lookback.h>

typedef enum proof_model {
    PROOF_PAIRS,       /* of texts */
    PROOF_TRANSFORMER, /* the same, of another kind */
    PROOF_LISTS,       /* of numbers, which it sorts */
    PROOF_ENSEMBLE,    /* of two models of pairs */
    PROOF_LEXICON,     /* of texts, with a lexicon */
    PROOF_SUBWORDS,    /* of texts in pieces of words */
    PROOF_CHECKPOINT,  /* of a training, which is no model */
    PROOF_MODELS
} proof_model;

/** Writes one. The same seed gives the same file. */
lb_status proof_save_model(const char *path, proof_model kind, uint64_t seed, lb_error *error);

#endif
