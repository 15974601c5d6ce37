/* Text in, text out: applying trained models to texts, and training models on pairs of texts. */
#ifndef LOOKBACK_TRANSLATE_H
#define LOOKBACK_TRANSLATE_H

#include "lookback/data.h"
#include "lookback/train.h"

LB_BEGIN_DECLS

/* ---- Applying a trained model. ---- */

/** An open model of any kind, including ensembles, and everything that it needs to run. It never changes, so
 *  several threads may translate with it at once, with the results of one thread alone. Each call that runs has its own
 *  working memory, which is kept for the next call. */
typedef struct lb_translator lb_translator;

/** Opens the model of a training, on pairs of texts or on lists of numbers, which are texts, too.
 *  Path:   the file, or the folder that contains it as model.safetensors or sort.safetensors.
 *  Memory: free it with lb_translator_close; NULL after an error.
 *  Errors: LB_ERROR_OPEN; LB_ERROR_FORMAT if the file holds anything else or is damaged; LB_ERROR_MEMORY. Messages
 *          begin with the name of the file. */
LB_MUST_USE lb_translator *lb_translator_open(const char *path, lb_error *error);

/** lb_translator_open for models with a custom kind or attention. */
LB_MUST_USE lb_translator *lb_translator_open_with(const char *path, const lb_extensions *own,
                                                   lb_error *error);

/** Frees the translator. NULL is allowed. */
void lb_translator_close(lb_translator *translator);

/** The best output for a UTF-8 text, as found by lb_translate_all with its defaults.
 *  Memory: release the string with lb_release; NULL after an error.
 *  Errors: as lb_translate_all. */
LB_MUST_USE char *lb_translate(const lb_translator *translator, const char *text, lb_error *error);

/* ---- Many texts at once, with details of their outputs. ---- */

/** The limits of a search. */
enum { LB_MOST_BEAM = 1000, LB_MOST_LIMIT = 65535, LB_MOST_PENALTY = 10 };

/** Zero means the default in brackets. */
typedef struct lb_translate_config {
    /* Hypotheses followed side by side, at least n_best, at most LB_MOST_BEAM [5; 1, greedy decoding, for lists]. */
    int beam;
    double length_penalty; /* of lb_beam_config, at most LB_MOST_PENALTY [1]; negative: none */
    /* Outputs per text, at most LB_MOST_BEAM, before outputs that are equal as text become one [1]. */
    int n_best;
    /* Maximum symbols of an output, up to LB_MOST_LIMIT [8 + twice the longest of the text and the training texts; the
     * latter count up to 128 symbols, or 8 times the text if that is more]; at most as many as the model has learned
     * positions. */
    int64_t limit;
    bool attention; /* return the attention weights, too */
    /* Replace an unknown symbol by the source symbol with the largest attention at that step, by the mean over the
     * heads of the last layer. A model that copies (lb_training_config.copy) does so by itself, if the source has
     * a symbol that the targets of the training lack. */
    bool copy_unknown;
    /* Sample n_best outputs instead of searching for the best: see lb_sample. The beam is then ignored. */
    bool sample;
    double temperature;  /* of lb_sample_config [1] */
    uint64_t seed;       /* of the samples [0] */
    uint64_t first_text; /* number of the first text; the samples of a text depend on its number [0] */
    int member;          /* decode with this member of an ensemble alone, counted from 1 [0: with all] */
    bool no_lexicon; /* let the model write what its lexicon has, too; as samples and a member always do */
    bool skip_bad_texts; /* an unreadable text gets an error and no output, instead of failing the call */
    /* [count] how the output for each text begins, in symbols of the targets; NULL or "": anyhow [NULL]. Not with
     * `sample`, and not for a model that votes or writes backwards. */
    const char *const *prefixes;
    /* Called between two steps of the outputs, on the thread of the call: true interrupts it. It must return: after a
     * longjmp or an exception out of it, the memory of the call is lost. Use it with a flag that a signal handler or a
     * button sets [nobody is asked] */
    bool (*stop)(void *context);
    void *context; /* passed to `stop` */
    /* Reads and replaces points of the model, as lb_watch says, while it decodes [nobody watches] */
    lb_watcher watch;
    bool erasure, gradient; /* find what each output depends on: see docs/why.md [neither] */
    /* [count] other texts of as many symbols each to patch with, NULL: not this text [NULL] */
    const char *const *patch;
    int measured; /* outputs of a text, the best first, of which these three are found, at most LB_MOST_BEAM [all] */
} lb_translate_config;

/** One point of a model, patched: the run of another text goes on with the value that the text itself has there. */
typedef struct lb_patched {
    char name[LB_POINT_NAME]; /* as in lb_watch_point */
    int64_t layer, head;
    double *returned; /* [steps] log-probability that each step of the output gets by it */
} lb_patched;

