/* The index of a TSV file. The first byte says whether its key and its hashes are set right, as somebody may do on
 * purpose; the rest is the index. */
/* memfd_create */
#define _GNU_SOURCE
#include "data/pairs/pair_index.h"
#include "data/pairs/pairs.h"
#include "data/review/pair_report.h"
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SHARE = 3 };

static const lb_pair_format format = {.skip_bad_lines = true};

/* A file of pairs that exists only in memory, which stays. */
static const char *pairs_file(void)
{
    static const char text[] = "a\tA\nbad\nab\tAB\nba\tBA\nc\tC\nabc\tABC\n";
    static char path[sizeof "/proc/self/fd/" + 16];
    if (!*path) {
        int file = memfd_create("pairs", MFD_CLOEXEC);
        fuzz_require(file >= 0 && write(file, text, sizeof text - 1) == (ssize_t)sizeof text - 1,
                     "a file in memory can be written");
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    return path;
}

static void make_right(char *bytes, size_t size, const lb_pair_index_key *key)
{
    lb_pair_index_header *header = (lb_pair_index_header *)(void *)bytes;
    lb_bytes parts[LB_PARTS];
    if (size < sizeof *header) return;
    header->key = *key;
    if (lb_pair_index_cut((lb_bytes){bytes, size}, parts)) lb_pair_index_seal(header, parts, true);
}

/* A place may be anywhere, but a pair that can be read is as long as the index says. */
static void read_pairs(lb_pairs *pairs)
{
    for (int64_t i = 0; pairs && i < lb_pairs_count(pairs); i++) {
        const lb_pair_line *line;
        lb_error error = {0};
        lb_status status = lb_pairs_read(pairs, i, &line, &error);
        fuzz_require(status == LB_OK || status == LB_ERROR_FORMAT, "a pair is there or has changed");
        fuzz_require(status || line->source.count == (size_t)lb_pairs_source_length(pairs, i),
                     "a pair is as long as the index says");
    }
}

static void order_pairs(const lb_pairs *pairs)
{
    lb_error error = {0};
    int64_t seen = 0;
    lb_pair_order *order = lb_pair_order_new(pairs, 2, 1, &error);
    fuzz_require_told(order != NULL, &error);
    for (int64_t step = 0; step < lb_pair_order_batches(order); step++)
        seen += lb_pair_order_at(order, step).count;
    fuzz_require(seen == lb_pairs_count(pairs), "an epoch has each pair once");
    lb_pair_order_free(order);
}

static void use(lb_indexed_pairs *pairs)
{
    lb_error error = {0};
    read_pairs(pairs->train);
    read_pairs(pairs->held_out);
    order_pairs(pairs->train);
    lb_release(lb_pair_report(pairs->train, pairs->held_out, pairs->source, pairs->target, &error));
    lb_vocabulary_sort(pairs->source, 1);
    lb_indexed_pairs_free(pairs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lb_error error = {0};
    lb_pair_index_key key;
    lb_indexed_pairs pairs;
    bool right = (fuzz_byte(&data, &size) & 1) != 0;
    const char *path = pairs_file();
    fuzz_require(lb_pair_index_find_key(path, &format, SHARE, &key, &error) == LB_OK, "a file has a key");
    char *bytes = fuzz_text(data, size);
    if (right) make_right(bytes, size, &key);
    const char *index = fuzz_file(bytes, size);
    bool opened = lb_indexed_pairs_open(&pairs, path, &format, index, &key, true, &error) == LB_OK;
    fuzz_require_told(opened, &error);
    if (opened) use(&pairs);
    free(bytes);
    return 0;
}
