#include "data/pair_index.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "data/pair_report.h"
#include "data/pairs.h"

#include <stddef.h>
#include <string.h>

/* ---- What an index belongs to. ---- */

static uint64_t hash_number(uint64_t hash, int64_t number)
{
    return lb_hash(hash, &number, sizeof number);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return lb_hash(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

static uint64_t hash_rule(uint64_t hash, const lb_symbol_rule *rule)
{
    hash = hash_text(hash_number(hash_text(hash, rule->separator), rule->normalize), rule->features);
    if (rule->features && *rule->features && !rule->flat_features) hash = hash_number(hash, 2);
    return rule->graphemes ? hash_number(hash, 1) : hash;
}

uint64_t lb_pair_index_format(const lb_pair_format *f, int32_t share)
{
    const int64_t numbers[] = {f->source_column,
                               f->target_column,
                               f->features_column,
                               f->no_target,
                               f->longest,
                               f->skip_bad_lines,
                               share};
    uint64_t hash = hash_text(LB_HASH, lb_symbols_unicode());
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) hash = hash_number(hash, numbers[i]);
    if (f->kind && *f->kind) hash = hash_text(hash, f->kind);
    if (f->usual) {
        const int32_t columns[] = {f->usual->source, f->usual->target, f->usual->features};
        hash = hash_text(lb_hash(hash, columns, sizeof columns), f->usual->kind);
    }
    return hash_rule(hash_rule(hash, &f->source), &f->target);
}

lb_status lb_pair_index_find_key(const char *path, const lb_pair_format *format, int32_t share,
                                 lb_pair_index_key *key, lb_error *error)
{
    key->format = lb_pair_index_format(format, share);
    return lb_file_hash(path, &key->content, &key->bytes, error);
}

/* ---- The parts of its file. ---- */

/* These are the numbers of the drawing in pair_index.h. */
_Static_assert(sizeof(lb_pair_index_header) == 232 && sizeof(lb_place) == 16 && sizeof(lb_pair_print) == 16,
               "drawn");
_Static_assert(offsetof(lb_pair_index_header, key) == 40 && offsetof(lb_pair_index_header, lines) == 80,
               "drawn");
_Static_assert(offsetof(lb_pair_index_header, crlf) == 144 && LB_BAD_LINES == 7, "drawn");

/* How many elements the parts have. */
static void count_elements(const lb_pair_index_header *h, uint64_t count[LB_PARTS])
{
    count[LB_PART_SOURCE_COUNTS] = h->source_symbols;
    count[LB_PART_TARGET_COUNTS] = h->target_symbols;
    count[LB_PART_TRAIN] = count[LB_PART_PRINTS] = h->train;
    count[LB_PART_HELD_OUT] = h->held_out;
    count[LB_PART_WEIGHTS] = h->different == h->train ? 0 : h->train;
    count[LB_PART_ERRORS] = h->errors_bytes;
    count[LB_PART_SOURCE] = h->source_bytes;
    count[LB_PART_TARGET] = h->target_bytes;
}

/* The bytes of an element. */
static const size_t element_size[LB_PARTS] = {sizeof(int64_t),
                                              sizeof(int64_t),
                                              sizeof(lb_place),
                                              sizeof(lb_place),
                                              sizeof(lb_pair_print),
                                              sizeof(float),
                                              1,
                                              1,
                                              1};

bool lb_pair_index_cut(lb_bytes file, lb_bytes parts[LB_PARTS])
{
    uint64_t count[LB_PARTS];
    size_t at = sizeof(lb_pair_index_header);
    count_elements(file.data, count);
    for (int i = 0; i < LB_PARTS; i++) {
        if (count[i] > (file.count - at) / element_size[i]) return false;
        parts[i] = (lb_bytes){(const char *)file.data + at, (size_t)count[i] * element_size[i]};
        at += parts[i].count;
    }
    return at == file.count;
}

/* Whether the hash of this part is bulk_hash. */
static bool is_bulk(int part)
{
    return part >= LB_PART_TRAIN && part <= LB_PART_WEIGHTS;
}

uint64_t lb_pair_index_hash_bulk(const lb_bytes parts[LB_PARTS])
{
    uint64_t hash = LB_HASH;
    for (int i = 0; i < LB_PARTS; i++)
        if (is_bulk(i)) hash = lb_hash_long(hash, parts[i].data, parts[i].count);
    return hash;
}

uint64_t lb_pair_index_hash_head(const lb_pair_index_header *header, const lb_bytes parts[LB_PARTS])
{
    lb_pair_index_header hashed = *header;
    hashed.head_hash = 0;
    uint64_t hash = lb_hash_long(LB_HASH, &hashed, sizeof hashed);
    for (int i = 0; i < LB_PARTS; i++)
        if (!is_bulk(i)) hash = lb_hash_long(hash, parts[i].data, parts[i].count);
    return hash;
}

void lb_pair_index_seal(lb_pair_index_header *header, const lb_bytes parts[LB_PARTS])
{
    header->bulk_hash = lb_pair_index_hash_bulk(parts);
    header->head_hash = lb_pair_index_hash_head(header, parts);
}

/* ---- Pairs without an index. ---- */

char *lb_pair_index_path(const char *path)
{
    lb_buffer index = {0};
    lb_buffer_print(&index, "%s.index", path);
    return lb_buffer_end(&index);
}

lb_status lb_indexed_pairs_read(lb_indexed_pairs *pairs, lb_pairs *train, int32_t share, lb_error *error)
{
    *pairs = (lb_indexed_pairs){.train = train};
    if (!pairs->train) return error->status;
    if (share > 0) {
        pairs->held_out = lb_pairs_hold_out(pairs->train, share, error);
        if (!pairs->held_out) return error->status;
    }
    pairs->source = lb_vocabulary_new_reserved(error);
    pairs->target = lb_vocabulary_new_reserved(error);
    if (!pairs->source || !pairs->target) return LB_ERROR_MEMORY;
    return lb_pairs_take_stock(pairs->train, pairs->source, pairs->target, error);
}

void lb_indexed_pairs_free(lb_indexed_pairs *pairs)
{
    lb_vocabulary_free(pairs->source);
    lb_vocabulary_free(pairs->target);
    lb_pairs_close(pairs->held_out);
    lb_pairs_close(pairs->train);
    lb_scratch_free(&pairs->file);
    *pairs = (lb_indexed_pairs){0};
}

/* ---- Writing one. ---- */

/* What is made for the file of an index, and released after it. */
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

static lb_status make_work(const lb_indexed_pairs *pairs, work *w, lb_error *error)
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

static void release_work(work *w)
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
                                   .target_bytes = strlen(w->target) + 1,
                                   .different = (uint64_t)lb_pairs_different(train)};
    for (int kind = 0; kind < LB_BAD_LINES; kind++) header.bad[kind] = (uint64_t)facts->bad[kind];
    return header;
}