/** One output for a text. */
typedef struct lb_output {
    char *text;
    /* [length] of the text; U+FFFD for the unknown symbol, unless the source symbol is copied */
    const char **symbol;
    /* [length] the position of the text whose symbol stands for an unknown one; -1: it is a symbol of the model. NULL:
     * all of them are */
    int64_t *copied;
    int64_t length;
    bool finished;     /* whether the model wrote an end within the limit */
    int64_t steps;     /* length, plus 1 if `finished` */
    bool from_lexicon; /* the lexicon of the model has it */
    /* For comparing outputs: see lb_hypothesis. Of an answer of the lexicon, the model's for that answer; this and all
     * probabilities are not a number, and there are no weights, if the model lacks a symbol of the answer, or could not
     * read or write so many. */
    double score;
    /* Of all steps together: exp of the sum of their log-probabilities. If a list has several outputs that are equal as
     * text, such as two orders of combining marks, it is the sum of theirs, and `score` fits it. */
    double probability;
    /* [steps] of each symbol and of the end, given those before it: the confidence of the model */
    double *symbol_probability;
    /* [layers, heads, steps, source length]: the attention of each step, if requested; NULL without attention */
    lb_real *weights;
    /* The rest is NULL unless requested, and for an answer of the lexicon that the model cannot write. Of an ensemble
     * it is the mean of the members, by their weights. An impossible symbol has the log-probability -1000. */
    /* [steps, source length]: the log-probability that a step of the output, which is given, loses if the embedding of
     * a source symbol is zero; NULL for a source of one symbol */
    lb_real *erasure;
    /* [steps, source length]: of the log-probability, at the embedding, times the embedding; 0 if it is impossible */
    lb_real *gradient;
    double *lost;        /* [steps] log-probability that the output loses if the other text is its source */
    lb_patched *patched; /* [patched_count] how much of that each point brings back */
    int64_t patched_count;
} lb_output;

/** The result for one text. */
typedef struct lb_translation {
    const char **symbol;  /* [length] of the text, as the model reads it */
    int64_t length;       /* 0 if the text is unreadable */
    const char **unknown; /* [unknown_count] the symbols that the model does not know, once per occurrence */
    int64_t unknown_count;
    /* [count] the answers of the lexicon in its order; then finished ones, and others; both groups are sorted by score,
     * best first, and all texts of a group differ; samples are in the order of drawing, and may be equal */
    lb_output *output;
    int64_t count;     /* at most n_best; 0 if the text is unreadable */
    const char *error; /* why the text is unreadable; NULL if it is not */
    /* its characters are not in a row as in the training: see docs/when_it_does_not_work.md; false if `likeness` of
     * lb_translator_about is */
    bool unlike;
} lb_translation;

/** The results for several texts. */
typedef struct lb_translations {
    lb_translation *text; /* [count] in the given order */
    int64_t count;
    int64_t layers, heads;   /* of the attention; 0 without attention */
    struct lb_arena *memory; /* owns all of it */
} lb_translations;

/** Applies the model to `count` UTF-8 texts, as many side by side as memory allows. The result for a text does not
 *  depend on the threads, and on the other texts at most in the last bits of its numbers.
 *  Lists:  digits separated by blanks or tabs. Their numbers must be in the range of the task.
 *  Texts:  may contain unknown symbols.
 *  Memory: free it with lb_translations_free; NULL after an error. It does not depend on the translator.
 *  Errors: LB_ERROR_FORMAT, with the number of the text, counted from 0, if a text is empty, not UTF-8, longer than
 *          `most` of lb_translator_about, or cannot be split into symbols, unless such texts are skipped; also if the
 *          weights of the model are so large that a score is not finite, or a text to patch has another length;
 *          LB_ERROR_ARGUMENT if a number in the configuration is out of its range, or copy_unknown is set for a model
 *          without attention, or a custom model lacks the points of erasure and gradient; LB_ERROR_MEMORY;
 *          LB_ERROR_INTERRUPTED if `stop` asked for it: outputs so far are lost. */
LB_MUST_USE lb_translations *lb_translate_all(const lb_translator *translator, const char *const *texts,
                                              int64_t count, lb_translate_config config, lb_error *error);

/** Zero for the defaults. */
typedef struct lb_score_config {
    bool attention;   /* return the attention weights, too, unless members vote */
    lb_watcher watch; /* as in lb_translate_config; it sees all steps of a target at once [nobody watches] */
} lb_score_config;

/** Scores `count` pairs: how likely the model finds each target for its source. The one output of a text is its target,
 *  as if the model had written it: `score` is the log-probability of all its symbols and of the end,
 *  `symbol_probability` has each of them. A symbol that the model does not know counts as its unknown one. A pair that
 *  cannot be read has an error of its own and no output.
 *  Memory: freed by lb_translations_free; NULL after an error.
 *  Errors: LB_ERROR_FORMAT if a score is not finite; LB_ERROR_MEMORY. */
LB_MUST_USE lb_translations *lb_translator_score(const lb_translator *translator, const char *const *sources,
                                                 const char *const *targets, int64_t count,
                                                 lb_score_config config, lb_error *error);

/** Frees the translations. NULL is allowed. */
void lb_translations_free(lb_translations *translations);

/** The likeliest symbols at each step of an output. */
typedef struct lb_likeliest {
    int64_t steps, count;    /* steps of the output; symbols for each */
    const char **symbol;     /* [steps, count] the likeliest first; the end is "<eos>" */
    double *probability;     /* [steps, count] */
    struct lb_arena *memory; /* of all of it */
} lb_likeliest;

