#include "data/pair_index_parts.h"

#include "base/bytes.h"
#include "data/pair_prints.h"

bool lb_pair_index_cut(lb_bytes file, lb_bytes parts[LB_PARTS])
{
    const lb_pair_index_header *h = file.data;
    const uint64_t counts[LB_PARTS] = {h->source_symbols, h->target_symbols, h->train,
                                       h->held_out,       h->train,          h->errors_bytes,
                                       h->source_bytes,   h->target_bytes};
    static const size_t sizes[LB_PARTS] = {
        sizeof(int64_t), sizeof(int64_t), sizeof(lb_place), sizeof(lb_place), sizeof(lb_pair_print), 1, 1, 1};
    size_t at = sizeof *h;
    for (int i = 0; i < LB_PARTS; i++) {
        if (counts[i] > (file.count - at) / sizes[i]) return false;
        parts[i] = (lb_bytes){(const char *)file.data + at, (size_t)counts[i] * sizes[i]};
        at += parts[i].count;
    }
    return at == file.count;
}

uint64_t lb_pair_index_hash_bulk(const lb_bytes parts[LB_PARTS])
{
    uint64_t hash = LB_HASH;
    for (int i = 0; i < LB_PARTS; i++)
        if (lb_part_is_bulk(i)) hash = lb_hash_long(hash, parts[i].data, parts[i].count);
    return hash;
}

uint64_t lb_pair_index_hash_head(const lb_pair_index_header *header, const lb_bytes parts[LB_PARTS])
{
    lb_pair_index_header hashed = *header;
    hashed.head_hash = 0;
    uint64_t hash = lb_hash_long(LB_HASH, &hashed, sizeof hashed);
    for (int i = 0; i < LB_PARTS; i++)
        if (!lb_part_is_bulk(i)) hash = lb_hash_long(hash, parts[i].data, parts[i].count);
    return hash;
}

void lb_pair_index_seal(lb_pair_index_header *header, const lb_bytes parts[LB_PARTS])
{
    header->bulk_hash = lb_pair_index_hash_bulk(parts);
    header->head_hash = lb_pair_index_hash_head(header, parts);
}
