/* The two forms of evaluate, for a model and for predictions, and the score of outputs against references. */
#ifndef APP_EVALUATE_H
#define APP_EVALUATE_H

#include "apply/answer.h"
#include "data/text/text_kind.h"

/* ---- The score, row by row of a file of pairs: measures.c, and as it is printed: score_print.c. ---- */

/** How outputs are judged. */
typedef struct app_judging {
    bool once;  /* each source counts once, with all of its targets as references */
    bool lower; /* BLEU and chrF2 compare texts in lower case */
    int n_best; /* also count who is right among so many outputs; 0: do not */
} app_judging;

/** Where a row comes from. */
typedef struct app_row {
    int64_t line;       /* in the file of pairs */
    const char *source; /* as text */
    size_t length;      /* of the source */
    double probability; /* of the output; not a number: not known */
    const char *from;   /* model, lexicon, or "" */
} app_row;

/** Whether both have the same symbols. */
bool app_same_symbols(const lb_symbols *a, const lb_symbols *b);

/** All rows so far. */
typedef struct app_score {
    app_judging judging;
    int beam;                     /* of the search that found the outputs; 0: not known */
    struct lb_pair_print *prints; /* [pairs] */
    struct app_kept_row *kept;    /* [kept_count] not judged yet: with `once`, all of them */
    int32_t *ids;                 /* [id_count] of their outputs and references */
    int32_t *word_ids;            /* of the words of a row */
    lb_strings sources;           /* [kept_count] of these, if there is a table of errors */
    lb_strings *errors;           /* that table; NULL: none */
    size_t print_room, kept_count, kept_room, id_count, id_room, word_room, capacity;
    int64_t pairs, among;   /* among: right among the n_best */
    int64_t known;          /* pairs whose output is of the lexicon */
    lb_vocabulary *symbols; /* of both references and outputs */
    lb_statistics *rows;    /* [count] */
    int64_t count, skipped; /* skipped: lines that the caller left out */
    lb_confusions confusions;
    /* "characters", "graphemes" or "subwords", if symbols are those, which form words; else NULL. */
    const char *letters;
    lb_vocabulary *words;
    bool has_words; /* some reference has several words */
    lb_symbol_rule rule;
    char *separator;     /* of the rule */
    lb_text_facts texts; /* of the references */
    bool is_text;        /* some have several words, not all of numbers, and they are not symbols */
    bool is_sounds;      /* or other symbols with separators, and each source counts once or has one target */
    /* Of the targets, as the model scores them: of their symbols and ends, how many these are, and how many if each
     * word is one. 0: there is no model. */
    double log_probability;
    int64_t scored, scored_words;
    int64_t fewest, most; /* references of an output */
    app_why why;          /* if the model is asked for it */
} app_score;

/** Whether confusions and errors are of words, since symbols are pieces of them. */
static inline bool app_score_by_words(const app_score *score)
{
    return score->letters && score->rule.subwords;
}

/** Begins. `rule` divides outputs and references into symbols.
 *  Memory: freed by app_score_close, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_score_open(app_score *score, app_judging judging, const lb_symbol_rule *rule,
                                     lb_error *error);

/** Adds a row: the symbols of a source, of one of its references, and of its `outputs` outputs, best first, at least
 *  one. Each row counts on its own, as in SIGMORPHON's shared tasks, unless any target may be right: see
 *  lb_statistics_of. If the symbols are characters, words are separated by white space; otherwise the symbols are words
 *  or sounds themselves, and there is no separate word error rate.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_score_add(app_score *score, app_row row, const lb_symbols *source,
                                    const lb_symbols *reference, const lb_symbols *output, int outputs,
                                    lb_error *error);

/** Judges the rows that are kept, those of a source together, and forgets them. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_score_judge(app_score *score, lb_error *error);

/** Prints all measures with their 95 % intervals, if they have one, the word error rate only if there are words, BLEU
 *  and chrF2 with their signature only if references are texts, which have several words with letters, and at most
 *  `confusions` of the most frequent confusions, as text or as a JSON object, in which what is not defined is null.
 *  BLEU of symbols is named after what these are. Errors have the names of G2P, too, where targets have separators. A
 *  measure that repeats another one has no line. If sources have several targets, it says how many pairs can be right.
 *  `seed` is that of the intervals. `without` has the same pairs without the lexicon, whose measures follow; without
 *  pairs: there is no lexicon.
 *  File: its name, if there are several: each is a line of one table, or a JSON object with its name; NULL otherwise.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_score_print(app_score *score, app_score *without, const char *file, int confusions,
                                      uint64_t seed, bool json, lb_error *error);

void app_score_close(app_score *score);

/** Adds a line of a table in CSV, if the output has errors: errors.c. Its columns are line, source, target, output,
 *  probability, from, errors, which are the fewest edits, and where, by positions in the target from 1, such as
 *  "2: e for i, after 4: t too much, 6: no n". Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_errors_add(lb_strings *errors, app_row row, const char *target, const char *text,
                                     const lb_vocabulary *symbols, lb_sequence reference, lb_sequence output,
                                     lb_error *error);

/** Writes the table, in the order of the file of pairs. Errors: as app_write_lines. */
LB_MUST_USE lb_status app_errors_write(lb_strings *errors, const char *path, lb_error *error);

/* ---- The two forms: outputs.c. ---- */

/** What the command line asks for. */
typedef struct app_evaluate {
    const char *pairs;       /* the file with the references */
    const char *predictions; /* the file with the outputs; NULL: those of a model */
    lb_pair_format format;   /* of the lines of pairs; a model has its own symbol rules */
    lb_strings targets;      /* in files of their own */
    app_judging judging;
    lb_translate_config config; /* of a model; its n_best is that of `judging` */
    int batch, symbols, normalize, confusions;
    uint64_t seed;
    bool why, json, held_out;
    const char *errors_path; /* a file for the table of errors; NULL: none */
    lb_strings *errors;      /* that table */
} app_evaluate;

/** Opens a score, applies the model, a file or a folder, to the sources of the pairs, and adds its outputs; if it has a
 *  lexicon, opens `without`, and adds what the model writes without it.
 *  Memory: the caller closes both, also after an error.
 *  Errors: those of reading model and pairs, and of decoding. */
LB_MUST_USE lb_status app_evaluate_model(const app_evaluate *asked, const char *model, app_score *score,
                                         app_score *without, lb_error *error);

/** Opens a score, and adds the outputs of the file `predictions` ("-" is standard input) to it. As in the output of
 *  predict, each line is a source, a tab and an output, for each line of the pairs. An output may be empty.
 *  Errors: LB_ERROR_FORMAT, with file and line, also if a source differs from that of the pair; LB_ERROR_OPEN;
 *          LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_evaluate_predictions(const app_evaluate *asked, app_score *score, lb_error *error);

#endif
