/* Scores outputs against references, row by row of a file of pairs. */
#ifndef APP_SCORE_H
#define APP_SCORE_H

#include "data/symbols.h"
#include <lookback/lookback.h>

/** How outputs are judged. */
typedef struct app_judging {
    bool once;  /* each source counts once, with all of its targets as references */
    int n_best; /* also count who is right among so many outputs; 0: do not */
} app_judging;

/** The outputs for a source, best first, and one of its references. */
typedef struct app_answer {
    const lb_symbols *source, *reference;
    const lb_symbols *output; /* [outputs] at least one */
    int outputs;
} app_answer;

/** Whether both have the same symbols. */
bool app_same_symbols(const lb_symbols *a, const lb_symbols *b);

/** All rows so far. */
typedef struct app_score {
    app_judging judging;
    int beam;                     /* of the search that found the outputs; 0: not known */
    struct lb_pair_print *prints; /* [pairs] */
    struct app_kept_row *kept;    /* [kept_count] not judged yet: with `once`, all of them */
    int32_t *ids;                 /* [id_count] of their outputs and references */
    size_t print_room, kept_count, kept_room, id_count, id_room, capacity;
    int64_t pairs, among;   /* among: right among the n_best */
    lb_vocabulary *symbols; /* of both references and outputs */
    lb_statistics *rows;    /* [count] */
    int64_t count, skipped; /* skipped: lines that the caller left out */
    lb_confusions confusions;
    const char *letters; /* "characters" or "graphemes", if symbols are those, which form words; else NULL */
    lb_vocabulary *words;
    bool has_words; /* some reference has several words */
} app_score;

/** Begins. `rule` divides outputs and references into symbols.
 *  Memory: freed by app_score_close, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_score_open(app_score *score, app_judging judging, const lb_symbol_rule *rule,
                                     lb_error *error);

/** Adds a row: the symbols of outputs and of a reference. Each row counts on its own, as in SIGMORPHON's shared
 *  tasks, unless any target may be right: see lb_statistics_of. If the symbols are characters, words are separated by
 *  white space; otherwise the symbols are words or sounds themselves, and there is no separate word error rate.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_score_add(app_score *score, app_answer answer, lb_error *error);

/** Prints all measures with their 95 % intervals, if they have one, the word error rate only if there are words, and at
 *  most `confusions` of the most frequent confusions, as text or as a JSON object, in which what is not defined is
 *  null. BLEU is named after what its n-grams are of, unless that is what a separator separates. If sources have
 *  several targets, it says how many pairs can be right. `seed` is that of the intervals.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_score_print(app_score *score, int confusions, uint64_t seed, bool json,
                                      lb_error *error);

void app_score_close(app_score *score);

#endif