/** The `count` likeliest symbols at each step of an output, given what it wrote before, and their probabilities. An
 *  ensemble has the probabilities by which it decodes.
 *  Count:  cut to the symbols that there are.
 *  Memory: freed by lb_likeliest_free; NULL after an error. The symbols belong to the translator.
 *  Errors: LB_ERROR_ARGUMENT if `count` is less than 1, or the text has no symbols, or the output no steps;
 *          LB_ERROR_MEMORY. */
LB_MUST_USE lb_likeliest *lb_translate_likeliest(const lb_translator *translator, const lb_translation *text,
                                                 const lb_output *output, int64_t count, lb_error *error);

/** Frees them. NULL is allowed. */
void lb_likeliest_free(lb_likeliest *likeliest);

/** Shows alignments instead of expectations: replaces the weights of each output by its likeliest alignment, 1 for the
 *  symbol of the text that a step was written from and 0 for the others. A report and `lookback visualize` do this.
 *  Kinds:  a model with hard attention; for others it does nothing, as for outputs without weights.
 *  Errors: LB_ERROR_MEMORY; some outputs may have been changed by then. */
LB_MUST_USE lb_status lb_translate_show_alignments(const lb_translator *translator,
                                                   lb_translations *translations, lb_error *error);

/** The self-attention of a transformer for a text and an output. */
typedef struct lb_text_attention {
    int64_t layers, heads; /* both 0 for a model without self-attention */
    int64_t length, steps; /* of the text and of the output */
    lb_real *encoder;      /* [layers, heads, length, length]; NULL without self-attention */
    /* [layers, heads, steps, steps]: how each step attends to the output so far, in reading order: the start, then
     * symbols. Forward, step i has read the i symbols before it; backward, those after it. */
    lb_real *decoder;
    struct lb_arena *memory; /* of all of it */
} lb_text_attention;

/** How each symbol of a text attends to the text, and each step of an output to the output: see
 *  lb_model_self_attention, and lb_attention_rollout for all layers together.
 *  Memory: freed by lb_text_attention_free; NULL after an error.
 *  Errors: LB_ERROR_ARGUMENT if the text has no symbols, or the output no steps; LB_ERROR_MEMORY. */
LB_MUST_USE lb_text_attention *lb_translate_self_attention(const lb_translator *translator,
                                                           const lb_translation *text,
                                                           const lb_output *output, lb_error *error);

/** Frees it. NULL is allowed. */
void lb_text_attention_free(lb_text_attention *attention);

/* ---- Facts about a model. ---- */

/** Facts about a translator. Memory: everything belongs to the translator. */
typedef struct lb_translator_facts {
    const char *path; /* of the file */
    const lb_model *model;
    const lb_vocabulary *source, *target; /* may be the same */
    lb_symbol_rule source_rule, target_rule;
    int64_t shortest_source;                /* minimum symbols in training; 0: unknown */
    int64_t longest_source, longest_target; /* maximum symbols in training; 0: unknown */
    int64_t most;                           /* maximum symbols of a text */
    bool sorts;                             /* texts are lists of numbers, which the model sorts */
    int64_t lexicon;                        /* entries of the lexicon; 0: there is none */
    const char *training;                   /* a record of the training, JSON; NULL: none */
    lb_pair_columns columns; /* of the file of the training: the default for others; zero: not given */
    bool likeness;           /* translations say which texts are unlike those of the training */
} lb_translator_facts;

/** The facts about a translator. */
lb_translator_facts lb_translator_about(const lb_translator *translator);

/* ---- Pairs of a file, and lists to sort, as batches for a training loop of your own. ---- */

/** The pairs with the `count` numbers in `pair`, in this order, on the tape. The two vocabularies map symbols to ids;
 *  they may be the same, and must begin with the special symbols, as from lb_vocabulary_new_reserved.
 *  Shapes: source [count, longest source], target_in and target_out [count, longest target + 1].
 *  Errors: errors of reading the file, as in lb_pairs_open; LB_ERROR_INDEX if there is no such pair. They are recorded
 *          on the tape, and the batch is then empty. */
lb_batch lb_pair_batch(lb_pairs *pairs, const lb_vocabulary *source, const lb_vocabulary *target,
                       lb_tape *tape, const int64_t *pair, int64_t count);

/** Lists step * size to (step + 1) * size - 1 of the training split, on the tape, ordered by length so that padding
 *  costs little.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape; the batch is then empty. */
lb_batch lb_sort_batch(const lb_sort_task *task, lb_tape *tape, int64_t size, int64_t step);

/** `size` lists of either split, starting at number `first`. Errors: also LB_ERROR_ARGUMENT for a split that there is
 *  not. */
lb_batch lb_sort_batch_from(const lb_sort_task *task, lb_split split, lb_tape *tape, int64_t size,
                            uint64_t first);

/** The share of the first `lists` held-out lists of the task that the model sorts without a mistake. It is the result
 *  of greedy decoding, found by teacher forcing (docs/adr/0009). Resets the tape; its mode is restored.
 *  Errors: those recorded on the tape. */
LB_MUST_USE lb_status lb_sort_evaluate(const lb_model *model, const lb_sort_task *task, lb_tape *tape,
                                       int64_t lists, double *exact_match);

