/* Data: the sort task, texts as symbols, vocabularies, files of pairs. */
#ifndef LOOKBACK_DATA_H
#define LOOKBACK_DATA_H

#include "lookback/base.h"

LB_BEGIN_DECLS

/* ---- The demo task: sort a list of numbers, or do something else with it. ---- */

/** What is done to a list. */
typedef enum lb_list_task {
    LB_LIST_SORT,
    LB_LIST_REVERSE,
    LB_LIST_COPY,
    LB_LIST_ADD /* two numbers, whose digits are lists: "27+5" becomes "32" */
} lb_list_task;

/** Lists of `min_length` to `max_length` numbers from 0 to `max_value`, drawn uniformly; but a share of `repeats` has
 *  at most four different numbers, often the smallest and the largest. To add, numbers are digits; max_value is 9. */
typedef struct lb_sort_task {
    int32_t max_value;
    int32_t min_length, max_length;
    uint64_t seed;  /* selects the lists of training and testing */
    double repeats; /* 0 to 1 */
    lb_list_task what;
    bool one_length; /* in training, all lists of a batch have one length, so that none is padded */
} lb_sort_task;

/** Training or test lists. */
typedef enum lb_split {
    LB_SPLIT_TRAIN,
    LB_SPLIT_TEST /* one list in ten, chosen by a hash of its numbers, so that no list is in both splits */
} lb_split;

/** Checks the fields of a task, and that both splits contain lists.
 *  Errors: LB_ERROR_ARGUMENT, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_sort_check(const lb_sort_task *task, lb_error *error);

/** The size of the vocabulary of the task: its numbers, to add a plus behind them, and LB_FIRST_TOKEN special ids. */
int32_t lb_sort_vocab(const lb_sort_task *task);

/* ---- Vocabularies: symbols, such as words, and their ids. ---- */

/** Symbols with their ids and counts. Several threads may read it while none changes it. */
typedef struct lb_vocabulary lb_vocabulary;

/** A vocabulary with only the special symbols, whose ids are 0, 1, 2 ... in the given order. `unknown` is the id for
 *  symbols that are not in the vocabulary. The first special symbol is the padding, LB_PAD.
 *  Memory: free it with lb_vocabulary_free; symbols are copied. NULL after an error.
 *  Errors: LB_ERROR_ARGUMENT if a special symbol occurs twice or `unknown` is not one of them; LB_ERROR_MEMORY. */
LB_MUST_USE lb_vocabulary *lb_vocabulary_new(const char *const *specials, int32_t count, int32_t unknown,
                                             lb_error *error);

/** A vocabulary for arbitrary texts. Its LB_FIRST_TOKEN special symbols, <pad>, <bos>, <eos> and <unk>, are reserved by
 *  id only: if a text contains "<eos>", that is an ordinary symbol with another id.
 *  Memory: free it with lb_vocabulary_free. NULL after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_vocabulary *lb_vocabulary_new_reserved(lb_error *error);

/** Frees the vocabulary. NULL is allowed. */
void lb_vocabulary_free(lb_vocabulary *vocabulary);

/** Counts one occurrence of each of `count` symbols. A new symbol gets the next id.
 *  Cost:   O(length) per symbol.
 *  Errors: LB_ERROR_MEMORY; some of the symbols may have been counted by then. */
LB_MUST_USE lb_status lb_vocabulary_add(lb_vocabulary *vocabulary, const char *const *symbols, int64_t count,
                                        lb_error *error);

/** Drops symbols that occurred fewer than `least` times and renumbers the rest: most frequent first, equally frequent
 *  ones by their characters. Special symbols keep their ids.
 *  Source: build_vocab_from_iterator in torchtext, with min_freq = least, gives the same ids. */
void lb_vocabulary_sort(lb_vocabulary *vocabulary, int64_t least);

/** The number of ids. */
int32_t lb_vocabulary_size(const lb_vocabulary *vocabulary);

