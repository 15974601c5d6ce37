#include "translate/training/config_check.h"

#include "base/plural.h"
#include "data/pairs.h"
#include "models/attention/decoder_attention.h"

#include <string.h>

static lb_status check_counts(const lb_training_config *c, lb_error *error)
{
    const struct {
        const char *field;
        int value;
    } counts[] = {{"min_count", c->min_count}, {"embed", c->embed},
                  {"hidden", c->hidden},       {"layers", c->layers},
                  {"heads", c->heads},         {"batch", c->batch},
                  {"steps", c->steps},         {"evaluate_every", c->evaluate_every},
                  {"seeds", c->seeds},         {"keep", c->keep},
                  {"epochs", c->epochs},       {"kv_heads", c->kv_heads},
                  {"window", c->window},       {"shards", c->shards}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].value < 0)
            return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: found %d, expected 0 or more", counts[i].field,
                                counts[i].value);
    return LB_OK;
}

/* Before anything is found by one. */
static lb_status check_choices(const lb_training_config *c, lb_error *error)
{
    const struct {
        const char *field;
        int value;
        const char *const *names;
    } choices[] = {{"attention", (int)c->attention, lb_attention_names},
                   {"attention_weights", (int)c->attention_weights, lb_normalizer_names},
                   {"cell", (int)c->cell, lb_cell_names},
                   {"loss", (int)c->loss, lb_loss_names},
                   {"positions", (int)c->positions, lb_positional_names}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        int count = lb_choices(choices[i].names);
        if (choices[i].value < 0 || choices[i].value >= count)
            return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: found %d, expected 0 to %d", choices[i].field,
                                choices[i].value, count - 1);
    }
    return LB_OK;
}

/* Negative numbers mean zero. NaN fails every comparison. */
lb_status lb_config_check_numbers(const lb_training_config *c, lb_error *error)
{
    const struct {
        const char *field;
        double value;
        bool valid;
        const char *expected;
    } numbers[] = {{"dropout", c->dropout, c->dropout < 1, "less than 1"},
                   {"label_smoothing", c->label_smoothing, c->label_smoothing < 1, "less than 1"},
                   {"scheduled_sampling", c->scheduled_sampling, c->scheduled_sampling <= 1, "at most 1"},
                   {"hallucinate", c->hallucinate, c->hallucinate <= 1, "at most 1"},
                   {"average", c->average, c->average < 1, "less than 1"},
                   {"lr", c->lr, c->lr >= 0, "0 or more"},
                   {"minutes", c->minutes, c->minutes >= 0, "0 or more"},
                   {"target", c->target, c->target <= 1, "at most 1"},
                   {"softcap", c->softcap, c->softcap >= 0, "0 or more"}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!numbers[i].valid)
            return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: found %g, expected %s", numbers[i].field,
                                numbers[i].value, numbers[i].expected);
    return LB_OK;
}

/* The mixture needs soft attention, and a vocabulary by softmax. */
static lb_status check_copy(const lb_training_config *c, lb_error *error)
{
    const char *expected = lb_built_in_attentions[c->attention]->copying_needs;
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

static lb_status check_pairs(const lb_training_config *c, lb_error *error)
{
    lb_normal_form form;
    if (!lb_normal_form_find(c->normalize, &form))
        return lb_error_set(error, LB_ERROR_ARGUMENT, "normalize: expected none, nfc or nfd, found \"%.40s\"",
                            c->normalize);
    if (strcmp(c->symbols, lb_symbol_kind_names[false]) != 0 &&
        strcmp(c->symbols, lb_symbol_kind_names[true]) != 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "symbols: expected characters or graphemes, found \"%.40s\"", c->symbols);
    bool pairs = lb_pair_texts_given(&c->pairs), dev = lb_pair_texts_given(&c->dev_pairs);
    if (c->sort && (c->train || c->dev || pairs || dev || c->epochs))
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "sort: found files, pairs or epochs, expected none: lists are random");
    if ((c->train && pairs) || (c->dev && dev))
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "%s: found a file, and pairs in memory, expected only one",
                            c->train && pairs ? "pairs" : "dev_pairs");
    if (c->sort && c->hallucinate > 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "hallucinate: found lists, expected pairs of texts");
    if ((c->steps > 0) + (c->epochs > 0) + (c->minutes > 0) > 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "found two of steps, epochs and minutes, expected only one of them");
    if (strcmp(c->direction, LB_DIRECTION_FORWARD) != 0 && strcmp(c->direction, LB_DIRECTION_BACKWARD) != 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "direction: expected forward or backward, found \"%.40s\"", c->direction);
    return LB_OK;
}

static lb_status check_seq2seq(const lb_training_config *c, lb_error *error)
{
    if (c->positions || c->kv_heads || c->softcap != 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "positions, kv_heads and softcap are options of a transformer, not of a seq2seq");
    if (c->window && lb_built_in_attentions[c->attention]->window == 0)
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

static lb_status check_transformer(const lb_training_config *c, lb_error *error)
{
    if (c->one_direction || c->attention || c->embed)
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "embed, one_direction and attention are options of a seq2seq, not of a transformer");
    if (c->cell)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "cell is an option of a seq2seq, not of a transformer");
    bool features = c->features_separator ? *c->features_separator != '\0' : c->features_column > 0;
    if (c->feature_positions && !features)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "feature_positions: the sources have no features (features_column)");
    return LB_OK;
}

static lb_status check_model(const lb_training_config *c, lb_error *error)
{
    if (strcmp(c->model, LB_MODEL_SEQ2SEQ) == 0) return check_seq2seq(c, error);
    if (strcmp(c->model, LB_MODEL_TRANSFORMER) == 0) return check_transformer(c, error);
    return lb_error_set(error, LB_ERROR_ARGUMENT, "model: expected seq2seq or transformer, found \"%.40s\"",
                        c->model);
}

lb_status lb_config_check(const lb_training_config *c, lb_error *error)
{
    lb_status status = check_choices(c, error);
    if (!status) status = check_pairs(c, error);
    if (!status) status = check_model(c, error);
    if (!status) status = check_counts(c, error);
    if (!status) status = check_copy(c, error);
    if (!status) status = check_hold_out(c, error);
    return status ? status : lb_config_check_numbers(c, error);
}