/* ---- A model of a training loop of your own, as a file. ---- */

/** How texts become the ids of a model. Zero means the default in brackets. */
typedef struct lb_translator_texts {
    const lb_vocabulary *source, *target; /* from lb_vocabulary_new_reserved; one for both has no features */
    lb_symbol_rule source_rule, target_rule;                 /* [each character is a symbol] */
    int64_t shortest_source, longest_source, longest_target; /* symbols in training [unknown] */
    const lb_sort_task *sort; /* the model sorts the lists of this task; it decides all the others [none] */
} lb_translator_texts;

/** Saves a model with its vocabularies, in one file for lb_translator_open and for all programs.
 *  Errors: LB_ERROR_ARGUMENT if the sizes of model and vocabularies differ, a vocabulary is missing or has other
 *          special symbols, the target has features, a rule is invalid, or the model's name is not ""; LB_ERROR_MEMORY;
 *          as lb_model_save. */
LB_MUST_USE lb_status lb_translator_save(const lb_model *model, const lb_params *params, const char *path,
                                         lb_translator_texts texts, lb_error *error);

/** Opens the file of a model for inspection, with the same path as for lb_translator_open.
 *  Path:   `*found`, unless NULL, receives the path of the file; release it with lb_release. NULL after an error.
 *  Memory: close and free the file with lb_safetensors_close; NULL after an error.
 *  Errors: as lb_safetensors_open; LB_ERROR_OPEN for a folder without a model; LB_ERROR_FORMAT for a checkpoint. */
LB_MUST_USE lb_safetensors *lb_model_file_open(const char *path, char **found, lb_error *error);

/* ---- Training: pairs in, a model out. ---- */

/** Bytes of the name of a test with its end. */
enum { LB_TEST_NAME = 32 };

/** Pairs that a training is measured on by name, besides those that the best model is chosen by. */
typedef struct lb_test {
    char name[LB_TEST_NAME]; /* letters, digits, - and _; "" behind the last one */
    const char *file;
    lb_pair_texts pairs; /* instead of `file` */
} lb_test;

/** One model of a training, for who is told of it. */
typedef struct lb_training_run {
    const char *name;   /* "seed 3", if several models are trained; NULL: it is the only one */
    const char *folder; /* of its files */
    int64_t parameters, steps;
    int64_t pairs;                   /* in each pass; 0: lists are sorted */
    const lb_train_history *history; /* all evaluations so far, including earlier sessions */
    const lb_train_point *kept;      /* the one in the model file; NULL before the first evaluation */
    /* What its evaluations are told by: what the best model is chosen by, as in lb_training_config; "symbol" for
     * sentences of which none are held out */
    const char *choose;
    const char *set_aside; /* where the earlier model of the folder is kept; NULL: there is none */
    double guessing;       /* the loss per symbol if all symbols of the target were equally likely, in nats */
    double dropout, label_smoothing; /* in force; both raise the loss of steps, not of evaluations */
} lb_training_run;

/** Whether a training keeps an index of the lines of `train` in a file: docs/mpi.md, "Large files". */
typedef enum lb_index_use {
    LB_INDEX_AUTO,   /* for a file of at least LB_INDEX_BYTES, in the folder of the training */
    LB_INDEX_ALWAYS, /* for any file, next to it, as FILE.index */
    LB_INDEX_NEVER   /* neither made nor read */
} lb_index_use;

/** The least size of a file in bytes, about a million pairs, that LB_INDEX_AUTO makes an index of. */
enum { LB_INDEX_BYTES = 1 << 25 };

/** The configuration of a training. Zero means the default in brackets, from a recipe found by measurements
 *  (docs/recipe.md). A default that depends on the number of pairs is shown for 2000, 8000 and 110000: [192, 192, 448].
 *  The recipe of the sort task (docs/adr/0004) has some other numbers, shown after "sort". Where zero is a valid value,
 *  a negative number means zero. */