static void list_parts(const lb_indexed_pairs *pairs, const lb_pair_index_header *header, const work *w,
                       lb_bytes parts[LB_PARTS])
{
    const void *const data[LB_PARTS] = {[LB_PART_SOURCE_COUNTS] = w->source_counts,
                                        [LB_PART_TARGET_COUNTS] = w->target_counts,
                                        [LB_PART_TRAIN] = pairs->train->places,
                                        [LB_PART_HELD_OUT] = pairs->held_out ? pairs->held_out->places : NULL,
                                        [LB_PART_PRINTS] = w->prints,
                                        [LB_PART_WEIGHTS] = pairs->train->weights,
                                        [LB_PART_ERRORS] = w->errors,
                                        [LB_PART_SOURCE] = w->source,
                                        [LB_PART_TARGET] = w->target};
    uint64_t count[LB_PARTS];
    count_elements(header, count);
    for (int i = 0; i < LB_PARTS; i++) parts[i] = (lb_bytes){data[i], (size_t)count[i] * element_size[i]};
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
    lb_status status = make_work(pairs, &w, error);
    if (!status) {
        lb_pair_index_header header = describe(pairs, key, &w);
        list_parts(pairs, &header, &w, parts);
        lb_pair_index_seal(&header, parts);
        status = write_parts(index, own, &header, parts, error);
    }
    release_work(&w);
    return status;
}
