/* Finds what is odd about a file of pairs, and what mends it, for the report on them. */
#include "data/review/pair_report.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "data/formats/recognise.h"
#include "lookback/tensor.h"

#include <string.h>

enum {
    MANY = 20,    /* pairs that a rule needs */
    LARGE = 1000, /* pairs of a file in which a symbol should occur more than RARE times */
    RARE = 2,
    SHOWN = 10,
    SOME = 5,   /* texts with the same label */
    LABEL = 32, /* bytes of one, with its end */
    LOST = 10   /* lines with weights for each pair, where the weights are too small */
};

typedef struct rare_symbol {
    const char *symbol; /* of the vocabulary */
    int64_t pair;
} rare_symbol;

typedef struct side {
    const char *name;
    const lb_vocabulary *symbols;
    int64_t rare; /* different ones */
    rare_symbol shown[SHOWN];
    lb_text_oddities texts;
    char label[LABEL]; /* "IN:", with which the first text begins; "": there is none */
    int64_t labelled;  /* texts that begin so */
} side;

typedef struct search {
    lb_pairs *pairs;
    int64_t count;
    side source, target;
    lb_pair_print *variants; /* [variant_count]: the hash of the word, and the pair */
    size_t variant_count, variant_room;
    lb_buffer letters; /* of a source */
    lb_odd_pairs comments, one_feature, commas;
    const lb_lexicon_model *model; /* NULL: the pairs are no lexicon */
    lb_lexicon_oddities lexicon;
    int64_t phrases; /* sources of several words */
    bool alone;      /* no other pair has a symbol of the target of the first */
    bool named;      /* the first pair has the names of columns */
    lb_remarks odd;
} search;

/* Whether no other text has one of its symbols. */
static bool is_alone(const side *of, const lb_symbols *text, lb_error *error)
{
    lb_vocabulary *own = lb_vocabulary_new_reserved(error);
    bool alone = own && text->count > 0 && !lb_vocabulary_add(own, text->symbol, (int64_t)text->count, error);
    for (size_t i = 0; i < text->count && alone; i++) {
        const char *symbol = text->symbol[i];
        alone = lb_vocabulary_count(of->symbols, lb_vocabulary_id(of->symbols, symbol)) <=
                lb_vocabulary_count(own, lb_vocabulary_id(own, symbol));
    }
    lb_vocabulary_free(own);
    return alone;
}

/* What a text begins with, up to a colon; "" if there is none, or nothing behind it. */
static void find_label(const lb_symbols *text, char label[LABEL])
{
    size_t used = 0;
    for (size_t i = 0; i + 1 < text->count; i++) {
        size_t length = strlen(text->symbol[i]);
        if (used + length >= LABEL) break;
        memcpy(label + used, text->symbol[i], length + 1);
        used += length;
        if (used > 1 && label[used - 1] == ':') return;
    }
    *label = '\0';
}

