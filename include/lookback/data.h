/* Data: the sort task, texts as symbols, vocabularies, files of pairs. */
#ifndef LOOKBACK_DATA_H
#define LOOKBACK_DATA_H

#include "lookback/base.h"

LB_BEGIN_DECLS

/* ---- The task that the engine is shown with: put a list of numbers in order. ---- */

/** Lists of `min_length` to `max_length` numbers from 0 to `max_value`, all drawn evenly. */
typedef struct lb_sort_task {
    int32_t max_value;
    int32_t min_length, max_length;
    uint64_t seed; /* which lists training and testing see */
} lb_sort_task;

/** Which lists: those to learn from, or those to be tested with. */
typedef enum lb_split {
    LB_SPLIT_TRAIN,
    LB_SPLIT_TEST /* one list in ten, chosen by a hash of its numbers: no list is ever in both */
} lb_split;

/** Checks the numbers against each other, and that either split has a list at all.
 *  Errors: LB_ERROR_ARGUMENT, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_sort_check(const lb_sort_task *task, lb_error *error);

/** Ids that a vocabulary of the task needs: the numbers and LB_FIRST_TOKEN special ones. */
int32_t lb_sort_vocab(const lb_sort_task *task);

/* ---- A list of strings that grows. ---- */

/** Zero is an empty list. */
typedef struct lb_strings {
    size_t count, capacity;
    char **text; /* [count] */
} lb_strings;

/** Frees the list and its strings. */
void lb_strings_free(lb_strings *strings);

/* ---- Text as words. ---- */

/** The words of a text, in order. */
typedef struct lb_words {
    size_t count;
    const char **word; /* [count] UTF-8, each a string */
    char *letters;     /* where they lie */
} lb_words;

/** Cuts a text, a string in UTF-8, into words: lower case, split at white space, as Python's text.lower().split() with
 *  the white space of all scripts. What is written together is one word: "good," is not "good".
 *  Memory: freed by lb_words_free, also after an error.
 *  Errors: LB_ERROR_FORMAT if the text is not UTF-8; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_words_split(const char *text, lb_words *words, lb_error *error);

/** Frees what lb_words_split made. */
void lb_words_free(lb_words *words);

/* ---- Reviews, or other texts each of which stands for itself. ---- */

/** Bytes that a review may have. */
enum { LB_REVIEW_LONGEST = 1 << 20 };

/** Reads the first `most` reviews of `path`; 0: all.
 *  Path:   a folder with a file for each, of the kind and in the order that lb_text_files_find says; a file with a line
 *          for each, where lines without a word do not count; or "-", standard input, the same.
 *  Text:   valid UTF-8 with at least one word. A byte order mark at the beginning of a file and the ends of lines, "\n"
 *          or "\r\n", are not part of it.
 *  Memory: `reviews` is to be freed by lb_strings_free, also after an error.
 *  Errors: LB_ERROR_OPEN if there is no such file or it cannot be read; LB_ERROR_FORMAT, with file and line, if it is
 *          not UTF-8, has a zero byte, is too long, or if there is no review; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_reviews_read(const char *path, size_t most, lb_strings *reviews, lb_error *error);

/* ---- Symbols, such as words, and the numbers that stand for them. ---- */

/** Symbols with their ids and how often they were counted. Two threads may read it, if none changes it. */
typedef struct lb_vocabulary lb_vocabulary;

/** A vocabulary of nothing but the special symbols, whose ids are 0, 1, 2 ... as given; `unknown` is the id of the one
 *  that stands for whatever the vocabulary does not have. Padding is LB_PAD: the first special symbol is for that.
 *  Memory: freed by lb_vocabulary_free; symbols are copied. NULL after an error.
 *  Errors: LB_ERROR_ARGUMENT if a special symbol occurs twice or `unknown` is none of them; LB_ERROR_MEMORY. */
LB_MUST_USE lb_vocabulary *lb_vocabulary_new(const char *const *specials, int32_t count, int32_t unknown,
                                             lb_error *error);

