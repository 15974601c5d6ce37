/* Opens an index of pairs, for a training. Nothing in it is believed: what has the right hashes may still have been
 * made up. So every number has a limit that keeps its uses from overflowing; places are checked where pairs are
 * read. */
#include "data/pairs/pair_index.h"

#include "base/alloc.h"

#include <string.h>

/* An index while it is opened. */
typedef struct opening {
    const char *index;
    const lb_pair_index_header *header;
    lb_bytes parts[LB_PARTS];
    lb_indexed_pairs *pairs;
    lb_error *error;
} opening;

static lb_status misfit(const opening *o, const char *what)
{
    return lb_error_set(o->error, LB_ERROR_FORMAT, "%s: %s", o->index, what);
}

static lb_status check_header(opening *o, lb_bytes file, const lb_pair_index_key *key, bool all)
{
    const lb_pair_index_header *h = o->header;
    if (file.count < sizeof *h || memcmp(h->magic, LB_PAIR_INDEX_MAGIC, sizeof h->magic) != 0)
        return misfit(o, "not an index of pairs");
    if (h->version != LB_PAIR_INDEX_VERSION || h->order != LB_PAIR_INDEX_ORDER)
        return misfit(o, "of another version or machine");
    if (memcmp(&h->key, key, sizeof *key) != 0) return misfit(o, "of other pairs");
    if (!lb_pair_index_cut(file, o->parts)) return misfit(o, "damaged: its parts do not fill it");
    lb_pair_index_header found = *h;
    lb_pair_index_seal(&found, o->parts, all);
    bool same = found.head_hash == h->head_hash && found.bulk_hash == h->bulk_hash;
    return same ? LB_OK : misfit(o, "damaged: its hash is another one");
}

/* Whether the numbers can be those of a file: each line has a byte, but the last. */
static bool has_possible_counts(const lb_pair_index_header *h, const lb_pair_format *format)
{
    uint64_t most = h->key.bytes < INT64_MAX / 2 ? h->key.bytes + 1 : 0, bad = 0;
    if (h->lines > most || h->crlf > h->lines || h->byte_order_mark > 1) return false;
    if (h->train == 0 || h->train > h->lines || h->held_out > h->lines - h->train) return false;
    for (int kind = 0; kind < LB_LINE_FORMAT; kind++) {
        if (h->bad[kind] > h->lines - bad) return false;
        bad += h->bad[kind];
    }
    if (h->columns < (uint64_t)lb_pair_format_columns(format) || h->columns > LB_PAIR_LINE_BYTES)
        return false;
    return h->first_bad <= LB_PAIRS_BAD_KEPT && h->first_bad <= bad;
}

static lb_status take_errors(opening *o)
{
    const lb_bytes *part = &o->parts[LB_PART_ERRORS];
    const char *at = part->data, *end = at + part->count;
    lb_pairs *train = o->pairs->train;
    for (uint64_t i = 0; i < o->header->first_bad; i++) {
        const char *stop = memchr(at, '\0', (size_t)(end - at));
        lb_error message = {0};
        if (!stop) return misfit(o, "damaged: found no message");
        lb_error_set(&message, LB_ERROR_FORMAT, "%s%s", train->path, at);
        if (lb_strings_add(&train->facts.first_bad, lb_alloc_string(message.message), o->error))
            return LB_ERROR_MEMORY;
        at = stop + 1;
    }
    return at == end ? LB_OK : misfit(o, "damaged: found another message");
}

static void take_facts(const opening *o)
{
    const lb_pair_index_header *h = o->header;
    lb_pairs *train = o->pairs->train;
    train->facts.lines = (int64_t)h->lines;
    train->facts.crlf = (int64_t)h->crlf;
    train->facts.byte_order_mark = h->byte_order_mark != 0;
    train->facts.hash = h->pairs_hash;
    for (int kind = 0; kind < LB_LINE_FORMAT; kind++) train->facts.bad[kind] = (int64_t)h->bad[kind];
    train->line.columns = (int32_t)h->columns;
}

