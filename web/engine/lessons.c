/* The lessons of docs/lessons/ with other numbers than those on their pages. The settings that the page begins with
 * give the numbers there. */
#include "lessons.h"

#include <emscripten.h>
#include <stdio.h>
#include <string.h>

/** What lesson `number` computes with these settings, as JSON; {"error": "..."} if it cannot. The text lives until the
 *  next question. */
EMSCRIPTEN_KEEPALIVE const char *lesson_answer(int number, const char *json);

#define FOLDER "/"

double lesson_number(const lesson *l, const char *name, double missing)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(l->settings, name);
    if (cJSON_IsBool(item)) return cJSON_IsTrue(item);
    return cJSON_IsNumber(item) ? item->valuedouble : missing;
}

const char *lesson_word(const lesson *l, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(l->settings, name));
}

bool lesson_is(const lesson *l, const char *name, const char *word)
{
    const char *found = lesson_word(l, name);
    return found && strcmp(found, word) == 0;
}

void lesson_show_numbers(lesson *l, const char *name, const double *value, int64_t count)
{
    cJSON_AddItemToObject(l->answer, name, cJSON_CreateDoubleArray(value, (int)count));
}

void lesson_show(lesson *l, const char *name, const lb_tensor *tensor)
{
    const double *value = lb_doubles(tensor);
    if (!value) return;
    cJSON *json = cJSON_AddObjectToObject(l->answer, name), *shape = cJSON_AddArrayToObject(json, "shape");
    for (int i = 0; i < tensor->shape.ndim; i++)
        cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)tensor->shape.dim[i]));
    cJSON_AddItemToObject(json, "values", cJSON_CreateDoubleArray(value, (int)lb_count(tensor)));
}

lb_safetensors *lesson_open(lesson *l, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, FOLDER "%s.safetensors", name);
    return lb_safetensors_open(path, l->error);
}

lb_status lesson_load(lesson *l, const char *name, lb_params *params)
{
    if (lb_params_status(params))
        return lb_error_set(l->error, lb_params_status(params), "%s", lb_params_error(params));
    lb_safetensors *file = lesson_open(l, name);
    lb_status status = file ? lb_checkpoint_load(file, params, l->error) : l->error->status;
    lb_safetensors_close(file);
    return status;
}

const char *lesson_answer(int number, const char *json)
{
    static lesson_fn *const lessons[] = {
        lesson_dot_product,  lesson_changing_a_query, lesson_masking, lesson_scaling,    lesson_multi_head,
        lesson_three_scores, lesson_translation,      lesson_text,    lesson_bottleneck, lesson_transformer};
    static char *answer;
    const int count = sizeof lessons / sizeof *lessons;
    lb_error error = {0};
    cJSON *settings = cJSON_Parse(json);
    lesson l = {.settings = settings, .answer = cJSON_CreateObject(), .tape = lb_tape_new(), .error = &error};
    lb_tape_set_mode(l.tape, LB_MODE_EVALUATE);
    lb_status status =
        number < 1 || number > count
            ? lb_error_set(&error, LB_ERROR_ARGUMENT, "found lesson %d, expected 1 to %d", number, count)
            : lessons[number - 1](&l);
    if (!status && lb_tape_status(l.tape))
        status = lb_error_set(&error, lb_tape_status(l.tape), "%s", lb_tape_error(l.tape));
    if (status) cJSON_AddStringToObject(l.answer, "error", error.message);
    cJSON_free(answer);
    answer = cJSON_PrintUnformatted(l.answer);
    cJSON_Delete(l.answer);
    cJSON_Delete(settings);
    lb_tape_free(l.tape);
    return answer ? answer : "{\"error\":\"out of memory\"}";
}
