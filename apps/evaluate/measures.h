/* Scores outputs against references, row by row of a file of pairs. */
#ifndef APP_SCORE_H
#define APP_SCORE_H

#include "data/symbols.h"
#include <lookback/lookback.h>

/** All rows so far. */
typedef struct app_score {
    lb_vocabulary *symbols;           /* of both references and outputs */
    lb_statistics *rows;              /* [count] */
    int64_t count, capacity, skipped; /* skipped: lines that the caller left out */
    lb_confusions confusions;
    int32_t *ids; /* of an output and its reference */
    size_t room;
    bool characters; /* symbols are characters, which form words */
    lb_vocabulary *words;
    bool has_words; /* some reference has several words */
} app_score;

/** Begins. `separator` separates the symbols of outputs and references, as in lb_symbol_rule.
 *  Memory: freed by app_score_close, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_score_open(app_score *score, const char *separator, lb_error *error);

/** Adds a row: the symbols of an output and of its reference. Each row counts on its own, as in SIGMORPHON's shared
 *  tasks: see lb_statistics_of. If the symbols are characters, words are separated by white space; otherwise the
 *  symbols are words or sounds themselves, and there is no separate word error rate.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_score_add(app_score *score, const lb_symbols *output, const lb_symbols *reference,
                                    lb_error *error);

/** Prints all measures with their 95 % intervals, if they have one, the word error rate only if there are words, and at
 *  most `confusions` of the most frequent confusions, as text or as a JSON object, in which what is not defined is null.
 *  `seed` is that of the intervals.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_score_print(app_score *score, int confusions, uint64_t seed, bool json,
                                      lb_error *error);

void app_score_close(app_score *score);

#endif
