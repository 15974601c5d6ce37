#include "exercises.h"
#include "report.h"

#include <math.h>
#include <stddef.h>

enum { MOST = 16 };

/* What an additive score is made of: query, key, W_q, W_k and v. */
typedef struct additive {
    int size, width;
    double query[MOST], key[MOST], w_q[MOST], w_k[MOST], v[MOST];
} additive;

/* The sums W_q query + W_k key, by the library. */
static lb_tensor *sums_of(lb_tape *tape, const additive *a)
{
    lb_tensor *query = report_tensor(tape, LB_SHAPE(1, a->size), a->query);
    lb_tensor *key = report_tensor(tape, LB_SHAPE(1, a->size), a->key);
    lb_tensor *w_q = report_tensor(tape, LB_SHAPE(a->width, a->size), a->w_q);
    lb_tensor *w_k = report_tensor(tape, LB_SHAPE(a->width, a->size), a->w_k);
    return lb_add(lb_affine(query, w_q, NULL), lb_affine(key, w_k, NULL));
}

static double times_v(lb_tape *tape, const additive *a, lb_tensor *sums)
{
    lb_tensor *v = report_tensor(tape, LB_SHAPE(1, a->width), a->v);
    return (double)lb_item(lb_sum_all(lb_mul(sums, v)));
}

static void hint_additive_score(lb_tape *tape, const additive *a, double found)
{
    lb_tensor *sums = sums_of(tape, a);
    double plain = times_v(tape, a, sums), outside = tanh(plain), late;
    additive swapped = *a;
    for (int i = 0; i < MOST; i++) {
        swapped.w_q[i] = a->w_k[i];
        swapped.w_k[i] = a->w_q[i];
    }
    late = times_v(tape, a, lb_tanh(sums_of(tape, &swapped)));
    if (report_is(&found, &plain, 1))
        report_hint("This is the score without tanh.");
    else if (report_is(&found, &outside, 1))
        report_hint("Tanh is applied to the result. It belongs between the sums and v.");
    else if (report_is(&found, &late, 1))
        report_hint("Query and key have each other's matrix.");
    else
        report_hint("There are %d sums, one for each row of the matrices; each adds up %d products of the "
                    "query and %d "
                    "of the key.",
                    a->width, a->size, a->size);
}

static void check_additive_score(void)
{
    static const struct {
        int size, width;
    } sizes[] = {{2, 3}, {1, 1}, {4, 4}, {3, 1}, {1, 4}};
    lb_tape *tape = lb_tape_new();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        additive a = {.size = sizes[i].size, .width = sizes[i].width};
        double *const parts[] = {a.query, a.key, a.w_q, a.w_k, a.v};
        for (int k = 0; k < 5; k++) report_random(parts[k], MOST);
        double expected = times_v(tape, &a, lb_tanh(sums_of(tape, &a)));
        report_asked("query (%s), key (%s), v (%s)", report_list(a.query, a.size), report_list(a.key, a.size),
                     report_list(a.v, a.width));
        double found = additive_score(a.query, a.key, a.w_q, a.w_k, a.v, a.size, a.width);
        if (report_same_number(found, expected)) continue;
        hint_additive_score(tape, &a, found);
        break;
    }
    lb_tape_free(tape);
}

static void check_general_scores(void)
{
    static const struct {
        int batch, queries, keys, n, m;
    } sizes[] = {{1, 2, 3, 2, 2}, {1, 2, 3, 2, 4}, {2, 1, 2, 3, 1}, {1, 1, 1, 1, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int batch = sizes[i].batch, n = sizes[i].n, m = sizes[i].m;
        lb_tape *tape = lb_tape_new();
        lb_tensor *query = report_random_tensor(tape, LB_SHAPE(batch, sizes[i].queries, n));
        lb_tensor *key = report_random_tensor(tape, LB_SHAPE(batch, sizes[i].keys, m));
        lb_tensor *weight = report_random_tensor(tape, LB_SHAPE(m, n));
        lb_tensor *expected = lb_matmul_transposed(lb_affine(query, weight, NULL), false, key, true);
        report_asked("%d queries of width %d, %d keys of width %d, W [%d,%d]", sizes[i].queries, n,
                     sizes[i].keys, m, m, n);
        lb_tensor *found = general_scores(query, key, weight);
        bool same = report_same_tensor(found, expected);
        lb_tensor *other = n == m ? lb_matmul_transposed(lb_matmul(query, weight), false, key, true) : NULL;
        if (!same && other && report_is_tensor(found, other))
            report_hint("These are the scores of W transposed. Which axis of W has the width of the query?");
        else if (!same)
            report_hint("Number r of W q is the product of row r of W with the query.");
        lb_tape_free(tape);
        if (!same) return;
    }
}

const check_exercise exercise = {
    6,
    "three_scores",
    "exercises/06_three_scores.c",
    {{"write", "additive_score", check_additive_score}, {"mend", "general_scores", check_general_scores}}};
