#include "exercises.h"
#include "report.h"

#include <stddef.h>

enum { MOST = 24, SENTENCES = 3 };

typedef struct aligned_batch {
    int batch, rows, columns;
    int spanish[SENTENCES], english[SENTENCES];
    int origin[MOST];
    double weight[MOST];
} aligned_batch;

static const aligned_batch batches[] = {
    /* "gato negro": each looks at its own word. */
    {1, 2, 2, {2}, {2}, {1, 0}, {0.1, 0.9, 0.8, 0.2}},
    {1, 3, 3, {3}, {3}, {0, 2, 1}, {0.2, 0.7, 0.1, 0.1, 0.1, 0.8, 0.3, 0.5, 0.2}},
    /* The first sentence ends in a row of padding, the second in a column of it. */
    {2, 2, 2, {1, 2}, {2, 1}, {0, 0, 0, 0}, {0.9, 0.1, 0.5, 0.4, 0.3, 0.7, 0.6, 0.4}},
    {2, 3, 2, {3, 1}, {2, 2}, {0, 1, 1, 1, 1, 1}, {0.9, 0.1, 0.8, 0.2, 0.6, 0.4, 0.1, 0.9, 0, 0, 0, 0}},
};

/* The right words of sentence b among its first `rows` rows and `columns` columns. */
static int count_right(const aligned_batch *a, int b, int rows, int columns)
{
    int right = 0;
    for (int i = 0; i < rows; i++) {
        const double *row = a->weight + (ptrdiff_t)((b * a->rows + i) * a->columns);
        int best = 0;
        for (int j = 1; j < columns; j++)
            if (row[j] > row[best]) best = j;
        right += best == a->origin[b * a->rows + i];
    }
    return right;
}

static void check_aligned_share(void)
{
    for (size_t n = 0; n < sizeof batches / sizeof *batches; n++) {
        const aligned_batch *a = &batches[n];
        double right = 0, words = 0, padded_rows = 0, padded_columns = 0, shares = 0;
        for (int b = 0; b < a->batch; b++) {
            right += count_right(a, b, a->spanish[b], a->english[b]);
            words += a->spanish[b];
            padded_rows += count_right(a, b, a->rows, a->english[b]);
            padded_columns += count_right(a, b, a->spanish[b], a->columns);
            shares += (double)count_right(a, b, a->spanish[b], a->english[b]) / a->spanish[b];
        }
        padded_rows /= a->batch * a->rows;
        padded_columns /= words;
        shares /= a->batch;
        report_asked("spanish %s, english %s, origin %s, weight %s", report_int_list(a->spanish, a->batch),
                     report_int_list(a->english, a->batch), report_int_list(a->origin, a->batch * a->rows),
                     report_list(a->weight, a->batch * a->rows * a->columns));
        double found =
            aligned_share(a->weight, a->origin, a->spanish, a->english, a->batch, a->rows, a->columns);
        if (report_same_number(found, right / words)) continue;
        if (report_is(&found, &padded_columns, 1))
            report_hint("A word looks at padding here, which is no English word of its sentence.");
        else if (report_is(&found, &padded_rows, 1))
            report_hint("The rows of padding count as words.");
        else if (report_is(&found, &shares, 1))
            report_hint(
                "This is the mean of the shares of both sentences: the words of the short one count more.");
        else
            report_hint("%.0f of %.0f words are right.", right, words);
        return;
    }
}

static void check_rows_of_words(void)
{
    static const struct {
        int words, sources;
    } sizes[] = {{3, 3}, {2, 4}, {1, 2}, {0, 3}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int words = sizes[i].words, sources = sizes[i].sources;
        double weight[MOST] = {0}, *found = report_room();
        lb_tape *tape = lb_tape_new();
        lb_tensor *weights = lb_softmax(report_random_tensor(tape, LB_SHAPE(words + 1, sources)));
        const double *values = lb_doubles(weights);
        for (int k = 0; values && k < (words + 1) * sources; k++) weight[k] = values[k];
        lb_tape_free(tape);
        report_asked("%d words, %d source words, weight %s", words, sources,
                     report_list(weight, (words + 1) * sources));
        rows_of_words(weight, words, sources, found);
        if (report_same(found, weight, words, sources)) continue;
        if (report_is(found, weight + sources, words * sources))
            report_hint(
                "Word 0 has the row of the position that reads word 0. At which position was it written?");
        else
            report_hint("Each word has one of the rows, unchanged.");
        return;
    }
}

const check_exercise exercise = {
    11,
    "alignment",
    "exercises/11_alignment.c",
    {{"write", "aligned_share", check_aligned_share}, {"mend", "rows_of_words", check_rows_of_words}}};
