#include "data/pairs/pairs.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/format.h"
#include "io/path.h"

#include <errno.h>
#include <string.h>

enum { MEGABYTE = 1000000 };

/* Counts a bad line, unless none may be skipped. `found` is its error, and pairs->line.bad its kind. */
static lb_status skip_line(lb_pairs *pairs, const lb_error *found, lb_error *error)
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

lb_status lb_pairs_take(lb_pairs *pairs, const char *name, lb_line *line, lb_error *error)
{
    lb_error found = {0};
    pairs->facts.crlf += line->crlf;
    lb_pair_file_line(&pairs->file, line);
    lb_line bare = *line;
    pairs->facts.byte_order_mark |= lb_line_drop_mark(&bare);
    if (lb_pair_line_read(&pairs->format, name, line, &pairs->line, &found))
        return skip_line(pairs, &found, error);
    pairs->facts.hash = hash_pair(&pairs->line, pairs->facts.hash);
    if (line->offset >> LB_PLACE_OFFSET_BITS)
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "%s: found more than %lld bytes, expected at most that many", pairs->path,
                            1LL << LB_PLACE_OFFSET_BITS);
    if (!lb_alloc_more(&pairs->owned, (size_t)pairs->count, &pairs->capacity, sizeof *pairs->owned))
        return lb_pairs_out_of_memory(pairs, error);
    pairs->places = pairs->owned;
    pairs->owned[pairs->count++] =
        (lb_place){.offset = (uint64_t)bare.offset & ((UINT64_C(1) << LB_PLACE_OFFSET_BITS) - 1),
                   .bytes = bare.length & ((UINT64_C(1) << LB_PLACE_BYTES_BITS) - 1),
                   .hash = (uint32_t)lb_hash_long(LB_HASH, bare.text, bare.length),
                   .source = (uint16_t)pairs->line.source.count,
                   .target = (uint16_t)pairs->line.target.count};
    return LB_OK;
}

/* Says why there is no pair. */
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
    lb_os_info info;
    lb_counter *counter = &pairs->counter;
    if (!counter->counted || line->number % LB_PAIRS_COUNTED != 0) return;
    counter->unit = "MB read";
    counter->total = lb_os_info_of(pairs->file.handle, &info) ? info.bytes / MEGABYTE : 0;
    lb_counter_tell(counter, line->offset / MEGABYTE);
}

static lb_status find_lines(lb_pairs *pairs, lb_error *error)
{
    lb_lines lines;
    lb_status status = lb_lines_open(&lines, pairs->file.handle, pairs->path, LB_PAIR_LINE_BYTES, error);
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

/* Pairs that are not yet read. They own the path, which is released after an error, too. */
static lb_pairs *new_pairs(char *path, const lb_pair_format *format)
{
    lb_pairs *pairs = path ? lb_alloc_zero(sizeof *pairs) : NULL;
    if (pairs)
        *pairs = (lb_pairs){.path = path, .format = *format, .facts = {.hash = LB_HASH}};
    else
        lb_release(path);
    return pairs;
}

lb_pairs *lb_pairs_new(const char *path, const lb_pair_format *format, lb_error *error)
{
    if (lb_pair_format_check(format, error)) return NULL;
    lb_pairs *pairs = new_pairs(lb_alloc_string(lb_pair_file_name(path)), format);
    if (!pairs) return lb_null(lb_out_of_memory_for(path, error));
    lb_status status = lb_pair_file_open(&pairs->file, path, &pairs->format, error);
    pairs->format.kind = pairs->file.kind;
    pairs->line.usual = pairs->file.look.width;
    pairs->facts.byte_order_mark = pairs->file.met.marked;
    if (!status && lb_pair_format_check(&pairs->format, error) == LB_OK) return pairs;
    lb_pairs_close(pairs);
    return NULL;
}

lb_pairs *lb_pairs_open_counted(const char *path, lb_pair_format format, lb_counter counter, lb_error *error)
{
    lb_pairs *pairs = lb_pairs_new(path, &format, error);
    if (!pairs) return NULL;
    pairs->counter = counter;
    if (find_lines(pairs, error) == LB_OK) return pairs;
    lb_pair_advise(pairs->path, &pairs->file, &pairs->format, error);
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
    lb_release(pairs->window.text);
    lb_release(pairs->owned);
    lb_release(pairs->owned_weights);
    lb_release(pairs->path);
    lb_release(pairs);
}

/* ---- Pairs in memory. ---- */

bool lb_pair_texts_given(const lb_pair_texts *texts)
{
    return texts->count != 0 || texts->source || texts->target;
}

static lb_status read_texts(lb_pairs *pairs, lb_error *error)
{
    lb_status status = LB_OK;
    for (int64_t i = 0; i < pairs->texts.count && !status; i++) {
        lb_line line;
        lb_error found = {0};
        char name[LB_PAIR_NAME];
        pairs->facts.lines++;
        if (lb_pair_memory_line(pairs, i, &line, name, &found))
            status = skip_line(pairs, &found, error);
        else
            status = lb_pairs_take(pairs, name, &line, error);
    }
    if (status || pairs->count > 0 || pairs->facts.first_bad.count == 0) return status;
    return lb_error_set(error, LB_ERROR_FORMAT, "found no valid pair among %lld; the first: %s",
                        (long long)pairs->texts.count, pairs->facts.first_bad.text[0]);
}

static lb_status check_texts(const lb_pair_texts *texts, const lb_pair_format *format, lb_error *error)
{
    const char *missing = !texts->source                                                     ? "sources"
                          : !texts->target && !format->no_target                             ? "targets"
                          : !texts->features && lb_symbol_rule_has_features(&format->source) ? "features"
                                                                                             : NULL;
    if (texts->count < 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "found %lld pairs, expected at least one",
                            (long long)texts->count);
    if (missing)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "found no %s of %lld pairs, expected an array of texts",
                            missing, (long long)texts->count);
    return LB_OK;
}

