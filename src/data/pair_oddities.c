#include "data/pair_oddities.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/format.h"
#include "data/formats/columns.h"
#include "lookback/tensor.h"

#include <stdarg.h>
#include <string.h>

enum {
    MANY = 20,    /* pairs that a rule needs */
    LARGE = 1000, /* pairs of a file in which a symbol should occur more than RARE times */
    RARE = 2,
    SHOWN = 10,
    TAIL = 16
};

/* Lines with something in common. */
typedef struct found {
    int64_t count, first; /* of pairs; the first of them */
} found;

typedef struct rare_symbol {
    const char *symbol; /* of the vocabulary */
    int64_t pair;
} rare_symbol;

typedef struct side {
    const char *name;
    const lb_vocabulary *symbols;
    int64_t rare; /* different ones */
    rare_symbol shown[SHOWN];
    int64_t quoted;
} side;

typedef struct search {
    lb_pairs *pairs;
    int64_t count;
    side source, target;
    found variants, comments, one_feature, commas;
    bool alone; /* no other pair has a symbol of the target of the first */
    bool named; /* the first pair has the names of columns */
    lb_strings *odd;
    lb_error *error;
} search;

static int32_t id_of(const side *s, const char *symbol)
{
    return lb_vocabulary_id(s->symbols, symbol);
}

static void note(found *f, int64_t pair)
{
    if (f->count++ == 0) f->first = pair;
}

/* "read(2)": ends with a digit in parentheses, behind something else. */
static bool is_variant(const lb_symbols *source)
{
    char tail[TAIL] = "";
    size_t used = 0;
    for (size_t i = source->count > 4 ? source->count - 4 : 0; i < source->count; i++) {
        size_t length = strlen(source->symbol[i]);
        if (length >= TAIL) return false;
        if (used + length >= TAIL) used = 0;
        memcpy(tail + used, source->symbol[i], length + 1);
        used += length;
    }
    return used > 3 && tail[used - 1] == ')' && tail[used - 3] == '(' && tail[used - 2] >= '1' &&
           tail[used - 2] <= '9';
}

static bool is_quoted(const lb_symbols *text)
{
    if (text->count == 0) return false;
    const char *first = text->symbol[0], *last = text->symbol[text->count - 1];
    return (text->count > 1 || strlen(first) > 1) && *first == '"' && last[strlen(last) - 1] == '"';
}

/* Whether no other text has one of its symbols. */
static bool is_alone(const side *of, const lb_symbols *text)
{
    for (size_t i = 0; i < text->count; i++) {
        int64_t times = lb_vocabulary_count(of->symbols, id_of(of, text->symbol[i]));
        for (size_t k = 0; k < text->count; k++) times -= strcmp(text->symbol[k], text->symbol[i]) == 0;
        if (times > 0) return false;
    }
    return text->count > 0;
}

/* Counts the symbols of a text that hardly occur. */
static void look_at_side(side *of, const lb_symbols *text, int64_t pair)
{
    of->quoted += is_quoted(text);
    for (size_t i = 0; i < text->count; i++) {
        int32_t id = id_of(of, text->symbol[i]);
        if (lb_vocabulary_count(of->symbols, id) > RARE) continue;
        bool known = false;
        for (int64_t k = 0; k < of->rare && k < SHOWN; k++)
            known = known || strcmp(of->shown[k].symbol, text->symbol[i]) == 0;
        if (!known && of->rare < SHOWN)
            of->shown[of->rare] = (rare_symbol){lb_vocabulary_symbol(of->symbols, id), pair};
        of->rare += !known && of->rare < SHOWN;
    }
}

static void look_at_features(search *s, const lb_symbols *source, int64_t pair)
{
    size_t features = 0;
    const char *last = "";
    for (size_t i = 0; i < source->count; i++) {
        if (!lb_symbol_is_feature(source->symbol[i])) continue;
        features++;
        last = source->symbol[i];
    }
    if (features == 1) note(&s->one_feature, pair);
    if (features == 1 && strchr(last, ',')) note(&s->commas, pair);
}

static bool is_name(const lb_symbol_rule *rule, const lb_symbols *text)
{
    lb_error ignored = {0};
    char *joined = lb_symbols_join(rule, text->symbol, text->count, &ignored);
    bool name = joined && lb_is_column_name(joined, strlen(joined));
    lb_release(joined);
    return name;
}

static void look_at_pair(search *s, int64_t pair, const lb_pair_line *line)
{
    const lb_pair_format *f = &s->pairs->format;
    look_at_side(&s->source, &line->source, pair);
    look_at_side(&s->target, &line->target, pair);
    look_at_features(s, &line->source, pair);
    if (is_variant(&line->source)) note(&s->variants, pair);
    for (size_t i = 0; i < line->target.count; i++)
        if (strcmp(line->target.symbol[i], "#") == 0) {
            note(&s->comments, pair);
            break;
        }
    if (pair > 0) return;
    s->named = is_name(&f->source, &line->source) || is_name(&f->target, &line->target);
    s->alone = is_alone(&s->target, &line->target);
}

