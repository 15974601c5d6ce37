#include "data/pairs/pair_index.h"

#include "base/alloc.h"
#include "base/bytes.h"

#include <string.h>
#include <utf8proc.h>

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
    uint64_t hash = hash_text(LB_HASH, utf8proc_unicode_version());
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
_Static_assert(offsetof(lb_pair_index_header, crlf) == 144 && LB_LINE_FORMAT == 7, "drawn");

bool lb_pair_index_cut(lb_bytes file, lb_bytes parts[LB_PARTS])
{
    const lb_pair_index_header *h = file.data;
    const struct {
        uint64_t count;
        size_t size; /* of an element */
    } all[LB_PARTS] = {
        [LB_PART_SOURCE_COUNTS] = {h->source_symbols, sizeof(int64_t)},
        [LB_PART_TARGET_COUNTS] = {h->target_symbols, sizeof(int64_t)},
        [LB_PART_TRAIN] = {h->train, sizeof(lb_place)},
        [LB_PART_HELD_OUT] = {h->held_out, sizeof(lb_place)},
        [LB_PART_PRINTS] = {h->train, sizeof(lb_pair_print)},
        [LB_PART_WEIGHTS] = {h->different == h->train ? 0 : h->train, sizeof(float)},
        [LB_PART_ERRORS] = {h->errors_bytes, 1},
        [LB_PART_SOURCE] = {h->source_bytes, 1},
        [LB_PART_TARGET] = {h->target_bytes, 1},
    };
    size_t at = sizeof *h;
    for (int i = 0; i < LB_PARTS; i++) {
        if (all[i].count > (file.count - at) / all[i].size) return false;
        parts[i] = (lb_bytes){(const char *)file.data + at, (size_t)all[i].count * all[i].size};
        at += parts[i].count;
    }
    return at == file.count;
}

/* Goes on with the parts of the bulk, or with all others. */
static uint64_t hash_parts(uint64_t hash, const lb_bytes parts[LB_PARTS], bool bulk)
{
    for (int i = 0; i < LB_PARTS; i++) {
        bool is_bulk = i >= LB_PART_TRAIN && i <= LB_PART_WEIGHTS;
        if (is_bulk == bulk) hash = lb_hash_long(hash, parts[i].data, parts[i].count);
    }
    return hash;
}

void lb_pair_index_seal(lb_pair_index_header *header, const lb_bytes parts[LB_PARTS], bool bulk)
{
    header->head_hash = 0;
    if (bulk) header->bulk_hash = hash_parts(LB_HASH, parts, true);
    header->head_hash = hash_parts(lb_hash_long(LB_HASH, header, sizeof *header), parts, false);
}

/* ---- Pairs without an index. ---- */

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

/* The counts of all symbols; without memory, no data. */
static lb_bytes take_counts(const lb_vocabulary *symbols)
{
    int32_t size = lb_vocabulary_size(symbols);
    int64_t *counts = lb_alloc((size_t)size * sizeof *counts);
    for (int32_t id = 0; counts && id < size; id++) counts[id] = lb_vocabulary_count(symbols, id);
    return (lb_bytes){counts, (size_t)size * sizeof *counts};
}

static lb_bytes print_symbols(const lb_vocabulary *symbols)
{
    const char *text = lb_vocabulary_print(symbols);
    return (lb_bytes){text, text ? strlen(text) + 1 : 0};
}

/* A message begins with the path, which may be another one when the index is read. One that was cut off within the path
 * has nothing after it. */
static lb_bytes join_errors(const lb_pairs *pairs)
{
    const lb_strings *bad = &pairs->facts.first_bad;
    size_t path = strlen(pairs->path), bytes = 0;
    char *errors = lb_alloc((size_t)LB_PAIRS_BAD_KEPT * LB_MESSAGE_LENGTH);
    for (size_t i = 0; errors && i < bad->count; i++) {
        const char *message = bad->text[i], *rest = strlen(message) > path ? message + path : "";
        memcpy(errors + bytes, rest, strlen(rest) + 1);
        bytes += strlen(rest) + 1;
    }
    return (lb_bytes){errors, bytes};
}

/* Those that are made for the file, and released after it. */
static const int made[] = {LB_PART_SOURCE_COUNTS, LB_PART_TARGET_COUNTS, LB_PART_PRINTS,
                           LB_PART_ERRORS,        LB_PART_SOURCE,        LB_PART_TARGET};
enum { MADE = sizeof made / sizeof *made };

static lb_status make_parts(const lb_indexed_pairs *pairs, lb_bytes parts[LB_PARTS], lb_error *error)
{
    const lb_pairs *train = pairs->train, *held_out = pairs->held_out;
    size_t count = (size_t)train->count, more = held_out ? (size_t)held_out->count : 0;
    parts[LB_PART_SOURCE_COUNTS] = take_counts(pairs->source);
    parts[LB_PART_TARGET_COUNTS] = take_counts(pairs->target);
    parts[LB_PART_TRAIN] = (lb_bytes){train->places, count * sizeof *train->places};
    parts[LB_PART_HELD_OUT] = (lb_bytes){held_out ? held_out->places : NULL, more * sizeof *train->places};
    parts[LB_PART_PRINTS] =
        (lb_bytes){lb_pair_prints_make(pairs->train, error), count * sizeof(lb_pair_print)};
    parts[LB_PART_WEIGHTS] = (lb_bytes){train->weights, train->weights ? count * sizeof *train->weights : 0};
    parts[LB_PART_ERRORS] = join_errors(train);
    parts[LB_PART_SOURCE] = print_symbols(pairs->source);
    parts[LB_PART_TARGET] = print_symbols(pairs->target);
    if (!parts[LB_PART_PRINTS].data) return error->status;
    for (int i = 0; i < MADE; i++)
        if (!parts[made[i]].data) return lb_no_memory(error, "an index of pairs");
    return LB_OK;
}

static lb_pair_index_header describe(const lb_indexed_pairs *pairs, const lb_pair_index_key *key,
                                     const lb_bytes parts[LB_PARTS])
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
                                   .errors_bytes = parts[LB_PART_ERRORS].count,
                                   .source_bytes = parts[LB_PART_SOURCE].count,
                                   .target_bytes = parts[LB_PART_TARGET].count,
                                   .different = (uint64_t)lb_pairs_different(train)};
    for (int kind = 0; kind < LB_LINE_FORMAT; kind++) header.bad[kind] = (uint64_t)facts->bad[kind];
    return header;
}

lb_status lb_indexed_pairs_write(const lb_indexed_pairs *pairs, const char *index, bool own,
                                 const lb_pair_index_key *key, lb_error *error)
{
    lb_bytes all[LB_PARTS + 1], *parts = all + 1;
    lb_status status = make_parts(pairs, parts, error);
    if (!status) {
        lb_pair_index_header header = describe(pairs, key, parts);
        lb_pair_index_seal(&header, parts, true);
        all[0] = (lb_bytes){&header, sizeof header};
        status = (own ? lb_file_write_own : lb_file_write_parts)(index, all, LB_PARTS + 1, error);
    }
    for (int i = 0; i < MADE; i++) {
        void *data; /* const for the file, but ours */
        memcpy(&data, &parts[made[i]].data, sizeof data);
        lb_release(data);
    }
    return status;
}
