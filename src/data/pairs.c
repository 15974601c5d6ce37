#include "data/pairs_internal.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "base/format.h"
#include "data/pairs.h"
#include "io/path.h"
#include "lookback/base.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW = 1 << 16, COUNTED = 1 << 12, MEGABYTE = 1000000 };

lb_status lb_pairs_out_of_memory(const lb_pairs *pairs, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory for %lld pairs", pairs->path,
                        (long long)pairs->count + 1);
}

static lb_status add_place(lb_pairs *pairs, lb_place new_place, lb_error *error)
{
    if (!lb_alloc_more(&pairs->own, (size_t)pairs->count, &pairs->capacity, sizeof *pairs->own))
        return lb_pairs_out_of_memory(pairs, error);
    pairs->places = pairs->own;
    pairs->own[pairs->count++] = new_place;
    return LB_OK;
}

lb_status lb_pairs_skip(lb_pairs *pairs, const lb_error *found, lb_error *error)
{
    lb_pairs_facts *facts = &pairs->facts;
    bool skips = found->status == LB_ERROR_FORMAT && pairs->format.skip_bad_lines;
    if (!skips) return lb_error_set(error, found->status, "%s", found->message);
    facts->bad[pairs->line.bad]++;
    if (facts->first_bad.count == LB_PAIRS_BAD_KEPT) return LB_OK;
    return lb_strings_add(&facts->first_bad, lb_alloc_string(found->message), error);
}

/* The ends of source and target are hashed, too, so that moving a symbol from one to the other changes the hash. */
static uint64_t hash_pair(const lb_pair_line *line, uint64_t hash)
{
    const lb_symbols end = {.count = 1, .symbol = (const char *[]){"\t"}};
    hash = lb_symbols_hash(&end, lb_symbols_hash(&line->source, hash));
    return lb_symbols_hash(&end, lb_symbols_hash(&line->target, hash));
}

/* Of the bytes of a line: one change in 2^32 is missed. */
static uint32_t hash_line(const char *text, size_t length)
{
    return (uint32_t)lb_hash_long(LB_HASH, text, length);
}

static lb_status too_long(const lb_pairs *pairs, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found more than %lld bytes, expected at most that many",
                        pairs->path, 1LL << LB_PLACE_OFFSET_BITS);
}

lb_status lb_pairs_take(lb_pairs *pairs, const char *name, lb_line *line, lb_error *error)
{
    lb_error found = {0};
    size_t mark = 0;
    pairs->facts.crlf += line->crlf;
    lb_pair_file_line(&pairs->file, line);
    if (line->number == 1 && lb_pair_line_has_mark(line->text, line->length)) {
        pairs->facts.byte_order_mark = true;
        mark = LB_PAIR_LINE_MARK;
    }
    if (lb_pair_line_read(&pairs->format, name, line, &pairs->line, &found))
        return lb_pairs_skip(pairs, &found, error);
    pairs->facts.hash = hash_pair(&pairs->line, pairs->facts.hash);
    if (line->offset >> LB_PLACE_OFFSET_BITS) return too_long(pairs, error);
    lb_place here = {.offset = ((uint64_t)line->offset + mark) & ((UINT64_C(1) << LB_PLACE_OFFSET_BITS) - 1),
                     .bytes = (line->length - mark) & ((UINT64_C(1) << LB_PLACE_BYTES_BITS) - 1),
                     .hash = hash_line(line->text + mark, line->length - mark),
                     .source = (uint16_t)pairs->line.source.count,
                     .target = (uint16_t)pairs->line.target.count};
    return add_place(pairs, here, error);
}

/* Why there is no pair. */
static lb_status say_none(const lb_pairs *pairs, lb_error *error)
{
    const lb_converted *met = &pairs->file.met;
    const char *path = pairs->path;
    if (pairs->facts.first_bad.count > 0)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: found no valid line among %lld; the first: %s", path,
                            (long long)pairs->facts.lines, pairs->facts.first_bad.text[0]);
    if (met->weighed > 0)
        return lb_error_set(
            error, LB_ERROR_FORMAT,
            "%s: the weights of all %lld line%s in column %d came to nothing, expected weights "
            "of about 1 for most of them",
            path, (long long)met->weighed, lb_plural(met->weighed), (int)pairs->format.weight_column);
    if (met->lines > met->blanks)
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "%s: found no pair in %lld line%s, expected at least one: %s", path,
                            (long long)met->lines, lb_plural(met->lines),
                            met->unknown > 0 ? "each word has _ for its source or target"
                            : met->names > 0 ? "there are only names of columns"
                                             : "there is nothing but comments");
    return lb_error_set(error, LB_ERROR_FORMAT,
                        "%s: found an empty file, expected one pair of texts per line", path);
}

