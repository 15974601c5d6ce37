#include "data/pairs/pair_line.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/format.h"
#include "data/formats/recognise.h"
#include "io/file.h"

#include <math.h>
#include <string.h>

enum { LONGEST = 1000, NO_TEXT = 32 };

const char *const lb_bad_line_texts[] = {
#define BAD_TEXT(name, text) [name] = text,
    LB_BAD_LINE_LIST(BAD_TEXT)
#undef BAD_TEXT
};

/* The format with its defaults filled in; features_column remains 0 if there are none. */
static lb_pair_format complete(const lb_pair_format *given)
{
    lb_pair_format format = *given;
    bool features = lb_pair_format_has_features(given);
    if (features && !format.source.features) format.source.features = ";";
    lb_pair_columns_ask(&format, lb_pair_columns_complete(lb_pair_columns_asked(given), features));
    if (format.longest == 0) format.longest = LONGEST;
    return format;
}

/* Whether lines may have further columns. */
static bool has_others(const lb_pair_format *given)
{
    return given->source_column != 0 || given->features_column != 0 || given->weight_column != 0 ||
           (!given->no_target && given->target_column != 0);
}

static int32_t last_column(const lb_pair_format *complete_format)
{
    int32_t last = complete_format->source_column, features = complete_format->features_column;
    if (features > last) last = features;
    if (!complete_format->no_target && complete_format->target_column > last)
        last = complete_format->target_column;
    return last;
}

static lb_status check_columns_differ(const lb_pair_format *f, lb_error *error)
{
    int32_t weight = f->weight_column;
    if (weight != 0 && (weight == f->source_column || weight == f->features_column ||
                        (!f->no_target && weight == f->target_column)))
        return lb_error_set(error, LB_ERROR_ARGUMENT, "weights and texts cannot both be column %d",
                            (int)weight);
    if (!f->no_target && f->source_column == f->target_column)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "source and target cannot both be column %d",
                            (int)f->source_column);
    if (f->features_column == f->source_column || (!f->no_target && f->features_column == f->target_column))
        return lb_error_set(error, LB_ERROR_ARGUMENT, "features and %s cannot both be column %d",
                            f->features_column == f->source_column ? "source" : "target",
                            (int)f->features_column);
    return LB_OK;
}

static lb_status check_kind(const lb_pair_format *format, lb_error *error)
{
    lb_pair_kind kind;
    bool apart = format->targets && format->kind && *format->kind && !lb_is_same_kind(format->kind, "tsv");
    if (apart)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "format %.40s and a file of targets: expected one of them", format->kind);
    lb_status status = lb_pair_kind_parse(format->kind, &kind, error);
    lb_pair_kind_free(&kind);
    return status;
}

lb_status lb_pair_format_check(const lb_pair_format *given, lb_error *error)
{
    lb_pair_format format = complete(given);
    const int32_t columns[] = {format.source_column, format.target_column, given->features_column};
    for (int i = 0; i < 3; i++)
        if (columns[i] < (i < 2))
            return lb_error_set(error, LB_ERROR_ARGUMENT, "invalid column %d: columns count from 1",
                                (int)columns[i]);
    if (given->features_column != 0 && format.features_column == 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "features in column %d need a separator, such as \";\"",
                            (int)given->features_column);
    bool known = !given->usual; /* otherwise the file decides about what is not given */
    if ((known && check_columns_differ(&format, error)) || check_kind(given, error)) return LB_ERROR_ARGUMENT;
    if (format.longest < 1 || format.longest > LB_PAIR_LONGEST)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "invalid length limit of %d symbols, expected 1 to %d",
                            (int)format.longest, LB_PAIR_LONGEST);
    lb_status status = lb_symbol_rule_check(&format.source, error);
    return status || format.no_target ? status : lb_symbol_rule_check(&format.target, error);
}

int32_t lb_pair_format_columns(const lb_pair_format *format)
{
    lb_pair_format completed = complete(format);
    return last_column(&completed);
}

/* A line under examination. */
typedef struct examination {
    lb_pair_format format;
    const char *name, *text;
    size_t length;
    int64_t number;
    lb_pair_line *pair;
    lb_error *error;
} examination;

