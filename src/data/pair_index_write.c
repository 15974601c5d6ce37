#include "base/alloc.h"
#include "data/pair_index.h"
#include "data/pair_index_parts.h"
#include "data/pair_prints.h"
#include "data/vocabulary_json.h"

#include <string.h>

/* What is made for the file, and released after it. */
typedef struct work {
    lb_pair_print *prints;
    int64_t *source_counts, *target_counts;
    char *source, *target, *errors;
    size_t errors_bytes;
} work;

static int64_t *take_counts(const lb_vocabulary *symbols)
{
    int32_t size = lb_vocabulary_size(symbols);
    int64_t *counts = lb_alloc((size_t)size * sizeof *counts);
    for (int32_t id = 0; counts && id < size; id++) counts[id] = lb_vocabulary_count(symbols, id);
    return counts;
}

/* A message begins with the path, which may be another one when the index is read. One that was cut off within the path
 * has nothing after it. */
static const char *after_path(const char *message, const char *path)
{
    size_t length = strlen(path);
    return strlen(message) > length ? message + length : "";
}

static char *join_errors(const lb_pairs *pairs, size_t *bytes)
{
    const lb_strings *bad = &pairs->facts.first_bad;
    char *errors = lb_alloc((size_t)LB_PAIRS_BAD_KEPT * LB_MESSAGE_LENGTH);
    *bytes = 0;
    for (size_t i = 0; errors && i < bad->count; i++) {
        const char *rest = after_path(bad->text[i], pairs->path);
        size_t length = strlen(rest) + 1;
        memcpy(errors + *bytes, rest, length);
        *bytes += length;
    }
    return errors;
}

static lb_status make(const lb_indexed_pairs *pairs, work *w, lb_error *error)
{
    *w = (work){.source_counts = take_counts(pairs->source),
                .target_counts = take_counts(pairs->target),
                .source = lb_vocabulary_print(pairs->source),
                .target = lb_vocabulary_print(pairs->target)};
    w->errors = join_errors(pairs->train, &w->errors_bytes);
    if (!w->source_counts || !w->target_counts || !w->source || !w->target || !w->errors)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for an index of pairs");
    w->prints = lb_pair_prints_make(pairs->train, error);
    return w->prints ? LB_OK : error->status;
}

static void release(work *w)
{
    lb_release(w->prints);
    lb_release(w->source_counts);
    lb_release(w->target_counts);
    lb_release(w->source);
    lb_release(w->target);
    lb_release(w->errors);
}

static lb_pair_index_header describe(const lb_indexed_pairs *pairs, const lb_pair_index_key *key,
                                     const work *w)
{
    const lb_pairs *train = pairs->train;
    const lb_pairs_facts *facts = &train->facts;
    lb_pair_index_header header = {.magic = LB_PAIR_INDEX_MAGIC,
                                   .version = LB_PAIR_INDEX_VERSION,
                                   .order = LB_PAIR_INDEX_ORDER,
                                   .key = *key,
                                   .train = (uint64_t)train->count,
                                   .held_out = pairs->held_out ? (uint64_t)pairs->held_out->count : 0,
                                   .lines = (uint64_t)facts->lines,
                                   .crlf = (uint64_t)facts->crlf,
                                   .byte_order_mark = facts->byte_order_mark,
                                   .columns = (uint64_t)train->line.columns,
                                   .pairs_hash = facts->hash,
                                   .first_bad = facts->first_bad.count,
                                   .source_symbols = (uint64_t)lb_vocabulary_size(pairs->source),
                                   .target_symbols = (uint64_t)lb_vocabulary_size(pairs->target),
                                   .errors_bytes = w->errors_bytes,
                                   .source_bytes = strlen(w->source) + 1,
                                   .target_bytes = strlen(w->target) + 1};
    for (int kind = 0; kind < LB_BAD_LINES; kind++) header.bad[kind] = (uint64_t)facts->bad[kind];
    return header;
}

static void divide(const lb_indexed_pairs *pairs, const lb_pair_index_header *h, const work *w,
                   lb_bytes parts[LB_PARTS])
{
    const lb_bytes all[LB_PARTS] = {
        [LB_PART_SOURCE_COUNTS] = {w->source_counts, (size_t)h->source_symbols * sizeof(int64_t)},
        [LB_PART_TARGET_COUNTS] = {w->target_counts, (size_t)h->target_symbols * sizeof(int64_t)},
        [LB_PART_TRAIN] = {pairs->train->places, (size_t)h->train * sizeof(lb_place)},
        [LB_PART_HELD_OUT] = {pairs->held_out ? pairs->held_out->places : NULL,
                              (size_t)h->held_out * sizeof(lb_place)},
        [LB_PART_PRINTS] = {w->prints, (size_t)h->train * sizeof(lb_pair_print)},
        [LB_PART_ERRORS] = {w->errors, (size_t)h->errors_bytes},
        [LB_PART_SOURCE] = {w->source, (size_t)h->source_bytes},
        [LB_PART_TARGET] = {w->target, (size_t)h->target_bytes},
    };
    memcpy(parts, all, sizeof all);
}

static lb_status write_parts(const char *index, bool own, const lb_pair_index_header *header,
                             const lb_bytes parts[LB_PARTS], lb_error *error)
{
    lb_bytes all[LB_PARTS + 1] = {{header, sizeof *header}};
    memcpy(all + 1, parts, LB_PARTS * sizeof *parts);
    return (own ? lb_file_write_own : lb_file_write_parts)(index, all, LB_PARTS + 1, error);
}

lb_status lb_indexed_pairs_write(const lb_indexed_pairs *pairs, const char *index, bool own,
                                 const lb_pair_index_key *key, lb_error *error)
{
    work w;
    lb_bytes parts[LB_PARTS];
    lb_status status = make(pairs, &w, error);
    if (!status) {
        lb_pair_index_header header = describe(pairs, key, &w);
        divide(pairs, &header, &w, parts);
        lb_pair_index_seal(&header, parts);
        status = write_parts(index, own, &header, parts, error);
    }
    release(&w);
    return status;
}