static void count_bytes(lb_pairs *pairs, const lb_line *line)
{
    struct stat info;
    lb_counter *counter = &pairs->counter;
    if (!counter->counted || line->number % COUNTED != 0) return;
    counter->unit = "MB read";
    counter->total = fstat(pairs->file.descriptor, &info) == 0 ? (int64_t)info.st_size / MEGABYTE : 0;
    lb_counter_tell(counter, line->offset / MEGABYTE);
}

static void count_pair(lb_pairs *pairs, int64_t pair)
{
    if (!pairs->counter.counted || pair % COUNTED != 0) return;
    pairs->counter.unit = "pair";
    pairs->counter.total = pairs->count;
    lb_counter_tell(&pairs->counter, pair);
}

static lb_status find_lines(lb_pairs *pairs, lb_error *error)
{
    lb_lines lines;
    lb_status status = lb_lines_open(&lines, pairs->file.descriptor, pairs->path, LB_PAIR_LINE_BYTES, error);
    bool more = true;
    while (more && !status) {
        lb_line line;
        lb_lines_result result = lb_lines_next(&lines, true, &line, error);
        more = result == LB_LINES_ONE;
        pairs->facts.lines += more;
        if (more) {
            count_bytes(pairs, &line);
            status = lb_pairs_take(pairs, pairs->path, &line, error);
        }
        if (result == LB_LINES_FAILED) status = LB_ERROR_OPEN;
    }
    lb_lines_close(&lines);
    if (pairs->file.numbered) pairs->facts.lines = pairs->file.met.lines;
    return status || pairs->count > 0 ? status : say_none(pairs, error);
}

static lb_status open_file(lb_pairs *pairs, const char *path, lb_error *error)
{
    lb_status status = lb_pair_file_open(&pairs->file, path, &pairs->format, error);
    pairs->format.kind = pairs->file.kind;
    pairs->facts.byte_order_mark = pairs->file.met.marked;
    return status ? status : lb_pair_format_check(&pairs->format, error);
}

/* Takes the path, also after an error. */
static lb_pairs *start(char *path, const lb_pair_format *format)
{
    lb_pairs *pairs = path ? lb_alloc_zero(sizeof *pairs) : NULL;
    if (pairs)
        *pairs =
            (lb_pairs){.path = path, .file.descriptor = -1, .format = *format, .facts = {.hash = LB_HASH}};
    else
        lb_release(path);
    return pairs;
}

lb_pairs *lb_pairs_new(const char *path, const lb_pair_format *format, lb_error *error)
{
    if (lb_pair_format_check(format, error)) return NULL;
    lb_pairs *pairs = start(lb_alloc_string(lb_pair_file_name(path)), format);
    if (!pairs) return lb_null(lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path));
    if (open_file(pairs, path, error) == LB_OK) return pairs;
    lb_pairs_close(pairs);
    return NULL;
}

lb_pairs *lb_pairs_new_in_memory(lb_pair_texts texts, const lb_pair_format *format, lb_error *error)
{
    lb_pairs *pairs = start(lb_alloc_string("pairs in memory"), format);
    if (pairs)
        pairs->texts = texts;
    else
        lb_error_set(error, LB_ERROR_MEMORY, "out of memory for pairs");
    return pairs;
}

lb_pairs *lb_pairs_new_held_out(const lb_pairs *pairs, lb_error *error)
{
    lb_buffer path = {0};
    lb_buffer_print(&path, "held out from %s", pairs->path);
    lb_pairs *again = start(lb_buffer_end(&path), &pairs->format);
    if (!again) return lb_null(lb_pairs_out_of_memory(pairs, error));
    again->texts = pairs->texts;
    if (again->texts.count > 0) return again;
    again->file = pairs->file;
    again->format.kind = again->file.kind;
    again->file.descriptor = fcntl(pairs->file.descriptor, F_DUPFD_CLOEXEC, 0);
    if (again->file.descriptor >= 0) return again;
    lb_cannot_read(pairs->path, strerror(errno), error);
    lb_pairs_close(again);
    return NULL;
}

lb_pairs *lb_pairs_open_counted(const char *path, lb_pair_format format, lb_counter counter, lb_error *error)
{
    lb_pairs *pairs = lb_pairs_new(path, &format, error);
    if (!pairs) return NULL;
    pairs->counter = counter;
    if (find_lines(pairs, error) == LB_OK) return pairs;
    lb_pairs_close(pairs);
    return NULL;
}

lb_pairs *lb_pairs_open(const char *path, lb_pair_format format, lb_error *error)
{
    return lb_pairs_open_counted(path, format, (lb_counter){0}, error);
}

void lb_pairs_close(lb_pairs *pairs)
{
    if (!pairs) return;
    lb_pair_file_close(&pairs->file);
    lb_strings_free(&pairs->facts.first_bad);
    lb_pair_line_free(&pairs->line);
    lb_release(pairs->window);
    lb_release(pairs->own);
    lb_release(pairs->path);
    lb_release(pairs);
}

