/* The distance of two sequences, and their alignment. The table of distances has a row for each symbol of the reference
 * and a column for each of the output; its cell (i, j) is the distance of their last i and last j symbols. Neighbours
 * differ by at most 1, so that 64 rows, a strip, are the bits of a few words, and a strip tells the next one only how
 * the distance changes from column to column. */
#include "base/alloc.h"
#include "base/bytes.h"
#include "metrics/measures.h"

#include <stdlib.h>
#include <string.h>

enum { STRIP = 64 };
static const double MOST_CELLS = 1ull << 34;

/* How an alignment goes on from the cells of a column, a bit for each row: with a symbol of both; otherwise with one
 * that is missing in the output; otherwise with one too many. */
typedef struct ways {
    uint64_t both, missing;
} ways;

typedef struct table {
    lb_sequence reference, output;
    int64_t rows, columns; /* that are not aligned yet */
    int32_t *row, *column; /* symbols as numbers, from the last: equal ones have equal numbers */
    uint64_t *having;      /* by number: the rows of a strip that have the symbol; 0 outside of `pass` */
    ways *way;             /* [output.length] of a strip */
    lb_take_aligned *take; /* NULL: only the edits are wanted */
    void *to;
    int64_t edits;
    bool failed; /* there is no memory */
} table;

/* Numbers the last symbols by their places among those of the reference. What it does not have is behind. */
static void number_symbols(lb_sequence all, int64_t last, const int32_t *sorted, int64_t count,
                           int32_t *number)
{
    for (int64_t i = 0; i < last; i++) {
        const int32_t *at =
            bsearch(&all.id[all.length - 1 - i], sorted, (size_t)count, sizeof *at, lb_compare_ids);
        number[i] = (int32_t)(at ? at - sorted : count);
    }
}

/* `change` is how the distance changes with each column, by -1, 0 or 1: in the row before a strip, and then in its last
 * row. */
static void pass(const table *t, int64_t strip, signed char *change, ways *way)
{
    const int32_t *row = t->row + strip * STRIP;
    const int64_t left = t->rows - strip * STRIP;
    const int last = (int)(left < STRIP ? left : STRIP) - 1;
    uint64_t more = UINT64_MAX, less = 0; /* the distance grows with the row, or shrinks */
    for (int i = 0; i <= last; i++) t->having[row[i]] |= (uint64_t)1 << i;
    for (int64_t j = 0; j < t->columns; j++) {
        const uint64_t same = t->having[t->column[j]], first = same | (change[j] < 0);
        /* as far as one row and one column before */
        const uint64_t level = (((first & more) + more) ^ more) | first | less;
        uint64_t grows = less | ~(level | more), shrinks = more & level; /* with the column */
        const int changed = (int)(grows >> last & 1) - (int)(shrinks >> last & 1);
        grows = grows << 1 | (change[j] > 0);
        shrinks = shrinks << 1 | (change[j] < 0);
        more = shrinks | ~(level | grows);
        less = grows & level;
        change[j] = (signed char)changed;
        if (way) way[j] = (ways){same | ~level, more};
    }
    for (int i = 0; i <= last; i++) t->having[row[i]] = 0;
}

static void add_pair(table *t, bool reference, bool output)
{
    const int32_t x = reference ? t->reference.id[t->reference.length - t->rows] : LB_NO_SYMBOL,
                  y = output ? t->output.id[t->output.length - t->columns] : LB_NO_SYMBOL;
    t->failed = t->failed || (t->take && !t->take(t->to, x, y));
    t->edits += reference != output || x != y; /* targets that nobody can write have negative symbols */
    t->rows -= reference;
    t->columns -= output;
}

/* Aligns the strips from `begin` to `end`, the last first. `change` is that of the row before them, with room behind it
 * for those in the middle of them, of the upper half, and so on. */
static void align(table *t, int64_t begin, int64_t end, signed char *change)
{
    if (end - begin > 1) {
        const int64_t middle = begin + (end - begin) / 2;
        signed char *next = memcpy(change + t->output.length, change, (size_t)t->columns);
        for (int64_t strip = begin; strip < middle; strip++) pass(t, strip, next, NULL);
        align(t, middle, end, next);
        align(t, begin, middle, change);
        return;
    }
    pass(t, begin, change, t->way);
    while (t->rows > begin * STRIP && t->columns > 0) {
        const int64_t row = t->rows - 1 - begin * STRIP;
        const ways way = t->way[t->columns - 1];
        const bool both = way.both >> row & 1, missing = way.missing >> row & 1;
        add_pair(t, both || missing, both || !missing);
    }
}

/* Compares what is not aligned yet, rows and columns. */
static void fill(table *t)
{
    const int64_t rows = t->rows, width = t->output.length, strips = (rows + STRIP - 1) / STRIP;
    size_t kept = 1; /* rows of `change` */
    for (int64_t n = strips; t->take && n > 1; n = (n + 1) / 2) kept++;
    t->way = lb_alloc_zero((size_t)width * (sizeof *t->way + sizeof *t->column + kept) +
                           (size_t)(rows + 1) * (sizeof *t->having + 2 * sizeof *t->row));
    t->failed = t->failed || !t->way;
    if (!t->way) return;
    t->having = (uint64_t *)(void *)(t->way + width);
    t->row = (int32_t *)(void *)(t->having + rows + 1);
    t->column = t->row + rows;
    int32_t *sorted = t->column + width;
    memcpy(sorted, t->reference.id + t->reference.length - rows, (size_t)rows * sizeof *sorted);
    qsort(sorted, (size_t)rows, sizeof *sorted, lb_compare_ids);
    number_symbols(t->reference, rows, sorted, rows, t->row);
    number_symbols(t->output, t->columns, sorted, rows, t->column);
    signed char *change = memset(sorted + rows, 1, (size_t)width);
    if (t->take) {
        align(t, 0, strips, change);
    } else {
        for (int64_t strip = 0; strip < strips; strip++) pass(t, strip, change, NULL);
        for (int64_t j = 0; j < t->columns; j++) t->edits += change[j];
        t->edits += rows;
        t->rows = t->columns = 0;
    }
    lb_release(t->way);
}

/* Cuts both into as many pieces, of equal share, as keep the cells of all tables few enough. What two pieces have in
 * common at the start needs no table. */
lb_status lb_edit_alignment(lb_sequence reference, lb_sequence output, lb_take_aligned *take, void *to,
                            int64_t *edits, lb_error *error)
{
    const double cells = (double)reference.length * (double)output.length;
    *edits = 0;
    for (int64_t pieces = 1 + (int64_t)(cells / MOST_CELLS);; pieces--) {
        const int64_t a = reference.length / pieces, b = output.length / pieces;
        table t = {{reference.id, a}, {output.id, b}, .rows = a, .columns = b, .take = take, .to = to};
        while (t.rows > 0 && t.columns > 0 && reference.id[a - t.rows] == output.id[b - t.columns])
            add_pair(&t, true, true);
        if (t.rows > 0 && t.columns > 0) fill(&t);
        while (t.rows + t.columns > 0) add_pair(&t, t.rows > 0, t.rows == 0);
        *edits += t.edits;
        if (t.failed) return lb_no_memory(error, "an edit distance");
        if (pieces == 1) return LB_OK;
        reference = (lb_sequence){reference.id + a, reference.length - a};
        output = (lb_sequence){output.id + b, output.length - b};
    }
}

lb_status lb_edit_distance(lb_sequence a, lb_sequence b, int64_t *distance, lb_error *error)
{
    return lb_edit_alignment(a, b, NULL, NULL, distance, error);
}
