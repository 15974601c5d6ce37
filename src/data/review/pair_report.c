#include "data/review/pair_report.h"

#include "base/alloc.h"
#include "base/format.h"
#include "lookback/tensor.h"

#include <string.h>

enum { SHOWN = 10 }; /* unseen symbols */

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

/* A separator that is not the one of the file makes one symbol of each text. Writes nothing about empty texts. */
static void write_side(lb_buffer *text, const char *name, const lb_pairs *pairs,
                       int64_t (*length)(const lb_pairs *, int64_t), const lb_vocabulary *symbols,
                       const char *separator)
{
    int64_t count = lb_pairs_count(pairs), before = 0, shortest = LB_PAIR_LONGEST, longest = 0, median = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t found = length(pairs, i);
        shortest = found < shortest ? found : shortest;
        longest = found > longest ? found : longest;
    }
    if (longest == 0) return;
    int64_t *with = lb_alloc_zero(((size_t)longest + 1) * sizeof *with); /* pairs by length */
    text->failed = text->failed || !with;
    for (int64_t i = 0; i < count && with; i++) with[length(pairs, i)]++;
    for (; with && before + with[median] < (count + 1) / 2; median++)
        before += with[median]; /* the lower of two */
    lb_release(with);
    lb_buffer_print(text, "  %s: %lld to %lld symbols, median %lld; %lld different\n", name,
                    (long long)shortest, (long long)longest, (long long)median,
                    symbols ? (long long)lb_vocabulary_size(symbols) - LB_FIRST_TOKEN : 0);
    if (!separator || !*separator || longest > 1) return;
    lb_buffer_print(text, "  no %s has the separator ", name);
    lb_buffer_json_string(text, separator);
    lb_buffer_print(text, ": each is one symbol\n");
}

