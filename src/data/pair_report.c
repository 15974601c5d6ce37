#include "data/pair_report.h"

#include "base/alloc.h"
#include "base/format.h"
#include "lookback/tensor.h"

#include <string.h>

enum { SHOWN = 10 }; /* unseen symbols */

static lb_status measure_side(const lb_pairs *pairs, int64_t (*length)(const lb_pairs *, int64_t),
                              lb_side_report *side, lb_error *error)
{
    int64_t count = lb_pairs_count(pairs), before = 0;
    side->shortest = LB_PAIR_LONGEST;
    for (int64_t i = 0; i < count; i++) {
        int32_t found = (int32_t)length(pairs, i);
        side->shortest = found < side->shortest ? found : side->shortest;
        side->longest = found > side->longest ? found : side->longest;
    }
    int64_t *with = lb_alloc_zero(((size_t)side->longest + 1) * sizeof *with); /* pairs by length */
    if (!with) return lb_no_memory(error, "a report on pairs");
    for (int64_t i = 0; i < count; i++) with[length(pairs, i)]++;
    for (side->median = 0; before + with[side->median] < (count + 1) / 2; side->median++)
        before += with[side->median];
    lb_release(with);
    return LB_OK;
}

static int64_t symbol_count(const lb_vocabulary *vocabulary)
{
    return vocabulary ? lb_vocabulary_size(vocabulary) - LB_FIRST_TOKEN : 0;
}

static lb_status measure_file(const lb_pairs *pairs, const lb_vocabulary *source, const lb_vocabulary *target,
                              lb_pair_file_report *report, lb_error *error)
{
    report->pairs = pairs;
    report->source.symbols = symbol_count(source);
    report->target.symbols = symbol_count(target);
    lb_status status = measure_side(pairs, lb_pairs_source_length, &report->source, error);
    return status ? status : measure_side(pairs, lb_pairs_target_length, &report->target, error);
}

/* Lists the symbols of one side of dev that are not in the vocabulary of train. */
static lb_status list_unseen(const lb_vocabulary *train, lb_unseen_report *report, lb_error *error)
{
    lb_vocabulary_sort(report->symbols, 1);
    int32_t size = lb_vocabulary_size(report->symbols);
    report->unseen = lb_alloc((size_t)size * sizeof *report->unseen);
    if (!report->unseen) return lb_no_memory(error, "a report on pairs");
    for (int32_t id = LB_FIRST_TOKEN; train && id < size; id++) {
        const char *symbol = lb_vocabulary_symbol(report->symbols, id);
        if (lb_vocabulary_id(train, symbol) != LB_UNK) continue;
        int64_t times = lb_vocabulary_count(report->symbols, id);
        report->unseen[report->count++] = (lb_unseen_symbol){symbol, times};
        report->times += times;
    }
    return LB_OK;
}

static lb_status count_dev_symbols(lb_pairs *dev, lb_pair_report *report, lb_error *error)
{
    report->source.symbols = lb_vocabulary_new_reserved(error);
    report->target.symbols = report->source.symbols ? lb_vocabulary_new_reserved(error) : NULL;
    if (!report->target.symbols) return LB_ERROR_MEMORY;
    return lb_pairs_tally_symbols(dev, report->source.symbols, report->target.symbols, error);
}

/* Finds what is repeated within the files, and what dev, unless NULL, has in common with train. */
static void compare_files(lb_pairs *train, lb_pairs *dev, lb_pair_report *report, lb_error *error)
{
    const int64_t count = lb_pairs_count(train), pairs = dev ? lb_pairs_count(dev) : 0;
    lb_pair_print *made = train->prints ? NULL : lb_pair_prints_make(train, error);
    lb_pair_print *prints = dev ? lb_pair_prints_make(dev, error) : NULL;
    const lb_pair_print *known = train->prints ? train->prints : made;
    if (known) report->train.repetitions = lb_pair_prints_count(known, count);
    if (prints) report->dev.repetitions = lb_pair_prints_count(prints, pairs);
    for (int64_t i = 0; known && prints && i < pairs; i++) {
        const lb_pair_print of = prints[i], any = {of.source, 0}, *end = known + count;
        const lb_pair_print *source = lb_pair_prints_find(known, count, sizeof of, any),
                            *pair = lb_pair_prints_find(known, count, sizeof of, of);
        report->shared_sources += source < end && source->source == of.source;
        report->shared_pairs += pair < end && pair->source == of.source && pair->pair == of.pair;
    }
    lb_release(made);
    lb_release(prints);
}

