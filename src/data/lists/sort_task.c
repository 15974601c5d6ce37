#include "data/lists/sort_task.h"

#include "base/bytes.h"
#include "lookback/tensor.h"

#include <stdlib.h>
#include <string.h>

enum { TEST_SHARE = 10, LISTS_TO_TRY = 4096, MOST_LENGTH = 1 << 20, DIGIT = 9 };

/* For lists with repeats. One number in ENDS_SHARE is the smallest of the range, and one the largest: otherwise too few
 * lists would teach a model to count these. */
enum { MOST_DIFFERENT = 4, ENDS_SHARE = 8 };

const char *const lb_list_task_names[] = {[LB_LIST_SORT] = "sort",
                                          [LB_LIST_REVERSE] = "reverse",
                                          [LB_LIST_COPY] = "copy",
                                          [LB_LIST_ADD] = "add",
                                          NULL};

int32_t lb_sort_longest(const lb_sort_task *task, int32_t length)
{
    return task->what == LB_LIST_ADD ? 2 * length + 1 : length;
}

lb_status lb_sort_set_lengths(lb_sort_task *task, const char *of, const char *name, const char *text,
                              lb_error *error)
{
    char *end;
    const long long least = strtoll(text, &end, 10), most = *end == '-' ? strtoll(end + 1, &end, 10) : least;
    if (text[strspn(text, "0123456789-")] || *end || least < 1 || most < least || most > INT32_MAX)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "%s%s: found \"%.40s\", expected lengths of lists, such as 5-10", of, name, text);
    task->min_length = (int32_t)least;
    task->max_length = (int32_t)most;
    return LB_OK;
}

/* FNV-1a over the numbers, then the finaliser of SplitMix64, so that the low digits are even. */
lb_split lb_sort_split(const int32_t *values, int32_t length)
{
    uint64_t hash = 14695981039346656037u;
    for (int32_t i = 0; i < length; i++) hash = (hash ^ (uint32_t)values[i]) * 1099511628211u;
    hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
    return (hash ^ (hash >> 31)) % TEST_SHARE == 0 ? LB_SPLIT_TEST : LB_SPLIT_TRAIN;
}

/* The next list, counting like an odometer; false after the last. */
static bool next_list(const lb_sort_task *task, int32_t *values, int32_t length)
{
    for (int32_t i = 0; i < length; i++) {
        if (values[i] < task->max_value) {
            values[i]++;
            return true;
        }
        values[i] = 0;
    }
    return false;
}

/* Goes through the lists until both splits have one. Not finding both in LISTS_TO_TRY is practically impossible. */
static bool has_both_splits(const lb_sort_task *task, int32_t *values)
{
    bool seen[2] = {false, false};
    int tried = 0;
    for (int32_t length = task->min_length; length <= task->max_length; length++) {
        for (int32_t i = 0; i < length; i++) values[i] = 0;
        do {
            seen[lb_sort_split(values, length)] = true;
            if ((seen[LB_SPLIT_TRAIN] && seen[LB_SPLIT_TEST]) || ++tried == LISTS_TO_TRY) return true;
        } while (next_list(task, values, length));
    }
    return false;
}

lb_status lb_sort_check(const lb_sort_task *task, lb_error *error)
{
    if (task->max_value < 0 || task->max_value > INT32_MAX - LB_FIRST_TOKEN - 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "invalid largest number %d", task->max_value);
    if (task->min_length < 1 || task->max_length > MOST_LENGTH || task->min_length > task->max_length)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "invalid list lengths %d to %d, expected 1 to %d, the smaller first",
                            task->min_length, task->max_length, MOST_LENGTH);
    if (!(task->repeats >= 0 && task->repeats <= 1))
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "found %g for the share of lists with repeats, expected 0 to 1", task->repeats);
    if ((int)task->what < LB_LIST_SORT || task->what > LB_LIST_ADD)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "found the task %d, expected %d to %d", (int)task->what,
                            LB_LIST_SORT, LB_LIST_ADD);
    if (task->what == LB_LIST_ADD && task->max_value != DIGIT)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "found %d as the largest number, expected 9, the largest digit, to add",
                            task->max_value);
    if (task->what == LB_LIST_ADD) return LB_OK; /* there are a hundred sums or more */
    int32_t *values = lb_alloc((size_t)task->max_length * sizeof *values);
    if (!values)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for lists of %d numbers",
                            task->max_length);
    bool possible = has_both_splits(task, values);
    lb_release(values);
    if (possible) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "there are too few lists of %d to %d numbers from 0..%d to hold some out for testing",
                        task->min_length, task->max_length, task->max_value);
}

int32_t lb_sort_vocab(const lb_sort_task *task)
{
    return task->max_value + 1 + (task->what == LB_LIST_ADD) + LB_FIRST_TOKEN;
}