/* Writes the format, unless it is TSV. */
static void write_format(lb_buffer *text, const lb_pairs *pairs)
{
    const lb_pair_file *file = &pairs->file;
    const lb_pair_format *f = &pairs->format;
    const char *targets;
    for (int i = 0; (targets = lb_pair_format_targets(f, i)) != NULL; i++)
        lb_buffer_print(text, "%s%s, ", i ? "" : "targets in ", targets);
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
    if (met->broken > 0)
        lb_buffer_print(text, "  %lld text%s a line break or a tab (line %lld), which became a space\n",
                        (long long)met->broken, met->broken == 1 ? " has" : "s have",
                        (long long)met->broken_first);
    if (file->met.weighed > 0 && f->weights_beside)
        lb_buffer_print(text, "  column %d has weights, which order the targets of a source\n",
                        (int)f->weight_column);
    else if (file->met.weighed > 0)
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

static void write_file(lb_buffer *text, const lb_pairs *pairs, const lb_vocabulary *source,
                       const lb_vocabulary *target, lb_pair_repetitions repeated)
{
    const lb_pairs_facts *facts = &pairs->facts;
    int64_t count = lb_pairs_count(pairs), different = count - repeated.duplicates;
    lb_buffer_print(text, "%s%s: ", pairs->format.weights_beside ? "lexicon " : "", pairs->path);
    write_format(text, pairs);
    lb_buffer_print(text, "%lld line%s, %lld %spair%s\n", (long long)facts->lines, lb_plural(facts->lines),
                    (long long)different, different < count ? "different " : "", lb_plural(different));
    write_left_out(text, pairs);
    /* a column that is not read may be one that should be */
    if (*pairs->file.unused) lb_buffer_print(text, "  columns that are not used: %s\n", pairs->file.unused);
    write_bad_lines(text, facts);
    if (facts->byte_order_mark) lb_buffer_print(text, "  ignored a byte order mark at the start\n");
    if (facts->crlf > 0)
        lb_buffer_print(text, "  ignored the \\r of %lld line%s ending in \\r\\n\n", (long long)facts->crlf,
                        lb_plural(facts->crlf));
    write_side(text, "source", pairs, lb_pairs_source_length, source, pairs->format.source.separator);
    write_side(text, "target", pairs, lb_pairs_target_length, target, pairs->format.target.separator);
    lb_buffer_print(text, "  %lld repeated pair%s, %lld source%s with several targets",
                    (long long)repeated.duplicates, lb_plural(repeated.duplicates),
                    (long long)repeated.ambiguous, lb_plural(repeated.ambiguous));
    if (repeated.ambiguous > 0 && !pairs->format.weights_beside)
        lb_buffer_print(text, ": at most %.1f %% of the pairs can be right",
                        100 * (double)repeated.possible / (double)count);
    lb_buffer_print(text, "\n");
}

/* Writes the symbols of one side of dev, which are sorted, that are not in the vocabulary of train. If they are most,
 * it asks why. */
static void write_unseen(lb_buffer *text, const char *side, const lb_vocabulary *train, lb_vocabulary *dev,
                         bool asks)
{
    int64_t count = 0, times = 0, all = 0;
    lb_buffer list = {0};
    lb_vocabulary_sort(dev, 1);
    for (int32_t id = LB_FIRST_TOKEN; train && id < lb_vocabulary_size(dev); id++) {
        char shown[LB_SYMBOL_SHOWN];
        const char *symbol = lb_vocabulary_symbol(dev, id);
        int64_t own = lb_vocabulary_count(dev, id);
        all += own;
        if (lb_vocabulary_id(train, symbol) != LB_UNK) continue;
        times += own;
        if (count++ >= SHOWN) continue;
        lb_buffer_print(&list, count > 1 ? ", " : " ");
        lb_buffer_json_string(&list, lb_symbol_show(symbol, shown));
        lb_buffer_print(&list, " %lld", (long long)own);
    }
    if (count > 0)
        lb_buffer_print(text, "  %lld %s symbol%s never seen in training, %lld time%s:%s%s%s\n",
                        (long long)count, side, lb_plural(count), (long long)times, lb_plural(times),
                        list.text ? list.text : "", count > SHOWN ? ", ..." : "",
                        2 * times > all && asks ? "; most symbols are such: is this another script?" : "");
    text->failed = text->failed || list.failed;
    lb_release(list.text);
}

/* Writes what dev has in common with train, by the prints of both. */
static void write_shared(lb_buffer *text, const lb_pairs *train, const lb_pair_print *known,
                         const lb_pairs *dev, const lb_pair_print *prints)
{
    const int64_t count = lb_pairs_count(train);
    const lb_pair_print *end = known + count;
    int64_t sources = 0, pairs = 0;
    for (int64_t i = 0; i < lb_pairs_count(dev); i++) {
        const lb_pair_print of = prints[i], any = {of.source, 0};
        const lb_pair_print *source = lb_pair_prints_find(known, count, sizeof of, any),
                            *pair = lb_pair_prints_find(known, count, sizeof of, of);
        sources += source < end && source->source == of.source;
        pairs += pair < end && pair->source == of.source && pair->pair == of.pair;
    }
    lb_buffer_print(text,
                    "  %lld pair%s with a source that is also in %s, %lld of them with the same target\n",
                    (long long)sources, lb_plural(sources), train->path, (long long)pairs);
}

/* The prints of a file: those of its index, or `*made`, to be released. NULL after an error. */
static const lb_pair_print *prints_of(lb_pairs *pairs, lb_pair_print **made, lb_error *error)
{
    *made = pairs->prints ? NULL : lb_pair_prints_make(pairs, error);
    return pairs->prints ? pairs->prints : *made;
}

/* The text, unless there was an error. */
static char *end_text(lb_buffer *text, lb_error *found, lb_error *error)
{
    if (text->failed) lb_no_memory(found, "a report on pairs");
    if (!found->status) return lb_buffer_end(text);
    lb_release(text->text);
    return lb_null(lb_error_set(error, found->status, "%s", found->message));
}

/* Writes about other pairs than those to train on, against the symbols of the model; `model`: they are a lexicon. */
static lb_status write_other(lb_buffer *text, lb_pairs *train, const lb_pair_print *known, lb_pairs *other,
                             const lb_vocabulary *source, const lb_vocabulary *target,
                             const lb_lexicon_model *model, lb_error *error)
{
    lb_strings odd = {0};
    lb_vocabulary *own_source = NULL, *own_target = NULL;
    lb_pair_print *prints = NULL;
    const char *separator = other->format.target.separator; /* which a lexicon may lack */
    lb_status status = lb_pairs_count_symbols(other, &own_source, &own_target, error);
    if (!status) prints = lb_pair_prints_make(other, error);
    if (prints && model) status = lb_pair_oddities_find(other, own_source, own_target, model, &odd, error);
    if (prints && !status) {
        bool fits = odd.count == 0, divided = model && separator && *separator;
        write_file(text, other, own_source, own_target, lb_pair_prints_count(prints, lb_pairs_count(other)));
        for (size_t i = 0; i < odd.count; i++) lb_buffer_print(text, "  %s\n", odd.text[i]);
        if (known) write_shared(text, train, known, other, prints);
        write_unseen(text, "source", source, own_source, fits);
        write_unseen(text, "target", target, own_target, fits && !divided);
    }
    lb_release(prints);
    lb_vocabulary_free(own_source);
    lb_vocabulary_free(own_target);
    lb_strings_free(&odd);
    return error->status;
}

char *lb_pair_report(lb_pairs *train, lb_pairs *dev, const lb_vocabulary *source, const lb_vocabulary *target,
                     lb_error *error)
{
    lb_buffer text = {0};
    lb_error found = {0};
    lb_strings odd = {0};
    lb_pair_print *made;
    const lb_pair_print *known = prints_of(train, &made, &found);
    lb_status status = found.status;
    if (!status && source && target)
        status = lb_pair_oddities_find(train, source, target, NULL, &odd, &found);
    if (!status) write_file(&text, train, source, target, lb_pair_prints_count(known, lb_pairs_count(train)));
    for (size_t i = 0; i < odd.count; i++) lb_buffer_print(&text, "  %s\n", odd.text[i]);
    if (!status && dev) status = write_other(&text, train, known, dev, source, target, NULL, &found);
    if (!status && dev && lb_pairs_count(dev) > lb_pairs_count(train))
        lb_buffer_print(&text, "  more pairs than in %s, the training file: are %s and it swapped?\n",
                        train->path, dev->path);
    lb_release(made);
    lb_strings_free(&odd);
    return end_text(&text, &found, error);
}

char *lb_pair_report_lexicon(lb_pairs *lexicon, const lb_lexicon_model *model, lb_error *error)
{
    lb_buffer text = {0};
    lb_error found = {0};
    lb_pair_print *made = NULL;
    const lb_pair_print *known = model->train ? prints_of(model->train, &made, &found) : NULL;
    if (!found.status)
        (void)write_other(&text, model->train, known, lexicon, model->source, model->target, model, &found);
    lb_release(made);
    return end_text(&text, &found, error);
}

char *lb_pair_report_test(lb_pairs *train, lb_pairs *test, const char *name, lb_error *error)
{
    lb_buffer text = {0};
    lb_error found = {0};
    lb_pair_print *made = NULL;
    const lb_pair_print *known = train ? prints_of(train, &made, &found) : NULL;
    lb_pair_print *prints = known ? lb_pair_prints_make(test, &found) : NULL;
    lb_buffer_print(&text, "test %s: %lld pair%s, %s\n", name, (long long)lb_pairs_count(test),
                    lb_plural(lb_pairs_count(test)), test->path);
    if (prints) write_shared(&text, train, known, test, prints);
    lb_release(made);
    lb_release(prints);
    return end_text(&text, &found, error);
}
