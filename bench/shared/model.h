/* The models that are measured: their sizes, and how to build one. */
#ifndef BENCH_MODEL_H
#define BENCH_MODEL_H

#include <cJSON.h>
#include <lookback/lookback.h>

enum { BENCH_LAYERS = 2, BENCH_HEADS = 4 }; /* of the transformer */

/** Symbols: by default, and at least: two numbers besides the marks. */
enum { BENCH_VOCABULARY = 100, BENCH_FEWEST = LB_FIRST_TOKEN + 2 };

/** The size of a model and of its input. */
typedef struct bench_size {
    int config;                       /* which of bench_configs */
    int embed, hidden, batch, length; /* `length`: of all lists; 0: as in the config */
    int vocabulary;                   /* symbols of the source, and classes of the output */
} bench_size;

/** tiny, small, medium, large: sizes of the sort model; transformer. Ends with NULL. */
extern const char *const bench_configs[];

/** Rows of a table of options that set a size. */
#define BENCH_SIZE_OPTIONS(size)                                                                             \
    APP_CHOICE(0, "config", "SIZE", &(size).config, bench_configs, "model and sizes"),                       \
        APP_INT(0, "embed", "N", &(size).embed, 0, 1 << 16, "width of embeddings; 0: the config's"),         \
        APP_INT(0, "hidden", "N", &(size).hidden, 0, 1 << 16, "width of states; 0: the config's"),           \
        APP_INT(0, "batch", "N", &(size).batch, 0, 1 << 20, "lists side by side; 0: the config's"),          \
        APP_INT(0, "length", "N", &(size).length, 0, 1 << 20, "numbers in each list; 0: the config's"),      \
        APP_INT(0, "vocabulary", "N", &(size).vocabulary, BENCH_FEWEST, 1 << 20,                             \
                "symbols of the source, and classes of the output")

/** Replaces each 0 by the number of the config. */
void bench_size_settle(bench_size *size);

bool bench_is_transformer(const bench_size *size);

/** The number of tokens that the decoder writes for a batch: each list and its end. */
double bench_tokens(const bench_size *size);

/** Adds config and sizes. */
void bench_add_size(cJSON *object, const bench_size *size);

/** A fresh model and its task. */
typedef struct bench_model {
    lb_sort_task task;
    lb_params *params;
    const lb_model *model; /* one of these */
    lb_seq2seq seq2seq;
    lb_transformer transformer;
} bench_model;

/** Builds a model; free it with bench_model_free, also after an error. `attention` is that of the sort model. */
LB_MUST_USE lb_status bench_model_init(bench_model *model, const bench_size *size,
                                       lb_attention_kind attention, lb_error *error);
void bench_model_free(bench_model *model);

#endif
