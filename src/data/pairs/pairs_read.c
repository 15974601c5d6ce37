/* Reads the pairs of an open file, or of texts in memory, one after the other. */
#include "data/pairs/pairs.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "io/path.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { WINDOW = 1 << 16 };

lb_status lb_pairs_out_of_memory(const lb_pairs *pairs, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory for %lld pairs", pairs->path,
                        (long long)pairs->count + 1);
}

int64_t lb_pairs_count(const lb_pairs *pairs)
{
    return pairs->count;
}

int64_t lb_pairs_different(const lb_pairs *pairs)
{
    return pairs->weights ? pairs->different : pairs->count;
}

int64_t lb_pairs_source_length(const lb_pairs *pairs, int64_t pair)
{
    assert(pair >= 0 && pair < pairs->count);
    return pairs->places[pair].source;
}

int64_t lb_pairs_target_length(const lb_pairs *pairs, int64_t pair)
{
    assert(pair >= 0 && pair < pairs->count);
    return pairs->places[pair].target;
}

/* ---- Lines of the file. ---- */

static bool is_in_window(const lb_pairs *pairs, const lb_place *p)
{
    uint64_t offset = p->offset; /* a sum of two bit fields has no more bits than they */
    return offset >= pairs->start && offset + p->bytes <= pairs->start + pairs->held;
}

/* Reads up to `wanted` bytes, starting at `offset`, into the window. */
static lb_status fill_window(lb_pairs *pairs, uint64_t offset, size_t wanted, lb_error *error)
{
    pairs->held = 0;
    pairs->start = offset;
    if (!lb_alloc_room(&pairs->window.text, 0, wanted, &pairs->window.capacity, 1))
        return lb_pairs_out_of_memory(pairs, error);
    int64_t count = lb_os_read_at(pairs->file.handle, (int64_t)offset, pairs->window.text, wanted);
    if (count < 0) return lb_cannot_read(pairs->path, strerror(errno), error);
    pairs->held = (size_t)count;
    return LB_OK;
}

static lb_status has_changed(const lb_pairs *pairs, lb_error *error)
{
    const char *what = pairs->texts.count > 0 ? "a text" : "the file";
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: %s has changed since it was opened", pairs->path, what);
}

/* Finds the bytes of a line in the window. `in_order` says that the next lines will be asked for, too. */
static lb_status find_line(lb_pairs *pairs, const lb_place *p, bool in_order, lb_line *line, lb_error *error)
{
    if (p->bytes == 0 || p->bytes > LB_PAIR_LINE_BYTES)
        return has_changed(pairs, error); /* as an index may say */
    if (!is_in_window(pairs, p)) {
        lb_status status =
            fill_window(pairs, p->offset, in_order && p->bytes < WINDOW ? WINDOW : p->bytes, error);
        if (status) return status;
        if (!is_in_window(pairs, p)) return has_changed(pairs, error);
    }
    *line = (lb_line){.text = pairs->window.text + (p->offset - pairs->start), .length = p->bytes};
    return LB_OK;
}

/* ---- Pairs in memory: each is put together as the line that a file would have. ---- */

/* The texts of a pair, in the order of columns. */
enum { SIDES = 3 };
static const char *const side_names[SIDES] = {"source", "features", "target"};

static lb_status bad(lb_pairs *pairs, lb_bad_line kind, const char *name, const char *found, int side,
                     lb_error *error)
{
    pairs->line.bad = kind;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found %s in the %s, expected text", name, found,
                        side_names[side]);
}

static lb_status check_text(lb_pairs *pairs, const char *name, const char *text, int side, lb_error *error)
{
    if (!text) return bad(pairs, LB_LINE_EMPTY, name, "NULL", side, error);
    const char *odd = text + strcspn(text, "\t\n");
    if (!*odd) return LB_OK;
    return bad(pairs, LB_LINE_COLUMNS, name, *odd == '\t' ? "a tab" : "a line break", side, error);
}

lb_status lb_pair_memory_line(lb_pairs *pairs, int64_t number, lb_line *line, char name[LB_PAIR_NAME],
                              lb_error *error)
{
    const lb_pair_texts *t = &pairs->texts;
    const char *const *const columns[SIDES] = {t->source, t->features,
                                               pairs->format.no_target ? NULL : t->target};
    lb_buffer *joined = &pairs->window;
    snprintf(name, LB_PAIR_NAME, "pair %lld", (long long)number);
    joined->length = 0;
    joined->failed = false;
    for (int side = 0; side < SIDES; side++) {
        const char *const *texts = columns[side];
        if (!texts) continue;
        lb_status status = check_text(pairs, name, texts[number], side, error);
        if (status) return status;
        lb_buffer_add(joined, "\t", side > 0);
        lb_buffer_add(joined, texts[number], strlen(texts[number]));
    }
    if (joined->failed) return lb_pairs_out_of_memory(pairs, error);
    *line = (lb_line){.text = joined->text, .length = joined->length, .offset = number};
    return LB_OK;
}

/* ---- The pair of a line. ---- */

static void count_pair(lb_pairs *pairs, int64_t pair)
{
    if (!pairs->counter.counted || pair % LB_PAIRS_COUNTED != 0) return;
    pairs->counter.unit = "pair";
    pairs->counter.total = pairs->count;
    lb_counter_tell(&pairs->counter, pair);
}

