/* Evaluations: their results, summed batch by batch, and those of pairs. */
#ifndef LB_EVALUATE_H
#define LB_EVALUATE_H

#include "base/group.h"
#include "translate/batches/batch.h"

/** Places in lb_evaluation.own of a training of texts: how many texts were compared, 0 if none was, and their BLEU and
 *  chrF2 from 0 to 100. */
enum { LB_OWN_TEXTS, LB_OWN_BLEU, LB_OWN_CHRF };

/* ---- evaluate.c ---- */

/** How many symbols a file may say that its training had: this many for any source, or this many times the source. */
enum { LB_TEXT_MODEL_TRUSTED = 128, LB_TEXT_MODEL_RATIO = 8 };

/** The tokens after which the output for a source is cut off, 2 n + 8 as in lb_beam_config, after a training whose
 *  longest text had `longest` symbols. Up to LB_TEXT_MODEL_TRUSTED symbols it is the same for all sources no longer
 *  than those of the training, so that they can be decoded together. Beyond, it is in proportion to the source,
 *  whatever the file says: 264 tokens for sources of up to 16 symbols, less than 33 for each symbol of longer ones. */
int64_t lb_output_limit(int64_t longest, int64_t source_length);

/** Zero is an empty tally. */
typedef struct lb_tally {
    int64_t rows, right;    /* all targets; those without a mistake */
    int64_t tokens;         /* of the targets, LB_EOS included */
    double loss;            /* sum over the tokens */
    int64_t symbols, edits; /* of the targets, without LB_EOS; needed to correct the greedy outputs */
} lb_tally;

/** Whether greedy decoding writes this row as it is in the target, LB_EOS included, found from the logits of teacher
 *  forcing: the likeliest token is the right one at every position. Until its first mistake, decoding reads the right
 *  tokens. This takes one pass instead of a step per token.
 *  Shapes: logits [batch, length, classes], target_out [batch, length]. */
bool lb_row_is_right(const lb_tensor *logits, lb_tokens target_out, int64_t row);

/** Adds a batch by one teacher-forced pass, which gives the loss and the rows that are right (docs/adr/0009): all but
 *  the edits. In its targets, LB_UNWRITABLE is never right, and counts as LB_UNK in the loss.
 *  The tape must be in LB_MODE_EVALUATE.
 *  Shapes: wrong [rows of the batch] receives the other rows. Returns their number.
 *  Errors: those recorded on the tape. */
int64_t lb_tally_add_forced(lb_tally *tally, const lb_model *model, lb_batch batch, int64_t *wrong);

/** Decodes `count` rows of a batch greedily to count their wrong symbols, each up to lb_output_limit as predict does:
 *  `longest` is that of the training, here and below.
 *  The tape must be in LB_MODE_EVALUATE. Errors: those recorded on the tape, also from before. */
LB_MUST_USE lb_status lb_tally_add_edits(lb_tally *tally, const lb_model *model, lb_batch batch,
                                         const int64_t *row, int64_t count, int64_t longest);

/** The two in one, the second if there shall be `edits`. */
LB_MUST_USE lb_status lb_tally_add(lb_tally *tally, const lb_model *model, lb_batch batch, bool edits,
                                   int64_t longest);

/** Adds the loss of a batch alone. In its targets, LB_UNWRITABLE counts as LB_UNK.
 *  The tape must be in LB_MODE_EVALUATE. Errors: those recorded on the tape. */
LB_MUST_USE lb_status lb_tally_add_loss(lb_tally *tally, const lb_model *model, lb_batch batch);

/** Adds a batch as beam search writes it, the best hypothesis of each row. Its targets, in reading order, are scored by
 *  teacher forcing, with LB_UNK for LB_UNWRITABLE. The tape must be in LB_MODE_EVALUATE. Errors: those recorded on the
 *  tape. */
LB_MUST_USE lb_status lb_tally_add_search(lb_tally *tally, const lb_model *model, lb_batch batch,
                                          lb_beam_config config, int64_t longest);

/** Adds a batch by its outputs alone, without a loss. Targets are in reading order, and may have ids that no output
 *  has. Outputs are those of greedy decoding, or of a search unless it is NULL. The tape must be in LB_MODE_EVALUATE.
 *  Sources: `same[row]` is how many rows from this one on have its source, which counts as one row: right if its output
 *           equals any of their targets, with the edits to the nearest one. NULL: each row counts on its own.
 *  Errors: those recorded on the tape. */
LB_MUST_USE lb_status lb_tally_add_outputs(lb_tally *tally, const lb_model *model, lb_batch batch,
                                           const int64_t *same, const lb_beam_config *search,
                                           int64_t longest);

/** The tallies of the batches of an evaluation. The processes of a group share them: the first one has the first batch,
 *  the second one the second, and so on. Begin with a group, NULL for this process alone, and zeros. */
