/* Applies a trained model to a file or standard input, line by line. */
#include "apply/answer_json.h"
#include "apply/decoding.h"
#include "apply/input.h"
#include "apply/model_operand.h"
#include "apply/unknown.h"
#include "apply/votes.h"
#include "base/plural.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "console/console.h"

#include <stdio.h>

/* What the command line asks for. */
typedef struct settings {
    const char *model, *lines; /* files; NULL lines: standard input */
    const char *attention;     /* file for the attention weights; NULL: none */
    int batch, beam, n_best, source_column, features_column;
    double length_penalty, temperature;
    uint64_t seed;
    bool skip_bad_lines, copy_unknown, jsonl, sample, votes;
} settings;

/* The state of a run. */
typedef struct session {
    const settings *asked;
    lb_translator *translator;
    lb_translator_facts model;
    lb_translate_config config;
    app_input input;
    app_unknown unknown;
    bool shorter_said, longer_said; /* the warning about texts shorter or longer than in training */
    int64_t endless;                /* outputs without an end */
    app_votes votes;                /* of the members, if asked for */
} session;

static lb_status open_model(session *s, lb_error *error)
{
    const settings *asked = s->asked;
    s->translator = app_open_model(asked->model, asked->lines, error);
    if (!s->translator) return error->status;
    s->model = lb_translator_about(s->translator);
    s->config = (lb_translate_config){.beam = asked->beam,
                                      .n_best = asked->n_best,
                                      .length_penalty = app_length_penalty(asked->length_penalty),
                                      .attention = asked->attention,
                                      .copy_unknown = asked->copy_unknown,
                                      .sample = asked->sample,
                                      .temperature = app_temperature(asked->temperature),
                                      .seed = asked->seed,
                                      .skip_bad_texts = true};
    lb_status status = asked->sample ? LB_OK : app_check_beam(&s->model, asked->beam, asked->n_best, error);
    if (!status && asked->copy_unknown) status = app_check_copy(&s->model, error);
    if (status) return status;
    if (asked->attention && s->model.model->heads == 0)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: the model has no attention to write", s->model.path);
    if (asked->votes && !lb_is_ensemble(s->model.model))
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "%s: --votes needs a model of several, found a single one", s->model.path);
    return LB_OK;
}

static lb_status open_input(session *s, lb_error *error)
{
    const settings *asked = s->asked;
    lb_pair_format format = {.source_column = asked->source_column,
                             .features_column = asked->features_column,
                             .no_target = true,
                             .source.features = s->model.source_rule.features,
                             .skip_bad_lines = asked->skip_bad_lines};
    char differ[LB_ERROR_LENGTH];
    bool given = asked->source_column || asked->features_column;
    if (given && lb_pair_format_take_columns(&format, s->model.columns, differ)) app_note("%s", differ);
    lb_status status = lb_pair_format_check(&format, error);
    if (status) return status;
    /* With one text at a time, each is answered before the next one arrives. */
    int capacity = asked->attention ? 1 : asked->batch;
    status = app_input_open(&s->input, asked->lines, capacity, format, s->model.sorts, error);
    s->input.usual = s->model.columns;
    return status;
}

static void session_close(session *s)
{
    if (s->endless > 1) app_note("%lld outputs were cut off", (long long)s->endless);
    app_unknown_say(&s->unknown, s->input.name);
    app_unknown_close(&s->unknown);
    app_input_close(&s->input);
    lb_translator_free(s->translator);
}

/* Warns that training had no texts as short or as long as this one. */
static void comment_on_length(session *s, int64_t line, int64_t length)
{
    const lb_translator_facts *model = &s->model;
    bool shorter = length < model->shortest_source;
    bool longer = model->longest_source > 0 && length > model->longest_source;
    bool *said = shorter ? &s->shorter_said : &s->longer_said;
    if ((!shorter && !longer) || *said) return;
    *said = true;
    app_note("%s:%lld: a %s of %lld %s%s; those in training had at %s %d", s->input.name, (long long)line,
             model->sorts ? "list" : "text", (long long)length, model->sorts ? "number" : "symbol",
             length == 1 ? "" : "s", shorter ? "least" : "most",
             (int)(shorter ? model->shortest_source : model->longest_source));
}

