/* What the best model of a training is chosen by, and told by: a row for each choice of the setting. */
#include "translate/plan/recipe.h"

#include "translate/batches/evaluate.h"

#include <math.h>
#include <string.h>

static bool is_better_by_symbol(const lb_evaluation *a, const lb_evaluation *b)
{
    if (a->symbol_error != b->symbol_error) return a->symbol_error < b->symbol_error;
    return lb_evaluation_is_better(a, b);
}

/* NaN is never better, and any number is better than NaN. */
static bool is_better_by_loss(const lb_evaluation *a, const lb_evaluation *b)
{
    if (a->loss == b->loss || (isnan(a->loss) && isnan(b->loss))) return lb_evaluation_is_better(a, b);
    return a->loss < b->loss || isnan(b->loss);
}

static bool is_better_by_own(const lb_evaluation *a, const lb_evaluation *b, int own)
{
    return a->own[own] != b->own[own] ? a->own[own] > b->own[own] : lb_evaluation_is_better(a, b);
}

static bool is_better_by_bleu(const lb_evaluation *a, const lb_evaluation *b)
{
    return is_better_by_own(a, b, LB_OWN_BLEU);
}

static bool is_better_by_chrf(const lb_evaluation *a, const lb_evaluation *b)
{
    return is_better_by_own(a, b, LB_OWN_CHRF);
}

enum { EXACT, SYMBOL, LOSS, BLEU, CHRF, CHOICES };

#define AT(field) offsetof(lb_evaluation, field)

static const lb_criterion choices[CHOICES] = {
    [EXACT] = {"exact", "exact_match", "exact match", "Exact match", AT(exact_match), 100,
               lb_evaluation_is_better, false},
    [SYMBOL] = {"symbol", "symbol_error", "symbol error", "Symbol error", AT(symbol_error), 100,
                is_better_by_symbol, false},
    [LOSS] = {"loss", "loss", "loss", "Loss", AT(loss), 1, is_better_by_loss, false},
    [BLEU] = {"bleu", "bleu_13a", "BLEU", "BLEU / 100", AT(own[LB_OWN_BLEU]), 1, is_better_by_bleu, true},
    [CHRF] = {"chrf", "chrf2", "chrF2", "chrF2 / 100", AT(own[LB_OWN_CHRF]), 1, is_better_by_chrf, true},
};

const lb_criterion *lb_criterion_find(const char *name, const lb_evaluation *found)
{
    const bool compared = found && found->own[LB_OWN_TEXTS] > 0;
    int i = name || !compared ? EXACT : CHRF;
    for (int k = 0; name && k < CHOICES; k++)
        if (strcmp(choices[k].name, name) == 0) i = k;
    return &choices[found && !compared && choices[i].texts ? SYMBOL : i];
}

double lb_criterion_value(const lb_criterion *choice, const lb_evaluation *found)
{
    const void *place = (const char *)found + choice->at;
    return choice->scale * *(const double *)place;
}
