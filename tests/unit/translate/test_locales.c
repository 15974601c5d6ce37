/* A host that has called setlocale, as GTK, Qt and R do: every file has the same bytes as in the locale C, and is read
 * as there. It takes seconds. */
#include "io/safetensors.h"
#include "support/locale.h"
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/lookback.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEPS = 8, STOP = 3 };

static lb_error error;

static void expect_ok(lb_status status)
{
    ck_assert_msg(status == LB_OK, "%s: %s", setlocale(LC_NUMERIC, NULL), error.message);
}

static bool stop_early(void *context)
{
    return ++*(int *)context > STOP;
}

/* Fractions wherever there can be one. */
static lb_training_config fractions(const char *out)
{
    return (lb_training_config){.train = "train.tsv",
                                .target_separator = " ",
                                .index = LB_INDEX_ALWAYS,
                                .embed = 8,
                                .hidden = 8,
                                .heads = 2,
                                .dropout = 0.25,
                                .lr = 0.0125,
                                .label_smoothing = 0.1,
                                .scheduled_sampling = 0.3,
                                .hallucinate = 0.2,
                                .average = 0.9,
                                .batch = 16,
                                .steps = STEPS,
                                .evaluate_every = 2,
                                .keep = 1,
                                .seed = 1,
                                .options = "{\"dropout\":0.25}",
                                .out = out};
}

static lb_status refuse_note(void *context, const lb_event *event, lb_error *failure)
{
    (void)context, (void)failure;
    if (event->kind == LB_EVENT_NOTE) ck_abort_msg("%s: %s", setlocale(LC_NUMERIC, NULL), event->text);
    return LB_OK;
}

/* Trains, with an interruption from which it resumes. */
static void train(lb_training_config config)
{
    int steps = 0;
    config.context = &steps;
    config.stop = stop_early;
    lb_status status = lb_translator_train(config, NULL, &error);
    ck_assert_msg(status == LB_ERROR_INTERRUPTED, "%s: %s", setlocale(LC_NUMERIC, NULL), error.message);
    error = (lb_error){0};
    config.stop = NULL;
    config.tell = refuse_note; /* the index is there, and can be read */
    expect_ok(lb_translator_train(config, NULL, &error));
}

static void write_models(void)
{
    lb_training_config config = fractions("seq2seq");
    train(config);
    config.lr = 0.5;
    ck_assert_int_ne(lb_translator_train(config, NULL, &error), LB_OK);
    ck_assert_msg(strstr(error.message, "0.0125") != NULL, "%s", error.message);
    error = (lb_error){0};
    config = fractions("transformer");
    config.model = "transformer";
    config.embed = 0;
    config.softcap = 2.5;
    config.scheduled_sampling = 0;
    train(config);
    config = fractions("joined");
    expect_ok(lb_translator_join((lb_join_config){.models = (const char *[]){"seq2seq", "transformer"},
                                                  .count = 2,
                                                  .out = "joined",
                                                  .data = &config},
                                 NULL, &error));
}

static void write_sorter(void)
{
    const lb_sort_task task = {.max_value = 9, .min_length = 1, .max_length = 3, .repeats = 0.5};
    lb_training_config config = fractions(NULL);
    config.sort = &task;
    config.train = config.target_separator = NULL;
    config.hallucinate = 0;
    lb_stepper *stepper = lb_stepper_new(config, &error);
    expect_ok(error.status);
    double loss;
    expect_ok(lb_stepper_step(stepper, &loss, &error));
    expect_ok(lb_stepper_save(stepper, "sort.safetensors", &error));
    lb_stepper_free(stepper);
}

static const double numbers[] = {0.5, -1.25, 1234567.125, 2.5e-7, 0.75, 3e9};

static void write_arrays(void)
{
    const lb_safetensors_tensor array = {
        .name = "x", .dtype = LB_DTYPE_F64, .shape = LB_DIMS(2, 3), .data = numbers};
    const lb_safetensors_metadata metadata = {"share", "0.5"};
    expect_ok(lb_npy_write(numbers, array.shape, LB_DTYPE_F64, "array.npy", &error));
    expect_ok(lb_safetensors_write(&array, 1, &metadata, 1, "array.safetensors", &error));
}

static void draw(const char *path)
{
    static const double weights[] = {0.5, 0.25, 0.25, 0.125, 0.125, 0.75}, large[] = {123456.5, 0.001};
    static const lb_series series[] = {{.name = "loss", .y = weights, .count = 6},
                                       {.name = "exact match", .y = weights, .count = 6, .right = true}};
    static const lb_flow_box boxes[] = {{.label = "a"}, {.label = "b", .column = 0.5, .row = 1}};
    static const lb_flow_arrow arrow = {0, 1};
    const lb_heatmap map = {.values = weights, .rows = 2, .columns = 3},
                     wide = {.values = large, .rows = 1, .columns = 2, .range = LB_RANGE_DATA};
    const lb_chart chart = {.series = series, .count = 2},
                   logarithmic = {.series = series, .count = 1, .left = {.log = true}};
    const lb_diagram diagram = {.sources = 3, .targets = 2, .weights = weights};
    const lb_flow flow = {.boxes = boxes, .box_count = 2, .arrows = &arrow, .arrow_count = 1};
    const lb_panel panels[] = {lb_heatmap_panel(&map),     lb_heatmap_panel(&wide),
                               lb_chart_panel(&chart),     lb_chart_panel(&logarithmic),
                               lb_diagram_panel(&diagram), lb_flow_panel(&flow)};
    expect_ok(
        lb_figure_save(&(lb_figure){.panels = panels, .count = 6, .columns = 2, .dpi = 72.5}, path, &error));
}

