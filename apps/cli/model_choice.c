#include "cli/model_choice.h"

#include "cli/option.h"

enum { SEQ2SEQ };

const char *const app_models[] = {[SEQ2SEQ] = "seq2seq", "transformer", NULL};

const char *const app_directions[] = {"forward", "backward", NULL};

/* Luong, Pham and Manning 2015 define three scores; the one with a matrix is often called by Luong's name. */
const app_alias app_attention_aliases[] = {
    {"bahdanau", LB_ATTENTION_ADDITIVE}, {"luong", LB_ATTENTION_GENERAL}, {NULL, 0}};

lb_status app_choose_model(const app_model_choice *choice, const app_model_choice *usual,
                           lb_training_config *config, lb_error *error)
{
    bool seq2seq = choice->model == SEQ2SEQ;
    bool of_seq2seq = choice->embed != usual->embed || choice->attention != usual->attention ||
                      choice->bidirectional != usual->bidirectional;
    if (!seq2seq && of_seq2seq)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "--embed, --bidirectional and --attention are options of --model %s, not of %s",
                            app_models[SEQ2SEQ], app_models[choice->model]);
    if (!seq2seq && choice->cell)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--cell is an option of --model %s, not of %s",
                            app_models[SEQ2SEQ], app_models[choice->model]);
    if (seq2seq && (choice->positions || choice->kv_heads || choice->softcap > 0))
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "--positions, --kv-heads and --softcap are options of --model transformer, not of %s",
            app_models[SEQ2SEQ]);
    config->model = app_models[choice->model];
    config->direction = app_directions[choice->direction];
    config->cell = (lb_cell_kind)choice->cell;
    config->copy = choice->copy;
    config->positions = (lb_positional_kind)choice->positions;
    config->kv_heads = choice->kv_heads;
    config->softcap = choice->softcap;
    config->window = choice->window;
    config->embed = seq2seq ? choice->embed : 0;
    config->attention = seq2seq ? (lb_attention_kind)choice->attention : LB_ATTENTION_ADDITIVE;
    config->loss = (lb_normalizer)choice->loss;
    config->attention_weights = (lb_normalizer)choice->attention_weights;
    config->one_direction = seq2seq && !choice->bidirectional;
    return LB_OK;
}

void app_leave_model_open(const app_model_choice *choice, lb_training_config *config)
{
    if (!config->from) return;
    if (!app_option_was_set(&choice->model)) config->model = NULL;
    if (!app_option_was_set(&choice->direction)) config->direction = NULL;
    if (!app_option_was_set(&choice->embed)) config->embed = 0;
    if (!app_option_was_set(&choice->bidirectional)) config->one_direction = false;
    if (!app_option_was_set(&config->hidden)) config->hidden = 0;
    if (!app_option_was_set(&config->heads)) config->heads = 0;
}
