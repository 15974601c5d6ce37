/* Refuses configurations of a training that cannot be, with the name of the setting. */
#include "translate/plan/recipe.h"

#include "data/pairs/pairs.h"
#include "settings/settings.h"

#include <string.h>

/* The mixture needs soft attention, and a vocabulary by softmax. */
static lb_status check_copy(const lb_training_config *c, lb_error *error)
{
    const bool weights = c->attention != LB_ATTENTION_NONE && c->attention != LB_ATTENTION_HARD &&
                         c->attention != LB_ATTENTION_MONOTONIC && c->attention != LB_ATTENTION_MONOTONIC_1;
    const char *expected = !weights                               ? "a soft one"
                           : c->attention == LB_ATTENTION_LOCAL_P ? "one whose weights sum to 1"
                                                                  : NULL;
    if (c->copy && expected)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "copy: found the attention %s, expected %s",
                            lb_attention_names[c->attention], expected);
    if (c->copy && c->loss != LB_SOFTMAX)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "copy: found the loss %s, expected %s",
                            lb_loss_names[c->loss], lb_loss_names[LB_SOFTMAX]);
    return LB_OK;
}

/* Without pairs to judge by, no weights are better than others. */
static lb_status check_hold_out(const lb_training_config *c, lb_error *error)
{
    if (!c->no_hold_out) return LB_OK;
    if (c->sort || c->dev || lb_pair_texts_given(&c->dev_pairs))
        return lb_error_set(error, LB_ERROR_ARGUMENT, "no_hold_out: found %s, of which nothing is held out",
                            c->sort ? "lists" : "pairs for development");
    if (c->patience > 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "patience: expected none, since no_hold_out leaves no pairs to judge by");
    return LB_OK;
}

int lb_config_test(const lb_training_config *c, const char *name)
{
    for (int i = 0; name && i < LB_MOST_TESTS && *c->test[i].name; i++)
        if (strcmp(c->test[i].name, name) == 0) return i;
    return -1;
}

static lb_status check_tests(const lb_training_config *c, lb_error *error)
{
    if (c->sort && c->choose_on)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "choose_on: found lists, expected pairs of texts");
    for (int i = 0; i < LB_MOST_TESTS && *c->test[i].name; i++)
        if (lb_config_test(c, c->test[i].name) < i ||
            !c->test[i].file == !lb_pair_texts_given(&c->test[i].pairs))
            return lb_error_set(
                error, LB_ERROR_ARGUMENT,
                "test %s: expected one test of this name, with a file or with pairs in memory",
                c->test[i].name);
    if (c->choose_on && lb_config_test(c, c->choose_on) < 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "choose_on: found \"%.40s\", expected the name of a test", c->choose_on);
    if (c->choose_on && c->no_hold_out)
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "choose_on and no_hold_out, which keeps the last weights: expected only one of them");
    return LB_OK;
}

static lb_status check_choice(const lb_training_config *c, lb_error *error)
{
    const lb_criterion *choice = lb_criterion_find(c->choose, NULL);
    if (choice->is_better == lb_evaluation_is_better || !(c->sort || c->no_hold_out || c->choose_on))
        return LB_OK;
    if (c->sort || c->no_hold_out)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "choose: found %s, expected pairs to choose by",
                            c->sort ? "lists" : "no_hold_out, which keeps the last weights");
    if (!choice->texts) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "choose_on: found choose %s, expected exact, symbol or loss", c->choose);
}

/* Pairs and lists, subwords, and the lexicon. */
static lb_status check_data(const lb_training_config *c, lb_error *error)
{
    const bool pairs = lb_pair_texts_given(&c->pairs), dev = lb_pair_texts_given(&c->dev_pairs),
               lexicon = lb_training_has_lexicon(c),
               separated = (c->source_separator && *c->source_separator) ||
                           (c->target_separator && *c->target_separator),
               graphemes = c->symbols && strcmp(c->symbols, lb_symbol_kind_names[true]) == 0,
               folds = c->lexicon_case && strcmp(c->lexicon_case, "fold") == 0;
    const struct {
        bool found;
        const char *message;
    } wrong[] = {
        {c->sort && (c->train || c->dev || pairs || dev || c->epochs),
         "sort: found files, pairs or epochs, expected none: lists are random"},
        {c->train && pairs, "pairs: found a file, and pairs in memory, expected only one"},
        {c->dev && dev, "dev_pairs: found a file, and pairs in memory, expected only one"},
        {c->subwords > 0 && separated,
         "subwords: found separators, expected none: words are found by spaces"},
        {c->subwords > 0 && graphemes, "subwords: found graphemes, expected characters to begin with"},
        {c->sort && c->hallucinate > 0, "hallucinate: found lists, expected pairs of texts"},
        {(c->steps > 0) + (c->epochs > 0) + (c->minutes > 0) > 1,
         "found two of steps, epochs and minutes, expected only one of them"},
        {c->sort && lexicon, "lexicon: found lists, expected pairs of texts"},
        {c->lexicon && lb_pair_texts_given(&c->lexicon_pairs),
         "lexicon: found a file, and pairs in memory, expected only one"},
        {folds && !lexicon, "lexicon_case: found no lexicon, expected one (lexicon, lexicon_from_train)"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (wrong[i].found) return lb_error_set(error, LB_ERROR_ARGUMENT, "%s", wrong[i].message);
    return LB_OK;
}

/* Some kinds of attention have a window, as a transformer does. */
static lb_status check_attention(const lb_training_config *c, lb_error *error)
{
    if (strcmp(c->model, LB_MODEL_SEQ2SEQ) != 0) return LB_OK;
    if (c->window && !lb_attention_has_window(c->attention))
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "window is an option of a transformer and of local-m, local-p and location "
                            "attention, not of %s",
                            lb_attention_names[c->attention]);
    bool dot = c->attention == LB_ATTENTION_DOT || c->attention == LB_ATTENTION_SCALED_DOT;
    if (dot && !c->one_direction)
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "attention: %s needs encoder states as wide as those of the decoder, found twice the width, from "
            "two directions; expected one_direction (--no-bidirectional) or the attention %s",
            lb_attention_names[c->attention], lb_attention_names[LB_ATTENTION_GENERAL]);
    return LB_OK;
}

static lb_status check_features(const lb_training_config *c, lb_error *error)
{
    bool features = c->features_separator ? *c->features_separator != '\0' : c->features_column > 0;
    if (strcmp(c->model, LB_MODEL_TRANSFORMER) != 0 || !c->feature_positions || features) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "feature_positions: the sources have no features (features_column)");
}

bool lb_training_has_lexicon(const lb_training_config *c)
{
    return c->lexicon || lb_pair_texts_given(&c->lexicon_pairs) || c->lexicon_from_train;
}

lb_status lb_config_check(lb_training_config *c, lb_error *error)
{
    static const lb_training_config none = {0};
    lb_status status = lb_settings_check(c, error);
    if (!status) status = lb_tape_set_precision(NULL, c->precision, error);
    if (!status) status = check_choice(c, error);
    if (!status) status = check_data(c, error);
    if (!status) status = lb_settings_fit_kind(c, &none, false, error);
    if (!status) status = check_attention(c, error);
    if (!status) status = check_features(c, error);
    if (!status) status = check_copy(c, error);
    if (!status) status = check_tests(c, error);
    return status ? status : check_hold_out(c, error);
}