/* Writes each kind of file into a new folder, which is then the current one. */
static void write_all(const char *folder)
{
    lb_set_threads(1);
    ck_assert_int_eq(chdir(support_tempdir()), 0);
    size_t count;
    char *pairs = support_read_file("train.tsv", &count);
    const char *path = support_path(folder);
    ck_assert_int_eq(mkdir(path, 0777), 0);
    ck_assert_int_eq(chdir(path), 0);
    support_write_file("train.tsv", pairs, count);
    free(pairs);
    write_models();
    write_sorter();
    write_arrays();
    draw("figure.svg");
    draw("figure.pdf");
    draw("figure.png");
}

/* What the models of the current folder write, and how likely it is. */
typedef struct found {
    char text[3][64];
    double score[3];
} found;

static found read_models(void)
{
    static const char *const models[] = {"seq2seq", "transformer", "joined"}, *const texts[] = {"abc"};
    found all = {0};
    for (int i = 0; i < 3; i++) {
        lb_translator *translator = lb_translator_open(models[i], &error);
        expect_ok(error.status);
        lb_translations *t = lb_translate_all(translator, texts, 1, (lb_translate_config){0}, &error);
        expect_ok(error.status);
        snprintf(all.text[i], sizeof all.text[i], "%s", t->text[0].output[0].text);
        all.score[i] = t->text[0].output[0].score;
        lb_translations_free(t);
        lb_translator_close(translator);
    }
    lb_translator *sorter = lb_translator_open("sort.safetensors", &error);
    expect_ok(error.status);
    lb_translator_close(sorter);
    return all;
}

static void read_arrays(void)
{
    lb_shape shape;
    double *values;
    expect_ok(lb_npy_read("array.npy", &shape, &values, &error));
    ck_assert_mem_eq(values, numbers, sizeof numbers);
    lb_release(values);
    lb_safetensors *file = lb_safetensors_open("array.safetensors", &error);
    expect_ok(error.status);
    ck_assert_mem_eq(lb_safetensors_find(file, "x")->data, numbers, sizeof numbers);
    lb_safetensors_close(file);
}

/* A log of a training without the digits of its ninth column, the seconds. */
static char *without_seconds(const char *name)
{
    size_t count;
    char *text = support_content(name, &count), *to = text;
    int column = 0;
    for (const char *from = text; *from; from++) {
        column = *from == '\n' ? 0 : column + (*from == ',');
        if (column != 8 || !strchr("0123456789.", *from)) *to++ = *from;
    }
    *to = '\0';
    return text;
}

/* Of all files with numbers but checkpoints, which have the time in seconds, and the index, which has that of the
 * pairs. */
static void assert_same_files_as_in_c(const char *folder)
{
    static const char *const files[] = {"seq2seq/model.safetensors",
                                        "seq2seq/film.jsonl",
                                        "transformer/model.safetensors",
                                        "transformer/film.jsonl",
                                        "joined/model.safetensors",
                                        "sort.safetensors",
                                        "array.npy",
                                        "array.safetensors",
                                        "figure.svg",
                                        "figure.pdf",
                                        "figure.png"};
    static const char *const logs[] = {"seq2seq/log.jsonl", "seq2seq/log.csv", "transformer/log.jsonl",
                                       "transformer/log.csv"};
    char a[SUPPORT_PATH], b[SUPPORT_PATH];
    for (size_t i = 0; SUPPORT_ROW(i, files); i++) {
        snprintf(a, sizeof a, "C/%s", files[i]);
        snprintf(b, sizeof b, "%s/%s", folder, files[i]);
        support_assert_same_files(a, b);
    }
    for (size_t i = 0; SUPPORT_ROW(i, logs); i++) {
        snprintf(a, sizeof a, "C/%s", logs[i]);
        snprintf(b, sizeof b, "%s/%s", folder, logs[i]);
        char *expected = without_seconds(a), *log = without_seconds(b);
        ck_assert_str_eq(log, expected);
        free(expected);
        free(log);
    }
}

START_TEST(test_files_are_the_same_in_every_locale)
{
    support_write_pairs("train.tsv", 100, 1);
    write_all("C");
    found expected = read_models();
    for (const char *const *locale = support_locales; *locale; locale++) {
        if (!support_set_locale(*locale)) continue;
        write_all(*locale);
        found here = read_models();
        read_arrays();
        assert_same_files_as_in_c(*locale);
        for (int i = 0; i < 3; i++) {
            ck_assert_str_eq(here.text[i], expected.text[i]);
            ck_assert_double_eq(here.score[i], expected.score[i]);
        }
    }
}
END_TEST

/* A Turkish I has another small letter. */
START_TEST(test_names_are_the_same_in_every_locale)
{
    lb_colormap map;
    for (const char *const *locale = support_locales; *locale; locale++) {
        if (!support_set_locale(*locale)) continue;
        expect_ok(lb_colormap_find("VIRIDIS", &map, &error));
        ck_assert_int_eq(map, LB_COLORMAP_VIRIDIS);
    }
}
END_TEST
