/* What the best model of a training is chosen by: a row for each choice of the setting. */
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

/* By the choices of the setting. */
static const struct choice {
    const char *name;
    lb_is_better_fn is_better;
    bool texts; /* are compared */
} choices[] = {
    {"exact", lb_evaluation_is_better, false}, {"symbol", is_better_by_symbol, false},
    {"loss", is_better_by_loss, false},        {"bleu", is_better_by_bleu, true},
    {"chrf", is_better_by_chrf, true},
};

static const struct choice *choice_of(const lb_training_config *config)
{
    for (size_t i = 0; i < sizeof choices / sizeof *choices && config->choose; i++)
        if (strcmp(choices[i].name, config->choose) == 0) return &choices[i];
    return choices;
}

lb_is_better_fn lb_config_is_better(const lb_training_config *config)
{
    return choice_of(config)->is_better;
}

bool lb_config_compares_texts(const lb_training_config *config)
{
    return choice_of(config)->texts;
}
