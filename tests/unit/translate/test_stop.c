/* Translations that are asked to stop, and how many steps a search takes. A stop that only counts is how the tests see
 * the steps. It takes seconds. */
#include "lookback/translate.h"
#include "models/built_in.h"
#include "support/alloc.h"
#include "support/gather.h"
#include "support/pair_model.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/file/text_model.h"

enum {
    LIMIT = 12,
    TEXTS = 3,
    MEMBERS = 2,
    VOTE = -1,
    TOGETHER = -2,
    TRANSFORMER = -3,
    MOST_BYTES = 10000000
};

static const char *const letters[] = {"a", "b", "c", "d"}, *const texts[TEXTS] = {"ab", "dcba", "c"};
static lb_error error;
static const char *path;

typedef struct counter {
    int64_t asked, stop_at; /* 0: never */
} counter;

static bool count_step(void *context)
{
    counter *c = context;
    return ++c->asked == c->stop_at;
}

/* A model that writes until its limit: an end is never likely. */
static lb_model *make_single(lb_params *params, int64_t symbols, int kind)
{
    lb_seq2seq *gru = lb_params_alloc(params, sizeof *gru);
    lb_transformer *transformer = lb_params_alloc(params, sizeof *transformer);
    lb_seq2seq_config config = {.source_vocab = symbols,
                                .target_vocab = symbols,
                                .embed = 4,
                                .hidden = 4,
                                .attention = LB_ATTENTION_DOT};
    lb_transformer_config other = {.source_vocab = symbols, .target_vocab = symbols, .width = 8, .heads = 2};
    if (kind > 0) config.attention = (lb_attention_kind)kind;
    ck_assert_int_eq(kind == TRANSFORMER ? lb_transformer_init(transformer, params, "", other)
                                         : lb_seq2seq_init(gru, params, "", config),
                     LB_OK);
    lb_params_find(params, "output.bias")->data[LB_EOS] = -1000;
    return kind == TRANSFORMER ? &transformer->base : &gru->base;
}

/* Members of one direction decode together, those of two directions vote. */
static lb_model *make_several(lb_params *params, int64_t symbols, int kind)
{
    lb_params *stores[MEMBERS];
    lb_model *members[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) {
        stores[i] = lb_params_new((uint64_t)i + 2);
        members[i] = make_single(stores[i], symbols, LB_ATTENTION_ADDITIVE);
        members[i]->from_end = kind == VOTE && i > 0;
    }
    lb_ensemble *all = support_gather(params, (const lb_model *const *)members,
                                      (const lb_params *const *)stores, MEMBERS, NULL, &error);
    ck_assert_msg(all, "%s", error.message);
    for (int i = 0; i < MEMBERS; i++) lb_params_free(stores[i]);
    return &all->base;
}

static lb_translator *open_endless(int kind)
{
    lb_text_model made = {.params = lb_params_new(1), .source = lb_vocabulary_new_reserved(&error)};
    made.target = made.source;
    error = (lb_error){0};
    ck_assert_int_eq(lb_vocabulary_add(made.source, letters, 4, &error), LB_OK);
    int64_t symbols = lb_vocabulary_size(made.source);
    made.model = kind == VOTE || kind == TOGETHER ? make_several(made.params, symbols, kind)
                                                  : make_single(made.params, symbols, kind);
    ck_assert_msg(!lb_text_model_save(path = support_path("model"), &made, &error), "%s", error.message);
    lb_text_model_free(&made);
    lb_translator *translator = lb_translator_open(path, &error);
    ck_assert_msg(translator, "%s", error.message);
    return translator;
}

static const int kinds[] = {LB_ATTENTION_ADDITIVE,
                            LB_ATTENTION_HARD,
                            LB_ATTENTION_MONOTONIC,
                            LB_ATTENTION_LOCATION,
                            TRANSFORMER,
                            TOGETHER,
                            VOTE};
static const lb_translate_config searches[] = {{.beam = 1, .limit = LIMIT},
                                               {.beam = 3, .limit = LIMIT},
                                               {.n_best = 3, .limit = LIMIT, .attention = true},
                                               {.sample = true, .n_best = 2, .limit = LIMIT}};

/* How many steps a search takes; `stop_at` as in a counter. */
static int64_t steps_of(const lb_translator *translator, lb_translate_config config, int64_t stop_at,
                        lb_translations **found)
{
    counter c = {.stop_at = stop_at};
    config.stop = count_step;
    config.context = &c;
    error = (lb_error){0};
    *found = lb_translate_all(translator, texts, TEXTS, config, &error);
    return c.asked;
}

