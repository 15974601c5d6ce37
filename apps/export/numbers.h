/* The weights of a model as constants in C. */
#ifndef APP_NUMBERS_H
#define APP_NUMBERS_H

#include "base/buffer.h"
#include "console/progress.h"

#include <lookback/nn.h>

/** How weights are stored. Biases, and what else is few, are floats in any case. */
typedef enum app_number {
    APP_NUMBER_INT8, /* whole numbers from -127 to 127, and a scale for each row */
    APP_NUMBER_BF16, /* the upper half of a float */
    APP_NUMBER_F32
} app_number;

/** Their names, ending with NULL. */
extern const char *const app_number_names[];

/** The constants of a model under construction. */
typedef struct app_numbers {
    app_number type;
    const lb_params *params;
    lb_buffer arrays, layers; /* the arrays, and the structs over them that follow */
    int64_t widest;           /* columns of a matrix so far */
    int64_t weights;          /* numbers so far */
    app_progress progress;    /* of them */
    const char *missing;      /* the name of a parameter that the model lacks; NULL: none */
} app_numbers;

/** Adds an array of floats. */
void app_numbers_floats(lb_buffer *out, const char *name, int64_t count, const lb_real *x);

/** Adds the arrays of a `linear`, NAME_weight, NAME_scale and NAME_bias, for the rows from `first` on, `rows` of them
 *  (0: all), of the parameters `weight` and `bias` (NULL: none). Adds its initialiser to the layers. */
void app_numbers_linear(app_numbers *n, const char *name, const char *weight, const char *bias, int64_t first,
                        int64_t rows);

/** The same as a constant of its own, NAME. */
void app_numbers_named(app_numbers *n, const char *name, const char *weight, const char *bias);

/** Adds the constant `output`; one that shares the arrays of the target embedding has a bias of its own. */
void app_numbers_output(app_numbers *n, bool shares);

/** Adds a parameter as an array of floats. */
void app_numbers_array(app_numbers *n, const char *name, const char *parameter);

#endif
