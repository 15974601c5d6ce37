#include "data/variants.h"

#include "base/alloc.h"
#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER = 3 }; /* bytes of "(2)" */

static size_t length_of(const lb_symbols *text)
{
    size_t length = 0;
    for (size_t i = 0; i < text->count; i++) length += strlen(text->symbol[i]);
    return length;
}

/* Of the first `length` bytes, wherever symbols end. */
static uint64_t hash_of(const lb_symbols *text, size_t length)
{
    uint64_t hash = LB_HASH;
    for (size_t i = 0; i < text->count && length > 0; i++) {
        size_t count = strlen(text->symbol[i]);
        if (count > length) count = length;
        hash = lb_hash(hash, text->symbol[i], count);
        length -= count;
    }
    return hash;
}

/* The last bytes, if there are so many behind a word. */
static bool find_tail(const lb_symbols *text, char tail[NUMBER])
{
    size_t wanted = NUMBER, more = 0;
    for (size_t i = text->count; i > 0 && more == 0; i--) {
        const char *symbol = text->symbol[i - 1];
        size_t length = strlen(symbol);
        while (length > 0 && wanted > 0) tail[--wanted] = symbol[--length];
        more = length > 0 || (wanted == 0 && i > 1);
    }
    return wanted == 0 && more > 0;
}

lb_status lb_variants_look(lb_variants *variants, const lb_symbols *source, int64_t pair, lb_error *error)
{
    char tail[NUMBER];
    if (!find_tail(source, tail) || tail[0] != '(' || tail[1] < '1' || tail[1] > '9' || tail[2] != ')')
        return LB_OK;
    if (!lb_alloc_more(&variants->list, variants->count, &variants->room, sizeof *variants->list))
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a report on pairs");
    variants->list[variants->count++] = (lb_variant){hash_of(source, length_of(source) - NUMBER), pair};
    return LB_OK;
}

static int compare(const void *a, const void *b)
{
    const lb_variant *one = a, *other = b;
    if (one->word != other->word) return one->word < other->word ? -1 : 1;
    return (one->pair > other->pair) - (one->pair < other->pair);
}

/* Moves those of a word to `found`. */
static void take_word(lb_variants *variants, uint64_t word, lb_odd_pairs *found)
{
    size_t low = 0, high = variants->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (variants->list[middle].word < word)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < variants->count && variants->list[low].word == word; low++) {
        lb_variant *variant = &variants->list[low];
        if (variant->pair < 0) return; /* the word has been seen before */
        if (found->count++ == 0 || variant->pair < found->first) found->first = variant->pair;
        variant->pair = -1;
    }
}

lb_status lb_variants_count(lb_variants *variants, lb_pairs *pairs, lb_odd_pairs *found, lb_error *error)
{
    int64_t count = variants->count > 0 ? lb_pairs_count(pairs) : 0;
    *found = (lb_odd_pairs){0};
    if (count > 0) qsort(variants->list, variants->count, sizeof *variants->list, compare);
    for (int64_t i = 0; i < count; i++) {
        const lb_pair_line *line;
        lb_status status = lb_pairs_read(pairs, i, &line, error);
        if (status) return status;
        take_word(variants, hash_of(&line->source, SIZE_MAX), found);
    }
    return LB_OK;
}

void lb_variants_free(lb_variants *variants)
{
    lb_release(variants->list);
    *variants = (lb_variants){0};
}