/** The id of a symbol, or the id of the unknown symbol. */
int32_t lb_vocabulary_id(const lb_vocabulary *vocabulary, const char *symbol);

/** The symbol with this id, or NULL. Memory: owned by the vocabulary. */
const char *lb_vocabulary_symbol(const lb_vocabulary *vocabulary, int32_t id);

/** Writes exactly `length` ids: the ids of the first `length` of `count` symbols, then LB_PAD if there are fewer.
 *  Returns how many are not padding. */
int32_t lb_vocabulary_encode(const lb_vocabulary *vocabulary, const char *const *symbols, int64_t count,
                             int32_t *id, int32_t length);

/* ---- Text as symbols: characters, or the text between separators. ---- */

/** The Unicode normal form of a text. Source: Unicode Standard Annex 15. */
typedef enum lb_normal_form {
    LB_NORMAL_FORM_NONE, /* unchanged */
    LB_NORMAL_FORM_NFC,  /* composed: one character where there is one */
    LB_NORMAL_FORM_NFD,  /* decomposed: the letter, then its marks */
} lb_normal_form;

/** How to split a text into symbols and join them again. Zero: each character is a symbol, without normalization. */
typedef struct lb_symbol_rule {
    const char *separator;    /* between symbols, such as " "; NULL or "": each character is a symbol */
    lb_normal_form normalize; /* applied first */
    /* Without a separator, a symbol is an extended grapheme cluster, which people take for one character, such as a
     * flag, or a letter with its marks. Source: Unicode Standard Annex 29. */
    bool graphemes;
    /* Between the features of a text, such as ";" in "V;PST;3;SG", outside brackets that are closed again, as in
     * "PSS(1;PL)"; NULL or "": texts have none. Features follow the text after a tab, "walk\tV;PST". Each is one
     * symbol, written with a tab in front: no symbol of a text equals it. */
    const char *features;
    bool flat_features; /* brackets are letters, as they were for models of before */
    /* Words in pieces, instead of a separator: those of a model, which owns them; NULL: none. */
    const struct lb_subwords *subwords;
} lb_symbol_rule;

/* ---- Pairs of texts in a file: its format, and a line of it in symbols. ---- */

/** Room for the name of a format, such as "csv" or "lines: -> ", and for that of a column. */
enum { LB_PAIR_KIND_NAME = 32, LB_PAIR_COLUMN_NAME = 64 };

/** The columns that a file of pairs was read with, as in lb_pair_format; 0: not given. Where the file has names for
 *  them, in a header or as members of JSON objects, another file has its columns by these, wherever they are. */
typedef struct lb_pair_columns {
    int32_t source, target, features;
    char kind[LB_PAIR_KIND_NAME]; /* the format of the file; "": TSV */
    char source_name[LB_PAIR_COLUMN_NAME],
        target_name[LB_PAIR_COLUMN_NAME]; /* "": none, or too long to keep */
    char features_name[LB_PAIR_COLUMN_NAME];
} lb_pair_columns;

/** The format of a file. Zero: found out from its first lines, or else TSV, a source, a tab and a target on each line;
 *  each character is a symbol. */
typedef struct lb_pair_format {
    /* "tsv", "csv", "cmudict", "lexiconp", "unimorph", "conllu", "jsonl", "scan", "lines:TEXT" or "lists:TEXT", maybe
     * with "+header": docs/data.md. It must outlive the pairs. NULL: recognised, or else that of `usual`, or "tsv". */
    const char *kind;
    /* Those of the training, for columns that are not given; NULL: none. Used while opening. */
    const lb_pair_columns *usual;
    const char *targets; /* the file of the targets, a line for each of the sources; NULL: lines have both */
    const char *const
        *references; /* [reference_count] files of further targets, each as `targets`; NULL: none */
    int64_t reference_count;
    /* The column of a weight: a pair with a weight of 3 is there three times; one of 0.5 half of the time. 0: none. */
    int32_t weight_column;
    /* Instead, each pair is there once, with its weight beside it, for a lexicon; a line without the column has none.
     * If the column is not given, or the format of the file has one, it is the one that the file shows. */
    bool weights_beside;
    /* The columns of source and target, counted from 1. If either is given, lines may have more columns: most of them
     * the same number, or any. Otherwise source and target are the only columns. */
    int32_t source_column, target_column; /* 0: 1 and 2 */
    /* Where the features of the source are, if `source` has any. 0: 2, and the target then is 3. If this is given, and
     * `source.features` is NULL, the file shows their separator: "|", ";" or ",". */
    int32_t features_column;
    bool no_target;    /* there are only sources, for example as the input of a model */
    bool empty_target; /* a target may be empty, as an output of a model may be */
    lb_symbol_rule source, target;
    int64_t longest;     /* maximum symbols of a source or target; 0: 1000; at most LB_PAIR_LONGEST */
    bool skip_bad_lines; /* lb_pairs_open counts bad lines instead of stopping at the first */
} lb_pair_format;

