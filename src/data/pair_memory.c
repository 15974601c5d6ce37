/* Pairs in memory: each is put together as the line that a file would have. */
#include "base/alloc.h"
#include "data/pairs_internal.h"
#include "data/symbols.h"
#include "lookback/data.h"

#include <stdio.h>
#include <string.h>

/* The texts of a pair, in the order of columns. */
enum { SIDES = 3 };
static const char *const side_names[SIDES] = {"source", "features", "target"};

bool lb_pair_texts_given(const lb_pair_texts *texts)
{
    return texts->count != 0 || texts->source || texts->target;
}

static const char *const *column(const lb_pairs *pairs, int side)
{
    const lb_pair_texts *t = &pairs->texts;
    const char *const *const all[SIDES] = {t->source, t->features,
                                           pairs->format.no_target ? NULL : t->target};
    return all[side];
}

static lb_status bad(lb_pairs *pairs, lb_bad_line kind, const char *name, const char *found, int side,
                     lb_error *error)
{
    pairs->line.bad = kind;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found %s in the %s, expected text", name, found,
                        side_names[side]);
}

static lb_status check(lb_pairs *pairs, const char *name, const char *text, int side, lb_error *error)
{
    if (!text) return bad(pairs, LB_LINE_EMPTY, name, "NULL", side, error);
    const char *odd = text + strcspn(text, "\t\n");
    if (!*odd) return LB_OK;
    return bad(pairs, LB_LINE_COLUMNS, name, *odd == '\t' ? "a tab" : "a line break", side, error);
}

lb_status lb_pair_memory_line(lb_pairs *pairs, int64_t number, lb_line *line, char name[LB_PAIR_NAME],
                              lb_error *error)
{
    size_t length[SIDES] = {0}, all = 0, at = 0;
    snprintf(name, LB_PAIR_NAME, "pair %lld", (long long)number);
    for (int side = 0; side < SIDES; side++) {
        const char *const *texts = column(pairs, side);
        lb_status status = texts ? check(pairs, name, texts[number], side, error) : LB_OK;
        if (status) return status;
        length[side] = texts ? strlen(texts[number]) : 0;
        all += length[side] + 1;
    }
    if (!lb_alloc_room(&pairs->window, 0, all, &pairs->window_room, 1))
        return lb_pairs_out_of_memory(pairs, error);
    for (int side = 0; side < SIDES; side++) {
        if (!column(pairs, side)) continue;
        if (side > 0) pairs->window[at++] = '\t';
        memcpy(pairs->window + at, column(pairs, side)[number], length[side]);
        at += length[side];
    }
    *line = (lb_line){.text = pairs->window, .length = at, .offset = number};
    return LB_OK;
}

static lb_status read_all(lb_pairs *pairs, lb_error *error)
{
    lb_status status = LB_OK;
    for (int64_t i = 0; i < pairs->texts.count && !status; i++) {
        lb_line line;
        lb_error found = {0};
        char name[LB_PAIR_NAME];
        pairs->facts.lines++;
        if (lb_pair_memory_line(pairs, i, &line, name, &found))
            status = lb_pairs_skip(pairs, &found, error);
        else
            status = lb_pairs_take(pairs, name, &line, error);
    }
    if (status || pairs->count > 0) return status;
    return lb_error_set(error, LB_ERROR_FORMAT, "found no valid pair among %lld; the first: %s",
                        (long long)pairs->texts.count, pairs->facts.first_bad.text[0]);
}

static lb_status check_texts(const lb_pair_texts *texts, const lb_pair_format *format, lb_error *error)
{
    const char *missing = !texts->source                                                     ? "sources"
                          : !texts->target && !format->no_target                             ? "targets"
                          : !texts->features && lb_symbol_rule_has_features(&format->source) ? "features"
                                                                                             : NULL;
    if (texts->count < 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "found %lld pairs, expected at least one",
                            (long long)texts->count);
    if (missing)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "found no %s of %lld pairs, expected an array of texts",
                            missing, (long long)texts->count);
    return LB_OK;
}

lb_pairs *lb_pairs_from_memory(lb_pair_texts texts, lb_pair_format format, lb_error *error)
{
    format.source_column = format.target_column = 0;
    format.features_column = texts.features ? 2 : 0;
    format.kind = "";                                         /* a text is put together as a line of TSV */
    if (!format.source.features) format.source.features = ""; /* nobody finds out what divides them */
    if (check_texts(&texts, &format, error) || lb_pair_format_check(&format, error)) return NULL;
    lb_pairs *pairs = lb_pairs_new_in_memory(texts, &format, error);
    if (!pairs || read_all(pairs, error) == LB_OK) return pairs;
    lb_pairs_close(pairs);
    return NULL;
}