typedef struct lb_training_config {
    /* Data: files with a source and a target in each line, "-" for standard input; or pairs in memory. */
    const char *train;
    const char *dev; /* for choosing the best model [a tenth of the pairs for training, held out] */
    lb_pair_texts pairs, dev_pairs; /* instead of `train`, and instead of `dev` [none] */
    /* Pairs that are right whatever the model has learned: their targets are written for their sources, of several the
     * one of the greatest weight, or the first: docs/lexicon.md [none]. Columns and separators are those of `train` */
    const char *lexicon;
    lb_pair_texts lexicon_pairs; /* instead of `lexicon` [none] */
    bool lexicon_from_train;     /* also the pairs to train on, the most frequent target of a source first */
    const char *lexicon_case;    /* "fold": in small letters, too; see docs/lexicon.md ["exact"] */
    const char *train_targets, *dev_targets; /* files of the targets alone, line by line [lines have both] */
    const char *format;                      /* of the files, as in lb_pair_format [found out] */
    int weight_column; /* of the weight of a pair to train on, as in lb_pair_format [none] */
    bool no_merge;     /* train on each of several equal pairs, instead of once in an epoch */
    /* Without `dev`: train on all pairs, evaluate on some of them, and keep the last weights; no `patience` */
    bool no_hold_out;
    int source_column, target_column;                /* see lb_pair_format [1 and 2, the only columns] */
    int features_column;                             /* of features that belong to the source [none] */
    const char *features_separator;                  /* between features [found out, or ";"] */
    const char *source_separator, *target_separator; /* between symbols [each character is a symbol] */
    /* Without a separator, "characters" or "graphemes", as in lb_symbol_rule ["characters"] */
    const char *symbols;
    /* Merges of pairs of characters, for words in pieces, learned from both sides together, or from each on its own. No
     * symbol is unknown then: docs/sentences.md. [for sentences, see docs/recipe.md, otherwise none] */
    int subwords;
    bool separate_subwords;
    const char *normalize; /* "none", "nfc" or "nfd": the normal form that the model sees ["nfd"] */
    /* Up to one without a name: measured at each evaluation, as `dev` is; the best model is not chosen by them. A line
     * has source and target. The `file` of lists is their lengths, "11-30" [none] */
    lb_test test[LB_MOST_TESTS];
    const char *choose_on;  /* the name of a test: the best model is chosen by it, not by `dev` [NULL] */
    int min_count;          /* less frequent symbols are unknown [1] */
    bool skip_bad_lines;    /* count bad lines instead of stopping at the first */
    bool any_target;        /* evaluate each source once, and any of its targets is right */
    lb_index_use index;     /* of the lines of `train`, so that the next run starts at once [LB_INDEX_AUTO] */
    const char *index_file; /* where it is, for a file of any size [as `index` says] */

    /* Or lists of numbers to sort, or whatever the task says, drawn by `seed`; NULL: the data are files. */
    const lb_sort_task *sort;

    /* Start from the weights of a trained model, a file or a folder [NULL: from new ones]. Its architecture, separators
     * and normalisation are those of the run, whose fields may stay open; so are its columns, but those of the run may
     * differ, with a note. New symbols are added to its vocabularies. */
    const char *from;
    const char *freeze; /* modules or parameters that stay as they are, "encoder,source_embedding" [none] */

    /* The model. */
    /* "backward": it writes the target from its end; outputs and attention are in reading order all the same
     * ["forward"] */
    const char *direction;
    const char *model;           /* "seq2seq", GRUs with attention, or "transformer" ["seq2seq"] */
    int embed;                   /* width of the embeddings of a seq2seq [128, 128, 192; sort 64] */
    int hidden;                  /* width of the GRU states or of the transformer [192, 192, 448; sort 128] */
    int layers;                  /* of encoder and decoder [1; transformer 2, of sentences 3] */
    bool one_direction;          /* the encoder of a seq2seq reads only forwards */
    lb_attention_kind attention; /* of a seq2seq [LB_ATTENTION_ADDITIVE] */
    lb_normalizer attention_weights; /* makes them of the scores [LB_SOFTMAX] */
    int heads;                       /* of multi-head attention and of a transformer [4] */
    double dropout; /* share of numbers dropped in training [0.5, 0.5, 0.3; transformer 0.1; sort 0] */
    int tied;       /* 1: target embedding and output share one weight [1 for sentences and many symbols] */
    lb_cell_kind cell; /* of a seq2seq [LB_CELL_GRU] */
    /* A symbol can be copied from the source, also one that the training does not have: docs/copying.md. Needs soft
     * attention, and LB_SOFTMAX as `loss`. */
    bool copy;
    /* Of a transformer, as in lb_transformer_config [sinusoidal; as many as heads; any distance; none]; `window` also
     * of local and location-sensitive attention, as in lb_seq2seq_config [5; 3] */
    lb_positional_kind positions;
    int kv_heads, window;
    double softcap;
    double embedding_scale; /* of a transformer, as in lb_transformer_config [1] */
    bool feature_positions; /* of a transformer: features have no position, as in lb_transformer_config */

    /* The training. */
    int batch;  /* pairs per step [16, 64, 128; sort 64] */
    int steps;  /* [35, 35, 18 epochs, but at least 4000; sort 4000] */
    int epochs; /* instead of steps: how often each pair is seen */
    /* Instead of steps: how long the training takes. Fewer steps, and a narrower model unless `hidden` is set, if the
     * recipe takes longer. Each evaluation fits the steps again, and the checkpoint has them [as the recipe takes] */
    double minutes;
    double lr;          /* the peak; it falls along a cosine [0.002; transformer 0.001; sort 0.005, 0.001] */
    int warm_up;        /* steps in which it rises [200; sort 0] */
    lb_normalizer loss; /* the cross-entropy of softmax, or the loss of sparse probabilities [LB_SOFTMAX] */
    double label_smoothing;    /* share of the target that is spread over all symbols [0.1, 0, 0] */
    double scheduled_sampling; /* final share of its own tokens that the decoder reads [0] */
    /* Share of the pairs of a step in which the letters of the stem are random ones, if it is in source and target: for
     * few pairs. After Anastasopoulos, Neubig 2019, arXiv:1908.05838 [0] */
    double hallucinate;
    /* The weights that are evaluated and kept are an average over about 1 / (1 - average) steps, as in
     * lb_trainer_config; negative: the weights of the last step [0.998] */
    double average;
    /* Parts of each batch for several processes, a power of two, see lb_trainer_config; it decides the bits of the
     * weights [as in the run that is resumed, or the number of processes] */
    int shards;
    lb_precision precision; /* of the products of a step; evaluations are in float32 [LB_FLOAT32] */
    int evaluate_every;     /* steps between two evaluations [250] */
    /* Stop after this many evaluations without a better model [as many as fit in 1250 steps, or in three tenths of all
     * steps; sort never]; negative: never. */
    int patience;
    /* What the best model is chosen by: "exact" match, "symbol" error, "loss", or, of the texts that it writes for at
     * most 500 pairs, "bleu" or "chrf", see lb_statistics_count_text; equals by exact match, symbol error and loss
     * ["exact"; "chrf" for sentences] */
    const char *choose;
    double target; /* stop when the exact match reaches it [0: never] */
    int keep;      /* also keep the models of this many last evaluations, as model-STEP.safetensors [none] */
    /* At each evaluation, film the outputs and the attention of the model for this many held-out pairs [2] */
    int film;
    uint64_t seed; /* of the initial weights and all random numbers */
    int seeds; /* a list of so many trainings, with this and the following seeds, and their ensemble [1] */

    /* The folder of model.safetensors (or sort.safetensors), checkpoint.safetensors, film.jsonl, log.jsonl and log.csv
     * (or train.jsonl and train.csv); it is created. Members of an ensemble have subfolders seed-N. */
    const char *out;
    /* Start from scratch even if an earlier run could be resumed. Its model is kept as model.old-1.safetensors, or -2
     * and so on. */
    bool fresh;
    const char *options;   /* a JSON object for the record in the model file [none] */
    const lb_group *group; /* the processes that train one model; the first writes all files [this one] */
    void *context;         /* passed to these, each of which may be NULL */
    lb_tell_fn tell;       /* hears of the training, of several models one after the other */
    lb_stop_fn stop;       /* called between two steps: true interrupts the training */
    /* Names a setting in messages, as in lb_trainer_config [by the field, "label_smoothing 0.1"] */
    lb_setting_fn setting;
} lb_training_config;