/* One number of a list with repeats: at random the smallest, the largest, or any. */
static int32_t draw_repeated(const lb_sort_task *task, lb_rng rng, uint64_t first)
{
    uint64_t which = lb_rng_below(rng, first, ENDS_SHARE);
    if (which == 0) return 0;
    if (which == 1) return task->max_value;
    return (int32_t)lb_rng_below(rng, first + 1, (uint64_t)task->max_value + 1);
}

/* In a list with repeats, redraws the numbers from one to four of them. It has its own random stream, so that all other
 * lists are the same as in a task without repeats. */
static void repeat_values(const lb_sort_task *task, lb_split split, uint64_t index, uint32_t step,
                          int32_t *values, int32_t length)
{
    int32_t different[MOST_DIFFERENT];
    lb_rng rng = {.seed = task->seed,
                  .stream =
                      lb_rng_stream(split == LB_SPLIT_TRAIN ? "sort train repeats" : "sort test repeats"),
                  .step = step};
    uint64_t first = index * ((uint64_t)task->max_length + 2 * (uint64_t)MOST_DIFFERENT + 2);
    if (lb_rng_uniform(rng, first++) >= task->repeats) return;
    uint64_t count = 1 + lb_rng_below(rng, first++, MOST_DIFFERENT);
    for (int i = 0; i < MOST_DIFFERENT; i++, first += 2) different[i] = draw_repeated(task, rng, first);
    for (int32_t i = 0; i < length; i++) values[i] = different[lb_rng_below(rng, first++, count)];
}

static int32_t draw_list(const lb_sort_task *task, lb_split split, uint64_t index, uint32_t step,
                         int32_t *values)
{
    uint64_t choices = (uint64_t)(task->max_length - task->min_length) + 1,
             bound = (uint64_t)task->max_value + 1;
    uint64_t first = index * ((uint64_t)task->max_length + 1);
    lb_rng rng = {.seed = task->seed,
                  .stream = lb_rng_stream(split == LB_SPLIT_TRAIN ? "sort train" : "sort test"),
                  .step = step};
    int32_t length = task->min_length + (int32_t)lb_rng_below(rng, first, choices);
    for (int32_t i = 0; i < length; i++)
        values[i] = (int32_t)lb_rng_below(rng, first + 1 + (uint64_t)i, bound);
    if (task->repeats > 0) repeat_values(task, split, index, step, values, length);
    return length;
}

int32_t lb_sort_draw(const lb_sort_task *task, lb_split split, uint64_t index, int32_t *values)
{
    bool adds = task->what == LB_LIST_ADD;
    for (uint32_t step = 0;; step++) {
        int32_t length = draw_list(task, split, adds ? 2 * index : index, step, values);
        if (adds) {
            values[length++] = task->max_value + 1;
            length += draw_list(task, split, 2 * index + 1, step, values + length);
        }
        if (lb_sort_split(values, length) == split) return length;
    }
}

lb_sort_task lb_sort_task_of_step(const lb_sort_task *task, int64_t step)
{
    lb_sort_task of_step = *task;
    lb_rng rng = {task->seed, lb_rng_stream("length of a step"), (uint32_t)step};
    uint64_t lengths = (uint64_t)(task->max_length - task->min_length) + 1;
    if (task->one_length)
        of_step.min_length = of_step.max_length = task->min_length + (int32_t)lb_rng_below(rng, 0, lengths);
    return of_step;
}

void lb_sort_values(int32_t *values, int32_t length)
{
    qsort(values, (size_t)length, sizeof *values, lb_compare_ids);
}

/* The digits of the sum take the place of those of the second number, from the last one on: only digits that have been
 * read are overwritten. */
static int32_t add(int32_t *id, int32_t length)
{
    int32_t first = 0, carry = 0, count = 0;
    while (id[first] <= LB_FIRST_TOKEN + DIGIT) first++;
    for (int32_t second = length - first - 1; count < first || count < second || carry; count++) {
        int32_t sum = carry;
        if (count < first) sum += id[first - 1 - count] - LB_FIRST_TOKEN;
        if (count < second) sum += id[length - 1 - count] - LB_FIRST_TOKEN;
        id[length - 1 - count] = LB_FIRST_TOKEN + sum % (DIGIT + 1);
        carry = sum > DIGIT;
    }
    memmove(id, id + length - count, (size_t)count * sizeof *id);
    return count;
}

int32_t lb_sort_answer(const lb_sort_task *task, int32_t *id, int32_t length)
{
    if (task->what == LB_LIST_ADD) return add(id, length);
    if (task->what == LB_LIST_SORT) lb_sort_values(id, length);
    if (task->what == LB_LIST_REVERSE) lb_reverse(id, length, sizeof *id);
    return length;
}
