/* Whether pairs are sentences, for which the recipe has numbers of its own. */
#include "translate/training/recipe.h"

#include "data/pairs.h"
#include "data/symbols.h"

#include <string.h>

enum { DIFFERENT = 2000 }; /* pairs */

bool lb_recipe_has_sentences(const lb_recipe_facts *facts)
{
    return facts->different >= DIFFERENT;
}

static bool is_blank(const char *symbol)
{
    return strcmp(symbol, " ") == 0;
}

static bool is_sentence(const lb_symbols *text)
{
    int words = 0;
    for (size_t i = 0; i < text->count; i++)
        words += !is_blank(text->symbol[i]) && (i == 0 || is_blank(text->symbol[i - 1]));
    return words >= LB_SENTENCE_WORDS;
}

/* Whether symbols are characters, with so many blanks that half of the texts may be sentences. */
static bool may_have_sentences(const lb_symbol_rule *rule, const lb_vocabulary *symbols, int64_t texts)
{
    int32_t blank = lb_vocabulary_id(symbols, " ");
    bool characters = !rule->graphemes && !(rule->separator && *rule->separator);
    return characters && blank != LB_UNK &&
           2 * lb_vocabulary_count(symbols, blank) >= (LB_SENTENCE_WORDS - 1) * texts;
}

lb_status lb_recipe_look(lb_pairs *pairs, const lb_vocabulary *source, const lb_vocabulary *target,
                         lb_recipe_facts *facts, lb_error *error)
{
    int64_t count = lb_pairs_count(pairs), sources = 0, targets = 0;
    *facts = (lb_recipe_facts){.pairs = lb_pairs_different(pairs)};
    if (count < DIFFERENT || !may_have_sentences(&pairs->format.source, source, count) ||
        !may_have_sentences(&pairs->format.target, target, count))
        return LB_OK;
    for (int64_t i = 0; i < count; i++) {
        const lb_pair_line *line;
        lb_status status = lb_pairs_read(pairs, i, &line, error);
        if (status) return status;
        sources += is_sentence(&line->source);
        targets += is_sentence(&line->target);
    }
    if (2 * sources < count || 2 * targets < count) return LB_OK;
    facts->different = pairs->different;
    return LB_OK;
}