/* Warns about surprising outputs. Each warning is printed only once, since there may be millions of lines. */
static lb_status comment(session *s, int64_t line, const lb_translation *text, lb_error *error)
{
    comment_on_length(s, line, text->length);
    if (!text->output->finished && s->endless++ == 0)
        app_note("%s:%lld: no end-of-sequence symbol; cut off after %lld %s%s", s->input.name,
                 (long long)line, (long long)text->output->length, s->model.sorts ? "number" : "symbol",
                 lb_plural(text->output->length));
    app_unknown_note(&s->unknown, &s->model, s->input.name, line, text);
    return app_unknown_count(&s->unknown, text, error);
}

/* Prints a line of JSON. */
static lb_status print_json(const char *source, const lb_translation *text, const app_votes *votes, size_t at,
                            lb_error *error)
{
    lb_buffer json = {0};
    app_answer_json(&json, source, text);
    if (votes) app_votes_add(votes, at, &json);
    lb_status status = json.failed ? lb_error_set(error, LB_ERROR_MEMORY, "out of memory") : LB_OK;
    if (!status) puts(json.text);
    lb_release(json.text);
    return status;
}

/* Prints a line for each of the best outputs. For a list it has only the sorted list. */
static void print_lines(const session *s, const char *source, const lb_translation *text)
{
    for (int64_t i = 0; i == 0 || i < text->count; i++) {
        if (!s->model.sorts) printf("%s\t", source ? source : "");
        if (i < text->count) fputs(text->output[i].text, stdout);
        if (s->asked->n_best > 0) putchar('\t');
        if (s->asked->n_best > 0 && i < text->count) printf("%.6f", text->output[i].score);
        putchar('\n');
    }
}

/* `at` is the number of the text among those of the members. */
static lb_status print_answer(const session *s, const app_input_line *line, const lb_translation *text,
                              size_t at, lb_error *error)
{
    const app_votes *votes = s->asked->votes && text->count > 0 ? &s->votes : NULL;
    if (s->asked->jsonl) return print_json(line->blank ? "" : line->text, text, votes, at, error);
    if (line->blank)
        putchar('\n');
    else if (votes)
        app_votes_print(votes, at, line->text, text);
    else
        print_lines(s, line->text, text);
    return LB_OK;
}

/* Handles a line with an invalid text. */
static lb_status refuse(session *s, int64_t line, const lb_translation *text, lb_error *error)
{
    lb_error found = {0};
    lb_error_set(&found, LB_ERROR_FORMAT, "%s:%lld: %s", s->input.name, (long long)line, text->error);
    if (!s->asked->skip_bad_lines) return lb_error_set(error, found.status, "%s", found.message);
    app_input_skip(&s->input, found.message);
    return LB_OK;
}

/* Prints the results of the lines read so far. */
static lb_status print_all(session *s, const lb_translation *text, lb_error *error)
{
    static const lb_translation none = {0};
    lb_status status = LB_OK;
    size_t at = 0;
    for (int i = 0; i < s->input.count && !status; i++) {
        const app_input_line *line = &s->input.line[i];
        const lb_translation *of_line = line->text ? &text[at++] : &none;
        if (line->bad) app_input_skip(&s->input, line->bad);
        if (of_line->error) status = refuse(s, line->number, of_line, error);
        if (!status) status = print_answer(s, line, of_line, at - 1, error);
        if (!status && of_line->count > 0) status = comment(s, line->number, of_line, error);
    }
    if (!app_flush_stdout()) return LB_ERROR_WRITE; /* app_close_stdout reports the error */
    return status;
}

static lb_status answer(session *s, lb_error *error)
{
    const app_input *in = &s->input;
    size_t count = (size_t)in->text_count;
    lb_translations *found = lb_translate_all(s->translator, in->text, count, s->config, error);
    if (!found) return error->status;
    s->config.first_text += found->count;
    lb_status status = LB_OK;
    if (s->asked->votes) status = app_votes_ask(&s->votes, s->translator, in->text, count, s->config, error);
    if (!status) status = print_all(s, found->text, error);
    app_votes_close(&s->votes);
    if (!status && s->asked->attention && found->count > 0 && found->text->count > 0)
        status = app_write_attention(s->asked->attention, found, error);
    lb_translations_free(found);
    return status;
}

static lb_status answer_all(session *s, lb_error *error)
{
    lb_error found = {0};
    bool more = true;
    lb_status status = open_input(s, error);
    if (status) return status;
    while (more) {
        more = app_input_gather(&s->input, &found);
        if (s->asked->attention && s->input.count > 0 && s->input.line->number > 1)
            return lb_error_set(error, LB_ERROR_FORMAT, "%s:2: --attention accepts only one text",
                                s->input.name);
        status = answer(s, error);
        if (status) return status;
    }
    return found.status ? lb_error_set(error, found.status, "%s", found.message) : LB_OK;
}