LB_PRINTF(3, 4)
static lb_status bad(const examination *e, lb_bad_line kind, const char *format, ...)
{
    char found[LB_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    lb_vsnprintf(found, sizeof found, format, arguments);
    va_end(arguments);
    e->pair->bad = kind;
    if (e->number == 0) return lb_error_set(e->error, LB_ERROR_FORMAT, "%s: %s", e->name, found);
    return lb_error_set(e->error, LB_ERROR_FORMAT, "%s:%lld: %s", e->name, (long long)e->number, found);
}

/* What the file seems to be by its first line; NULL: what it should be, as most lines are. UTF-16 has tabs, too. */
static const lb_file_kind *kind_of(const examination *e)
{
    bool odd = e->pair->usual <= 0 || memchr(e->text, '\0', e->length);
    return e->number == 1 && odd ? lb_file_kind_find(e->text, e->length) : NULL;
}

static lb_status bad_kind(const examination *e, lb_bad_line bad_line, const char *expected)
{
    char text[LB_FILE_KIND_TEXT];
    return bad(e, bad_line, "%s", lb_file_kind_print(kind_of(e), e->name, expected, true, text));
}

/* The file of the targets in messages; of several, none is known. */
static const char *name_of_targets(const lb_pair_format *format)
{
    return format->reference_count > 0 ? "one of the targets" : format->targets;
}

static lb_status check_text(const examination *e, bool cut)
{
    if (cut || e->length > LB_PAIR_LINE_BYTES)
        return bad(e, LB_LINE_LONG, "found a line of more than %d bytes, expected at most that many",
                   LB_PAIR_LINE_BYTES);
    if (e->length == 0) return bad(e, LB_LINE_EMPTY, "found an empty line, expected text");
    size_t valid = lb_utf8_prefix(e->text, e->length);
    const char *zero = memchr(e->text, '\0', valid);
    lb_bad_line kind = zero ? LB_LINE_ZERO : LB_LINE_UTF8;
    if ((zero || valid < e->length) && kind_of(e)) return bad_kind(e, kind, "text in UTF-8");
    if (!zero && valid == e->length) return LB_OK;
    const char *at = zero ? zero : e->text + valid;
    const char *tab = e->format.targets ? memchr(e->text, '\t', (size_t)(at - e->text)) : NULL;
    examination side = *e;
    if (tab) side.name = name_of_targets(&e->format);
    size_t byte = (size_t)(at - (tab ? tab + 1 : e->text)) + 1;
    if (zero) return bad(&side, kind, "found a zero byte at byte %zu of the line, expected text", byte);
    return bad(&side, kind, "found 0x%02X at byte %zu of the line, expected UTF-8",
               (unsigned)(unsigned char)*at, byte);
}

static bool is_kind(const examination *e, const char *kind)
{
    return lb_is_same_kind(e->format.kind ? e->format.kind : "", kind);
}

/* What divides the columns, for messages. */
static const char *separated(const examination *e)
{
    return is_kind(e, "tsv") ? ", separated by tabs" : "";
}

/* Whether a source has no tab, and so no features. The separator of features makes no CSV of it. */
static bool lacks_features(const examination *e)
{
    const char *separator = e->format.source.features;
    if (!e->format.no_target || e->format.features_column == 0 || memchr(e->text, '\t', e->length))
        return false;
    return !kind_of(e) || memchr(e->text, *separator, e->length);
}

static int32_t count_columns(const examination *e)
{
    int32_t found = 1;
    const char *end = e->text + e->length;
    for (const char *at = e->text; (at = memchr(at, '\t', (size_t)(end - at))) != NULL; at++) found++;
    return found;
}

static lb_status check_columns(const examination *e, bool others)
{
    int32_t found = count_columns(e), last = last_column(&e->format), *expected = &e->pair->columns,
            usual = e->pair->usual;
    bool first = *expected == 0, tabs = is_kind(e, "tsv"), vary = others && usual == LB_WIDTH_VARIES;
    const char *unit = is_kind(e, "jsonl") ? "member" : "column";
    if (!others && tabs && lacks_features(e))
        return bad(e, LB_LINE_COLUMNS,
                   "found no tab, expected a text, a tab and its features, such as walk<TAB>V%sPST",
                   e->format.source.features);
    if (first && found < last && tabs && kind_of(e))
        return bad_kind(e, LB_LINE_COLUMNS, "columns with tabs between them");
    if (others && (first || vary) && found < last)
        return bad(e, LB_LINE_COLUMNS, "found %d %s%s, expected at least %d%s", (int)found, unit,
                   lb_plural(found), (int)last, separated(e));
    if (vary) return LB_OK;
    if (*expected == 0) *expected = !others ? last : usual >= last ? usual : found;
    if (found == *expected) return LB_OK;
    return bad(e, LB_LINE_COLUMNS, "found %d %s%s, expected %d%s%s", (int)found, unit, lb_plural(found),
               (int)*expected,
               others           ? usual ? " as in most lines" : " as in the first line"
               : *expected == 1 ? ""
                                : separated(e),
               !others && *expected > 1 && found > *expected ? LB_PAIR_LINE_CHOOSE : "");
}

/* The text of one column. */
static void find_side(const examination *e, int32_t column, const char **text, size_t *length)
{
    const char *at = e->text, *end = e->text + e->length;
    for (int32_t i = 1; i < column; i++) at = (const char *)memchr(at, '\t', (size_t)(end - at)) + 1;
    const char *stop = memchr(at, '\t', (size_t)(end - at));
    *text = at;
    *length = (size_t)((stop ? stop : end) - at);
}

static lb_status expect_text(const examination *e, const char *which, const char *text, size_t length)
{
    bool none = length > 0 && *text == LB_FIELDS_NOT && is_kind(e, "jsonl");
    if (none)
        return bad(e, LB_LINE_EMPTY, "found %.*s for a %s, expected text",
                   (int)(length < NO_TEXT ? length : NO_TEXT) - 1, text + 1, which);
    if (length > 0) return LB_OK;
    return bad(e, LB_LINE_EMPTY, "found an empty %s, expected text", which);
}

/* The source column, then a tab and the features column. */
static lb_status find_source(const examination *e, const char **text, size_t *length)
{
    const char *features;
    size_t count;
    lb_pair_line *pair = e->pair;
    find_side(e, e->format.source_column, text, length);
    lb_status status = expect_text(e, "source", *text, *length);
    if (status || e->format.features_column == 0) return status;
    find_side(e, e->format.features_column, &features, &count);
    status = expect_text(e, "list of features", features, count);
    if (status) return status;
    if (!lb_alloc_room(&pair->joined, 0, e->length + 1, &pair->room, 1))
        return lb_no_memory(e->error, "a line");
    memcpy(pair->joined, *text, *length);
    pair->joined[*length] = '\t';
    memcpy(pair->joined + *length + 1, features, count);
    *text = pair->joined;
    *length += 1 + count;
    return LB_OK;
}

/* The weight beside a pair; the file has been checked for others than numbers. */
static double weight_of(const examination *e)
{
    int32_t column = e->format.weight_column;
    lb_span text;
    double weight = 0;
    if (!e->format.weights_beside || column == 0 || column > count_columns(e)) return 0;
    find_side(e, column, &text.text, &text.length);
    if (text.length > 0 && *text.text == LB_FIELDS_NOT) text.text++, text.length--;
    return lb_span_number(text, INFINITY, &weight) ? weight : 0;
}

/* Splits the text of one side. */
static lb_status read_side(const examination *e, const char *which, const char *at, size_t length,
                           const lb_symbol_rule *rule, lb_symbols *symbols)
{
    lb_error found = {0};
    lb_status status = lb_symbols_split(rule, at, length, symbols, &found);
    if (status == LB_ERROR_FORMAT) return bad(e, LB_LINE_SYMBOL, "in the %s, %s", which, found.message);
    if (status) return lb_error_set(e->error, status, "%s", found.message);
    bool may_be_empty = symbols == &e->pair->target && e->format.empty_target;
    if (symbols->count == 0 && !may_be_empty) return expect_text(e, which, NULL, 0); /* or blanks alone */
    if (symbols->count <= (size_t)e->format.longest) return LB_OK;
    return bad(e, LB_LINE_LONG, "found a %s of %zu symbols, expected at most %d", which, symbols->count,
               (int)e->format.longest);
}

/* Checks the line as a whole; `e` is for its columns. */
static lb_status examine(examination *e, const lb_pair_format *format, const lb_line *line)
{
    lb_line bare = *line;
    lb_line_drop_mark(&bare);
    e->format = complete(format);
    e->text = bare.text;
    e->length = bare.length;
    e->number = line->number;
    e->pair->bad = LB_LINE_GOOD;
    e->pair->source.count = e->pair->target.count = 0;
    if (line->refused) return bad(e, LB_LINE_FORMAT, "%.*s", (int)line->length, line->text);
    lb_status status = check_text(e, line->cut);
    return status ? status : check_columns(e, has_others(format));
}

lb_status lb_pair_line_source(const lb_pair_format *format, const char *name, const lb_line *line,
                              lb_pair_line *pair, const char **source, size_t *length, lb_error *error)
{
    examination e = {.name = name, .pair = pair, .error = error};
    lb_status status = examine(&e, format, line);
    return status ? status : find_source(&e, source, length);
}

lb_status lb_pair_line_read(const lb_pair_format *format, const char *name, const lb_line *line,
                            lb_pair_line *pair, lb_error *error)
{
    examination e = {.name = name, .pair = pair, .error = error};
    const char *text = NULL;
    size_t length = 0;
    lb_status status = examine(&e, format, line);
    if (!status) status = find_source(&e, &text, &length);
    if (!status) status = read_side(&e, "source", text, length, &e.format.source, &pair->source);
    if (status || e.format.no_target) return status;
    pair->weight = weight_of(&e);
    if (e.format.targets) e.name = name_of_targets(&e.format);
    find_side(&e, e.format.target_column, &text, &length);
    if (!e.format.empty_target) status = expect_text(&e, "target", text, length);
    return status ? status : read_side(&e, "target", text, length, &e.format.target, &pair->target);
}

void lb_pair_line_free(lb_pair_line *pair)
{
    lb_symbols_free(&pair->source);
    lb_symbols_free(&pair->target);
    lb_release(pair->joined);
    *pair = (lb_pair_line){0};
}