/** The result of a training. */
typedef struct lb_training_result {
    lb_evaluation dev; /* on pairs kept out of the training */
    int64_t pairs;     /* how many those are, at most 2000; with `any_target`, how many sources they have */
    lb_evaluation test[LB_MOST_TESTS]; /* on those of `test` */
    int64_t test_pairs[LB_MOST_TESTS]; /* how many those are, as `pairs` */
} lb_training_result;

/** Checks a configuration and fills in the defaults that do not depend on the data; none if it starts from a model,
 *  on which some depend.
 *  Errors: LB_ERROR_ARGUMENT. */
LB_MUST_USE lb_status lb_training_config_settle(lb_training_config *config, lb_error *error);

/** Trains a model, or several that decode together, on pairs of texts, and saves it for lb_translator_open. The same
 *  pairs give the same weights, bit for bit, from a file and from memory. The best weights so far are in the model's
 *  file from their evaluation on, and at the end, or the weights of the last step if lists are sorted.
 *  Resume: a run that was interrupted, by `stop` or by a kill, resumes from its checkpoint, and ends with the
 *          same weights, bit for bit, as without the interruption.
 *          One that has ended gives its result again. With more steps it is resumed, as lb_train says; other
 *          settings, but patience and target, make another run: they are an error, unless `fresh`.
 *  From:   symbols of the start model keep their ids, and with them their rows in embeddings and output; new ones
 *          follow, with the rows of a new model. The start model must stay where it is for the run to be resumed.
 *          It is evaluated as step 0: if nothing later is better, the result is that model, with the new symbols.
 *  Random: `seed` alone decides; not the threads.
 *  Errors: LB_ERROR_ARGUMENT for an impossible configuration, one that contradicts the start model, a name to freeze
 *          that it does not have, or no pairs; LB_ERROR_OPEN; LB_ERROR_FORMAT, with file and line, for a bad line, with
 *          its index for a bad pair in memory, or for a checkpoint that is damaged or of another run;
 *          LB_ERROR_DIVERGED; LB_ERROR_WRITE; LB_ERROR_MEMORY; LB_ERROR_INTERRUPTED after `stop`: the
 *          checkpoint has all steps so far. `result` may be NULL. */
LB_MUST_USE lb_status lb_translator_train(lb_training_config config, lb_training_result *result,
                                          lb_error *error);

/* ---- A training once more: whether a model is what its record says. ---- */

/** What a training has given that was repeated. */
typedef struct lb_reproduction {
    bool same;               /* all that was compared */
    int64_t evaluations;     /* that are the same, over all members */
    int64_t members, member; /* of a vote, and the one at hand, from 1 on; 0: it is none */
    int64_t step;            /* of the evaluation at hand: the first one that differs, if one does */
    char made[128];          /* by version, instruction set, OpenBLAS */
    char what[256]; /* "": nothing differs; or "weights: found X, expected Y", a value of that evaluation */
    char why[LB_MESSAGE_LENGTH]; /* what can be the reason, beginning with its kind: "version: ..." */
} lb_reproduction;

