/* A file of pairs. The first four bytes choose its format; the rest is the file. */
#include "data/pair_order.h"
#include "data/pair_report.h"
#include "data/pairs.h"
#include "fuzz.h"
#include "lookback/data.h"

enum { COLUMNS = 4, HOLD_OUT = 3, BATCH = 2, MOST_SYMBOLS = 40 };

/* The last two are no valid separators. */
static const char *const separators[] = {NULL, "", " ", ";", "ab", "\xcc\x81", "\xc3\xa9", "\t", "\xff"};
enum { SEPARATORS = sizeof separators / sizeof *separators };

static const char *const kinds[] = {
    NULL,       "tsv",        "csv",        "csv:;",  "cmudict",  "unimorph", "jsonl", "lines: -> ",
    "lists:->", "tsv+header", "csv+header", "lines:", "lexiconp", "conllu",   "scan",  "csv:tab"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static lb_symbol_rule choose_rule(uint8_t byte)
{
    return (lb_symbol_rule){.separator = separators[byte % SEPARATORS],
                            .normalize = (lb_normal_form)(byte / SEPARATORS % 3)};
}

static lb_pair_format choose_format(const uint8_t **data, size_t *size)
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
    if (rest & 8)
        format.source.features = separators[rest / 16 % SEPARATORS];
    else
        format.kind = kinds[rest / 16 % KINDS];
    return format;
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
    lb_pair_report report;
    lb_status status = lb_pair_report_make(pairs, dev, source, target, &report, &error);
    fuzz_require(status == LB_OK, "a report can be made of pairs");
    char *text = lb_pair_report_text(&report, &error);
    fuzz_require_told(text != NULL, &error);
    lb_release(text);
    lb_pair_report_free(&report);
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
    lb_pair_format format = choose_format(&data, &size);
    lb_pairs *pairs = lb_pairs_open(fuzz_file(data, size), format, &error);
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