static int predict(const settings *asked)
{
    session s = {.asked = asked};
    lb_error error = {0};
    lb_status status = open_model(&s, &error);
    if (!status) status = answer_all(&s, &error);
    session_close(&s);
    return app_close_stdout(status && error.status ? app_fail(&error) : 0);
}

static const app_example examples[] = {
    {"Apply the model in out/ to each line of words.txt.", "lookback predict out < words.txt"},
    {"Print the three best outputs for each line, with their scores.",
     "lookback predict out --n-best 3 < words.txt"},
    {"Save where the model looks while it reads a text, as a NumPy file.",
     "echo abc | lookback predict out --attention where.npy"},
};

int predict_main(int argc, char **argv)
{
    settings asked = {.batch = 256, .length_penalty = 1, .temperature = 1, .seed = 1};
    int threads = 0;
    const app_option options[] = {
        APP_INT('b', "batch", "N", &asked.batch, 1, 65536,
                "lines to decode at once, if that many have arrived"),
        APP_INT(0, "beam", "N", &asked.beam, 0, 1024,
                "beam width; 1: greedy; 0: 5, or 1 for lists of numbers"),
        APP_NUMBER(0, "length-penalty", "P", &asked.length_penalty, 0, 10,
                   "power of the length by which the log-probability of an output is divided"),
        APP_INT(0, "n-best", "N", &asked.n_best, 1, 1024,
                "print the N best outputs, best first, with their scores in a last column; widens the beam "
                "if necessary; outputs that are equal as text are one"),
        APP_FLAG(
            0, "copy-unknown", &asked.copy_unknown,
            "replace an unknown symbol by the symbol of the source with the largest attention weight, by the "
            "mean over the heads of the last layer"),
        APP_FLAG(0, "jsonl", &asked.jsonl,
                 "print a JSON object for each line: source, unknown symbols, and all outputs with score, "
                 "probability, and the probability of each symbol"),
        APP_FLAG(0, "votes", &asked.votes,
                 "of a model of several, also print the best output of each member by itself: with score, "
                 "weight and "
                 "kind of the member in further columns"),
        APP_OUTPUT(
            0, "attention", &asked.attention,
            "write the attention for a single input line to a NumPy file, .npy, of shape [layer, head, "
            "target, source]"),
        APP_THREADS(&threads),
        APP_HEADING("Sampling"),
        APP_FLAG(0, "sample", &asked.sample,
                 "draw the outputs from the model's distribution instead of searching for the best; --n-best "
                 "sets their number for each line"),
        APP_NUMBER(0, "temperature", "T", &asked.temperature, 0, 100,
                   "below 1 likely symbols are drawn more often, above 1 less; 0 takes the likeliest"),
        APP_SEED(0, "seed", "N", &asked.seed,
                 "seed of the samples: the same seed and lines give the same outputs"),
        APP_HEADING("Lines"),
        APP_INT(
            0, "source-column", "N", &asked.source_column, 1, 1 << 16,
            "column of the texts; columns are separated by tabs. Without it, that of the training, if lines "
            "have more columns than a text"),
        APP_INT(
            0, "features-column", "N", &asked.features_column, 1, 1 << 16,
            "column of the features, for a model that was trained with features; if not given, 2, or that "
            "of the training if --source-column is given or lines have more columns than a text"),
        APP_FLAG(0, "skip-bad-lines", &asked.skip_bad_lines,
                 "print an empty output for invalid lines instead of stopping"),
    };
    const app_program program = {
        .name = "predict",
        .purpose = "Applies a trained model to each line of FILE, or of standard input, and prints the line, "
                   "a tab and the output. MODEL is a file or the folder that it was written to. A model that "
                   "`lookback sort` has trained reads lists of numbers, separated by blanks, and prints them "
                   "sorted, without the input. The first invalid line stops the program.",
        .operands = "MODEL [FILE]",
        .min_operands = 1,
        .max_operands = 2,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .examples = examples,
        .example_count = sizeof examples / sizeof examples[0],
        .threads = &threads,
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    asked.model = argv[0];
    asked.lines = argc > 1 ? argv[1] : NULL;
    return predict(&asked);
}