/** Trains a model again by the record that it has of its training, without writing a file, and compares each
 *  evaluation with that record: the hash of the weights first, then all that was measured. The weights of the file are
 *  compared before. A vote has a training for each member; the weights of the vote are not compared. It ends with the
 *  first difference.
 *  Data:  what `data` sets, such as pairs, replaces what the record says, whose files are those of the present folder
 *         [nothing]; so do its `tell`, `stop` and `context`.
 *  Steps: compares the evaluations up to this step, at least the first [0: all].
 *  Bits:  computes with the instruction set of the record, if this processor has it, unless LOOKBACK_ISA asks for
 *         another one. It is that of the whole process during the call: nothing else should compute meanwhile.
 *  Found: during the call, when `tell` hears LB_EVENT_POINT, what is known so far.
 *  Errors: LB_ERROR_FORMAT without a record of how it was made, as of versions before 0.3.0, and for a training that no
 *          record has all of: one that started from another model, had a teacher, or was fitted into minutes;
 *          those of lb_translator_train. */
LB_MUST_USE lb_status lb_translator_reproduce(const lb_translator *translator, const lb_training_config *data,
                                              int64_t steps, lb_reproduction *found, lb_error *error);

/* ---- Several trainings. ---- */

/** One training of a list, and its result. The caller sets the first two; the rest is zero. */
typedef struct lb_training {
    lb_training_config config; /* with a folder that no other one has */
    const char *name;          /* in messages [its folder], and of its lb_training_run */
    lb_error error;            /* of a training that has failed elsewhere */
    /* All of its evaluations, once it has ended: release history.points with lb_release. No points: it has no result */
    lb_train_history history;
    const lb_train_point *kept; /* the one in its model file; NULL without a result */
} lb_training;

/** A way to run the trainings of a list elsewhere, such as each in a process of its own. */
typedef struct lb_training_host {
    /* Begins training `i` as lb_translator_train does. Errors: end the list. */
    lb_status (*begin)(void *context, int64_t i, lb_error *error);
    /* Returns the number of a training that has ended since, with the reason in `error` if it failed, which ends no
     * other one; or -1, after a while. `stop`: all shall end after their step. NULL: `begin` returns after the end. */
    int64_t (*wait)(void *context, bool stop, lb_error *error);
    int64_t most;  /* at a time; 0 without `wait` */
    void *context; /* passed to both */
} lb_training_host;

/** A list of trainings: models that shall vote, a sweep, a comparison. */
typedef struct lb_trainings {
    lb_training *training;        /* [count] */
    int64_t count;                /* of trainings */
    const lb_training_host *host; /* where they run [here, one after the other] */
    void *context;                /* passed to these, each of which may be NULL */
    lb_stop_fn stop;              /* true: no other training begins, and the host is told */
    /* Hears of each training that has ended, with its result or its error. Errors: end the list. */
    lb_status (*ended)(void *context, int64_t i, lb_error *error);
} lb_trainings;

/** Trains a list of configurations. Each model is that of lb_translator_train with its configuration, byte for byte;
 *  lb_translator_join makes one of them, which votes. An impossible configuration is refused before any training
 *  begins.
 *  Tell:    each configuration has its own `tell` and `stop`; elsewhere, the host decides who hears it.
 *  Resume:  the same list resumes trainings that were interrupted, and gives the results of those that had ended.
 *  Results: what has ended before an error stays in the list.
 *  Errors:  LB_ERROR_ARGUMENT if two have the same folder, or for `seeds`, since each trains one model; those of
 *           lb_translator_train, with the name before it if it is refused; those of the host and of `ended`;
 *           LB_ERROR_INTERRUPTED after `stop`. */
LB_MUST_USE lb_status lb_translator_train_all(lb_trainings list, lb_error *error);

/** Sets the fields that make a model of this kind, and resets those that such a model does not have: a name of
 *  lb_attention_names; sparsemax, entmax, lstm or copy, with additive attention; transformer, or relative, alibi,
 *  rotary, fire or random, which are its positions; each with -backward behind it for a model that writes from the end;
 *  or forward or backward alone, with the attention that the configuration has. Members of a vote had best differ.
 *  Errors: LB_ERROR_ARGUMENT for anything else. */
LB_MUST_USE lb_status lb_training_config_set_kind(lb_training_config *config, const char *kind,
                                                  lb_error *error);

/* ---- Finished models as one. ---- */

/** The most members of a joined model. */
enum { LB_JOIN_MOST = 64 };

/** Which models to join. */
typedef struct lb_join_config {
    const char *const
        *models; /* [count] files or folders; the members of an ensemble become members themselves */
    int64_t count;
    const char *out; /* the folder of the result; it is created */
    /* Pairs to fit the weights of the members on: `dev`, or a tenth of `train`, held out; columns [those of the first
     * model], skip_bad_lines, and any_target, for what is measured, apply, and `tell` hears LB_EVENT_NOTE and
     * LB_EVENT_COUNTED. NULL, or without such pairs: all weights are equal. All models together are measured on its
     * tests. A `lexicon` is of the result: it replaces that of the models, and with it one alone can be joined. */
    const lb_training_config *data;
    bool replace;    /* an earlier model of the folder is not kept */
    bool no_lexicon; /* the result has none, even if a model has one; one model alone can be joined, too */
} lb_join_config;

