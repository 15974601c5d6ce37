/* What the programs that use a trained sort model share: opening it, reading lists, sorting them, naming tokens. */
#ifndef APP_SORT_MODEL_H
#define APP_SORT_MODEL_H

#include <lookback/lookback.h>

/** A model that was trained to sort, and what it needs to run. */
typedef struct app_sort_model {
    lb_params *params;
    lb_tape *tape;
    lb_model *model;   /* `params` own it */
    lb_sort_task task; /* what it was trained for */
    int32_t longest;   /* numbers that a list may have */
    int beam; /* hypotheses that decoding keeps at each step; the caller may set it, up to the vocabulary [1] */
} app_sort_model;

/** Reads a model that train_sort saved from the file `path`. Lists may be ten times as long as the longest that it was
 *  trained on, up to a thousand numbers: it will make mistakes there, but those can be worth seeing; beyond, one line could
 *  take all memory.
 *  Memory: freed by app_sort_model_close, also after an error. The file may be freed.
 *  Errors: LB_ERROR_FORMAT if the file holds anything else; LB_ERROR_MEMORY. Messages begin with the path. */
LB_MUST_USE lb_status app_sort_model_load(app_sort_model *sort, const char *path, const lb_safetensors *file,
                                          lb_error *error);

void app_sort_model_close(app_sort_model *sort);

/** A list to be sorted, or sorted. */
typedef struct app_list {
    int32_t *values;
    int32_t length;
} app_list;

/** Reads a list from `length` bytes of text: digits, separated by blanks and tabs. `list->values` has room for `longest`.
 *  Errors: LB_ERROR_FORMAT, as "104 is not a number from 0 to 99"; also for no number at all, and for too many. */
LB_MUST_USE lb_status app_sort_read(const app_sort_model *sort, const char *text, size_t length,
                                    app_list *list, lb_error *error);

/** What the model made of a list. */
typedef struct app_sorted {
    const int32_t *id; /* [length] tokens, for app_sort_token */
    int64_t length;
    bool ended; /* the model knew where to stop; otherwise this is what came until lb_decoding_limit */
    const lb_real *weights; /* [layers, heads, steps, columns]: where it looked; NULL without attention */
    int64_t layers, heads;  /* 0 without attention */
    int64_t steps;          /* length, one more for the end, and perhaps others behind them */
    int64_t columns;        /* the numbers of the list, and perhaps others behind them, of no weight */
} app_sorted;

/** Sorts `count` lists side by side into `sorted`. What becomes of a list does not depend on the others.
 *  Memory: the results live until the next call.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_sort_lists(app_sort_model *sort, const app_list *lists, int64_t count,
                                     app_sorted *sorted, lb_error *error);

/** Writes where the model looked while it sorted the one list of a call, as a NumPy file of shape
 *  [layers, heads, tokens that came out with the end, numbers of the list], in float32.
 *  Errors: LB_ERROR_MEMORY; LB_ERROR_WRITE. */
LB_MUST_USE lb_status app_sorted_write_attention(const app_sorted *sorted, const char *path, lb_error *error);

enum { APP_TOKEN = 16 };

/** A token as text: a number, or the name of a special one, such as "</s>". Returns `text`. */
const char *app_sort_token(int32_t id, char text[APP_TOKEN]);

#endif
