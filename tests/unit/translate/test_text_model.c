/* Saving a model with vocabularies and rules and loading it again; other files are rejected with a reason. */
#include "translate/file/text_model.h"

#include "lookback/translate.h"
#include "models/built_in.h"
#include "support/alloc.h"
#include "support/gather.h"
#include "support/own_kinds.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const letters[] = {"a", "b", "\"", "<eos>", "\xc3\xa9", "\r"};
static const char *const sounds[] = {"\xc9\x91\xcc\x83", "b", "t\xca\x83"};
enum { LETTERS = 6, SOUNDS = 3, SOURCE_IDS = LETTERS + LB_FIRST_TOKEN, TARGET_IDS = SOUNDS + LB_FIRST_TOKEN };

static const char *path;
static lb_error error;

static lb_vocabulary *vocabulary_of(const char *const *symbols, int64_t count)
{
    lb_vocabulary *vocabulary = lb_vocabulary_new_reserved(&error);
    ck_assert_int_eq(lb_vocabulary_add(vocabulary, symbols, count, &error), LB_OK);
    return vocabulary;
}

static lb_model *add_seq2seq(lb_params *params, int64_t source, int64_t target)
{
    lb_seq2seq *model = lb_params_alloc(params, sizeof *model);
    lb_seq2seq_config config = {.source_vocab = source, .target_vocab = target, .embed = 5, .hidden = 6};
    ck_assert_int_eq(lb_seq2seq_init(model, params, "", config), LB_OK);
    return &model->base;
}

/* As after a training. */
static lb_text_model make_model(void)
{
    lb_text_model made = {.params = lb_params_new(3),
                          .source = vocabulary_of(letters, LETTERS),
                          .target = vocabulary_of(sounds, SOUNDS),
                          .source_rule = {.normalize = LB_NORMAL_FORM_NFC},
                          .target_rule = {.separator = " ", .normalize = LB_NORMAL_FORM_NFD},
                          .columns = {.source = 3, .target = 1},
                          .shortest_source = 2,
                          .longest_source = 9,
                          .longest_target = 12,
                          .training = "{\"steps\":7}"};
    made.model = add_seq2seq(made.params, SOURCE_IDS, TARGET_IDS);
    made.familiar = (lb_familiar){vocabulary_of(NULL, 0), -0.5};
    ck_assert_int_eq(lb_familiar_look(&made.familiar, "ab", NULL, &error), LB_OK);
    return made;
}

/* The result of loading the file at `path`. */
static lb_status load(lb_text_model *loaded)
{
    error = (lb_error){0};
    lb_safetensors *file = lb_safetensors_open(path, &error);
    lb_status status = file ? lb_text_model_load(file, NULL, loaded, &error) : error.status;
    lb_safetensors_close(file);
    ck_assert_int_eq(status, error.status);
    return status;
}

static void expect_same_symbols(const lb_vocabulary *one, const lb_vocabulary *other)
{
    ck_assert_int_eq(lb_vocabulary_size(one), lb_vocabulary_size(other));
    for (int32_t id = 0; id < lb_vocabulary_size(one); id++) {
        const char *symbol = lb_vocabulary_symbol(one, id);
        ck_assert_str_eq(symbol, lb_vocabulary_symbol(other, id));
        ck_assert_int_eq(lb_vocabulary_id(one, symbol), lb_vocabulary_id(other, symbol));
    }
}

static void expect_same_logits(const lb_model *one, const lb_model *other)
{
    static const int32_t source[] = {4, 9, 5}, target[] = {LB_BOS, 4, 6}, lengths[] = {3};
    lb_tape *tape = lb_tape_new();
    lb_tokens in = {tape, 1, 3, source, lengths}, out = {tape, 1, 3, target, lengths};
    const lb_tensor *a = lb_model_forward(one, in, out), *b = lb_model_forward(other, in, out);
    ck_assert_msg(lb_tape_status(tape) == LB_OK, "%s", lb_tape_error(tape));
    ck_assert_mem_eq(a->data, b->data, (size_t)lb_count(a) * sizeof *a->data);
    lb_tape_free(tape);
}

/* Others who read the file learn which symbols an output can have. */
static void expect_written(void)
{
    lb_safetensors *file = lb_safetensors_open(path, &error);
    const char *task = file ? lb_safetensors_metadata_value(file, "lookback.task") : NULL;
    ck_assert_msg(task && strstr(task, ",\"first_written\":2}"), "%s", task ? task : error.message);
    lb_safetensors_close(file);
}

