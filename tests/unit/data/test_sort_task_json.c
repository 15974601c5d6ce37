/* The sort task as text: writing and reading it, and reading files from before repeats existed. */
#include "base/alloc.h"
#include "data/lists/sort_task.h"
#include "support/suite.h"

#include <string.h>

static lb_error error;

START_TEST(test_sort_task_comes_back_from_its_text)
{
    const lb_sort_task tasks[] = {{.max_value = 99, .min_length = 5, .max_length = 10},
                                  {.max_value = 9, .min_length = 1, .max_length = 3, .repeats = 0.25},
                                  {.max_value = 9, .min_length = 1, .max_length = 3, .repeats = 1},
                                  {.max_value = 5, .min_length = 2, .max_length = 3, .what = LB_LIST_REVERSE},
                                  {.max_value = 5, .min_length = 2, .max_length = 3, .what = LB_LIST_COPY},
                                  {.max_value = 9, .min_length = 1, .max_length = 3, .what = LB_LIST_ADD},
                                  {.max_value = 9, .min_length = 1, .max_length = 3, .one_length = true}};
    for (size_t i = 0; SUPPORT_ROW(i, tasks); i++) {
        lb_sort_task read;
        char *text = lb_sort_task_print(&tasks[i]);
        ck_assert_int_eq(lb_sort_task_parse(text, &read, &error), LB_OK);
        ck_assert_int_eq(read.max_value, tasks[i].max_value);
        ck_assert_int_eq(read.min_length, tasks[i].min_length);
        ck_assert_int_eq(read.max_length, tasks[i].max_length);
        ck_assert_double_eq(read.repeats, tasks[i].repeats);
        ck_assert_int_eq(read.what, tasks[i].what);
        ck_assert_int_eq(read.one_length, tasks[i].one_length);
        lb_release(text);
    }
}
END_TEST

START_TEST(test_sort_task_without_repeats_is_written_as_ever)
{
    const lb_sort_task task = {.max_value = 99, .min_length = 5, .max_length = 10, .seed = 7};
    char *text = lb_sort_task_print(&task);
    ck_assert_str_eq(text, "{\"task\":\"sort\",\"max_number\":99,\"min_length\":5,\"max_length\":10}");
    lb_release(text);
}
END_TEST

START_TEST(test_sort_task_with_impossible_repeats_is_refused)
{
    static const char *const wrong[] = {"2", "-0.5", "\"many\"", "null"};
    for (size_t i = 0; SUPPORT_ROW(i, wrong); i++) {
        char text[160] = "{\"task\":\"sort\",\"max_number\":9,\"min_length\":1,\"max_length\":3,\"repeats\":";
        lb_sort_task task;
        strcat(strcat(text, wrong[i]), "}");
        ck_assert_int_eq(lb_sort_task_parse(text, &task, &error), LB_ERROR_FORMAT);
    }
}
END_TEST