int64_t lb_pairs_count(const lb_pairs *pairs)
{
    return pairs->count;
}

int64_t lb_pairs_source_length(const lb_pairs *pairs, int64_t pair)
{
    return pairs->places[pair].source;
}

int64_t lb_pairs_target_length(const lb_pairs *pairs, int64_t pair)
{
    return pairs->places[pair].target;
}

/* An index may say anything. */
static bool is_possible(const lb_place *p)
{
    return p->bytes > 0 && p->bytes <= LB_PAIR_LINE_BYTES;
}

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
    if (!lb_alloc_room(&pairs->window, 0, wanted, &pairs->window_room, 1))
        return lb_pairs_out_of_memory(pairs, error);
    while (pairs->held < wanted) {
        ssize_t count = pread(pairs->file.descriptor, pairs->window + pairs->held, wanted - pairs->held,
                              (off_t)(offset + pairs->held));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return lb_cannot_read(pairs->path, strerror(errno), error);
        if (count == 0) return LB_OK;
        pairs->held += (size_t)count;
    }
    return LB_OK;
}

static lb_status has_changed(const lb_pairs *pairs, lb_error *error)
{
    const char *what = pairs->texts.count > 0 ? "a text" : "the file";
    lb_error_set(error, LB_ERROR_FORMAT, "%s: %s has changed since it was opened", pairs->path, what);
    return LB_ERROR_FORMAT;
}

/* The bytes of a line in the window. `in_order` says that the next lines will be asked for, too. */
static lb_status find_line(lb_pairs *pairs, const lb_place *p, bool in_order, lb_line *line, lb_error *error)
{
    if (!is_possible(p)) return has_changed(pairs, error);
    if (!is_in_window(pairs, p)) {
        lb_status status =
            fill_window(pairs, p->offset, in_order && p->bytes < WINDOW ? WINDOW : p->bytes, error);
        if (status) return status;
        if (!is_in_window(pairs, p)) return has_changed(pairs, error);
    }
    *line = (lb_line){.text = pairs->window + (p->offset - pairs->start), .length = p->bytes};
    return LB_OK;
}

lb_status lb_pairs_read(lb_pairs *pairs, int64_t pair, const lb_pair_line **line, lb_error *error)
{
    *line = &pairs->line;
    if (pair < 0 || pair >= pairs->count)
        return lb_error_set(error, LB_ERROR_INDEX, "%s: pair %lld is out of range: there are %lld",
                            pairs->path, (long long)pair, (long long)pairs->count);
    const lb_place *p = &pairs->places[pair];
    lb_line bytes;
    lb_error found = {0};
    char name[LB_PAIR_NAME];
    lb_status status = pairs->texts.count > 0
                           ? lb_pair_memory_line(pairs, (int64_t)p->offset, &bytes, name, error)
                           : find_line(pairs, p, pair == pairs->next, &bytes, error);
    if (status) return status;
    count_pair(pairs, pair);
    pairs->next = pair + 1;
    if (hash_line(bytes.text, bytes.length) != p->hash) return has_changed(pairs, error);
    status = lb_pair_line_read(&pairs->format, pairs->path, &bytes, &pairs->line, &found);
    if (status == LB_ERROR_FORMAT) return has_changed(pairs, error);
    if (status) return lb_error_set(error, status, "%s", found.message);
    bool same = pairs->line.source.count == p->source && pairs->line.target.count == p->target;
    return same ? LB_OK : has_changed(pairs, error);
}

/* The digits in front of a line of a copy. */
static int64_t number_before(const lb_pairs *pairs, uint64_t offset)
{
    enum { DIGITS = 24 };
    char before[DIGITS];
    size_t wanted = offset < DIGITS ? (size_t)offset : DIGITS;
    int64_t number = 0, place = 1;
    if (pread(pairs->file.descriptor, before, wanted, (off_t)(offset - wanted)) != (ssize_t)wanted) return 0;
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
        ssize_t count = pread(pairs->file.descriptor, piece, wanted, (off_t)at);
        if (count <= 0) return 0;
        for (ssize_t i = 0; i < count; i++) number += piece[i] == '\n';
        at += (uint64_t)count;
    }
    return number;
}

lb_status lb_pairs_tally_symbols(lb_pairs *pairs, lb_vocabulary *source, lb_vocabulary *target,
                                 lb_error *error)
{
    lb_status status = LB_OK;
    for (int64_t i = 0; i < pairs->count && !status; i++) {
        const lb_pair_line *line;
        status = lb_pairs_read(pairs, i, &line, error);
        if (!status)
            status = lb_vocabulary_add(source, line->source.symbol, (int64_t)line->source.count, error);
        if (!status && target)
            status = lb_vocabulary_add(target, line->target.symbol, (int64_t)line->target.count, error);
    }
    return status;
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