/* Reads a pair. Its lengths are those that it had when it was opened, or are counted anew. */
static lb_status read_pair(lb_pairs *pairs, int64_t pair, bool counts, const lb_pair_line **line,
                           lb_error *error)
{
    *line = &pairs->line;
    if (pair < 0 || pair >= pairs->count)
        return lb_error_set(error, LB_ERROR_INDEX, "%s: pair %lld is out of range: there are %lld",
                            pairs->path, (long long)pair, (long long)pairs->count);
    const lb_place *p = &pairs->places[pair];
    lb_line bytes = {0};
    lb_error found = {0};
    char name[LB_PAIR_NAME];
    lb_status status = pairs->texts.count > 0
                           ? lb_pair_memory_line(pairs, (int64_t)p->offset, &bytes, name, error)
                           : find_line(pairs, p, pair == pairs->next, &bytes, error);
    if (status) return status;
    count_pair(pairs, pair);
    pairs->next = pair + 1;
    if ((uint32_t)lb_hash_long(LB_HASH, bytes.text, bytes.length) != p->hash)
        return has_changed(pairs, error);
    status = lb_pair_line_read(&pairs->format, pairs->path, &bytes, &pairs->line, &found);
    if (status == LB_ERROR_FORMAT && !counts) return has_changed(pairs, error);
    if (status) return lb_error_set(error, status, "%s", found.message);
    if (counts) {
        pairs->owned[pair].source = (uint16_t)pairs->line.source.count;
        pairs->owned[pair].target = (uint16_t)pairs->line.target.count;
    }
    bool same = pairs->line.source.count == p->source && pairs->line.target.count == p->target;
    return same ? LB_OK : has_changed(pairs, error);
}

lb_status lb_pairs_read(lb_pairs *pairs, int64_t pair, const lb_pair_line **line, lb_error *error)
{
    return read_pair(pairs, pair, false, line, error);
}

lb_status lb_pairs_split_again(lb_pairs *pairs, const struct lb_subwords *source,
                               const struct lb_subwords *target, lb_error *error)
{
    lb_status status = LB_OK;
    size_t bytes = (size_t)pairs->count * sizeof *pairs->owned;
    if (!pairs->owned) pairs->owned = lb_alloc(bytes);
    if (!pairs->owned) return lb_pairs_out_of_memory(pairs, error);
    if (pairs->places != pairs->owned) memcpy(pairs->owned, pairs->places, bytes); /* those of an index */
    pairs->places = pairs->owned;
    pairs->format.source.subwords = source;
    pairs->format.target.subwords = target;
    for (int64_t i = 0; i < pairs->count && !status; i++) {
        const lb_pair_line *line;
        status = read_pair(pairs, i, true, &line, error);
    }
    return status;
}

/* The digits in front of a line of a copy. */
static int64_t number_before(const lb_pairs *pairs, uint64_t offset)
{
    enum { DIGITS = 24 };
    char before[DIGITS];
    size_t wanted = offset < DIGITS ? (size_t)offset : DIGITS;
    int64_t number = 0, place = 1;
    if (lb_os_read_at(pairs->file.handle, (int64_t)(offset - wanted), before, wanted) != (int64_t)wanted)
        return 0;
    for (size_t at = wanted - 1; at > 0 && before[at - 1] >= '0' && before[at - 1] <= '9'; at--, place *= 10)
        number += place * (before[at - 1] - '0');
    return number;
}

int64_t lb_pairs_line_number(const lb_pairs *pairs, int64_t pair)
{
    enum { PIECE = 4096 };
    char piece[PIECE];
    uint64_t offset = pairs->places[pair].offset;
    int64_t number = 1;
    if (pairs->file.numbered) return number_before(pairs, offset);
    for (uint64_t at = 0; at < offset;) {
        size_t wanted = offset - at < PIECE ? (size_t)(offset - at) : PIECE;
        int64_t count = lb_os_read_at(pairs->file.handle, (int64_t)at, piece, wanted);
        if (count <= 0) return 0;
        for (int64_t i = 0; i < count; i++) number += piece[i] == '\n';
        at += (uint64_t)count;
    }
    return number;
}

lb_status lb_pair_line_tally(const lb_pair_line *line, lb_vocabulary *source, lb_vocabulary *target,
                             lb_error *error)
{
    lb_status status = lb_vocabulary_add(source, line->source.symbol, (int64_t)line->source.count, error);
    if (status || !target) return status;
    return lb_vocabulary_add(target, line->target.symbol, (int64_t)line->target.count, error);
}

lb_status lb_pairs_tally_symbols(lb_pairs *pairs, lb_vocabulary *source, lb_vocabulary *target,
                                 lb_error *error)
{
    lb_status status = LB_OK;
    for (int64_t i = 0; i < pairs->count && !status; i++) {
        const lb_pair_line *line;
        status = lb_pairs_read(pairs, i, &line, error);
        if (!status) status = lb_pair_line_tally(line, source, target, error);
    }
    return status;
}

lb_status lb_pairs_count_symbols(lb_pairs *pairs, lb_vocabulary **source, lb_vocabulary **target,
                                 lb_error *error)
{
    *source = lb_vocabulary_new_reserved(error);
    *target = lb_vocabulary_new_reserved(error);
    return *source && *target ? lb_pairs_tally_symbols(pairs, *source, *target, error) : LB_ERROR_MEMORY;
}

static void encode(const lb_vocabulary *vocabulary, const lb_symbols *symbols, int32_t *id)
{
    lb_vocabulary_encode(vocabulary, symbols->symbol, (int64_t)symbols->count, id, (int32_t)symbols->count);
}

lb_status lb_pairs_encode(lb_pairs *pairs, int64_t pair, const lb_vocabulary *source_vocabulary,
                          const lb_vocabulary *target_vocabulary, int32_t *source, int32_t *target,
                          lb_error *error)
{
    const lb_pair_line *line;
    lb_status status = lb_pairs_read(pairs, pair, &line, error);
    if (status) return status;
    encode(source_vocabulary, &line->source, source);
    encode(target_vocabulary, &line->target, target);
    return LB_OK;
}
