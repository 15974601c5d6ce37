/* What a report says about a pair: its right answers, what the model writes for it, how the two compare, and where it
 * looks; and what it says over all of its pairs. In the page, web/engine/report.c does the first for a text that is
 * typed. */
#ifndef APP_REPORT_STATISTICS_H
#define APP_REPORT_STATISTICS_H

#include "apply/answer.h"
#include "console/console.h"
#include "data/text/symbols.h"
#include "report/data.h"

/* ---- pair.c: an output compared with its right answers. ---- */

/** The right answers for a source, and an output that was compared with them. Zero is empty. */
typedef struct app_answers {
    bool texts; /* set by the caller: BLEU and chrF2 are counted, too */
    const lb_symbol_rule *rule;
    lb_symbols *answer; /* [count] of `room`; none: not known */
    lb_symbols again;   /* of an output: app_output_symbols */
    size_t count, room;
    int32_t *id;                    /* of the output and of the answers */
    lb_sequence output, *reference; /* [count] */
    size_t id_room, reference_room;
    int64_t nearest;     /* the answer with the fewest edits, the first one of equals */
    lb_statistics found; /* against it */
    int64_t edits;       /* the same of symbols or words */
} app_answers;

/** Splits the texts of right answers. The rule must outlive them.
 *  Memory: freed by app_answers_free, also after an error; each call reuses that of the one before.
 *  Errors: those of lb_symbols_split. */
LB_MUST_USE lb_status app_answers_split(app_answers *answers, const lb_symbol_rule *rule,
                                        const lb_strings *texts, lb_error *error);

/** Compares an output with the answers, at least one. Its symbols are added to `symbols`. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_answers_judge(app_answers *answers, lb_vocabulary *symbols, const lb_output *output,
                                        lb_error *error);

/** Replaces the sequences of the output and the nearest answer by their words, and the edits by those of words, at
 *  least one if symbols differ. The words are added to `words`. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_answers_judge_words(app_answers *answers, const lb_symbol_rule *rule,
                                              lb_vocabulary *words, const lb_output *output, lb_error *error);

void app_answers_free(app_answers *answers);

/* ---- The pair as JSON. ---- */

/** What a report says about a pair. */
typedef struct app_report_pair {
    const lb_translation *text;  /* NULL: it could not be read */
    const app_answers *expected; /* NULL, or none: not known */
    const char *error;           /* why it could not be read; NULL: it could */
    bool detailed;          /* with all outputs, their weights, the likeliest symbols and self-attention */
    bool lacks_room;        /* then erasure and gradient are left out */
    bool mean_of_heads;     /* weights are the mean over the heads of each layer, which takes less room */
    double tau;             /* Kendall's, of attention with erasure; not a number: not measured */
    const app_votes *votes; /* NULL: not of a model of several */
    size_t at;              /* in the votes */
} app_report_pair;

/** Prints the pair as a JSON object. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_report_add_pair(app_report_data *report, lb_translator *translator,
                                          const lb_translations *all, const app_report_pair *pair,
                                          lb_error *error);

/* ---- alignment.c: which source symbols each target symbol is read from. ---- */

/** The most symbols of a side. */
enum { APP_ALIGNED = 512 };

/** Sums of attention. Zero is empty. */
typedef struct app_alignment {
    struct app_alignment_side {
        int32_t id[APP_ALIGNED];    /* [count] of symbols, in the order of their first occurrence */
        int64_t times[APP_ALIGNED]; /* [count] how often they occurred */
        int64_t count;
        int32_t *place; /* [known] of each id; -1: none */
        size_t known;
    } source, target;
    double *sum; /* [APP_ALIGNED, APP_ALIGNED] by target and source */
} app_alignment;

/** Adds the mean over the heads of the last layer for the best output of a text. Further symbols of a side
 *  are left out. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_alignment_add(app_alignment *alignment, app_report_data *report,
                                        const lb_translations *all, const lb_translation *text,
                                        lb_error *error);

/** Prints the matrix of the most frequent symbols, "alignment":{...}: the mean attention that an occurrence of a target
 *  symbol gives to all occurrences of a source symbol together. */
void app_alignment_print(const app_alignment *alignment, app_report_data *report);

void app_alignment_free(app_alignment *alignment);

/* ---- heads.c: what a model loses without each of its heads. ---- */

/** A model without one of its heads, or with all, on some pairs. */
typedef struct app_head_loss {
    bool known;
    lb_measures found;
} app_head_loss;

/** The first pairs of a report, on which heads are switched off. Zero with `most` set is empty. */
typedef struct app_report_heads {
    const char **source;        /* [count] of `most` */
    const lb_strings **targets; /* [count] right answers; none: not known */
    int64_t *pair;              /* [count] its number in the report */
    size_t count, most;
    int64_t compared; /* sources with right answers */
    bool texts;       /* as in app_answers */
    app_progress progress;
    app_head_loss *without; /* [layers, heads]; NULL: not known */
    app_head_loss whole;
} app_report_heads;

/** Notes a source and its right answers, which must outlive the heads, unless there are enough.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_report_heads_keep(app_report_heads *heads, int64_t pair, const char *source,
                                            const lb_strings *targets, lb_error *error);

/** Measures the model on them by greedy decoding: with all heads, then without each, and prints what it writes,
 *  "heads_off":{...}. Nothing is known if there are no pairs or no heads. Heads of custom attention stay unknown.
 *  Errors: those of decoding. */
LB_MUST_USE lb_status app_report_heads_measure(app_report_heads *heads, lb_translator *translator,
                                               app_report_data *report, lb_error *error);

void app_report_heads_free(app_report_heads *heads);

/* ---- statistics.c: sums over the pairs. ---- */

/** Pairs with a source of one length. */
typedef struct app_length_errors {
    int64_t pairs, wrong;
} app_length_errors;

/** Sums over the pairs. */
typedef struct app_report_statistics {
    lb_statistics sum;   /* of pairs with an expected output */
    lb_statistics alone; /* the same without the lexicon */
    int64_t known; /* pairs whose output is of the lexicon, with an expected one; these are in no sum below */
    lb_confusions confusions;
    const lb_symbol_rule
        *pieces; /* confusions are of words, since symbols are pieces of them by this rule; or NULL */
    lb_vocabulary *words; /* of all outputs and answers */
    lb_calibration calibration;
    app_alignment alignment;
    app_why why;                   /* of the pairs with erasure */
    lb_attention_statistics *head; /* [layers, heads] */
    int64_t layers, heads;
    app_length_errors *length; /* [lengths] */
    size_t lengths;
    double *map; /* [map_room]: one map of attention */
    size_t map_room;
    int64_t pairs;                /* that could be read */
    struct lb_pair_print *prints; /* [sum.outputs] of pairs with an expected output */
    size_t print_room;
} app_report_statistics;

/** Begins, for a model, which must outlive the statistics. Memory: freed by app_report_statistics_free, also after an
 *  error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_report_statistics_init(app_report_statistics *s, const lb_translator_facts *model,
                                                 lb_error *error);

/** Adds a text with its outputs. If it has right answers, they are compared with the best output; if that is of the
 *  lexicon, only to measure both, also with `alone`, the output of the model without it; NULL: it cannot read the text.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_report_statistics_add(app_report_statistics *s, app_report_data *report,
                                                const lb_translations *all, const lb_translation *text,
                                                const lb_output *alone, app_answers *expected,
                                                lb_error *error);

void app_report_statistics_free(app_report_statistics *s);

/** Prints "statistics":{...}. */
void app_report_statistics_print(app_report_statistics *s, app_report_data *report,
                                 const app_report_heads *heads);

#endif