/* Counts the symbols of a text that hardly occur. */
static void look_at_side(side *of, const lb_symbols *text, int64_t pair)
{
    char label[LABEL];
    find_label(text, pair == 0 ? of->label : label);
    of->labelled += *of->label && (pair == 0 || strcmp(label, of->label) == 0);
    lb_text_oddities_look(&of->texts, text, pair);
    for (size_t i = 0; i < text->count; i++) {
        int32_t id = lb_vocabulary_id(of->symbols, text->symbol[i]);
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
    if (features == 1) lb_odd_pairs_add(&s->one_feature, pair);
    if (features == 1 && strchr(last, ',')) lb_odd_pairs_add(&s->commas, pair);
}

static bool is_name(const lb_symbol_rule *rule, const lb_symbols *text)
{
    lb_error ignored = {0};
    char *joined = lb_symbols_join(rule, text->symbol, text->count, &ignored);
    bool name = joined && lb_is_column_name(lb_span_of(joined));
    lb_release(joined);
    return name;
}

/* "# past" behind a blank, as in CMUdict. */
static bool has_comment(const lb_symbol_rule *rule, const lb_symbols *text)
{
    bool divided = rule->separator && *rule->separator;
    for (size_t i = 1; i + 1 < text->count; i++) {
        if (strcmp(text->symbol[i], "#") != 0) continue;
        if (divided || (strcmp(text->symbol[i - 1], " ") == 0 && strcmp(text->symbol[i + 1], " ") == 0))
            return true;
    }
    return false;
}

/* ---- Sources with the number of a variant, such as "read(2)" in CMUdict, which is the same word as "read". ---- */

/* The letters of a text, wherever symbols end. */
static bool spell(search *s, const lb_symbols *text)
{
    s->letters.length = 0;
    for (size_t i = 0; i < text->count; i++)
        lb_buffer_add(&s->letters, text->symbol[i], strlen(text->symbol[i]));
    return !s->letters.failed;
}

/* Remembers a source if it may be a variant. */
static lb_status look_for_variant(search *s, const lb_symbols *source, int64_t pair)
{
    enum { NUMBER = 3 }; /* bytes of "(2)" */
    const char *last = source->count > 0 ? source->symbol[source->count - 1] : "";
    if (!*last || last[strlen(last) - 1] != ')') return LB_OK;
    if (!spell(s, source) ||
        !lb_alloc_more(&s->variants, s->variant_count, &s->variant_room, sizeof *s->variants))
        return lb_no_memory(s->odd.error, "a report on pairs");
    size_t word = s->letters.length > NUMBER ? s->letters.length - NUMBER : 0;
    const char *number = s->letters.text + word;
    if (word == 0 || number[0] != '(' || number[1] < '1' || number[1] > '9') return LB_OK;
    s->variants[s->variant_count++] =
        (lb_pair_print){lb_hash(LB_HASH, s->letters.text, word), (uint64_t)pair};
    return LB_OK;
}

/* Moves the variants of a word to `found`. */
static void take_word(search *s, uint64_t word, lb_odd_pairs *found)
{
    const uint64_t taken = UINT64_MAX;
    lb_pair_print *end = s->variants + s->variant_count;
    const lb_pair_print *first =
        lb_pair_prints_find(s->variants, (int64_t)s->variant_count, sizeof *first, (lb_pair_print){word, 0});
    for (lb_pair_print *at = s->variants + (first - s->variants); at < end && at->source == word; at++) {
        if (at->pair == taken) return; /* the word has been seen before */
        if (found->count++ == 0 || (int64_t)at->pair < found->first) found->first = (int64_t)at->pair;
        at->pair = taken;
    }
}

/* Finds the variants whose word is a source by itself: f(2) is not one of f(x). */
static lb_status count_variants(search *s, lb_odd_pairs *found)
{
    lb_status status = LB_OK;
    lb_pair_prints_sort(s->variants, (int64_t)s->variant_count);
    for (int64_t i = 0; i < s->count && !status; i++) {
        const lb_pair_line *line;
        status = lb_pairs_read(s->pairs, i, &line, s->odd.error);
        if (!status && !spell(s, &line->source)) status = lb_no_memory(s->odd.error, "a report on pairs");
        if (!status) take_word(s, lb_hash(LB_HASH, s->letters.text, s->letters.length), found);
    }
    return status;
}

/* ---- All pairs. ---- */

static lb_status look_at_pair(search *s, int64_t pair, const lb_pair_line *line)
{
    const lb_pair_format *f = &s->pairs->format;
    const char *separator = f->source.separator;
    look_at_side(&s->source, &line->source, pair);
    look_at_side(&s->target, &line->target, pair);
    look_at_features(s, &line->source, pair);
    s->phrases += separator && *separator ? line->source.count > 1 : 0;
    if (s->model) lb_lexicon_oddities_look(&s->lexicon, s->model, f, line, pair);
    if (has_comment(&f->target, &line->target)) lb_odd_pairs_add(&s->comments, pair);
    if (pair == 0) {
        s->named = is_name(&f->source, &line->source) || is_name(&f->target, &line->target);
        s->alone = is_alone(&s->target, &line->target, s->odd.error);
    }
    return s->odd.error->status ? s->odd.error->status : look_for_variant(s, &line->source, pair);
}

static void say_rare(search *s, const side *of)
{
    if (s->odd.status || s->count < LARGE || of->rare == 0 || s->model || s->pairs->format.target.subwords)
        return;
    lb_buffer text = {0};
    bool more = of->rare == SHOWN;
    lb_buffer_print(&text, "%s%lld %s symbol%s once or twice: ", more ? "at least " : "", (long long)of->rare,
                    of->name, of->rare == 1 ? " occurs" : "s occur");
    for (int64_t i = 0; i < of->rare; i++) {
        if (i > 0) lb_buffer_print(&text, ", ");
        char shown[LB_SYMBOL_SHOWN];
        lb_buffer_json_string(&text, lb_symbol_show(of->shown[i].symbol, shown));
        lb_buffer_print(&text, " (line %lld)", lb_remark_line(&s->odd, of->shown[i].pair));
    }
    lb_buffer_print(&text, "; --min-count %d makes them unknown", RARE + 1);
    s->odd.status = lb_strings_add(s->odd.list, lb_buffer_end(&text), s->odd.error);
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

static void say_features(search *s)
{
    int64_t once, different = count_features(s->source.symbols, &once);
    int column = (int)s->pairs->format.features_column;
    if (s->commas.count > 0 && s->commas.count == s->one_feature.count && 2 * s->commas.count > s->count)
        LB_REMARK(&s->odd,
                  "all features are single, and have commas (line %lld): --features-separator , divides "
                  "them",
                  lb_remark_line(&s->odd, s->commas.first));
    else if (different >= MANY && 2 * once > different)
        LB_REMARK(&s->odd,
                  "column %d has %lld different features, %lld of them once: --features-column names the "
                  "column of the features",
                  column > 0 ? column : 2, (long long)different, (long long)once);
}

static void say_header(search *s)
{
    const char *kind = *s->pairs->file.kind ? s->pairs->file.kind : "tsv";
    const char *quote = kind[strcspn(kind, " ;|~<>&")] ? "'" : "";
    LB_REMARK(&s->odd, "line %lld is like no other: --format %s%s+header%s leaves it out",
              lb_remark_line(&s->odd, 0), quote, kind, quote);
}

/* A dictionary in columns: cmudict divides at the first blank or tab, so that a source is one word. */
static void say_dictionary(search *s, const char *header)
{
    lb_odd_pairs variants = {0};
    if (s->phrases > 0 || s->source.texts.blanks > 0) return;
    if (!s->odd.status && s->variant_count > 0) s->odd.status = count_variants(s, &variants);
    if (variants.count > 0)
        LB_REMARK(&s->odd,
                  "%lld source%s with the number of a variant, such as (2) (line %lld): --format cmudict%s "
                  "takes it away",
                  (long long)variants.count, variants.count == 1 ? " ends" : "s end",
                  lb_remark_line(&s->odd, variants.first), header);
    if (s->comments.count > 0)
        LB_REMARK(&s->odd, "%lld target%s # (line %lld): --format cmudict%s leaves comments out",
                  (long long)s->comments.count, s->comments.count == 1 ? " has" : "s have",
                  lb_remark_line(&s->odd, s->comments.first), header);
}

static void say_quotes(search *s, const char *header)
{
    const lb_text_oddities *source = &s->source.texts, *target = &s->target.texts;
    bool first = source->doubled.count > 0;
    int64_t count = source->doubled.count + target->doubled.count;
    if (s->count >= MANY && source->quoted == s->count && target->quoted == s->count)
        LB_REMARK(&s->odd, "all texts are in quotes: --format csv:tab%s takes them away", header);
    else if (count > 0 && source->half_quoted + target->half_quoted == 0)
        LB_REMARK(
            &s->odd,
            "%lld text%s in quotes, with two quotes for each within (line %lld): --format csv:tab%s takes "
            "them away",
            (long long)count, count == 1 ? " is" : "s are",
            lb_remark_line(&s->odd, first ? source->doubled.first : target->doubled.first), header);
}

static void say_weights(search *s)
{
    int64_t weighed = s->pairs->file.met.weighed;
    if (!s->pairs->format.weights_beside && weighed > LOST * s->count)
        LB_REMARK(
            &s->odd,
            "column %d has small weights: only 1 of %lld lines counts. Multiply them, so that most are about "
            "1",
            (int)s->pairs->format.weight_column, (long long)(weighed / s->count));
}

/* A label that all texts have says nothing to a model. */
static void say_label(search *s, const side *of)
{
    bool scan = strcmp(of->label, "IN:") == 0;
    if (of->labelled >= SOME && of->labelled >= s->count)
        LB_REMARK(&s->odd, "all %ss begin with \"%s\", which tells a model nothing%s", of->name, of->label,
                  scan ? ": --format scan leaves it out" : "");
}

static void say_all(search *s)
{
    const lb_pair_file *file = &s->pairs->file;
    const lb_odd_pairs *strange = &s->lexicon.strange;
    bool first = strange->count > 0 && strange->first == 0 && 2 * strange->count < s->count; /* alone */
    bool many = s->count >= MANY, may = !file->header && s->pairs->texts.count == 0;
    bool tabs = !*file->kind || strncmp(file->kind, "tsv", 3) == 0;
    const char *names = file->header ? "+header" : "";
    if (may && strcmp(file->kind, "jsonl") != 0 &&
        (first || ((many || s->model) && s->named) || (many && s->alone)))
        say_header(s);
    if (tabs) {
        say_dictionary(s, names);
        say_quotes(s, names);
    }
    lb_text_oddities_say(&s->source.texts, LB_SIDE_SOURCE, &s->odd);
    lb_text_oddities_say(&s->target.texts, LB_SIDE_TARGET, &s->odd);
    if (s->model) lb_lexicon_oddities_say(&s->lexicon, &s->odd);
    say_label(s, &s->source);
    say_label(s, &s->target);
    say_weights(s);
    if (many) say_features(s);
    say_rare(s, &s->source);
    say_rare(s, &s->target);
}

lb_status lb_pair_oddities_find(lb_pairs *pairs, const lb_vocabulary *source, const lb_vocabulary *target,
                                const lb_lexicon_model *model, lb_strings *odd, lb_error *error)
{
    search s = {.pairs = pairs,
                .count = lb_pairs_count(pairs),
                .source = {.name = lb_pair_side_names[LB_SIDE_SOURCE], .symbols = source},
                .target = {.name = lb_pair_side_names[LB_SIDE_TARGET], .symbols = target},
                .model = model,
                .odd = {.pairs = pairs, .list = odd, .error = error}};
    if (pairs->index) return LB_OK;
    for (int64_t i = 0; i < s.count && !s.odd.status; i++) {
        const lb_pair_line *line;
        s.odd.status = lb_pairs_read(pairs, i, &line, error);
        if (!s.odd.status) s.odd.status = look_at_pair(&s, i, line);
    }
    say_all(&s);
    lb_release(s.variants);
    lb_release(s.letters.text);
    return s.odd.status;
}