static lb_status take_held_out(const opening *o)
{
    lb_indexed_pairs *pairs = o->pairs;
    if (o->header->held_out == 0) return LB_OK;
    pairs->held_out = lb_pairs_new_held_out(pairs->train, o->error);
    if (!pairs->held_out) return o->error->status;
    pairs->held_out->places = o->parts[LB_PART_HELD_OUT].data;
    pairs->held_out->count = pairs->held_out->facts.lines = (int64_t)o->header->held_out;
    return LB_OK;
}

/* Whether as many pairs have a weight as the header says, for which an order has room. */
static bool take_weights(const opening *o)
{
    lb_pairs *train = o->pairs->train;
    if (o->header->different == o->header->train) {
        train->different = train->count;
        return true;
    }
    train->weights = o->parts[LB_PART_WEIGHTS].data;
    for (int64_t i = 0; i < train->count; i++) {
        if (!(train->weights[i] >= 0 && train->weights[i] <= (float)train->count)) return false;
        train->different += train->weights[i] > 0;
    }
    return train->different > 0 && (uint64_t)train->different == o->header->different;
}

static lb_status take_pairs(opening *o, const char *path, const lb_pair_format *format)
{
    lb_os_info info;
    lb_pairs *train = o->pairs->train = lb_pairs_new(path, format, o->error);
    if (!train) return o->error->status;
    if (train->file.copied) return misfit(o, "of a file that is read as it is");
    if (!lb_os_info_of(train->file.handle, &info) || (uint64_t)info.bytes != o->header->key.bytes)
        return misfit(o, "of a file of another size");
    train->places = o->parts[LB_PART_TRAIN].data;
    train->prints = o->parts[LB_PART_PRINTS].data;
    train->count = (int64_t)o->header->train;
    train->index = o->index;
    if (!take_weights(o)) return misfit(o, "damaged: found other repeated pairs");
    take_facts(o);
    lb_status status = take_errors(o);
    return status ? status : take_held_out(o);
}

/* Whether the counts have a sum that is a number, too. */
static bool has_possible_sum(const int64_t *counts, uint64_t size)
{
    int64_t left = INT64_MAX / 2;
    for (uint64_t i = 0; i < size; i++) {
        if (counts[i] < 0 || counts[i] > left) return false;
        left -= counts[i];
    }
    return true;
}

static lb_status take_symbols(const opening *o, int symbols, int counts, uint64_t size, lb_vocabulary **taken)
{
    const int64_t *count = o->parts[counts].data;
    const lb_bytes text = o->parts[symbols];
    bool string =
        text.count > 0 && memchr(text.data, 0, text.count) == (const char *)text.data + text.count - 1;
    if (!string || !has_possible_sum(count, size)) return misfit(o, "damaged: found no symbols");
    *taken = lb_vocabulary_parse(text.data, INT32_MAX, o->error);
    if (!*taken) return o->error->status;
    if ((uint64_t)lb_vocabulary_size(*taken) != size) return misfit(o, "damaged: found other symbols");
    lb_vocabulary_set_counts(*taken, count);
    return LB_OK;
}

static lb_status take(opening *o, const char *path, const lb_pair_format *format)
{
    const lb_pair_index_header *h = o->header;
    if (!has_possible_counts(h, format)) return misfit(o, "damaged: found impossible numbers");
    lb_status status =
        take_symbols(o, LB_PART_SOURCE, LB_PART_SOURCE_COUNTS, h->source_symbols, &o->pairs->source);
    if (!status)
        status = take_symbols(o, LB_PART_TARGET, LB_PART_TARGET_COUNTS, h->target_symbols, &o->pairs->target);
    if (!status) status = take_pairs(o, path, format);
    return status;
}

lb_status lb_indexed_pairs_open(lb_indexed_pairs *pairs, const char *path, const lb_pair_format *format,
                                const char *index, const lb_pair_index_key *key, bool all, lb_error *error)
{
    opening o = {.index = index, .pairs = pairs, .error = error};
    *pairs = (lb_indexed_pairs){0};
    lb_status status = lb_scratch_read(&pairs->file, index, error);
    if (status) return status;
    o.header = pairs->file.bytes;
    status = check_header(&o, (lb_bytes){pairs->file.bytes, pairs->file.count}, key, all);
    if (!status) status = take(&o, path, format);
    if (status)
        lb_indexed_pairs_free(pairs);
    else
        pairs->id = o.header->head_hash;
    return status;
}
