/* A sort task as the JSON text of a model file. Lists of every accepted task can be drawn. */
#include "data/lists/sort_task.h"
#include "fuzz.h"

#include <stdlib.h>

enum { MOST_DRAWN = 64, LISTS = 4 };

static void draw_lists(const lb_sort_task *task, lb_split split)
{
    int32_t values[MOST_DRAWN];
    if (task->max_length > MOST_DRAWN) return;
    for (uint64_t i = 0; i < LISTS; i++) {
        int32_t length = lb_sort_draw(task, split, i, values);
        fuzz_require(length >= task->min_length && length <= task->max_length,
                     "a list is as long as it may be");
        for (int32_t at = 0; at < length; at++)
            fuzz_require(values[at] >= 0 && values[at] <= task->max_value, "a number is in its range");
    }
}

static void require_round_trip(const lb_sort_task *task)
{
    lb_sort_task again;
    char *text = lb_sort_task_print(task);
    fuzz_require(text && lb_sort_task_parse(text, &again, NULL) == LB_OK, "a printed task can be read");
    fuzz_require(again.max_value == task->max_value && again.min_length == task->min_length &&
                     again.max_length == task->max_length,
                 "a printed task is read as the same");
    lb_release(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lb_error error = {0};
    lb_sort_task task;
    char *text = fuzz_text(data, size);
    lb_status status = lb_sort_task_parse(text, &task, &error);
    fuzz_require_told(status == LB_OK, &error);
    free(text);
    if (status) return 0;
    require_round_trip(&task);
    draw_lists(&task, LB_SPLIT_TRAIN);
    draw_lists(&task, LB_SPLIT_TEST);
    return 0;
}