/** A vocabulary for texts that may contain anything: LB_FIRST_TOKEN special symbols, spelt <pad>, <bos>, <eos> and
 *  <unk>, are reserved by their ids alone. A text's own "<eos>" is a symbol like any other and gets an id of its own.
 *  Memory: freed by lb_vocabulary_free. NULL after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_vocabulary *lb_vocabulary_new_reserved(lb_error *error);

/** Frees the vocabulary. NULL is allowed. */
void lb_vocabulary_free(lb_vocabulary *vocabulary);

/** Counts an occurrence of each of `count` symbols; one that is new gets the next id.
 *  Cost:   O(length) a symbol.
 *  Errors: LB_ERROR_MEMORY; some of the symbols may have been counted then. */
LB_MUST_USE lb_status lb_vocabulary_add(lb_vocabulary *vocabulary, const char *const *symbols, size_t count,
                                        lb_error *error);

/** Drops what has been counted less than `least` times and gives new ids to the rest: the most frequent first, equal
 *  ones in the order of their characters. Special symbols stay where they are.
 *  Source: torchtext's build_vocab_from_iterator, with min_freq = least, which gives the same ids. */
void lb_vocabulary_sort(lb_vocabulary *vocabulary, int64_t least);

/** Number of ids. */
int32_t lb_vocabulary_size(const lb_vocabulary *vocabulary);

/** The id of a symbol, or that of the unknown one. */
int32_t lb_vocabulary_id(const lb_vocabulary *vocabulary, const char *symbol);

/** The symbol of an id; NULL of an id that it does not have. Memory: the vocabulary's. */
const char *lb_vocabulary_symbol(const lb_vocabulary *vocabulary, int32_t id);

/** Writes exactly `length` ids: those of the first of `count` symbols, and LB_PAD behind them if they are fewer.
 *  Returns how many are not padding. */
int32_t lb_vocabulary_encode(const lb_vocabulary *vocabulary, const char *const *symbols, size_t count,
                             int32_t *id, int32_t length);

/* ---- Text as symbols: characters, or whatever stands between separators. ---- */

/** Which of the ways to write an accented letter counts. Source: Unicode Standard Annex 15. */
typedef enum lb_normalization {
    LB_NORMALIZE_NONE, /* as it is written */
    LB_NORMALIZE_NFC,  /* composed: one character where there is one */
    LB_NORMALIZE_NFD,  /* decomposed: the letter, then its marks */
} lb_normalization;

/** The word for it, "none", "nfc" or "nfd". */
const char *lb_normalization_name(lb_normalization normalize);

/** The other way round. False if there is no such word. */
bool lb_normalization_find(const char *name, lb_normalization *normalize);

/** How a text is taken apart and put together. Zero: its characters, as they are written. */
typedef struct lb_symbol_rule {
    const char *separator; /* a string between symbols, such as " "; NULL or "": each character is a symbol */
    lb_normalization normalize; /* first of all */
} lb_symbol_rule;

/* ---- One line of a TSV file as a pair of texts, in symbols. ---- */

/** What a line should look like. Zero: a source, a tab and a target, each character a symbol. */
typedef struct lb_pair_format {
    /* Where source and target stand; 1 is the first column. If either is given, lines may have other columns, as many
     * as the first line has. Else source and target are all there is. */
    int32_t source_column, target_column; /* 0: 1 and 2 */
    bool no_target; /* there are only sources, as where a model is to find the targets */
    lb_symbol_rule source, target;
    int32_t longest;     /* symbols that a source or target may have; 0: 1000; at most LB_PAIR_LONGEST */
    bool skip_bad_lines; /* lb_pairs_open counts them and goes on instead of stopping at the first */
} lb_pair_format;

/* ---- Pairs of texts in a TSV file. ---- */

/** An open file of pairs. It remembers where each line stands, and reads and takes it apart when it is asked for: 16
 *  bytes of memory a pair, and up to as much again kept for growing. Not to be used by two threads at once. */
typedef struct lb_pairs lb_pairs;

/** Opens the file `path`, which must stay as it is until it is closed, and looks at every line.
 *  Format: what it points to, the separators, must outlive the pairs.
 *  Memory: closed and freed by lb_pairs_close. NULL after an error.
 *  Errors: LB_ERROR_OPEN if it cannot be read, or not twice, as a pipe; LB_ERROR_FORMAT, with file and line, what was
 *          found and expected, for the first bad line unless these are to be skipped, and if there is no good line;
 *          LB_ERROR_ARGUMENT for an impossible format; LB_ERROR_MEMORY.
 *  Cost:   O(bytes). */
