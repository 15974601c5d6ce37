/* Outputs measured against references, row by row of a file of pairs. */
#ifndef APP_SCORE_H
#define APP_SCORE_H

#include "data/symbols.h"
#include <lookback/lookback.h>

/** All rows so far. */
typedef struct app_score {
    lb_vocabulary *symbols;           /* of references and outputs alike */
    lb_statistics *rows;              /* [count] */
    int64_t count, capacity, skipped; /* the last: lines that the caller left out */
    lb_confusions confusions;
    int32_t *ids; /* of a reference, or an output */
    size_t room;
} app_score;

/** Begins. `known` are the symbols whose ids outputs are in; NULL: none.
 *  Memory: freed by app_score_close, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_score_open(app_score *score, const lb_vocabulary *known, lb_error *error);

/** Adds a row: an output in ids of `known`, and the symbols of its reference. A special symbol, such as the unknown one, is
 *  none of a reference's. Each row counts on its own, as in SIGMORPHON's shared tasks: see lb_statistics_of.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_score_add(app_score *score, lb_sequence output, const lb_symbols *reference,
                                    lb_error *error);

/** The same for an output in symbols. */
LB_MUST_USE lb_status app_score_add_symbols(app_score *score, const lb_symbols *output,
                                            const lb_symbols *reference, lb_error *error);

/** Prints all measures with their 95 % intervals, and the most frequent confusions, at most so many, for readers or as a
 *  JSON object. `seed` is that of the intervals. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_score_print(app_score *score, int confusions, uint64_t seed, bool json,
                                      lb_error *error);

void app_score_close(app_score *score);

#endif