lb_status lb_pair_report_make(lb_pairs *train, lb_pairs *dev, const lb_vocabulary *source,
                              const lb_vocabulary *target, lb_pair_report *report, lb_error *error)
{
    *report = (lb_pair_report){0};
    lb_error found = {0};
    lb_status status = measure_file(train, source, target, &report->train, &found);
    if (!status && dev) status = count_dev_symbols(dev, report, &found);
    if (!status && dev) status = list_unseen(source, &report->source, &found);
    if (!status && dev) status = list_unseen(target, &report->target, &found);
    if (!status && dev)
        status = measure_file(dev, report->source.symbols, report->target.symbols, &report->dev, &found);
    if (!status) compare_files(train, dev, report, &found);
    report->maybe_swapped = dev && lb_pairs_count(dev) > lb_pairs_count(train);
    if (!status && source && target)
        status = lb_pair_oddities_find(train, source, target, &report->odd, &found);
    return status || found.status ? lb_error_set(error, found.status, "%s", found.message) : LB_OK;
}

void lb_pair_report_free(lb_pair_report *report)
{
    lb_release(report->source.unseen);
    lb_release(report->target.unseen);
    lb_vocabulary_free(report->source.symbols);
    lb_vocabulary_free(report->target.symbols);
    lb_strings_free(&report->odd);
    *report = (lb_pair_report){0};
}

/* ---- The report as lines of text. ---- */

static void write_bad_lines(lb_buffer *text, const lb_pairs_facts *facts)
{
    int64_t bad = 0, kinds = 0;
    for (int kind = 0; kind < LB_BAD_LINES; kind++) bad += facts->bad[kind];
    if (bad == 0) return;
    lb_buffer_print(text, "  %lld bad line%s skipped:", (long long)bad, lb_plural(bad));
    for (int kind = 0; kind < LB_BAD_LINES; kind++)
        if (facts->bad[kind] > 0)
            lb_buffer_print(text, "%s %lld %s", kinds++ ? "," : "", (long long)facts->bad[kind],
                            lb_bad_line_texts[kind]);
    lb_buffer_print(text, "\n");
    for (size_t i = 0; i < facts->first_bad.count; i++)
        lb_buffer_print(text, "    %s\n", facts->first_bad.text[i]);
    if (bad > (int64_t)facts->first_bad.count) lb_buffer_print(text, "    ...\n");
}

/* A separator that is not the one of the file makes one symbol of each text. */
static void write_side(lb_buffer *text, const char *name, const lb_side_report *side, const char *separator)
{
    lb_buffer_print(text, "  %s: %d to %d symbols, median %d; %lld different\n", name, (int)side->shortest,
                    (int)side->longest, (int)side->median, (long long)side->symbols);
    if (!separator || !*separator || side->longest > 1) return;
    lb_buffer_print(text, "  no %s has the separator ", name);
    lb_buffer_json_string(text, separator);
    lb_buffer_print(text, ": each is one symbol\n");
}

/* Writes the format, unless it is TSV. */
static void write_format(lb_buffer *text, const lb_pairs *pairs)
{
    const lb_pair_file *file = &pairs->file;
    const lb_pair_format *f = &pairs->format;
    if (f->targets) lb_buffer_print(text, "targets in %s, ", f->targets);
    if (*file->kind || file->header)
        lb_buffer_print(text, "%s%s, ", *file->kind ? file->kind : "tsv",
                        file->header && !strstr(file->kind, "+header") ? "+header" : "");
}

static void write_left_out(lb_buffer *text, const lb_pairs *pairs)
{
    const lb_pair_file *file = &pairs->file;
    const lb_pair_format *f = &pairs->format;
    const lb_converted *met = &file->met;
    if (file->header)
        lb_buffer_print(text, "  left out line %lld, the names of the columns\n", (long long)met->names);
    if (met->comments + met->blanks > 0)
        lb_buffer_print(text, "  left out %lld comment%s and %lld blank line%s\n", (long long)met->comments,
                        lb_plural(met->comments), (long long)met->blanks, lb_plural(met->blanks));
    if (met->asides > 0)
        lb_buffer_print(text, "  left out %lld range%s of words or empty node%s\n", (long long)met->asides,
                        lb_plural(met->asides), lb_plural(met->asides));
    if (met->unknown > 0)
        lb_buffer_print(text, "  left out %lld word%s with _ for a source or target\n",
                        (long long)met->unknown, lb_plural(met->unknown));
    if (met->long_fields > 0)
        lb_buffer_print(text,
                        "  %lld quoted field%s over several lines: a quote opens in line %lld and closes in "
                        "line %lld\n",
                        (long long)met->long_fields, met->long_fields == 1 ? " goes" : "s go",
                        (long long)met->long_first, (long long)met->long_last);
    if (file->met.weighed > 0)
        lb_buffer_print(text, "  column %d has weights: %lld line%s count as %lld pairs\n",
                        (int)f->weight_column, (long long)file->met.weighed, lb_plural(file->met.weighed),
                        (long long)lb_pairs_count(pairs));
    if (file->found_columns && f->features_column)
        lb_buffer_print(text, "  columns: source %d, features %d, target %d\n", (int)f->source_column,
                        (int)f->features_column, (int)f->target_column);
    else if (file->found_columns)
        lb_buffer_print(text, "  columns: source %d, target %d\n", (int)f->source_column,
                        (int)f->target_column);
}