static void expect_stops(int kind)
{
    lb_translator *translator = open_endless(kind);
    for (size_t i = 0; SUPPORT_ROW(i, searches); i++) {
        if (kind == VOTE && searches[i].sample) continue;
        lb_translations *found;
        int64_t all = kind == VOTE ? 2 * LIMIT : LIMIT;
        for (int64_t at = 1; at <= all; at += 5) {
            ck_assert_int_eq(steps_of(translator, searches[i], at, &found), at);
            ck_assert_ptr_null(found);
            ck_assert_int_eq(error.status, LB_ERROR_INTERRUPTED);
        }
        ck_assert_int_eq(steps_of(translator, searches[i], 0, &found), all);
        lb_translations *usual = lb_translate_all(translator, texts, TEXTS, searches[i], &error);
        ck_assert_msg(found && usual, "%s", error.message);
        for (int t = 0; t < TEXTS; t++)
            ck_assert_str_eq(found->text[t].output->text, usual->text[t].output->text);
        lb_translations_free(found);
        lb_translations_free(usual);
    }
    lb_translator_close(translator);
}

START_TEST(test_translate_all_each_kind_stops_between_two_steps_of_each_search)
{
    for (size_t i = 0; SUPPORT_ROW(i, kinds); i++) expect_stops(kinds[i]);
}
END_TEST

/* Texts of different limits are decoded one after the other, and each of them can be stopped. */
START_TEST(test_translate_all_a_later_batch_is_stopped_too)
{
    lb_translator *translator = open_endless(LB_ATTENTION_ADDITIVE);
    lb_translations *found;
    int64_t all = steps_of(translator, (lb_translate_config){0}, 0, &found);
    lb_translations_free(found);
    ck_assert_int_gt(all, 16); /* the limit of "dcba" alone */
    ck_assert_int_eq(steps_of(translator, (lb_translate_config){0}, all, &found), all);
    ck_assert_ptr_null(found);
    ck_assert_int_eq(error.status, LB_ERROR_INTERRUPTED);
    lb_translator_close(translator);
}
END_TEST

/* Once it has an output, a search does not wait for others beyond its horizon. */
START_TEST(test_translate_all_a_large_limit_takes_no_more_steps_for_the_same_outputs)
{
    static const int trained[] = {600, 60, 0};
    for (size_t i = 0; SUPPORT_ROW(i, trained); i++) {
        path = support_train_pair_model("pair", trained[i], LB_ATTENTION_ADDITIVE);
        lb_translator *translator = lb_translator_open(path, &error);
        ck_assert_msg(translator, "%s", error.message);
        lb_translations *found[2];
        int64_t usual = steps_of(translator, (lb_translate_config){.limit = 1000}, 0, &found[0]);
        int64_t most = steps_of(translator, (lb_translate_config){.limit = LB_MOST_LIMIT}, 0, &found[1]);
        ck_assert_msg(most == usual, "%d steps of training: %lld and %lld steps", trained[i],
                      (long long)usual, (long long)most);
        for (int t = 0; t < TEXTS; t++)
            ck_assert_str_eq(found[0]->text[t].output->text, found[1]->text[t].output->text);
        for (int f = 0; f < 2; f++) lb_translations_free(found[f]);
        lb_translator_close(translator);
    }
}
END_TEST

START_TEST(test_beam_search_with_a_near_horizon_waits_for_outputs_of_twice_the_source)
{
    enum { SOURCE = 2, NEAR = 2 * SOURCE + 8 };
    path = support_train_pair_model("pair", 0, LB_ATTENTION_ADDITIVE);
    lb_translator *translator = lb_translator_open(path, &error);
    counter steps[2] = {{0}};
    for (int near = 0; near < 2; near++) {
        lb_tape *tape = lb_tape_new();
        int32_t *id, *lengths;
        lb_tokens source = lb_tokens_new(tape, 1, SOURCE, &id, &lengths);
        lengths[0] = SOURCE;
        id[0] = id[1] = LB_FIRST_TOKEN;
        lb_beam_config config = {
            .beam = 3, .limit = 1000, .near_horizon = near, .stop = count_step, .context = &steps[near]};
        lb_beam found = lb_beam_search(lb_translator_about(translator).model, source, config);
        ck_assert_msg(found.batch == 1 && found.hypothesis->finished, "%s", lb_tape_error(tape));
        lb_tape_free(tape);
    }
    ck_assert_int_le(steps[1].asked, NEAR + 1);
    ck_assert_int_gt(steps[0].asked, NEAR + 1);
    lb_translator_close(translator);
}
END_TEST

/* Memory grows with what is written. */
START_TEST(test_greedy_a_large_limit_takes_no_more_memory_for_the_same_output)
{
    path = support_train_pair_model("pair", 600, LB_ATTENTION_ADDITIVE);
    support_watch_allocations();
    lb_translator *translator = lb_translator_open(path, &error);
    lb_tape *tape = lb_tape_new();
    int32_t *id, *lengths;
    lb_tokens source = lb_tokens_new(tape, 1, 2, &id, &lengths);
    lengths[0] = 2;
    id[0] = id[1] = LB_FIRST_TOKEN;
    lb_decoded found = lb_greedy(lb_translator_about(translator).model, source, 1 << 30);
    ck_assert_msg(found.batch == 1 && found.finished[0], "%s", lb_tape_error(tape));
    ck_assert_int_eq(found.length, 3);
    ck_assert_uint_lt(support_allocated_bytes(), MOST_BYTES);
    lb_tape_free(tape);
    lb_translator_close(translator);
}
END_TEST
