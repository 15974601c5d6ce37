#include "base/alloc.h"
#include "lookback/metrics.h"

#include "metrics/measures.h"

#include <stdbool.h>

/* The edit that leads on from a cell of the table of distances. */
enum { BOTH, MISSING, TOO_MANY };

/* Common symbols at the ends of two sequences cost nothing and need no table. */
static void trim(lb_sequence *a, lb_sequence *b)
{
    while (a->length > 0 && b->length > 0 && a->id[a->length - 1] == b->id[b->length - 1]) {
        a->length--;
        b->length--;
    }
    while (a->length > 0 && b->length > 0 && *a->id == *b->id) {
        *a = (lb_sequence){a->id + 1, a->length - 1};
        *b = (lb_sequence){b->id + 1, b->length - 1};
    }
}

/* Turns the distances of a suffix of one sequence from all suffixes of `other`, row[0] from the whole to
 * row[other.length] from the empty one, into those of the suffix that begins with `symbol`, one longer. `way`, unless
 * NULL, receives the edit of each cell. */
static void advance(int64_t *row, int32_t symbol, lb_sequence other, unsigned char *way)
{
    int64_t diagonal = row[other.length]++;
    if (way) way[other.length] = MISSING;
    for (int64_t j = other.length - 1; j >= 0; j--) {
        int64_t both = diagonal + (symbol != other.id[j]), missing = row[j] + 1, more = row[j + 1] + 1;
        int64_t least = missing < more ? missing : more;
        diagonal = row[j];
        row[j] = both <= least ? both : least;
        if (way) way[j] = both <= least ? BOTH : missing <= more ? MISSING : TOO_MANY;
    }
}

lb_status lb_edit_distance(lb_sequence a, lb_sequence b, int64_t *distance, lb_error *error)
{
    trim(&a, &b);
    lb_sequence longer = a.length > b.length ? a : b, shorter = a.length > b.length ? b : a;
    int64_t *row = lb_alloc((size_t)(shorter.length + 1) * sizeof *row);
    if (!row) return lb_no_memory(error, "an edit distance");
    for (int64_t j = 0; j <= shorter.length; j++) row[j] = shorter.length - j;
    for (int64_t i = longer.length - 1; i >= 0; i--) advance(row, longer.id[i], shorter, NULL);
    *distance = row[0];
    lb_release(row);
    return LB_OK;
}

/* Writes the path from the start of both sequences to their end. Returns its length. */
static int64_t trace(lb_sequence reference, lb_sequence output, const unsigned char *way, lb_aligned *pair)
{
    int64_t i = 0, j = 0, length = 0, width = output.length + 1;
    while (i < reference.length || j < output.length) {
        unsigned char step = way[i * width + j];
        lb_aligned *p = &pair[length++];
        p->reference = step == TOO_MANY ? LB_NO_SYMBOL : reference.id[i++];
        p->output = step == MISSING ? LB_NO_SYMBOL : output.id[j++];
    }
    return length;
}

/* The edit of each cell of the table of distances: [reference + 1, output + 1]; `row` has room for output + 1. */
static void fill(lb_sequence reference, lb_sequence output, unsigned char *way, int64_t *row)
{
    int64_t width = output.length + 1;
    for (int64_t j = 0; j < width; j++) {
        row[j] = output.length - j;
        way[reference.length * width + j] = TOO_MANY;
    }
    for (int64_t i = reference.length - 1; i >= 0; i--)
        advance(row, reference.id[i], output, way + i * width);
}

lb_status lb_edit_alignment(lb_sequence reference, lb_sequence output, lb_alignment *alignment,
                            lb_error *error)
{
    size_t height = (size_t)reference.length + 1, width = (size_t)output.length + 1;
    unsigned char *way = height <= SIZE_MAX / width ? lb_alloc(height * width) : NULL;
    int64_t *row = lb_alloc(width * sizeof *row);
    lb_aligned *pair = lb_alloc((height + width) * sizeof *pair);
    *alignment = (lb_alignment){.pair = pair};
    bool fits = way && row && pair;
    if (fits) {
        fill(reference, output, way, row);
        alignment->length = trace(reference, output, way, pair);
    } else {
        lb_alignment_free(alignment);
    }
    lb_release(way);
    lb_release(row);
    return fits ? LB_OK : lb_no_memory(error, "an edit distance");
}

void lb_alignment_free(lb_alignment *alignment)
{
    lb_release(alignment->pair);
    *alignment = (lb_alignment){0};
}