/** One member of a joined model. */
typedef struct lb_join_member {
    char label[64]; /* its attention or kind, and "-backward" if it writes from the end */
    char path[256]; /* of its file, cut off if it is longer */
    double weight;
    lb_evaluation dev; /* by beam search; zero without pairs */
} lb_join_member;

/** The result of joining. */
typedef struct lb_join_result {
    lb_join_member member[LB_JOIN_MOST];
    int64_t count;                     /* of members */
    lb_evaluation dev;                 /* of all together */
    int64_t pairs;                     /* that were measured, as in lb_training_result */
    int64_t lexicon;                   /* entries of its lexicon; 0: it has none */
    const char *choose;                /* what the first member was chosen by, as in lb_training_config */
    lb_evaluation test[LB_MOST_TESTS]; /* of all together on the tests of `data` */
    int64_t test_pairs[LB_MOST_TESTS];
    /* Where the earlier model of the folder is kept, cut off if it is longer; "": nowhere. */
    char set_aside[256];
} lb_join_result;

/** Makes one model of finished ones, see lb_ensemble, and saves it for lb_translator_open. They must have the same
 *  vocabularies and symbol rules, and no two different lexicons, unless the result gets one of its own or none.
 *  Weights: those under which the right outputs of the pairs are likeliest among the hypotheses of all members,
 *           regularised toward equal weights (docs/adr/0027). The result of the vote on the same pairs is a little
 *           optimistic.
 *  File: depends on the models and pairs alone, and on the order of the models. An earlier model of the folder is kept
 *           as model.old-1.safetensors, or -2 and so on.
 *  Errors:  LB_ERROR_OPEN, LB_ERROR_FORMAT as lb_translator_open; LB_ERROR_ARGUMENT if models do not fit together, with
 *           the first difference, for more than LB_JOIN_MOST members, or if the result would overwrite one of them;
 *           those of reading pairs; LB_ERROR_WRITE; LB_ERROR_BUSY; LB_ERROR_MEMORY. `result` may be NULL. */
LB_MUST_USE lb_status lb_translator_join(lb_join_config config, lb_join_result *result, lb_error *error);

/* ---- Training step by step, for a program with a loop of its own, such as a page or a window. ---- */

/** A training that takes a step when it is asked to. */
typedef struct lb_stepper lb_stepper;

/** Begins the training of lb_translator_train with this configuration, for one model in this process: `seeds` and
 *  `group` have no effect. It has the same losses and weights, evaluates, chooses the best, stops early and tells
 *  alike.
 *  Files:  those of lb_translator_train in `out`, from whose checkpoint it resumes; without `out` it writes none, and
 *          has no `index`.
 *  Memory: free it with lb_stepper_free; NULL after an error. The strings of the configuration must outlive it.
 *  Errors: as lb_translator_train. */
LB_MUST_USE lb_stepper *lb_stepper_new(lb_training_config config, lb_error *error);

/** Frees the training and its model. NULL is allowed. */
void lb_stepper_free(lb_stepper *stepper);

/** Takes one step, or a part of an evaluation: after each `evaluate_every` steps and after the last one, the next calls
 *  evaluate, a batch each. `loss` receives the loss of the last step. At the end of the training, the model is its
 *  result, and its files are written.
 *  Errors: LB_ERROR_ARGUMENT after the end; LB_ERROR_INTERRUPTED after `stop`, with a checkpoint of all steps;
 *          LB_ERROR_DIVERGED; errors of reading `train`; LB_ERROR_WRITE at the end; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_stepper_step(lb_stepper *stepper, double *loss, lb_error *error);

/** Sets the peak of the learning rate for the following steps. */
void lb_stepper_set_lr(lb_stepper *stepper, double lr);

/** Evaluates the model on up to `pairs` held-out lists or pairs.
 *  Errors: LB_ERROR_ARGUMENT for fewer than one; errors of reading the pairs; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_stepper_measure(lb_stepper *stepper, int64_t pairs, lb_evaluation *found,
                                         lb_error *error);

/** Where a training is. */
typedef struct lb_stepper_facts {
    int64_t step, steps; /* steps done; of the whole training */
    int64_t parameters;  /* that are learned */
    double lr;           /* of the next step */
    int64_t held_out;    /* pairs kept out of the training, to measure it on; 0 for lists, which are drawn */
    const lb_train_history *history; /* its evaluations so far */
    bool done;                       /* the training has ended, after all steps or before */
} lb_stepper_facts;

/** Where the training is. */
lb_stepper_facts lb_stepper_about(const lb_stepper *stepper);

/** The model as it is now, with averaged weights if the recipe has an average, for lb_translate_all and the like.
 *  Memory: owned by the stepper. The next step changes it. */
lb_translator *lb_stepper_translator(lb_stepper *stepper);

/** Writes the model as it is now, for lb_translator_open. The file has no record of the training.
 *  Errors: as lb_safetensors_write. */
LB_MUST_USE lb_status lb_stepper_save(const lb_stepper *stepper, const char *path, lb_error *error);

LB_END_DECLS

#endif
