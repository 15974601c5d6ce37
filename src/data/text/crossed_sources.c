/* Makes up sources from the beginnings and ends of given ones, for a teacher to answer. */
#include "data/text/symbols.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "lookback/tensor.h"

#include <stdlib.h>
#include <string.h>

enum { SHARED = 2, TRIES = 20, DRAWS = 2 };

/* A place within a source, by the symbols before it. */
typedef struct place {
    uint64_t before;
    uint32_t source, at;
    size_t first,
        same; /* of the places behind the same symbols: the first one, which knows how many there are */
} place;

typedef struct crossing {
    const lb_symbol_rule *rule;
    lb_symbols *source; /* [count] */
    size_t count;
    place *places; /* sorted */
    size_t place_count;
    lb_vocabulary *known; /* all texts: the given ones, and those made up */
    lb_error *error;
} crossing;

static int compare(const void *a, const void *b)
{
    const place *one = a, *other = b;
    if (one->before != other->before) return one->before < other->before ? -1 : 1;
    if (one->source != other->source) return one->source < other->source ? -1 : 1;
    return one->at < other->at ? -1 : one->at > other->at;
}

static char *text_of(const crossing *c, const lb_symbols *source)
{
    return lb_symbols_join(c->rule, source->symbol, source->count, c->error);
}

static lb_status know(const crossing *c, const char *text)
{
    return lb_vocabulary_add(c->known, &text, 1, c->error);
}

static lb_status split_all(crossing *c, const lb_strings *given)
{
    lb_status status = LB_OK;
    for (size_t i = 0; i < given->count && !status; i++) {
        const char *text = given->text[i];
        status = lb_symbols_split(c->rule, text, strlen(text), &c->source[i], c->error);
        char *composed = status ? NULL : text_of(c, &c->source[i]);
        if (!status) status = composed ? know(c, composed) : c->error->status;
        lb_release(composed);
    }
    return status;
}

static lb_status find_places(crossing *c)
{
    size_t most = 0;
    for (size_t i = 0; i < c->count; i++) most += c->source[i].count;
    c->places = lb_alloc((most + 1) * sizeof *c->places);
    if (!c->places) return lb_no_memory(c->error, "made-up sources");
    for (size_t i = 0; i < c->count; i++) {
        const lb_symbols *source = &c->source[i]; /* features come last */
        for (size_t at = SHARED; at < source->count && !lb_symbol_is_feature(source->symbol[at]); at++) {
            const lb_symbols before = {.count = SHARED, .symbol = source->symbol + at - SHARED};
            c->places[c->place_count++] =
                (place){lb_symbols_hash(&before, LB_HASH), (uint32_t)i, (uint32_t)at, 0, 0};
        }
    }
    qsort(c->places, c->place_count, sizeof *c->places, compare);
    for (size_t i = 0; i < c->place_count; i++) {
        place *p = &c->places[i];
        p->first = i > 0 && p[-1].before == p->before ? p[-1].first : i;
        c->places[p->first].same++;
    }
    return LB_OK;
}

/* Puts together the beginning up to one place and the end from the other. */
static char *cross(const crossing *c, const place *beginning, const place *end)
{
    const lb_symbols *one = &c->source[beginning->source], *other = &c->source[end->source];
    size_t rest = other->count - end->at, count = beginning->at + rest;
    const char **symbol = lb_alloc(count * sizeof *symbol);
    if (!symbol) return lb_null(lb_no_memory(c->error, "made-up sources"));
    memcpy((void *)symbol, (const void *)one->symbol, beginning->at * sizeof *symbol);
    memcpy((void *)(symbol + beginning->at), (const void *)(other->symbol + end->at), rest * sizeof *symbol);
    char *text = text_of(c, &(lb_symbols){.count = count, .symbol = symbol});
    lb_release((void *)symbol);
    return text;
}

/* Tries a random end, and a random beginning that fits it. */
static lb_status try_one(const crossing *c, lb_rng rng, uint64_t draw, lb_strings *made)
{
    const place *end = &c->places[lb_rng_below(rng, draw, c->place_count)], *first = &c->places[end->first];
    char *text = cross(c, first + lb_rng_below(rng, draw + 1, first->same), end);
    if (!text) return c->error->status;
    if (lb_vocabulary_id(c->known, text) != LB_UNK) {
        lb_release(text);
        return LB_OK;
    }
    lb_status status = know(c, text);
    if (status) lb_release(text);
    return status ? status : lb_strings_add(made, text, c->error);
}

static lb_status make(crossing *c, const lb_strings *given, size_t wanted, uint64_t seed, lb_strings *made)
{
    const lb_rng rng = {.seed = seed, .stream = lb_rng_stream("crossed sources")};
    c->known = lb_vocabulary_new_reserved(c->error);
    c->source = lb_alloc_zero((c->count + 1) * sizeof *c->source);
    if (!c->known || !c->source) return lb_no_memory(c->error, "made-up sources");
    lb_status status = split_all(c, given);
    if (!status) status = find_places(c);
    uint64_t tries = c->place_count ? TRIES * (uint64_t)wanted : 0;
    for (uint64_t i = 0; i < tries && made->count < wanted && !status; i++)
        status = try_one(c, rng, DRAWS * i, made);
    return status;
}

lb_status lb_cross_sources(const lb_symbol_rule *rule, const lb_strings *given, size_t wanted, uint64_t seed,
                           lb_strings *made, lb_error *error)
{
    crossing c = {.rule = rule, .count = given->count, .error = error};
    *made = (lb_strings){0};
    lb_status status = make(&c, given, wanted, seed, made);
    for (size_t i = 0; i < c.count && c.source; i++) lb_symbols_free(&c.source[i]);
    lb_release(c.source);
    lb_release(c.places);
    lb_vocabulary_free(c.known);
    return status;
}
