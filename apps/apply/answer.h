/* The answers of a model as lines and as JSON: its outputs, the votes of its members, its attention, and whether that
 * tells why. */
#ifndef APP_ANSWER_H
#define APP_ANSWER_H

#include "base/buffer.h"
#include "data/text/symbols.h"
#include "metrics/measures.h"
#include <lookback/translate.h>

/** Appends a JSON object for the result of a text, without a line end; docs/terminal.md describes the fields. `source`
 *  is the text; NULL if it is invalid. */
void app_answer_json(lb_buffer *json, const char *source, const lb_translation *text);

/** Why numbers of an output do not exist that were asked for, in a few words; NULL: all of them do. */
const char *app_why_null(const lb_output *output);

/** The symbols of an output as its text is divided, to compare it with others: a model may write pieces of a word
 *  that no text is divided into. `again` has their memory, freed by lb_symbols_free. */
lb_symbols app_output_symbols(const lb_symbol_rule *rule, const lb_output *output, lb_symbols *again);

/** Writes the ids of symbols or words to `id`, and adds new ones to the vocabulary. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_encode(lb_vocabulary *all, const char *const *symbols, size_t count, int32_t *id,
                                 lb_error *error);

/** The words of an output and of a reference, as ids in the memory of `*id`, which has `*room`.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_encode_words(lb_vocabulary *words, const char *output, const char *reference,
                                       int32_t **id, size_t *room, lb_sequence compared[2], lb_error *error);

/* ---- table.c: the table that came, with columns for the output. ---- */

/** A table in CSV. Zero has none. */
typedef struct app_table {
    bool asked, aligned; /* aligned: with the alignment in a last column */
    bool likeness;       /* with a column for the texts that are unlike the training */
    int columns;         /* of the file; known with the first line */
} app_table;

struct app_input;
struct app_input_line;

/** Adds a line of the input, which keeps rows, as many times as it has outputs, at least once: its columns as they
 *  came, then output, probability, score and from, which is model or lexicon, and `yes` in unlike; before the first
 *  one their names. */
void app_table_add(app_table *table, const struct app_input *input, const struct app_input_line *line,
                   const lb_translations *found, const lb_translation *text, lb_buffer *csv);

/* ---- Votes: what the members of an ensemble would have written by themselves. ---- */

/** The outputs of each member for the same texts. Zero is none. */
typedef struct app_votes {
    const lb_ensemble *ensemble;
    lb_translations **member; /* [ensemble->count] */
} app_votes;

/** Lets each member of the ensemble translate the texts alone.
 *  Memory: freed by app_votes_close, also after an error. Errors: those of lb_translate_all. */
LB_MUST_USE lb_status app_votes_ask(app_votes *votes, lb_translator *translator, const char *const *texts,
                                    size_t count, lb_translate_config config, lb_error *error);

/** Appends a line for the common output of text `at`, and one for each member: source, output, score, weight, kind. */
void app_votes_print(lb_buffer *lines, const app_votes *votes, size_t at, const char *source,
                     const lb_translation *together);

/** Adds a field "votes" to the JSON object at the end of `json`. */
void app_votes_add(const app_votes *votes, size_t at, lb_buffer *json);

/** Frees the outputs. */
void app_votes_close(app_votes *votes);

/* ---- Attention. ---- */

/** Writes the attention weights as a NumPy file in float32, of shape [layers, heads, steps, source].
 *  Errors: LB_ERROR_FORMAT for an answer of the lexicon without attention; LB_ERROR_MEMORY; LB_ERROR_WRITE. */
LB_MUST_USE lb_status app_write_attention(const char *path, const lb_translations *found, lb_error *error);

/** Adds a line of JSON with the attention of the best output of a text: {"source": its symbols, "output": the symbols,
 *  "finished": whether an end follows them, "attention": [layer][head][step][source]}; null if there is no output. */
void app_add_attention(lb_buffer *lines, const lb_translations *found, const lb_translation *text);

/** Writes lines to a file, at once. Errors: LB_ERROR_MEMORY; LB_ERROR_WRITE. */
LB_MUST_USE lb_status app_write_lines(const char *path, const lb_buffer *lines, lb_error *error);

/** Adds the alignment of an output, "0-0 2-1": for each of its symbols, the position in the source with the largest
 *  attention, as a mean over the heads of the last layer; of equal ones, the first. Source: the format of
 *  fast_align. */
void app_add_alignment(lb_buffer *line, const lb_translations *found, const lb_translation *text,
                       const lb_output *output);

/* ---- why.c: whether attention looks where the output depends, which is attention beside erasure. ---- */

/** The pairs so far. Zero is empty. */
typedef struct app_why {
    /* [pairs, rows] agreement with erasure: of the mean of the heads of the last layer, which is what a user sees; of
     * each head, if there are several; of uniform weights; of the mean of the last pair before whose source is as long,
     * in the steps that both have. Not a number: there is none. */
    lb_agreement *found;
    int64_t pairs, rows, heads;     /* heads: of a layer */
    struct app_why_weights *before; /* [lengths] the mean of the last pair with a source of that length */
    double *column;                 /* [pairs] of a measure of a row */
    size_t room, lengths, column_room;
} app_why;

/** Adds the best output of a text, if it has attention and erasure, which a source of one symbol has not, and is not of
 *  the lexicon.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_why_add(app_why *why, const lb_translations *all, const lb_translation *text,
                                  lb_error *error);

/** Prints the value "why" of a JSON object, as docs/report.md has it, or three lines: the mean of the heads, with the
 *  best of them, and the controls; nothing without pairs. */
void app_why_json(const app_why *why, lb_buffer *json);
void app_why_print(const app_why *why);
void app_why_free(app_why *why);

#endif
