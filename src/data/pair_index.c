#include "data/pair_index.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "data/pair_index_parts.h"
#include "data/symbols.h"
#include "io/file_hash.h"

#include <string.h>

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

lb_status lb_pair_index_find_key(const char *path, const lb_pair_format *format, int32_t share,
                                 lb_pair_index_key *key, lb_error *error)
{
    key->format = lb_pair_index_format(format, share);
    return lb_file_hash(path, &key->content, &key->bytes, error);
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
