/* What the lessons of the page share: settings from JSON, and tensors as JSON. */
#ifndef LOOKBACK_ENGINE_LESSONS_H
#define LOOKBACK_ENGINE_LESSONS_H

#include <cJSON.h>
#include <lookback/lookback.h>

/** A question about a lesson, and its answer. The page has put the data of the lessons where lesson_open finds them. */
typedef struct lesson {
    const cJSON *settings;
    cJSON *answer; /* an object */
    lb_tape *tape; /* in LB_MODE_EVALUATE */
    lb_error *error;
} lesson;

/** The answer to the settings of one lesson. Errors of the tape need not be passed on. */
typedef lb_status lesson_fn(lesson *l);

lesson_fn lesson_dot_product, lesson_changing_a_query, lesson_masking, lesson_scaling;
lesson_fn lesson_multi_head, lesson_three_scores, lesson_translation, lesson_text;
lesson_fn lesson_bottleneck, lesson_transformer;

/** The setting with this name; `missing` if the page has not set it. */
double lesson_number(const lesson *l, const char *name, double missing);

/** The setting with this name, or NULL. Memory: owned by the settings. */
const char *lesson_word(const lesson *l, const char *name);

/** True if the setting is this word. */
bool lesson_is(const lesson *l, const char *name, const char *word);

/** Puts a tensor into the answer: {"shape": [...], "values": [...]}. Poison is left out: the tape has the error. */
void lesson_show(lesson *l, const char *name, const lb_tensor *tensor);

/** An array of `count` numbers in the answer. */
void lesson_show_numbers(lesson *l, const char *name, const double *value, int64_t count);

/** A file of examples/data. Memory: as lb_safetensors_open. */
lb_safetensors *lesson_open(lesson *l, const char *name);

/** The modules in `params` with the weights of a file of examples/data. */
lb_status lesson_load(lesson *l, const char *name, lb_params *params);

#endif