static long long line_of(const search *s, int64_t pair)
{
    return (long long)lb_pairs_line_number(s->pairs, pair);
}

LB_PRINTF(2, 3) static lb_status say(search *s, const char *format, ...)
{
    char text[LB_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    lb_vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return lb_strings_add(s->odd, lb_alloc_string(text), s->error);
}

static lb_status say_rare(search *s, const side *of)
{
    if (s->count < LARGE || of->rare == 0) return LB_OK;
    lb_buffer text = {0};
    bool more = of->rare == SHOWN;
    lb_buffer_print(&text, "%s%lld %s symbol%s once or twice: ", more ? "at least " : "", (long long)of->rare,
                    of->name, of->rare == 1 ? " occurs" : "s occur");
    for (int64_t i = 0; i < of->rare; i++) {
        if (i > 0) lb_buffer_print(&text, ", ");
        char shown[LB_SYMBOL_SHOWN];
        lb_buffer_json_string(&text, lb_symbol_show(of->shown[i].symbol, shown));
        lb_buffer_print(&text, " (line %lld)", line_of(s, of->shown[i].pair));
    }
    lb_buffer_print(&text, "; --min-count %d makes them unknown", RARE + 1);
    return lb_strings_add(s->odd, lb_buffer_end(&text), s->error);
}

/* Different features, and those of them that occur once. */
static int64_t count_features(const lb_vocabulary *symbols, int64_t *once)
{
    int64_t count = 0;
    *once = 0;
    for (int32_t id = LB_FIRST_TOKEN; id < lb_vocabulary_size(symbols); id++) {
        bool feature = lb_symbol_is_feature(lb_vocabulary_symbol(symbols, id));
        count += feature;
        *once += feature && lb_vocabulary_count(symbols, id) == 1;
    }
    return count;
}

static lb_status say_features(search *s)
{
    int64_t once, different = count_features(s->source.symbols, &once);
    int column = (int)s->pairs->format.features_column;
    lb_status status = LB_OK;
    if (s->commas.count > 0 && s->commas.count == s->one_feature.count && 2 * s->commas.count > s->count)
        status = say(s,
                     "all features are single, and have commas (line %lld): --features-separator , divides "
                     "them",
                     line_of(s, s->commas.first));
    else if (different >= MANY && 2 * once > different)
        status = say(s,
                     "column %d has %lld different features, %lld of them once: --features-column names the "
                     "column of the features",
                     column > 0 ? column : 2, (long long)different, (long long)once);
    return status;
}

static lb_status say_header(search *s)
{
    const char *kind = *s->pairs->file.kind ? s->pairs->file.kind : "tsv";
    const char *quote = kind[strcspn(kind, " ;|~<>&")] ? "'" : "";
    return say(s, "line %lld is like no other: --format %s%s+header%s leaves it out", line_of(s, 0), quote,
               kind, quote);
}

static lb_status say_all(search *s)
{
    const lb_pair_file *file = &s->pairs->file;
    bool many = s->count >= MANY,
         may = !file->header && s->pairs->texts.count == 0 && !s->pairs->format.targets;
    lb_status status = LB_OK;
    if (many && may && strcmp(file->kind, "jsonl") != 0 && (s->named || s->alone)) status = say_header(s);
    if (!status && s->variants.count > 0)
        status = say(s,
                     "%lld source%s with the number of a variant, such as (2) (line %lld): --format cmudict "
                     "takes it away",
                     (long long)s->variants.count, s->variants.count == 1 ? " ends" : "s end",
                     line_of(s, s->variants.first));
    if (!status && s->comments.count > 0)
        status = say(s, "%lld target%s # (line %lld): --format cmudict leaves comments out",
                     (long long)s->comments.count, s->comments.count == 1 ? " has" : "s have",
                     line_of(s, s->comments.first));
    if (!status && many && s->source.quoted == s->count && s->target.quoted == s->count)
        status = say(s, "all texts are in quotes: --format csv:tab takes them away");
    if (!status && many) status = say_features(s);
    if (!status) status = say_rare(s, &s->source);
    return status ? status : say_rare(s, &s->target);
}

lb_status lb_pair_oddities_find(lb_pairs *pairs, const lb_vocabulary *source, const lb_vocabulary *target,
                                lb_strings *odd, lb_error *error)
{
    search s = {.pairs = pairs,
                .count = lb_pairs_count(pairs),
                .source = {.name = "source", .symbols = source},
                .target = {.name = "target", .symbols = target},
                .odd = odd,
                .error = error};
    lb_status status = LB_OK;
    if (pairs->index) return LB_OK;
    for (int64_t i = 0; i < s.count && !status; i++) {
        const lb_pair_line *line;
        status = lb_pairs_read(pairs, i, &line, error);
        if (!status) look_at_pair(&s, i, line);
    }
    return status ? status : say_all(&s);
}
