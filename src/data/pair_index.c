#include "data/pair_index.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "data/pair_index_parts.h"
#include "data/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

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
    return hash_text(hash_number(hash_text(hash, rule->separator), rule->normalize), rule->features);
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
    return hash_rule(hash_rule(hash, &f->source), &f->target);
}

/* Up to `count` bytes, fewer only at the end of the file; -1 with errno set. */
static ssize_t read_piece(int descriptor, char *bytes, size_t count)
{
    size_t held = 0;
    while (held < count) {
        ssize_t got = read(descriptor, bytes + held, count - held);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        held += (size_t)got;
    }
    return (ssize_t)held;
}

static lb_status hash_file(int descriptor, const char *path, lb_pair_index_key *key, lb_error *error)
{
    ssize_t got = PIECE;
    char *piece = lb_alloc(PIECE);
    if (!piece) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    while (got == PIECE) {
        got = read_piece(descriptor, piece, PIECE);
        if (got <= 0) break;
        key->content = lb_hash_long(key->content, piece, (size_t)got);
        key->bytes += (uint64_t)got;
    }
    int reason = errno;
    lb_release(piece);
    if (got >= 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_OPEN, "%s: cannot read: %s", path, strerror(reason));
}

lb_status lb_pair_index_find_key(const char *path, const lb_pair_format *format, int32_t share,
                                 lb_pair_index_key *key, lb_error *error)
{
    *key = (lb_pair_index_key){.content = LB_HASH, .format = lb_pair_index_format(format, share)};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return lb_error_set(error, LB_ERROR_OPEN, "%s: cannot read: %s", path, strerror(errno));
    lb_status status = hash_file(descriptor, path, key, error);
    close(descriptor);
    return status;
}

char *lb_pair_index_path(const char *path)
{
    static const char ending[] = ".index";
    size_t length = strlen(path);
    char *index = lb_alloc(length + sizeof ending);
    if (!index) return NULL;
    memcpy(index, path, length);
    memcpy(index + length, ending, sizeof ending);
    return index;
}

lb_status lb_indexed_pairs_read(lb_indexed_pairs *pairs, const char *path, const lb_pair_format *format,
                                int32_t share, lb_error *error)
{
    *pairs = (lb_indexed_pairs){.train = lb_pairs_open(path, format, error)};
    if (!pairs->train) return error->status;
    if (share > 0) {
        pairs->held_out = lb_pairs_hold_out(pairs->train, share, error);
        if (!pairs->held_out) return error->status;
    }
    pairs->source = lb_vocabulary_new_reserved(error);
    pairs->target = lb_vocabulary_new_reserved(error);
    if (!pairs->source || !pairs->target) return LB_ERROR_MEMORY;
    return lb_pairs_count_symbols(pairs->train, pairs->source, pairs->target, error);
}

void lb_indexed_pairs_free(lb_indexed_pairs *pairs)
{
    lb_vocabulary_free(pairs->source);
    lb_vocabulary_free(pairs->target);
    lb_pairs_close(pairs->held_out);
    lb_pairs_close(pairs->train);
    lb_mapping_close(&pairs->file);
    *pairs = (lb_indexed_pairs){0};
}