/* ---- Pairs of texts, in a file or in memory. ---- */

/** Pairs of texts in memory: pair i has the texts of a line with these columns. The arrays belong to the caller. */
typedef struct lb_pair_texts {
    int64_t count;
    const char *const *source;   /* [count] UTF-8, without tabs and line breaks, as all of them */
    const char *const *target;   /* [count]; NULL only with lb_pair_format.no_target */
    const char *const *features; /* [count] of the sources, as in "V;PST;3;SG"; NULL: there are none */
} lb_pair_texts;

/** An open file of pairs. It stores the position of each line, and reads and splits a line when it is needed. It takes
 *  16 bytes per pair, and up to as much again for growing. Two threads must not use it at once. */
typedef struct lb_pairs lb_pairs;

/** Opens the file `path` and checks every line. The file must not change until it is closed.
 *  Format: the separators must outlive the pairs.
 *  Memory: close and free it with lb_pairs_close. NULL after an error.
 *  Path:   "-" is standard input. That, gzip data and formats other than TSV are copied into a file without a name.
 *  Errors: LB_ERROR_OPEN if the file cannot be read, or cannot be read twice, such as a pipe; LB_ERROR_FORMAT, with
 *          file and line, what was found and what was expected, for the first bad line, unless bad lines are skipped,
 *          and if there is no good line; LB_ERROR_ARGUMENT for an invalid format; LB_ERROR_MEMORY.
 *  Cost:   O(bytes). */
LB_MUST_USE lb_pairs *lb_pairs_open(const char *path, lb_pair_format format, lb_error *error);

/** Checks every pair of the arrays, and reads them from there as lb_pairs_open does from a file: the same pairs give
 *  the same ids, batches and weights.
 *  Format: its columns do not count, because each array is a column. `skip_bad_lines` counts bad pairs.
 *  Memory: the arrays and their strings must outlive the pairs, also those that are held out, and must not change.
 *          Close it with lb_pairs_close. NULL after an error.
 *  Errors: LB_ERROR_ARGUMENT without pairs, or without an array that the format needs; LB_ERROR_FORMAT, "pair 7: found
 *          X, expected Y" with the index, for the first bad pair, unless bad ones are skipped, or if there is no good
 *          one; LB_ERROR_ARGUMENT for an invalid format; LB_ERROR_MEMORY. */
LB_MUST_USE lb_pairs *lb_pairs_from_memory(lb_pair_texts texts, lb_pair_format format, lb_error *error);

/** Closes the file and frees its memory. NULL is allowed. */
void lb_pairs_close(lb_pairs *pairs);

/** The number of pairs, at least 1. Pairs are numbered from 0 in file order. */
int64_t lb_pairs_count(const lb_pairs *pairs);

/** The number of symbols in the source of a pair, 0 <= pair < count. */
int64_t lb_pairs_source_length(const lb_pairs *pairs, int64_t pair);
/** The number of symbols in the target of a pair, 0 <= pair < count. */
int64_t lb_pairs_target_length(const lb_pairs *pairs, int64_t pair);

LB_END_DECLS

#endif