typedef struct lb_tallies {
    const lb_group *group;
    /* A call evaluates one batch, or some rows of one, and returns LB_ERROR_INTERRUPTED before the last one is done. */
    bool in_parts;
    int64_t next;   /* pairs or lists done */
    int64_t *wrong; /* [left] rows of the next batch that are still to be decoded */
    int64_t left;
    size_t wrong_room;
    lb_tally *batch; /* [count]: zero for the batches of others */
    int64_t count;
    size_t room;
} lb_tallies;

/** An empty tally for the next batch, valid until the following one; NULL if memory runs out, recorded on the tape. */
lb_tally *lb_tallies_next(lb_tallies *tallies, lb_tape *tape);

/** Whether this process has the last batch. */
bool lb_tallies_mine(const lb_tallies *tallies);

/** The sum over all batches, the same bits in all processes and with any number of them; begins again.
 *  Errors: those of the tape, also from before; those of the group, recorded on it. */
LB_MUST_USE lb_status lb_tallies_sum(lb_tallies *tallies, lb_tape *tape, lb_tally *sum);

/** Frees what an evaluation leaves that ends before its sum. */
void lb_tallies_free(lb_tallies *tallies);

/** The means over `count` rows, at least `tally->rows`. Rows that were not added count as wrong. */
lb_evaluation lb_tally_evaluation(const lb_tally *tally, int64_t count);

/* ---- pair_evaluate.c ---- */

/** The pairs for repeated evaluations. */
typedef struct lb_pair_sample {
    int64_t *pair;    /* [count] first those that a model can get right, then the others; both by length */
    int64_t possible; /* the other targets have symbols that the model cannot write */
    int64_t count;    /* of all pairs */
    bool copies;      /* the model can also write the symbols of a source */
    int64_t longest;  /* symbols of a text of the training, for the limit of outputs; set by the caller [0] */
    int64_t *same; /* [count] of `sources`: how many pairs from this one on have its source; NULL elsewhere */
    /* Where any target is right: all pairs of these sources, those of one next to each other; NULL: each pair counts on
     * its own. */
    struct lb_pair_sample *sources;
} lb_pair_sample;

/** In the targets of lb_pair_sample_batch: a symbol that the model cannot write. No output has it. */
enum { LB_UNWRITABLE = -1 };

/** Takes all pairs if there are at most `most`, otherwise `most` of them, evenly spaced.
 *  Vocabulary: of the targets. With `copies`, the model can also write the symbols of a source.
 *  Memory: freed by lb_pair_sample_free; nothing to free after an error.
 *  Errors: LB_ERROR_ARGUMENT if `most` is less than 1; those of lb_pairs_read. */
LB_MUST_USE lb_status lb_pair_sample_make(lb_pairs *pairs, const lb_vocabulary *target, bool copies,
                                          int64_t most, lb_pair_sample *sample, lb_error *error);

/** Counts each source of the sample once from now on, with all of its targets in `pairs` as right answers.
 *  Errors: LB_ERROR_MEMORY; those of lb_pairs_read. */
LB_MUST_USE lb_status lb_pair_sample_any_target(lb_pair_sample *sample, lb_pairs *pairs, lb_error *error);

/** How many there are to get right: pairs or, if any target is right, sources. */
int64_t lb_pair_sample_judged(const lb_pair_sample *sample);

void lb_pair_sample_free(lb_pair_sample *sample);

/** How many of the pairs from `first` on have the same fate, that of sample->pair[first]: possible, or not. */
int64_t lb_pair_sample_alike(const lb_pair_sample *sample, int64_t first);

/** How many pairs from `first` on belong together, and into one batch: those of its source if any target is right. */
int64_t lb_pair_sample_same(const lb_pair_sample *sample, int64_t first);

/** `count` pairs of the sample from `first` on, all alike, as lb_pair_batch. In `target_out` of those that the model
 *  cannot get right, the symbols that it cannot write are LB_UNWRITABLE.
 *  Errors: as lb_pair_batch. */
lb_batch lb_pair_sample_batch(const lb_pair_sample *sample, lb_pairs *pairs, const lb_vocabulary *source,
                              const lb_vocabulary *target, lb_tape *tape, int64_t first, int64_t count);

/** The measures of lb_tally_add on a sample, in batches of similar length. Pairs that the model
 *  cannot get right count as wrong, each symbol that it cannot write as an edit, and as LB_UNK in the loss.
 *  If any target is right, rows are sources, and the loss is the same.
 *  Tallies: those of its batches so far; NULL: evaluates all pairs in one call, in this process alone.
 *  Vocabularies: as in lb_pair_batch.
 *  Resets the tape; its mode is restored. Errors: those recorded on the tape. */
LB_MUST_USE lb_status lb_pair_evaluate(const lb_model *model, lb_pairs *pairs, const lb_vocabulary *source,
                                       const lb_vocabulary *target, const lb_pair_sample *sample,
                                       lb_tape *tape, lb_tallies *tallies, lb_evaluation *found);

#endif
