/* Sources with the number of a variant, such as "read(2)" in CMUdict, which is the same word as "read". */
#ifndef LB_VARIANTS_H
#define LB_VARIANTS_H

#include "data/pairs.h"
#include "data/text_oddities.h"

/** A source that ends with a number in parentheses. */
typedef struct lb_variant {
    uint64_t word; /* the hash of what is in front of them */
    int64_t pair;
} lb_variant;

/** Zero has none. */
typedef struct lb_variants {
    lb_variant *list; /* [count] */
    size_t count, room;
} lb_variants;

/** Remembers a source if it may be a variant. Memory: freed by lb_variants_free, also after an error.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_variants_look(lb_variants *variants, const lb_symbols *source, int64_t pair,
                                       lb_error *error);

/** Those of them whose word is a source by itself: f(2) is not one of f(x).
 *  Cost: if there are any, it reads all pairs. Errors: as lb_pairs_read. */
LB_MUST_USE lb_status lb_variants_count(lb_variants *variants, lb_pairs *pairs, lb_odd_pairs *found,
                                        lb_error *error);

void lb_variants_free(lb_variants *variants);

#endif
