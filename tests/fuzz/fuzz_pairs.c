/* A file of pairs. The first six bytes choose its format, and whether it is compressed; the rest is the file. */
#include "data/formats/pair_kind.h"
#include "data/pairs/pairs.h"
#include "data/review/pair_report.h"
#include "fuzz.h"
#include "lookback/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

enum { COLUMNS = 4, HOLD_OUT = 3, BATCH = 2, MOST_SYMBOLS = 40, GZIP_WINDOW = 15 + 16, CUT = 5 };

/* The last two are no valid separators. */
static const char *const separators[] = {NULL, "", " ", ";", "ab", "\xcc\x81", "\xc3\xa9", "\t", "\xff"};
enum { SEPARATORS = sizeof separators / sizeof *separators };

/* What divides the fields, for the formats that ask for it. The first is that of the format itself. */
static const char *const betweens[] = {NULL, "", ",", ";", " -> ", "->", "tab", " ||| "};
enum { BETWEENS = sizeof betweens / sizeof *betweens };

/* How the file is compressed. */
enum { PLAIN, GZIP, GZIP_CUT, GZIP_TWICE, PACKINGS };

static lb_symbol_rule choose_rule(uint8_t byte)
{
    return (lb_symbol_rule){.separator = separators[byte % SEPARATORS],
                            .normalize = (lb_normal_form)(byte / SEPARATORS % 3)};
}

/* Any row of the table of formats, or NULL: it is found out. */
static const char *choose_kind(uint8_t row, uint8_t shape)
{
    static char name[LB_PAIR_KIND_NAME];
    size_t rows = 0;
    while (lb_pair_kinds[rows].name) rows++;
    size_t chosen = row % (rows + 1);
    const lb_pair_kind_row *kind = chosen > 0 ? &lb_pair_kinds[chosen - 1] : NULL;
    const char *between = betweens[shape / 2 % BETWEENS];
    if (!kind) return NULL;
    snprintf(name, sizeof name, "%s%s%s%s", kind->name, between ? ":" : "", between ? between : "",
             shape % 2 ? "+header" : "");
    return name;
}

static lb_pair_format choose_format(const uint8_t **data, size_t *size, int *packing)
{
    uint8_t columns = fuzz_byte(data, size), rest = fuzz_byte(data, size);
    lb_pair_format format = {.source = choose_rule(fuzz_byte(data, size)),
                             .target = choose_rule(fuzz_byte(data, size)),
                             .source_column = columns % COLUMNS,
                             .target_column = columns / COLUMNS % COLUMNS,
                             .features_column = columns / COLUMNS / COLUMNS % COLUMNS,
                             .no_target = (rest & 1) != 0,
                             .skip_bad_lines = (rest & 2) != 0,
                             .longest = rest & 4 ? MOST_SYMBOLS : 0};
    if (rest & 8) format.source.features = separators[rest / 16 % SEPARATORS];
    uint8_t row = fuzz_byte(data, size), shape = fuzz_byte(data, size);
    format.kind = choose_kind(row, shape);
    *packing = shape / 2 / BETWEENS % PACKINGS;
    return format;
}

static void pack(const uint8_t *data, size_t size, uint8_t *to, size_t room, size_t *used)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)data,
                       .avail_in = (uInt)size,
                       .next_out = to + *used,
                       .avail_out = (uInt)(room - *used)};
    bool packed = deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, MAX_MEM_LEVEL, 0) == Z_OK &&
                  deflate(&stream, Z_FINISH) == Z_STREAM_END;
    *used += stream.total_out;
    fuzz_require(deflateEnd(&stream) == Z_OK && packed, "bytes can be compressed");
}

/* The file, as it is, in gzip data, in some that end too early, or in two members. */
static const char *write_file(const uint8_t *data, size_t size, int packing)
{
    if (packing == PLAIN) return fuzz_file(data, size);
    size_t room = 2 * size + 256, used = 0, half = packing == GZIP_TWICE ? size / 2 : 0;
    uint8_t *packed = malloc(room);
    fuzz_require(packed != NULL, "there is memory for gzip data");
    if (half > 0) pack(data, half, packed, room, &used);
    pack(data + half, size - half, packed, room, &used);
    const char *path = fuzz_file(packed, used - (packing == GZIP_CUT ? CUT : 0));
    free(packed);
    return path;
}

/* Every pair can be read again, and is as long as it was at first. */
static void read_pairs(lb_pairs *pairs)
{
    for (int64_t i = 0; i < lb_pairs_count(pairs); i++) {
        const lb_pair_line *line;
        fuzz_require(lb_pairs_read(pairs, i, &line, NULL) == LB_OK, "a pair can be read again");
        fuzz_require(line->source.count == (size_t)lb_pairs_source_length(pairs, i) &&
                         line->target.count == (size_t)lb_pairs_target_length(pairs, i),
                     "a pair has the same symbols when it is read again");
    }
    fuzz_require(lb_pairs_read(pairs, lb_pairs_count(pairs), &(const lb_pair_line *){NULL}, NULL) ==
                     LB_ERROR_INDEX,
                 "there are no pairs after the last");
}

static void report_pairs(lb_pairs *pairs, lb_pairs *dev, lb_vocabulary *source, lb_vocabulary *target)
{
    lb_error error = {0};
    char *text = lb_pair_report(pairs, dev, source, target, &error);
    fuzz_require(text != NULL, "a report can be made of pairs");
    lb_release(text);
}

static void order_pairs(const lb_pairs *pairs)
{
    lb_error error = {0};
    int64_t seen = 0;
    lb_pair_order *order = lb_pair_order_new(pairs, BATCH, 1, &error);
    fuzz_require_told(order != NULL, &error);
    for (int64_t step = 0; step < lb_pair_order_batches(order); step++)
        seen += lb_pair_order_at(order, step).count;
    fuzz_require(seen == lb_pairs_count(pairs), "an epoch has each pair once");
    lb_pair_order_free(order);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lb_error error = {0};
    int packing;
    lb_pair_format format = choose_format(&data, &size, &packing);
    lb_pairs *pairs = lb_pairs_open(write_file(data, size, packing), format, &error);
    fuzz_require_told(pairs != NULL, &error);
    if (!pairs) return 0;
    lb_vocabulary *source = lb_vocabulary_new_reserved(&error), *target = lb_vocabulary_new_reserved(&error);
    fuzz_require(source && target, "there is memory for vocabularies");
    fuzz_require(lb_pairs_tally_symbols(pairs, source, target, &error) == LB_OK, "symbols can be counted");
    read_pairs(pairs);
    order_pairs(pairs);
    lb_pairs *dev = lb_pairs_hold_out(pairs, HOLD_OUT, &error);
    fuzz_require_told(dev != NULL, &error);
    if (dev) read_pairs(dev);
    report_pairs(pairs, dev, source, target);
    lb_vocabulary_free(source);
    lb_vocabulary_free(target);
    lb_pairs_close(dev);
    lb_pairs_close(pairs);
    return 0;
}
