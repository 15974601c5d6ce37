/* Models of lists of numbers as models of texts: their rule, their vocabulary, and messages about their inputs. */
#include "base/alloc.h"
#include "translate/file/text_model.h"

#include <stdio.h>
#include <string.h>

enum { QUOTED = 40, NUMBER = 16 };

static const char PLUS[] = "+";

lb_symbol_rule lb_list_rule(const lb_sort_task *task)
{
    const char *separator = task->what == LB_LIST_ADD ? NULL : " ";
    return (lb_symbol_rule){.separator = separator, .normalize = LB_NORMAL_FORM_NONE};
}

lb_vocabulary *lb_list_vocabulary(const lb_sort_task *task, lb_error *error)
{
    lb_vocabulary *numbers = lb_vocabulary_new_reserved(error);
    for (int32_t i = 0; numbers && i < lb_sort_vocab(task) - LB_FIRST_TOKEN; i++) {
        char number[NUMBER];
        snprintf(number, sizeof number, "%d", (int)i);
        if (i > task->max_value) snprintf(number, sizeof number, "%s", PLUS);
        if (lb_vocabulary_add(numbers, &(const char *){number}, 1, error) == LB_OK) continue;
        lb_vocabulary_free(numbers);
        return NULL;
    }
    return numbers;
}

lb_status lb_list_model(lb_text_model *t, const lb_sort_task *task, lb_error *error)
{
    lb_status status = lb_sort_check(task, error);
    if (status) return status;
    t->sorts = true;
    t->task = *task;
    t->source_rule = t->target_rule = lb_list_rule(task);
    t->shortest_source = lb_sort_longest(task, task->min_length);
    t->longest_source = t->longest_target = lb_sort_longest(task, task->max_length);
    t->source = t->target = lb_list_vocabulary(task, error);
    return t->source ? LB_OK : LB_ERROR_MEMORY;
}

/* The number in these bytes; -1 if they are not a number of the task. */
static int32_t number_of(const char *word, size_t length, int32_t max_value)
{
    int64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        if (word[i] < '0' || word[i] > '9') return -1;
        value = 10 * value + (word[i] - '0');
        if (value > max_value) return -1;
    }
    return (int32_t)value;
}

static lb_status refuse_word(const lb_sort_task *task, const char *word, size_t length, lb_error *error)
{
    char quoted[QUOTED + 1] = "";
    for (size_t i = 0; i < QUOTED && i < length; i++) quoted[i] = word[i] ? word[i] : '?';
    return lb_error_set(error, LB_ERROR_FORMAT, "%s%s is not a number from 0 to %d", quoted,
                        length > QUOTED ? "..." : "", (int)task->max_value);
}

/* Writes the normalised list to `to`, which has room for as many bytes as `text`. To add, each character is a word. */
static lb_status tidy(const lb_sort_task *task, const char *text, size_t length, char *to, size_t *used,
                      lb_error *error)
{
    bool adds = task->what == LB_LIST_ADD;
    int pluses = 0;
    *used = 0;
    for (size_t at = 0; at < length;) {
        size_t word = at;
        while (at < length && text[at] != ' ' && text[at] != '\t' && !(adds && at > word)) at++;
        if (at == word) {
            at++;
            continue;
        }
        bool plus = adds && text[word] == *PLUS;
        if (!plus && number_of(text + word, at - word, task->max_value) < 0)
            return refuse_word(task, text + word, at - word, error);
        pluses += plus && *used > 0;
        while (word + 1 < at && text[word] == '0') word++;
        if (*used > 0 && !adds) to[(*used)++] = ' ';
        memcpy(to + *used, text + word, at - word);
        *used += at - word;
    }
    if (adds && (pluses != 1 || to[0] == *PLUS || to[*used - 1] == *PLUS))
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "expected two numbers and a plus between them, such as 27+5");
    if (*used > 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT,
                        "found no number, expected numbers from 0 to %d, separated by spaces",
                        (int)task->max_value);
}

lb_status lb_list_split(const lb_sort_task *task, const char *text, size_t length, lb_symbols *symbols,
                        lb_error *error)
{
    size_t used;
    symbols->count = 0;
    char *list = lb_alloc(length + 1);
    if (!list) return lb_no_memory(error, "a list of numbers");
    const lb_symbol_rule rule = lb_list_rule(task);
    lb_status status = tidy(task, text, length, list, &used, error);
    if (!status) status = lb_symbols_split(&rule, list, used, symbols, error);
    lb_release(list);
    return status;
}
