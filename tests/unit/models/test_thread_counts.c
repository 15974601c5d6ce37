/* The weights after training are the same to the last bit, whatever the number of threads. It takes seconds. */
#include "lookback/models.h"
#include "support/sorting.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

/* Lists and a batch so large that every kernel has several tiles and products are divided, too. */
static const lb_sort_task task = {.max_value = 30, .min_length = 3, .max_length = 7, .seed = 3};

static void compare_over_threads(support_sorter sorter, int64_t batch, int steps)
{
    lb_real *first = NULL;
    size_t bytes = 0;
    /* 6 and 16 are more than there are tiles of rows: then the columns of a step are divided, too. */
    static const int counts[] = {1, 2, 3, 6, 16};
    for (size_t i = 0; SUPPORT_ROW(i, counts); i++) {
        int threads = counts[i];
        lb_set_threads(threads);
        support_sorting s;
        ck_assert_int_eq(support_sorting_open(&s, task, sorter), LB_OK);
        bytes = (size_t)lb_params_size(s.params) * sizeof *first;
        lb_real *before = malloc(bytes);
        memcpy(before, lb_params_values(s.params), bytes);
        for (int step = 0; step < steps; step++)
            ck_assert_msg(support_sorting_step(&s, batch, step, NULL) == LB_OK, "%s", lb_tape_error(s.tape));
        ck_assert_mem_ne(before, lb_params_values(s.params), bytes);
        free(before);
        if (threads == 1) {
            first = malloc(bytes);
            memcpy(first, lb_params_values(s.params), bytes);
        } else {
            ck_assert_msg(memcmp(first, lb_params_values(s.params), bytes) == 0, "%d threads give other bits",
                          threads);
        }
        support_sorting_close(&s);
    }
    free(first);
}

START_TEST(test_training_one_layer_gives_the_same_bits_on_any_number_of_threads)
{
    compare_over_threads((support_sorter){.seq2seq = {.embed = 24, .hidden = 48}}, 64, 20);
}
END_TEST

START_TEST(test_training_wide_layers_gives_the_same_bits_on_any_number_of_threads)
{
    lb_seq2seq_config config = {.embed = 17, .hidden = 101};
    compare_over_threads((support_sorter){.seq2seq = config}, 61, 4);
    config.cell = LB_CELL_LSTM;
    compare_over_threads((support_sorter){.seq2seq = config}, 61, 4);
}
END_TEST

START_TEST(test_training_two_bidirectional_layers_with_dropout_gives_the_same_bits_on_any_number_of_threads)
{
    lb_seq2seq_config config = {
        .embed = 17, .hidden = 33, .layers = 2, .bidirectional = true, .dropout = (lb_real)0.1};
    compare_over_threads((support_sorter){.seq2seq = config}, 37, 20);
}
END_TEST

START_TEST(test_training_lstms_gives_the_same_bits_on_any_number_of_threads)
{
    lb_seq2seq_config config = {
        .embed = 17, .hidden = 33, .layers = 2, .bidirectional = true, .cell = LB_CELL_LSTM};
    compare_over_threads((support_sorter){.seq2seq = config}, 61, 10);
}
END_TEST

START_TEST(test_training_transformer_with_biases_and_shared_keys_gives_the_same_bits_on_any_number_of_threads)
{
    lb_transformer_config config = {.width = 36,
                                    .heads = 6,
                                    .positions = LB_POSITIONAL_RELATIVE,
                                    .kv_heads = 2,
                                    .softcap = 5,
                                    .dropout = (lb_real)0.1};
    compare_over_threads((support_sorter){.transformer = config}, 61, 10);
}
END_TEST

START_TEST(test_training_positions_for_longer_sequences_gives_the_same_bits_on_any_number_of_threads)
{
    for (int kind = LB_POSITIONAL_FIRE; kind <= LB_POSITIONAL_RANDOM; kind++) {
        lb_transformer_config config = {
            .width = 36, .heads = 3, .positions = (lb_positional_kind)kind, .dropout = (lb_real)0.1};
        compare_over_threads((support_sorter){.transformer = config}, 61, 10);
    }
}
END_TEST

START_TEST(test_training_hard_attention_gives_the_same_bits_on_any_number_of_threads)
{
    for (int kind = LB_ATTENTION_HARD; kind <= LB_ATTENTION_MONOTONIC_1; kind++) {
        lb_seq2seq_config config = {.embed = 17, .hidden = 33, .attention = (lb_attention_kind)kind};
        config.bidirectional = true;
        config.dropout = (lb_real)0.1;
        compare_over_threads((support_sorter){.seq2seq = config}, 37, 10);
    }
}
END_TEST

START_TEST(test_training_attention_with_a_past_or_a_window_gives_the_same_bits_on_any_number_of_threads)
{
    for (int kind = LB_ATTENTION_LOCAL_M; kind <= LB_ATTENTION_LOCATION; kind++) {
        lb_seq2seq_config config = {.embed = 17, .hidden = 33, .attention = (lb_attention_kind)kind};
        config.bidirectional = true;
        config.dropout = (lb_real)0.1;
        compare_over_threads((support_sorter){.seq2seq = config}, 61, 10);
    }
}
END_TEST

START_TEST(test_training_models_that_copy_gives_the_same_bits_on_any_number_of_threads)
{
    lb_seq2seq_config seq2seq = {.embed = 17, .hidden = 33, .dropout = (lb_real)0.1, .copy = true};
    compare_over_threads((support_sorter){.seq2seq = seq2seq}, 64, 20);
    lb_transformer_config transformer = {.width = 36, .heads = 3, .dropout = (lb_real)0.1, .copy = true};
    compare_over_threads((support_sorter){.transformer = transformer}, 61, 20);
}
END_TEST

START_TEST(test_training_transformer_gives_the_same_bits_on_any_number_of_threads)
{
    lb_transformer_config config = {.width = 36, .heads = 3, .dropout = (lb_real)0.1};
    compare_over_threads((support_sorter){.transformer = config}, 61, 20);
}
END_TEST

START_TEST(test_training_with_sparse_attention_gives_the_same_bits_on_any_number_of_threads)
{
    lb_seq2seq_config seq2seq = {.embed = 17, .hidden = 33, .attention_weights = LB_ENTMAX};
    compare_over_threads((support_sorter){.seq2seq = seq2seq}, 64, 20);
    lb_transformer_config transformer = {.width = 36, .heads = 3, .attention_weights = LB_SPARSEMAX};
    compare_over_threads((support_sorter){.transformer = transformer}, 61, 20);
}
END_TEST
