#include "exercises.h"
#include "report.h"

#include <math.h>
#include <stddef.h>

static void hint_attend_in_heads(lb_tensor *query, lb_tensor *key, lb_tensor *value, int heads,
                                 lb_tensor *found)
{
    lb_real whole = 1 / sqrtf((float)lb_dim(query, 2));
    if (report_is_tensor(found, lb_attend_dot(query, key, value, NULL, NULL, heads, whole, 0)))
        report_hint("The scale is that of the whole width, %d. How wide is one head?", (int)lb_dim(query, 2));
    else if (report_is_tensor(found, lb_attend_dot(query, key, value, NULL, NULL, 1, whole, 0)))
        report_hint("This is the output of one head as wide as all %d.", heads);
    else
        report_hint("Head 0 has columns 0 to %d of query, key and value.", (int)lb_dim(query, 2) / heads - 1);
}

static void check_attend_in_heads(void)
{
    static const struct {
        int batch, queries, keys, embed, heads;
    } sizes[] = {{1, 2, 3, 4, 2}, {1, 2, 3, 3, 1}, {2, 1, 4, 6, 3}, {1, 1, 1, 4, 2}, {1, 3, 2, 4, 4}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int batch = sizes[i].batch, keys = sizes[i].keys, embed = sizes[i].embed, heads = sizes[i].heads;
        lb_tape *tape = lb_tape_new();
        lb_tensor *query = report_random_tensor(tape, LB_SHAPE(batch, sizes[i].queries, embed));
        lb_tensor *key = report_random_tensor(tape, LB_SHAPE(batch, keys, embed));
        lb_tensor *value = report_random_tensor(tape, LB_SHAPE(batch, keys, embed));
        lb_real scale = 1 / sqrtf((float)embed / (float)heads);
        lb_tensor *expected = lb_attend_dot(query, key, value, NULL, NULL, heads, scale, 0);
        report_asked("batch %d, %d queries, %d keys, width %d, %d heads", batch, sizes[i].queries, keys,
                     embed, heads);
        lb_tensor *found = attend_in_heads(query, key, value, heads);
        bool same = report_same_tensor(found, expected);
        if (!same) hint_attend_in_heads(query, key, value, heads, found);
        lb_tape_free(tape);
        if (!same) return;
    }
}

/* Column c of vector i of row b is 100 b + 10 i + c, which shows where a number came from. */
static lb_tensor *numbered(lb_tape *tape, int batch, int length, int embed)
{
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(batch, length, embed), NULL);
    for (int64_t i = 0; lb_is_sound(x) && i < lb_count(x); i++) {
        int64_t column = i % embed, vector = i / embed % length, row = i / embed / length;
        x->data[i] = (lb_real)(100 * row + 10 * vector + column);
    }
    return x;
}

static void check_split_heads(void)
{
    static const struct {
        int batch, length, embed, heads;
    } sizes[] = {{1, 2, 4, 2}, {1, 3, 4, 2}, {2, 2, 6, 3}, {1, 2, 3, 1}, {1, 1, 4, 4}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int batch = sizes[i].batch, length = sizes[i].length, embed = sizes[i].embed, heads = sizes[i].heads;
        lb_tape *tape = lb_tape_new();
        lb_tensor *x = numbered(tape, batch, length, embed);
        lb_tensor *cut = lb_reshape(x, LB_SHAPE(batch, length, heads, embed / heads));
        lb_tensor *expected = lb_permute(cut, 4, (const int[]){0, 2, 1, 3});
        report_asked("%d heads; %d vectors, the first one %s", heads, batch * length,
                     report_list(lb_doubles(x), embed));
        lb_tensor *found = split_heads(x, heads);
        bool same = report_same_tensor(found, expected);
        if (!same && report_is_tensor(found, lb_reshape(x, expected->shape)))
            report_hint(
                "Head 0 has whole vectors, and others none of them. A head is some columns of every vector.");
        else if (!same)
            report_hint("Head 0 has columns 0 to %d of every vector.", embed / heads - 1);
        lb_tape_free(tape);
        if (!same) return;
    }
}

const check_exercise exercise = {
    5,
    "multi_head",
    "exercises/05_multi_head.c",
    {{"write", "attend_in_heads", check_attend_in_heads}, {"mend", "split_heads", check_split_heads}}};