static void expect_round_trip(lb_text_model *made)
{
    lb_text_model loaded = {0};
    ck_assert_msg(lb_text_model_save(path = support_path("model"), made, &error) == LB_OK, "%s",
                  error.message);
    expect_written();
    ck_assert_msg(load(&loaded) == LB_OK && loaded.model, "%s", error.message);
    ck_assert_str_eq(loaded.model->kind->name, made->model->kind->name);
    expect_same_symbols(loaded.source, made->source);
    expect_same_symbols(loaded.target, made->target);
    ck_assert_int_eq(loaded.source == loaded.target, made->source == made->target);
    expect_same_logits(loaded.model, made->model);
    ck_assert_str_eq(loaded.source_rule.separator, made->source_rule.separator ? " " : "");
    ck_assert_str_eq(loaded.target_rule.separator, made->target_rule.separator);
    ck_assert_int_eq(loaded.source_rule.normalize, made->source_rule.normalize);
    ck_assert_int_eq(loaded.target_rule.normalize, made->target_rule.normalize);
    ck_assert_mem_eq(&loaded.columns, &made->columns, sizeof loaded.columns);
    ck_assert_int_eq(loaded.shortest_source, made->shortest_source);
    ck_assert_int_eq(loaded.longest_source, made->longest_source);
    ck_assert_int_eq(loaded.longest_target, made->longest_target);
    ck_assert_int_eq(loaded.familiar.grams != NULL, made->familiar.grams != NULL);
    if (made->familiar.grams) expect_same_symbols(loaded.familiar.grams, made->familiar.grams);
    ck_assert(loaded.familiar.least == made->familiar.least);
    if (made->training)
        ck_assert_str_eq(loaded.training, made->training);
    else
        ck_assert_ptr_null(loaded.training);
    lb_text_model_free(&loaded);
    lb_text_model_free(made);
}

START_TEST(test_text_model_load_gives_what_was_saved)
{
    lb_text_model made = make_model();
    expect_round_trip(&made);
}
END_TEST

START_TEST(test_text_model_load_gives_one_vocabulary_where_one_was_shared)
{
    lb_text_model made = {.params = lb_params_new(3), .source = vocabulary_of(letters, LETTERS)};
    made.target = made.source;
    made.source_rule.separator = made.target_rule.separator = " ";
    made.model = add_seq2seq(made.params, SOURCE_IDS, SOURCE_IDS);
    expect_round_trip(&made);
}
END_TEST

START_TEST(test_text_model_load_gives_the_ensemble_that_was_saved)
{
    lb_text_model made = make_model();
    lb_params *second = lb_params_new(8), *both = lb_params_new(0);
    lb_transformer other;
    lb_transformer_config config = {
        .source_vocab = SOURCE_IDS, .target_vocab = TARGET_IDS, .width = 8, .heads = 2};
    ck_assert_int_eq(lb_transformer_init(&other, second, "", config), LB_OK);
    const lb_model *members[] = {made.model, &other.base};
    const lb_params *stores[] = {made.params, second};
    lb_ensemble *ensemble = support_gather(both, members, stores, 2, NULL, &error);
    ck_assert_msg(ensemble, "%s", error.message);
    lb_params_free(made.params);
    lb_params_free(second);
    made.params = both;
    made.model = &ensemble->base;
    expect_round_trip(&made);
}
END_TEST

START_TEST(test_translator_open_with_takes_a_model_of_a_kind_of_ones_own)
{
    lb_params *params = lb_params_new(3);
    lb_vocabulary *symbols = vocabulary_of(letters, SUPPORT_RELAY_VOCABULARY - LB_FIRST_TOKEN);
    lb_text_model made = {
        .params = params, .model = support_add_relay(params, 6), .source = symbols, .target = symbols};
    ck_assert_int_eq(lb_text_model_save(path = support_path("model"), &made, &error), LB_OK);
    ck_assert_ptr_null(lb_translator_open(path, &error));
    ck_assert_msg(strstr(error.message, support_relay.name) != NULL, "%s", error.message);
    error = (lb_error){0};
    lb_translator *translator = lb_translator_open_with(path, &support_own, &error);
    ck_assert_msg(translator != NULL, "%s", error.message);
    char *output = lb_translate(translator, "ab", &error);
    ck_assert_msg(output != NULL, "%s", error.message);
    lb_release(output);
    lb_translator_close(translator);
    lb_vocabulary_free(symbols);
    lb_params_free(params);
}
END_TEST

