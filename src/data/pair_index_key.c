#include "data/pair_index_key.h"

#include "base/hash.h"
#include "data/symbols.h"
#include "io/file.h"

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