static void write_file(lb_buffer *text, const lb_pair_file_report *file)
{
    const lb_pairs_facts *facts = &file->pairs->facts;
    int64_t pairs = lb_pairs_count(file->pairs), different = pairs - file->repetitions.duplicates;
    lb_buffer_print(text, "%s: ", file->pairs->path);
    write_format(text, file->pairs);
    lb_buffer_print(text, "%lld line%s, %lld %spair%s\n", (long long)facts->lines, lb_plural(facts->lines),
                    (long long)different, different < pairs ? "different " : "", lb_plural(different));
    write_left_out(text, file->pairs);
    /* a column that is not read may be one that should be */
    if (*file->pairs->file.unused)
        lb_buffer_print(text, "  columns that are not used: %s\n", file->pairs->file.unused);
    write_bad_lines(text, facts);
    if (facts->byte_order_mark) lb_buffer_print(text, "  ignored a byte order mark at the start\n");
    if (facts->crlf > 0)
        lb_buffer_print(text, "  ignored the \\r of %lld line%s ending in \\r\\n\n", (long long)facts->crlf,
                        lb_plural(facts->crlf));
    write_side(text, "source", &file->source, file->pairs->format.source.separator);
    if (file->target.longest > 0)
        write_side(text, "target", &file->target, file->pairs->format.target.separator);
    lb_buffer_print(text, "  %lld repeated pair%s, %lld source%s with several targets",
                    (long long)file->repetitions.duplicates, lb_plural(file->repetitions.duplicates),
                    (long long)file->repetitions.ambiguous, lb_plural(file->repetitions.ambiguous));
    if (file->repetitions.ambiguous > 0)
        lb_buffer_print(text, ": at most %.1f %% of the pairs can be right",
                        100 * (double)file->repetitions.possible / (double)pairs);
    lb_buffer_print(text, "\n");
}

static void write_unseen(lb_buffer *text, const char *side, const lb_pairs *dev,
                         int64_t (*length)(const lb_pairs *, int64_t), const lb_unseen_report *report)
{
    int64_t symbols = 0;
    if (report->count == 0) return;
    for (int64_t i = 0; i < lb_pairs_count(dev); i++) symbols += length(dev, i);
    lb_buffer_print(text, "  %lld %s symbol%s never seen in training, %lld time%s:", (long long)report->count,
                    side, lb_plural(report->count), (long long)report->times, lb_plural(report->times));
    for (int64_t i = 0; i < report->count && i < SHOWN; i++) {
        lb_buffer_print(text, i ? ", " : " ");
        char shown[LB_SYMBOL_SHOWN];
        lb_buffer_json_string(text, lb_symbol_show(report->unseen[i].symbol, shown));
        lb_buffer_print(text, " %lld", (long long)report->unseen[i].times);
    }
    lb_buffer_print(text, "%s%s\n", report->count > SHOWN ? ", ..." : "",
                    2 * report->times > symbols ? "; most symbols are such: is this another script?" : "");
}

static void write_shared(lb_buffer *text, const lb_pair_report *report, const char *train)
{
    lb_buffer_print(text,
                    "  %lld pair%s with a source that is also in %s, %lld of them with the same target\n",
                    (long long)report->shared_sources, lb_plural(report->shared_sources), train,
                    (long long)report->shared_pairs);
}

static void write_comparison(lb_buffer *text, const lb_pair_report *report)
{
    const char *train = report->train.pairs->path, *dev = report->dev.pairs->path;
    write_shared(text, report, train);
    write_unseen(text, "source", report->dev.pairs, lb_pairs_source_length, &report->source);
    write_unseen(text, "target", report->dev.pairs, lb_pairs_target_length, &report->target);
    if (report->maybe_swapped)
        lb_buffer_print(text, "  more pairs than in %s, the training file: are %s and it swapped?\n", train,
                        dev);
}

char *lb_pair_report_text(const lb_pair_report *report, lb_error *error)
{
    lb_buffer text = {0};
    write_file(&text, &report->train);
    for (size_t i = 0; i < report->odd.count; i++) lb_buffer_print(&text, "  %s\n", report->odd.text[i]);
    if (report->dev.pairs) {
        write_file(&text, &report->dev);
        write_comparison(&text, report);
    }
    if (text.failed) lb_no_memory(error, "a report on pairs");
    return lb_buffer_end(&text);
}

char *lb_pair_report_test(lb_pairs *train, lb_pairs *test, const char *name, lb_error *error)
{
    lb_buffer text = {0};
    lb_error found = {0};
    lb_pair_report report = {0};
    if (train) compare_files(train, test, &report, &found);
    if (found.status) return lb_null(lb_error_set(error, found.status, "%s", found.message));
    lb_buffer_print(&text, "test %s: %lld pair%s, %s\n", name, (long long)lb_pairs_count(test),
                    lb_plural(lb_pairs_count(test)), test->path);
    if (train) write_shared(&text, &report, train->path);
    if (text.failed) lb_no_memory(error, "a report on pairs");
    return lb_buffer_end(&text);
}
