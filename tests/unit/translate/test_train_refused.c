/* What a training fills in, and which configurations and files it refuses before it begins. */
#include "support/pair_program.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <string.h>

START_TEST(test_train_impossible_configuration_is_refused)
{
    support_small_files();
    lb_training_config usual = support_small_config("out"), c = usual;
#define REFUSED(field, value, why)                                                                           \
    do {                                                                                                     \
        c = usual;                                                                                           \
        c.field = value;                                                                                     \
        support_small_refused(&c, LB_ERROR_ARGUMENT, why);                                                   \
    } while (0)
    REFUSED(train, NULL, "expected pairs to train on: a file, or texts in memory");
    REFUSED(out, NULL, "expected a folder to write to");
    REFUSED(normalize, "nfkc", "normalize: expected none, nfc or nfd, found \"nfkc\"");
    REFUSED(model, "rnn", "model: expected seq2seq or transformer, found \"rnn\"");
    REFUSED(model, "transformer", "embed, one_direction and attention are options of a seq2seq");
    REFUSED(attention, LB_ATTENTION_SCALED_DOT,
            "attention: scaled-dot needs encoder states as wide as those of the decoder");
    REFUSED(epochs, 3, "found two of steps, epochs and minutes, expected only one of them");
    REFUSED(dropout, 1, "dropout: found 1, expected less than 1");
    REFUSED(average, 1, "average: found 1, expected less than 1");
    REFUSED(lr, -1, "lr: found -1, expected 0 or more");
    REFUSED(hidden, -5, "hidden: found -5, expected 0 or more");
    REFUSED(attention, (lb_attention_kind)13, "attention: found 13, expected 0 to 12");
    REFUSED(attention, (lb_attention_kind)-1, "attention: found -1, expected 0 to 12");
    REFUSED(attention_weights, (lb_normalizer)3, "attention_weights: found 3, expected 0 to 2");
    REFUSED(cell, (lb_cell_kind)2, "cell: found 2, expected 0 to 1");
    REFUSED(loss, (lb_normalizer)3, "loss: found 3, expected 0 to 2");
    REFUSED(positions, (lb_positional_kind)8, "positions: found 8, expected 0 to 7");
    REFUSED(target_separator, "\t", "separator");
    ck_assert_int_eq(lb_translator_train(c, NULL, NULL), LB_ERROR_ARGUMENT);
    ck_assert(!support_exists("out"));
}
END_TEST

START_TEST(test_train_bad_file_is_an_error_with_file_and_line)
{
    support_small_files();
    lb_training_config config = support_small_config("out");
    support_write_text("bad.tsv", "a\tA\nb\n");
    config.dev = support_path("bad.tsv");
    support_small_refused(&config, LB_ERROR_FORMAT, "bad.tsv:2: found 1 column, expected 2");
    config.dev = support_path("none.tsv");
    support_small_refused(&config, LB_ERROR_OPEN, "none.tsv: cannot read: No such file");
    config = support_small_config("out");
    config.min_count = 999;
    support_small_refused(&config, LB_ERROR_FORMAT, "no symbol of the sources occurs 999 times");
    config = support_small_config("train.tsv/out");
    support_small_refused(&config, LB_ERROR_WRITE, "cannot write to ");
    config = support_small_config("out");
    config.steps = 2;
    support_small_train(&config);
    config.lr = 0.01;
    support_small_refused(&config, LB_ERROR_FORMAT,
                          "checkpoint.safetensors: it was trained with lr 0.02, this run has lr 0.01");
    config.fresh = true;
    support_small_train(&config);
}
END_TEST

START_TEST(test_train_config_settle_fills_in_the_recipe_and_keeps_the_rest)
{
    lb_training_config config = {.hidden = 7, .dropout = -1}, twice, other = {.model = "transformer"};
    ck_assert_int_eq(lb_training_config_settle(&config, NULL), LB_OK);
    ck_assert(config.hidden == 7 && config.embed == 0 && config.layers == 0 && config.warm_up == 200);
    ck_assert(config.dropout < 0 && config.lr == 2e-3 && config.min_count == 1 && config.heads == 4);
    ck_assert(config.evaluate_every == 250 && config.seeds == 1 && config.film == 2);
    ck_assert_str_eq(config.model, "seq2seq");
    ck_assert_str_eq(config.direction, "forward");
    ck_assert_str_eq(config.normalize, "nfd");
    twice = config;
    ck_assert_int_eq(lb_training_config_settle(&twice, NULL), LB_OK);
    ck_assert_mem_eq(&twice, &config, sizeof config);
    ck_assert_int_eq(lb_training_config_settle(&other, NULL), LB_OK);
    ck_assert(other.hidden == 0 && other.layers == 0 && other.lr == 1e-3 && other.dropout == 0);
    ck_assert(config.average == 0.998 && other.average == 0.998);
}
END_TEST
