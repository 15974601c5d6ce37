/* What of a model can be exported, and the parts of a C file: its code, its symbols and its weights. */
#ifndef APP_EXPORT_H
#define APP_EXPORT_H

#include "console/console.h"
#include "export/onnx/layers.h"

/* ---- The code, from the files of apps/export/kernel/, and the sizes that it depends on: assemble.c. ---- */

/** The most names of each sort. */
enum { APP_KERNEL_FLAGS = 48, APP_KERNEL_SIZES = 64 };

/** A number that the code names. */
typedef struct app_kernel_size {
    const char *name;
    int64_t value;
} app_kernel_size;

/** What decides how the files of the kernel become one. Start from zero. */
typedef struct app_kernel {
    const char *flag[APP_KERNEL_FLAGS]; /* names that are true in an #if; all others are false */
    int flags;
    app_kernel_size size[APP_KERNEL_SIZES];
    int sizes;
    const char *prefix; /* in place of g2p, in upper case where that is */
} app_kernel;

void app_kernel_flag(app_kernel *kernel, const char *name);

/** Whether "NAME" is a flag, or "!NAME" is none. */
bool app_kernel_has(const app_kernel *kernel, const char *condition);

/** Names a number. */
void app_kernel_size_is(app_kernel *kernel, const char *name, int64_t value);

/** The number of that name; 0 if there is none. */
int64_t app_kernel_size_of(const app_kernel *kernel, const char *name);

/** Ends a table, which has a row of zeros in place of none, and names its size. */
void app_kernel_end_table(app_kernel *kernel, lb_buffer *out, const char *zeros, const char *size,
                          int64_t rows);

/** Adds the numbers as an enum of C. */
void app_kernel_add_sizes(const app_kernel *kernel, lb_buffer *out);

/** Adds the file `name` of the kernel with what it includes; `model` takes the place of model.h. */
void app_kernel_add_code(const app_kernel *kernel, const char *name, const char *model, lb_buffer *out);

/** Adds g2p.h, with numbers in place of their names, and sets WORK_BYTES, the memory for a text. */
void app_kernel_add_header(app_kernel *kernel, lb_buffer *out);

/* ---- The symbols, and what their normal form needs of Unicode, as constants in C: spelling.c. ---- */

/** Adds the tables, and the flags and sizes of text in the kernel. `longest` is the most symbols of a text, `limit`
 *  that of an output, and `room` the bytes of the longest text in the lexicon.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_spelling_add(const lb_text_model *model, int64_t longest, int64_t limit,
                                       int64_t room, app_kernel *kernel, lb_buffer *out, lb_error *error);

/* ---- The lexicon as constants in C, and what of it a C file needs: lexicon.c. ---- */

/** Which entries of the lexicon a C file has. */
typedef enum app_lexicon_choice {
    APP_LEXICON_EXCEPTIONS, /* those that the model would write otherwise */
    APP_LEXICON_ALL,
    APP_LEXICON_NONE
} app_lexicon_choice;

/** Their names, ending with NULL. */
extern const char *const app_lexicon_names[];

/** The most symbols of a source in the lexicon, and the most bytes of a first answer, without a NUL; zeros without a
 *  lexicon. Errors: LB_ERROR_FORMAT if it is damaged; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_lexicon_measure(const lb_text_model *model, int64_t *longest, int64_t *output,
                                          lb_error *error);

/** Adds the first answers of a lexicon to the constants of its model, and the flag of the kernel; nothing for no entry.
 *  Exceptions: leaves out those that the file without a lexicon writes by itself: compiles it by the compiler that the
 *              variable CC names, cc by default, and runs it over all entries, with a bar.
 *  Kept:       receives the number of entries.
 *  Errors:     LB_ERROR_FORMAT without a compiler; LB_ERROR_WRITE; as app_lexicon_measure. */
LB_MUST_USE lb_status app_lexicon_add(const lb_lexicon *lexicon, bool exceptions, app_kernel *kernel,
                                      lb_buffer *constants, int64_t *kept, lb_error *error);

/* ---- The subwords of a model as constants in C: spelled_subwords.c. ---- */

/** Adds what the kernel needs to cut sources into pieces, in place of a table of symbols.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_spelling_add_subwords(const lb_text_model *model, app_kernel *kernel,
                                                lb_buffer *out, lb_error *error);

/* ---- The weights as constants in C: numbers.c. ---- */

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
} app_numbers;

/** Adds an array of floats, NAMESUFFIX; or of bytes, NAME. */
void app_numbers_floats(lb_buffer *out, const char *name, const char *suffix, int64_t count,
                        const lb_real *x);
void app_numbers_bytes(lb_buffer *out, const char *name, const char *bytes, size_t count);

/** Adds the arrays of a `linear`, NAME_weight, NAME_scale and NAME_bias, for the rows from `first` on, `rows` of them
 *  (0: all), of weight and bias (NULL: none). Adds its initialiser to the layers. */
void app_numbers_linear(app_numbers *n, const char *name, const lb_tensor *weight, const lb_tensor *bias,
                        int64_t first, int64_t rows);

/** The same as a constant of its own, NAME. */
void app_numbers_named(app_numbers *n, const char *name, const lb_tensor *weight, const lb_tensor *bias);

/** Adds the constant `output`; one that shares the weight of the target embedding has a bias of its own. */
void app_numbers_output(app_numbers *n, const lb_linear *output, const lb_embedding *target);

/** Adds a parameter as an array of floats. */
void app_numbers_array(app_numbers *n, const char *name, const char *suffix, const lb_tensor *parameter);

/* ---- A recurrent model as constants in C, and which attention it may have: recurrent_model.c. ---- */

/** A kind of attention that can be exported, to C with these flags of kernel/attention.h, which end with NULL. */
typedef struct app_recurrent_attention {
    lb_attention_kind kind;
    bool in_onnx;
    const char *flags[5];
} app_recurrent_attention;

/** The kind of this attention; NULL if it cannot be exported. */
const app_recurrent_attention *app_recurrent_attention_of(const lb_decoder_attention *attention);

/** Adds weights, flags and sizes. */
LB_MUST_USE lb_status app_recurrent_model_add(const lb_model *model, app_numbers *numbers, app_kernel *kernel,
                                              lb_error *error);

/* ---- A transformer as constants in C: transformer_model.c. ---- */

/** Adds weights, flags and sizes; LONGEST and LIMIT are known by then. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_transformer_model_add(const lb_model *model, app_numbers *numbers,
                                                app_kernel *kernel, lb_error *error);

/* ---- What can be exported: exportable.c. ---- */

/** A kind of model that can be exported, and what writes it. */
typedef struct app_exportable_kind {
    const char *kind; /* its name */
    lb_status (*add_to_c)(const lb_model *model, app_numbers *numbers, app_kernel *kernel, lb_error *error);
    app_onnx_add *add_to_onnx;
} app_exportable_kind;

/** The kind of this model; NULL if it cannot be exported. */
const app_exportable_kind *app_exportable_kind_of(const lb_model *model);

/** Checks that the model, of the file `path`, can become a C file with such a beam. Errors: LB_ERROR_FORMAT, which
 *  names what cannot, and what can. */
LB_MUST_USE lb_status app_exportable(const char *path, const lb_text_model *model, int beam, lb_error *error);

/** The same for ONNX. */
LB_MUST_USE lb_status app_exportable_as_onnx(const char *path, const lb_text_model *model, lb_error *error);

#endif