lb_pairs *lb_pairs_from_memory(lb_pair_texts texts, lb_pair_format format, lb_error *error)
{
    format.source_column = format.target_column = 0;
    format.features_column = texts.features ? 2 : 0;
    format.kind = "";                                         /* a text is put together as a line of TSV */
    if (!format.source.features) format.source.features = ""; /* nobody finds out what divides them */
    if (check_texts(&texts, &format, error) || lb_pair_format_check(&format, error)) return NULL;
    lb_pairs *pairs = new_pairs(lb_alloc_string("pairs in memory"), &format);
    if (!pairs) return lb_null(lb_no_memory(error, "pairs"));
    pairs->texts = texts;
    if (read_texts(pairs, error) == LB_OK) return pairs;
    lb_pairs_close(pairs);
    return NULL;
}

/* ---- Pairs that are held out of others. ---- */

lb_pairs *lb_pairs_new_held_out(const lb_pairs *pairs, lb_error *error)
{
    lb_buffer path = {0};
    lb_buffer_print(&path, "held out from %s", pairs->path);
    lb_pairs *again = new_pairs(lb_buffer_end(&path), &pairs->format);
    if (!again) return lb_null(lb_pairs_out_of_memory(pairs, error));
    again->texts = pairs->texts;
    if (again->texts.count > 0) return again;
    again->file = pairs->file;
    again->file.first = NULL;
    again->file.first_bytes = 0;
    again->format.kind = again->file.kind;
    again->file.handle = lb_os_again(pairs->file.handle);
    if (lb_os_is_open(again->file.handle)) return again;
    lb_cannot_read(pairs->path, strerror(errno), error);
    lb_pairs_close(again);
    return NULL;
}

/* Copies the places of the pairs to hold out. */
static lb_status choose_pairs(lb_pairs *pairs, int64_t share, lb_pairs *out, lb_error *error)
{
    for (int64_t i = 0; i < pairs->count; i++) {
        const lb_pair_line *line;
        lb_status status = lb_pairs_read(pairs, i, &line, error);
        if (status) return status;
        /* the generator mixes the bits: the high bits of the hash depend only on the last letters */
        lb_rng rng = {.seed = lb_symbols_hash(&line->source, LB_HASH)};
        if (lb_rng_below(rng, 0, (uint64_t)share) != 0) continue;
        if (!lb_alloc_more(&out->owned, (size_t)out->count, &out->capacity, sizeof *out->owned))
            return lb_pairs_out_of_memory(pairs, error);
        out->owned[out->count++] = pairs->owned[i];
    }
    if (out->count > 0 && out->count < pairs->count) return LB_OK;
    return lb_error_set(
        error, LB_ERROR_FORMAT,
        "%s: found %lld pair%s with too few different sources to hold some out for development", pairs->path,
        (long long)pairs->count, pairs->count == 1 ? "" : "s");
}

lb_pairs *lb_pairs_hold_out(lb_pairs *pairs, int64_t share, lb_error *error)
{
    int64_t kept = 0, held = 0;
    if (share < 2)
        return lb_null(lb_error_set(error, LB_ERROR_ARGUMENT, "%s: cannot hold out one of %d pairs",
                                    pairs->path, (int)share));
    lb_pairs *out = lb_pairs_new_held_out(pairs, error);
    if (!out || choose_pairs(pairs, share, out, error)) {
        lb_pairs_close(out);
        return NULL;
    }
    out->places = out->owned;
    out->facts.lines = out->count;
    for (int64_t i = 0; i < pairs->count; i++) {
        bool is_held = held < out->count && out->owned[held].offset == pairs->owned[i].offset;
        if (!is_held) pairs->owned[kept++] = pairs->owned[i];
        held += is_held;
    }
    pairs->count = kept;
    pairs->next = 0;
    return out;
}
