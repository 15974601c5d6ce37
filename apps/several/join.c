/* Makes one model of finished ones. */
#include "apply/input.h"
#include "base/format.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "console/console.h"
#include "settings/settings.h"
#include "several/side_by_side.h"

typedef struct settings {
    const char *out;
    lb_training_config data; /* the pairs to weigh the members by */
    bool no_lexicon, held_out;
} settings;

static lb_status check_data(const settings *s, int count, lb_error *error)
{
    const lb_training_config *d = &s->data;
    if (count < 2 && !d->lexicon && !s->no_lexicon)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "found 1 MODEL, expected several, or --lexicon or --no-lexicon; see %s --help",
                            app_name("join"));
    if (d->lexicon && s->no_lexicon)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "--lexicon and --no-lexicon: expected only one of them");
    if (s->held_out && !d->dev)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--held-out needs --dev, the file of the training");
    if (d->dev || d->lexicon || !lb_settings_are_set(d, LB_SETTING_DATA)) return LB_OK;
    return lb_error_set(
        error, LB_ERROR_ARGUMENT,
        "--format, --dev-targets, columns, --skip-bad-lines and --any-target need --dev or --lexicon");
}

static lb_status hear(void *progress, const lb_event *event, lb_error *error)
{
    if (event->kind == LB_EVENT_NOTE) app_note("%s", event->text);
    if (event->kind == LB_EVENT_REPORT) app_show(event->text);
    return app_count_joined(progress, event, error);
}

static int join_models(const settings *s, int count, char **models)
{
    static lb_join_result result;
    lb_error error = {0};
    lb_training_config data = s->data;
    app_progress progress = {0};
    data.context = &progress;
    data.tell = hear;
    if (s->held_out) {
        data.train = data.dev;
        data.train_targets = data.dev_targets;
        data.dev = data.dev_targets = NULL;
    }
    const lb_join_config config = {.models = (const char *const *)models,
                                   .count = count,
                                   .out = s->out,
                                   .data = s->data.dev || s->data.lexicon ? &data : NULL,
                                   .no_lexicon = s->no_lexicon};
    lb_status status = check_data(s, count, &error);
    if (!status) status = lb_translator_join(config, &result, &error);
    app_progress_end(&progress);
    if (!status && *result.set_aside) app_note("the earlier model is kept as %s", result.set_aside);
    if (!status) status = app_show_joined(&result, NULL, &error);
    if (status) {
        lb_error told = {0};
        bool answers = s->data.lexicon && strstr(error.message, "--source-column"); /* maybe */
        lb_error_set(&told, status, "%s%s", error.message, answers ? ", or give each answer a line" : "");
        return app_fail(&told);
    }
    data.choose = result.choose;
    if (s->data.dev)
        app_print_result(&data, "beam 5", &result.dev, result.pairs, result.test, result.test_pairs);
    else
        app_print("%lld model%s in %s\n", (long long)result.count, lb_plural(result.count), s->out);
    if (result.lexicon > 0)
        app_print("%lld entr%s in the lexicon\n", (long long)result.lexicon,
                  result.lexicon > 1 ? "ies" : "y");
    return app_close_stdout(0);
}

static const app_example examples[] = {
    {"Train two models that write in different directions, and join them into an ensemble.",
     "lookback train pairs.tsv --hidden 32 --steps 50 --out out/one\n"
     "  lookback train pairs.tsv --hidden 32 --steps 50 --direction backward --out out/other\n"
     "  lookback join out/one out/other --dev dev.tsv -o out/both"},
    {"Give them equal weights, and show what each of them writes on its own.",
     "lookback join out/one out/other -o out/equal\n"
     "  echo abc | lookback predict out/equal --votes"},
    {"Add words to a model, which it then writes as they are in a file.",
     "lookback join out/one --lexicon dev.tsv -o out/exact"},
};

int join_main(int argc, char **argv)
{
    settings s = {.out = "out"};
    const app_option options[] = {
        APP_TEXT('o', "out", "DIR", &s.out, "folder for the joined model; an earlier model there is renamed"),
        APP_TEXT(0, "dev", "FILE", &s.data.dev,
                 "pairs unseen in training, for weighting the models; default: equal weights"),
        APP_FLAG(0, "held-out", &s.held_out, "of --dev, only pairs that a training on it held out"),
        APP_TEXT(0, "lexicon", "FILE", &s.data.lexicon, lb_setting_find("lexicon")->help),
        APP_WORD(0, "lexicon-case", "CASE", &s.data.lexicon_case, lb_setting_find("lexicon_case")->choices,
                 lb_setting_find("lexicon_case")->help),
        APP_FLAG(0, "no-lexicon", &s.no_lexicon, "write the model without a lexicon"),
        APP_THREADS,
        APP_QUIET,
        APP_HEADING("Lines of --dev and --lexicon"),
        APP_FORMAT(&s.data.format),
        APP_TARGETS("dev-targets", "--dev", &s.data.dev_targets),
        APP_COLUMNS(&s.data, false),
        APP_INT(0, "weight-column", "N", &s.data.weight_column, 1, 1 << 16,
                "column of counts or weights; in --lexicon, the greatest comes first; default: recognised"),
        APP_SKIP_BAD_LINES(&s.data, "skip lines that are not pairs"),
        APP_ANY_TARGET(&s.data.any_target,
                       "measure each source once, and its output as right if it equals any of its targets"),
    };
    const app_program program = {
        .name = "join",
        .purpose = "Makes an ensemble of trained models, given as model files or their folders. They must "
                   "have the same symbols, like models trained on the same file. If they write in different "
                   "directions, each scores the outputs of all. One model is enough with --lexicon or "
                   "--no-lexicon.",
        .operands = "MODEL...",
        .min_operands = 1,
        .max_operands = LB_JOIN_MOST,
        APP_TABLES(options, examples),
    };
    int status = app_options(&program, &argc, &argv);
    return status == APP_RUN ? join_models(&s, argc, argv) : status;
}