LB_MUST_USE lb_pairs *lb_pairs_open(const char *path, const lb_pair_format *format, lb_error *error);

/** Takes about one of `share` pairs out of a file, as a file of its own with its own numbers from 0 on: for development
 *  where there are no other pairs. A hash of the source decides: pairs with the same source stay together, and who adds
 *  lines moves no other pair. The path of what is taken out is "held out of PATH"; of the facts it has
 *  only how many lines there are.
 *  Memory: as of lb_pairs_open: closed by lb_pairs_close; each may be closed before the other. NULL after an error, and
 *          `pairs` is as it was.
 *  Errors: LB_ERROR_ARGUMENT if share < 2; LB_ERROR_FORMAT if too few pairs leave one of the two without any; those of
 *          lb_pairs_read. Cost: O(bytes). */
LB_MUST_USE lb_pairs *lb_pairs_hold_out(lb_pairs *pairs, int32_t share, lb_error *error);

/** Closes the file and frees all. NULL is allowed. */
void lb_pairs_close(lb_pairs *pairs);

/** How many pairs there are: at least 1. They are numbered from 0 in the order of the file. */
int64_t lb_pairs_count(const lb_pairs *pairs);

/** The path with which the file was opened. Memory: the pairs'. */
const char *lb_pairs_path(const lb_pairs *pairs);

/** Symbols of the source of a pair, 0 <= pair < count. */
int32_t lb_pairs_source_length(const lb_pairs *pairs, int64_t pair);
/** Symbols of its target. */
int32_t lb_pairs_target_length(const lb_pairs *pairs, int64_t pair);

/** Counts the symbols of all sources and of all targets. The two vocabularies may be one and the same; that of the
 *  targets may be NULL. To be followed by lb_vocabulary_sort.
 *  Errors: as lb_pairs_read; some of the symbols may have been counted then. */
LB_MUST_USE lb_status lb_pairs_count_symbols(lb_pairs *pairs, lb_vocabulary *source, lb_vocabulary *target,
                                             lb_error *error);

/* ---- The order in which training sees pairs: in batches of similar lengths, another one in each epoch. ---- */

/** Batches that are sorted by length among each other: more mean less padding, fewer mean batches that are mixed
 *  better. */
enum { LB_PAIR_ORDER_POOL = 100 };

/** Which pairs each step sees: a function of the seed and the step, so that a resumed run has nothing to load.
 *  An epoch: all pairs are shuffled and cut into pools of LB_PAIR_ORDER_POOL batches; a pool is sorted by the length of
 *  targets, equal ones by that of sources, and cut into batches; the batches are shuffled. Each pair is in just one
 *  batch, and one batch has fewer pairs if there is a rest. */
typedef struct lb_pair_order lb_pair_order;

/** The pairs of one step. */
typedef struct lb_pair_step {
    const int64_t *pair; /* [count] numbers of pairs */
    int64_t count;
    int64_t epoch; /* 0 is the first */
    int64_t batch; /* of the epoch, from 0 on */
} lb_pair_step;

/** The order of the pairs, of which only the lengths are read here, in batches of `batch_size`, for a seed.
 *  Memory: 8 bytes a pair; `pairs` must outlive it; freed by lb_pair_order_free. NULL after an error.
 *  Errors: LB_ERROR_ARGUMENT if the batch size is less than 1 or there are more than 2^32 pairs; LB_ERROR_MEMORY. */
LB_MUST_USE lb_pair_order *lb_pair_order_new(const lb_pairs *pairs, int64_t batch_size, uint64_t seed,
                                             lb_error *error);

/** Frees the order. NULL is allowed. */
void lb_pair_order_free(lb_pair_order *order);

/** Batches of an epoch. */
int64_t lb_pair_order_batches(const lb_pair_order *order);

/** The pairs of a step, 0 <= step. Memory: `pair` stays until the next call.
 *  Cost: O(batch size), and O(pairs) where the epoch is another than in the call before. */
lb_pair_step lb_pair_order_at(lb_pair_order *order, int64_t step);

LB_END_DECLS

#endif