START_TEST(test_text_model_save_of_what_does_not_fit_is_an_error)
{
    lb_text_model made = make_model(), swapped = made, torn = made, same = made, away = made, mixed = made;
    swapped.source = made.target;
    swapped.target = made.source;
    ck_assert_int_eq(lb_text_model_save(path = support_path("model"), &swapped, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message,
                     "the vocabularies have 7 and 10 symbols, expected 10 and 7 as in the model");
    torn.target_rule.separator = "\t";
    ck_assert_int_eq(lb_text_model_save(path, &torn, NULL), LB_ERROR_ARGUMENT);
    mixed.target_rule.features = ";";
    lb_error found = {0};
    ck_assert_int_eq(lb_text_model_save(path, &mixed, &found), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(found.message, "found features of targets, expected none");
    same.columns.target = 3;
    ck_assert_int_eq(lb_text_model_save(path, &same, NULL), LB_ERROR_ARGUMENT);
    ck_assert_int_eq(lb_text_model_save("/nowhere/model", &away, NULL), LB_ERROR_WRITE);
    ck_assert_uint_eq(support_file_count(), 0);
    lb_text_model_free(&made);
}
END_TEST

/* Writes a model with these metadata; those that are NULL are left out. */
static void write_model_of(int64_t source_ids, int64_t target_ids, const char *task, const char *source,
                           const char *target)
{
    lb_params *params = lb_params_new(3);
    const lb_model *model = add_seq2seq(params, source_ids, target_ids);
    lb_safetensors_metadata metadata[3];
    size_t count = 0;
    if (task) metadata[count++] = (lb_safetensors_metadata){"lookback.task", task};
    if (source) metadata[count++] = (lb_safetensors_metadata){"lookback.source_vocabulary", source};
    if (target) metadata[count++] = (lb_safetensors_metadata){"lookback.target_vocabulary", target};
    lb_status status =
        lb_model_save(model, params, path = support_path("model"),
                      (lb_checkpoint_extra){.metadata = metadata, .metadata_count = (int64_t)count}, &error);
    ck_assert_msg(status == LB_OK, "%s", error.message);
    lb_params_free(params);
}

static void write_model(const char *task, const char *source, const char *target)
{
    write_model_of(SOURCE_IDS, TARGET_IDS, task, source, target);
}

#define RULE "{\"separator\":\"\",\"normalize\":\"none\"}"
#define TASK "{\"task\":\"pairs\",\"source\":" RULE ",\"target\":" RULE "}"
#define COLUMNS_OF(rule, columns)                                                                            \
    "{\"task\":\"pairs\",\"source\":" rule ",\"target\":" RULE ",\"columns\":" columns "}"
#define COLUMNS(columns) COLUMNS_OF(RULE, columns)
#define FEATURES         "{\"separator\":\"\",\"normalize\":\"none\",\"features\":\";\""
#define SPECIALS         "[\"<pad>\",\"<bos>\",\"<eos>\",\"<unk>\""
#define SOURCE           SPECIALS ",\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]"
#define TARGET           SPECIALS ",\"x\",\"y\",\"z\"]"
#define SORTS            "{\"task\":\"sort\",\"max_number\":9,\"min_length\":2,\"max_length\":4}"

START_TEST(test_text_model_load_of_anything_else_is_refused_with_a_reason)
{
    static const struct {
        const char *task, *source, *target, *error;
    } cases[] = {
        {SORTS, NULL, NULL, "the vocabularies have 14 and 14 symbols, expected 10 and 7 as in the model"},
        {NULL, SOURCE, TARGET,
         "lookback.task is missing from the metadata: the model was saved without its vocabularies; "
         "lb_translator_save saves both"},
        {"pairs", SOURCE, TARGET, "lookback.task is pairs, expected the task \"pairs\" or \"sort\""},
        {"{\"source\":" RULE ",\"target\":" RULE "}", SOURCE, TARGET, "lookback.task: found no \"task\""},
        {"{\"task\":\"pairs\",\"target\":" RULE "}", SOURCE, TARGET, "lookback.task: found no \"source\""},
        {"{\"task\":\"pairs\",\"source\":" RULE "}", SOURCE, TARGET, "lookback.task: found no \"target\""},
        {"{\"task\":\"pairs\",\"source\":" RULE ",\"target\":[]}", SOURCE, TARGET,
         "lookback.task: found no text \"separator\" in \"target\""},
        {"{\"task\":\"pairs\",\"source\":{\"separator\":\"\"}}", SOURCE, TARGET,
         "lookback.task: found no text \"normalize\" in \"source\""},
        {"{\"task\":\"pairs\",\"source\":{\"normalize\":\"nfc\"}}", SOURCE, TARGET,
         "lookback.task: found no text \"separator\" in \"source\""},
        {"{\"task\":\"pairs\",\"source\":{\"separator\":\"\",\"normalize\":\"nfx\"}}", SOURCE, TARGET,
         "lookback.task: \"normalize\" in \"source\": found \"nfx\", expected none, nfc or nfd"},
        {"{\"task\":\"sort\",\"min_length\":2,\"max_length\":4}", NULL, NULL,
         "lookback.task: found no \"max_number\""},
        {"{\"task\":\"sort\",\"max_number\":9,\"max_length\":4}", NULL, NULL,
         "lookback.task: found no \"min_length\""},
        {"{\"task\":\"sort\",\"max_number\":9,\"min_length\":2}", NULL, NULL,
         "lookback.task: found no \"max_length\""},
        {"{\"task\":\"pairs\",\"source\":{\"separator\":\"\\t\",\"normalize\":\"none\"}}", SOURCE, TARGET,
         "invalid symbol separator, expected UTF-8 without tabs and line ends"},
        {"{\"task\":\"pairs\",\"source\":" RULE ",\"target\":" RULE ",\"first_written\":3}", SOURCE, TARGET,
         "lookback.task: \"first_written\": expected 2"},
        {COLUMNS("[1,3]"), SOURCE, TARGET, "lookback.task: \"columns\": expected an object"},
        {COLUMNS("{\"source\":0}"), SOURCE, TARGET,
         "lookback.task: \"source\" in \"columns\": expected 1 to 65536"},
        {COLUMNS("{\"target\":2.5}"), SOURCE, TARGET,
         "lookback.task: \"target\" in \"columns\": expected 1 to 65536"},
        {COLUMNS("{\"target\":1e300}"), SOURCE, TARGET,
         "lookback.task: \"target\" in \"columns\": expected 1 to 65536"},
        {COLUMNS("{\"features\":\"3\"}"), SOURCE, TARGET,
         "lookback.task: \"features\" in \"columns\": expected 1 to 65536"},
        {COLUMNS("{\"source\":2}"), SOURCE, TARGET,
         "lookback.task: \"columns\": source and target cannot both be column 2"},
        {COLUMNS("{\"features\":3}"), SOURCE, TARGET,
         "lookback.task: \"columns\": features in column 3 need a separator, such as \";\""},
        {"{\"task\":\"sort\",\"max_number\":2,\"min_length\":2,\"max_length\":4,\"columns\":{\"source\":1}}",
         NULL, NULL, "lookback.task: \"columns\": expected none, since lists have none"},
        {TASK, NULL, TARGET, "lookback.source_vocabulary is missing from the metadata"},
        {TASK, "{}", TARGET, "lookback.source_vocabulary: not a list of symbols"},
        {TASK, "[\"<pad>\"", TARGET, "lookback.source_vocabulary: not a list of symbols"},
        {TASK, "[\"<pad>\",\"<bos>\"]", TARGET,
         "lookback.source_vocabulary: found 2 symbols, expected at least the 4 special ones"},
        {TASK, SPECIALS "]", TARGET,
         "the vocabularies have 4 and 7 symbols, expected 10 and 7 as in the model"},
        {TASK, "[\"<bos>\"]", TARGET, "lookback.source_vocabulary: symbol 0 is \"<bos>\", expected <pad>"},
        {TASK, SOURCE, SPECIALS ",7]", "lookback.target_vocabulary: symbol 4 is not a string"},
        {TASK, SOURCE, SPECIALS ",\"x\",\"x\"]", "lookback.target_vocabulary: symbol 5, \"x\", occurs twice"},
        {TASK, SOURCE, SPECIALS ",\"\"]", "lookback.target_vocabulary: symbol 4 is empty"},
        {TASK, SOURCE, SPECIALS ",\"\\n\"]",
         "lookback.target_vocabulary: symbol 4 is invalid: it contains a tab or a line end"},
        {TASK, SOURCE, SPECIALS ",\"x\",\"y\",\"\\tz\"]", "found features of targets, expected none"},
        {"{\"task\":\"pairs\",\"source\":" RULE ",\"target\":" FEATURES "}}", SOURCE, TARGET,
         "found features of targets, expected none"},
        {TASK, SOURCE, NULL, "the vocabularies have 10 and 10 symbols, expected 10 and 7 as in the model"},
        {TASK, SOURCE, SOURCE, "lookback.target_vocabulary: found 10 symbols, expected at most 7"},
        {TASK, TARGET, TARGET, "the vocabularies have 7 and 7 symbols, expected 10 and 7 as in the model"},
    };
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        lb_text_model loaded;
        write_model(cases[i].task, cases[i].source, cases[i].target);
        ck_assert_int_eq(load(&loaded), LB_ERROR_FORMAT);
        ck_assert_str_eq(error.message, cases[i].error);
        lb_text_model_free(&loaded);
    }
    lb_text_model loaded;
    write_model(TASK, SPECIALS ",\",\",\"\\\"\",\"\\\\\",\",,\",\"],[\",\"f\"]", TARGET); /* , " \ ,, ],[ f */
    ck_assert_msg(load(&loaded) == LB_OK, "%s", error.message);
    lb_text_model_free(&loaded);
    write_model(TASK, SOURCE, TARGET);
    ck_assert_msg(load(&loaded) == LB_OK, "%s", error.message);
    /* A file from before lengths were stored. */
    ck_assert(loaded.shortest_source == 0 && loaded.longest_source == 0);
    ck_assert(loaded.columns.source == 0 && loaded.columns.target == 0 && loaded.columns.features == 0);
    lb_text_model_free(&loaded);
    /* Features of before were divided within brackets, too. */
    write_model(COLUMNS_OF(FEATURES "}", "{\"features\":3}"), SOURCE, TARGET);
    ck_assert_msg(load(&loaded) == LB_OK && loaded.source_rule.flat_features, "%s", error.message);
    lb_text_model_free(&loaded);
    write_model(COLUMNS_OF(FEATURES ",\"brackets\":true}", "{\"features\":3}"), SOURCE, TARGET);
    ck_assert_msg(load(&loaded) == LB_OK && !loaded.source_rule.flat_features, "%s", error.message);
    ck_assert_msg(lb_text_model_save(path, &loaded, &error) == LB_OK, "%s", error.message);
    lb_text_model_free(&loaded);
    ck_assert_msg(load(&loaded) == LB_OK && !loaded.source_rule.flat_features, "%s", error.message);
    lb_text_model_free(&loaded);
    enum { TOO_LONG = 1000001 };
    char *task = malloc(TOO_LONG + 1);
    snprintf(task, TOO_LONG + 1, "%*s", TOO_LONG, TASK);
    write_model(task, SOURCE, TARGET);
    free(task);
    ck_assert_int_eq(load(&loaded), LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, "lookback.task: found 1000001 bytes, expected at most 1000000");
    lb_text_model_free(&loaded);
}
END_TEST

START_TEST(test_text_model_load_of_an_old_model_that_sorts_has_the_rule_and_the_symbols_of_lists)
{
    enum { NUMBERS = 10 };
    lb_text_model loaded;
    write_model_of(LB_FIRST_TOKEN + NUMBERS, LB_FIRST_TOKEN + NUMBERS, SORTS, NULL, NULL);
    ck_assert_msg(load(&loaded) == LB_OK, "%s", error.message);
    ck_assert(loaded.sorts && loaded.task.max_value == NUMBERS - 1);
    ck_assert_str_eq(loaded.source_rule.separator, " ");
    ck_assert_str_eq(loaded.target_rule.separator, " ");
    ck_assert_int_eq(lb_vocabulary_id(loaded.source, "9"), LB_FIRST_TOKEN + 9);
    lb_text_model_free(&loaded);
}
END_TEST

START_TEST(test_text_model_load_of_weights_without_a_model_is_refused)
{
    const lb_safetensors_metadata metadata[] = {{"lookback.task", TASK},
                                                {"lookback.source_vocabulary", SOURCE},
                                                {"lookback.target_vocabulary", TARGET}};
    lb_text_model loaded;
    path = support_path("model");
    ck_assert_int_eq(lb_safetensors_write(NULL, 0, metadata, 3, path, &error), LB_OK);
    ck_assert_int_eq(load(&loaded), LB_ERROR_FORMAT);
    ck_assert_str_eq(
        error.message,
        "the file has weights, but no model description: lookback.model is missing from its metadata");
    lb_text_model_free(&loaded);
}
END_TEST

START_TEST(test_text_model_limit_is_one_for_all_that_training_knew)
{
    const lb_text_model known = {.longest_source = 9, .longest_target = 12}, unknown = {0};
    ck_assert_int_eq(lb_text_model_limit(&known, 1), 32);
    ck_assert_int_eq(lb_text_model_limit(&known, 12), 32);
    ck_assert_int_eq(lb_text_model_limit(&known, 13), 34);
    ck_assert_int_eq(lb_text_model_limit(&unknown, 1), 10);
}
END_TEST

/* Lengths that a file can name in a few bytes. */
START_TEST(test_text_model_limit_is_in_proportion_to_the_source_if_training_knew_long_ones)
{
    const lb_text_model target = {.longest_source = 9, .longest_target = 65535},
                        source = {.longest_source = 65535}, honest = {.longest_target = 128};
    const lb_text_model *const hostile[] = {&target, &source};
    for (size_t i = 0; SUPPORT_ROW(i, hostile); i++) {
        ck_assert_int_eq(lb_text_model_limit(hostile[i], 1), 2 * 128 + 8);
        ck_assert_int_eq(lb_text_model_limit(hostile[i], 16), 2 * 128 + 8);
        ck_assert_int_eq(lb_text_model_limit(hostile[i], 17), 2 * 256 + 8);
        ck_assert_int_eq(lb_text_model_limit(hostile[i], 33), 2 * 512 + 8);
        ck_assert_int_eq(lb_text_model_limit(hostile[i], 9000), 2 * 65535 + 8);
        ck_assert_int_eq(lb_text_model_limit(hostile[i], 70000), 2 * 70000 + 8);
    }
    for (int64_t length = 1; length <= 128; length++)
        ck_assert_int_eq(lb_text_model_limit(&honest, length), 2 * 128 + 8);
}
END_TEST

START_TEST(test_text_model_any_flipped_byte_of_the_file_is_refused)
{
    lb_text_model made = make_model();
    ck_assert_int_eq(lb_text_model_save(path = support_path("model"), &made, &error), LB_OK);
    lb_text_model_free(&made);
    size_t size;
    char *content = support_read_file(path, &size);
    for (size_t at = 0; at < size; at += 7) {
        lb_text_model loaded = {0};
        content[at] ^= 4;
        support_write_file(path, content, size);
        ck_assert_int_eq(load(&loaded), LB_ERROR_FORMAT);
        content[at] ^= 4;
        lb_text_model_free(&loaded);
    }
    free(content);
}
END_TEST

static lb_status save_and_load(const lb_text_model *made)
{
    lb_text_model loaded = {0};
    error = (lb_error){0};
    lb_status status = lb_text_model_save(path, made, &error);
    if (!status) status = load(&loaded);
    lb_text_model_free(&loaded);
    return status;
}

START_TEST(test_text_model_any_failing_allocation_is_an_error_and_leaks_nothing)
{
    support_watch_allocations();
    path = support_path("model");
    lb_text_model made = make_model();
    long live = support_live_allocations(), before = support_allocation_count();
    ck_assert_int_eq(save_and_load(&made), LB_OK);
    long all = support_allocation_count() - before;
    ck_assert_int_gt(all, 20);
    for (long n = 1; n <= all; n++) {
        support_fail_from_allocation(n);
        lb_status status = save_and_load(&made);
        ck_assert_msg(status == LB_ERROR_MEMORY, "allocation %ld: %s", n, error.message);
        ck_assert_int_eq(support_live_allocations(), live);
    }
    support_fail_from_allocation(0);
    lb_text_model_free(&made);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST
