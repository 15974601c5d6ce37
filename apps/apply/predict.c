/* Applies a trained model to a file or standard input, line by line. */
#include "apply/answer.h"
#include "apply/decoding.h"
#include "apply/input.h"
#include "base/format.h"
#include "base/threads.h"
#include "cli/commands.h"
#include "console/console.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A model applied to texts. */
typedef struct predicting {
    /* What the command line asks for. */
    const char *model_path, *input_path; /* NULL input: standard input */
    const char *output;                  /* file for what is otherwise printed; NULL: none */
    const char *attention;               /* file for the attention weights; NULL: none */
    lb_pair_format format;               /* of the lines */
    int batch, prefix_column;
    bool jsonl, shows_votes, only_outputs, alignments, why;
    lb_translate_config config;
    /* The work. */
    lb_translator *translator;
    lb_translator_facts model;
    app_input input;
    lb_buffer lines; /* not printed yet; with a file for them, all */
    app_unknown unknown;
    int64_t endless; /* outputs without an end */
    app_votes votes; /* of the members, if asked for */
    app_table table;
    app_progress progress;
    const lb_translations *found; /* the current ones */
    lb_buffer attention_lines;    /* of its file */
} predicting;

static lb_status open_model(predicting *s, lb_error *error)
{
    s->translator = app_open_model(s->model_path, s->input_path, &s->model, error);
    if (!s->translator) return error->status;
    lb_translate_config *c = &s->config;
    if (c->temperature == 0) c->temperature = DBL_MIN; /* divided by it, any other logit is minus infinity */
    c->attention = s->attention || s->alignments;
    c->erasure = c->gradient = s->why;
    c->skip_bad_texts = true;
    c->stop = app_progress_tick;
    c->context = &s->progress;
    if (c->copy_unknown && app_check_attention(&s->model, "--copy-unknown", error)) return error->status;
    if (c->attention && s->model.model->heads == 0)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: the model has no attention to write", s->model.path);
    if (s->shows_votes && !lb_is_ensemble(s->model.model))
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: --votes needs an ensemble, found a single model",
                            s->model.path);
    return LB_OK;
}

/* Whether there may be one text only: that of a NumPy file. */
static bool has_one(const predicting *s)
{
    return s->attention && !app_ends_in(s->attention, ".jsonl");
}

/* Lines that are typed, and answers on the terminal, show by themselves that the work goes on. */
static void begin_progress(predicting *s)
{
    bool off = app_input_is_typed(s->input_path) || (!s->output && app_prints_on_terminal());
    app_progress_config config = {.unit = "line", .late = true, .off = off};
    config.total = off ? 0 : app_input_lines(&s->input);
    app_progress_init(&s->progress, config);
}

static lb_status open_input(predicting *s, lb_error *error)
{
    lb_error found = {0};
    lb_pair_format format = s->format;
    format.usual = s->model.sorts ? NULL : &s->model.columns;
    format.source.features = s->model.source_rule.features;
    if (s->prefix_column && format.source_column == 0) format.source_column = 1;
    lb_status status = lb_pair_format_check(&format, error);
    if (status) return status;
    /* With one text at a time, each is answered before the next one arrives. */
    int capacity = has_one(s) ? 1 : s->batch;
    if (app_input_is_typed(s->input_path)) app_note("waiting for lines from the keyboard; Ctrl-D ends them");
    status = app_input_open(&s->input, s->input_path, capacity, format, s->model.sorts, &found);
    bool missing = status == LB_ERROR_OPEN && s->input_path && !lb_os_exists(s->input_path);
    if (status)
        lb_error_set(error, status, "%s%s", found.message,
                     missing ? "; a text itself comes by a pipe: echo TEXT | lookback predict MODEL" : "");
    s->input.prefix_column = s->prefix_column;
    s->input.rows = s->table.asked;
    s->table.likeness = s->model.likeness;
    if (!status) begin_progress(s);
    return status;
}

static void predicting_close(predicting *s)
{
    app_progress_end(&s->progress);
    if (s->endless > 1) app_warn("%lld outputs were cut off", (long long)s->endless);
    app_unknown_say(&s->unknown, s->input.name);
    app_unknown_close(&s->unknown);
    lb_release(s->lines.text);
    lb_release(s->attention_lines.text);
    app_input_close(&s->input);
    lb_translator_close(s->translator);
}

/* Warns about surprising outputs. Each warning is printed only once, since there may be millions of lines. */
static lb_status comment(predicting *s, int64_t line, const lb_translation *text, lb_error *error)
{
    app_unlike_count(&s->unknown, line, text);
    if (text->output->from_lexicon) return LB_OK;
    app_unknown_length(&s->unknown, &s->model, s->input.name, line, text->length);
    if (!text->output->finished && s->endless++ == 0)
        app_warn("%s:%lld: no end-of-sequence symbol; cut off after %lld %s%s", s->input.name,
                 (long long)line, (long long)text->output->length, s->model.sorts ? "number" : "symbol",
                 lb_plural(text->output->length));
    app_unknown_note(&s->unknown, &s->model, s->input.name, line, text);
    return app_unknown_count(&s->unknown, text, error);
}

/* Adds a line for each of the best outputs. For a list it has only the sorted list. */
static void add_outputs(predicting *s, const char *source, const lb_translation *text)
{
    lb_buffer *lines = &s->lines;
    for (int64_t i = 0; i == 0 || i < text->count; i++) {
        if (!s->model.sorts && !s->only_outputs) lb_buffer_print(lines, "%s\t", source ? source : "");
        if (i < text->count) lb_buffer_print(lines, "%s", text->output[i].text);
        if (s->config.n_best > 0) lb_buffer_print(lines, "\t");
        bool scored = s->config.n_best > 0 && i < text->count && !isnan(text->output[i].score);
        if (scored) lb_buffer_print(lines, "%.6f", text->output[i].score);
        if (s->alignments) lb_buffer_print(lines, "\t");
        if (s->alignments && i < text->count) app_add_alignment(lines, s->found, text, &text->output[i]);
        lb_buffer_print(lines, "\n");
    }
}

/* `at` is the number of the text among those of the members. */
static void add_answer(predicting *s, const app_input_line *line, const lb_translation *text, size_t at)
{
    const app_votes *votes = s->shows_votes && text->count > 0 ? &s->votes : NULL;
    if (s->table.asked) {
        app_table_add(&s->table, &s->input, line, s->found, text, &s->lines);
        return;
    }
    if (s->jsonl) {
        app_answer_json(&s->lines, line->blank ? "" : line->text, text);
        if (votes) app_votes_add(votes, at, &s->lines);
    }
    if (s->jsonl || line->blank)
        lb_buffer_print(&s->lines, "\n");
    else if (votes)
        app_votes_print(&s->lines, votes, at, line->text, text);
    else
        add_outputs(s, line->text, text);
}

/* Lines for standard output are printed as they come; those for a file are kept, since it is written at once. */
static lb_status put_lines(predicting *s, lb_error *error)
{
    lb_buffer *lines = &s->lines;
    if (lines->failed) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    if (s->output) return LB_OK;
    if (lines->length > 0) app_put(lines->text);
    lines->length = 0;
    return app_flush_stdout() ? LB_OK : LB_ERROR_WRITE; /* app_close_stdout reports the error */
}

/* Handles a line with an invalid text. */
static lb_status refuse(predicting *s, int64_t line, const lb_translation *text, lb_error *error)
{
    lb_error found = {0};
    lb_error_set(&found, LB_ERROR_FORMAT, "%s:%lld: %s", s->input.name, (long long)line, text->error);
    if (!app_skips(&s->format, found.status)) return lb_error_set(error, found.status, "%s", found.message);
    app_input_skip(&s->input, found.message);
    return LB_OK;
}

/* Prints the results of the lines read so far. */
static lb_status print_all(predicting *s, const lb_translation *text, lb_error *error)
{
    static const lb_translation none = {0};
    lb_status status = LB_OK;
    size_t at = 0;
    for (int i = 0; i < s->input.count && !status; i++) {
        const app_input_line *line = &s->input.line[i];
        const lb_translation *of_line = line->text ? &text[at++] : &none;
        if (line->bad) app_input_skip(&s->input, line->bad);
        if (of_line->error) status = refuse(s, line->number, of_line, error);
        if (!status) add_answer(s, line, of_line, at - 1);
        if (!status && of_line->count > 0) status = comment(s, line->number, of_line, error);
    }
    lb_status put = put_lines(s, error);
    return put ? put : status;
}

/* Whether there is one word: a second thread would cost it more than it saves, and most on a busy machine. */
static bool is_word(const predicting *s)
{
    enum { LONGEST = 64 }; /* bytes */
    return s->input.text_count == 1 && strlen(s->input.text[0]) <= LONGEST && !lb_threads_are_chosen() &&
           !lb_is_ensemble(s->model.model);
}

static lb_translations *translate(const predicting *s, lb_error *error)
{
    const int threads = lb_threads();
    if (is_word(s)) lb_use_threads(1);
    lb_translations *found =
        lb_translate_all(s->translator, s->input.text, s->input.text_count, s->config, error);
    lb_use_threads(threads);
    return found;
}

static lb_status answer(predicting *s, lb_error *error)
{
    const app_input *in = &s->input;
    s->config.prefixes = s->prefix_column ? in->prefix : NULL;
    lb_translations *found = translate(s, error);
    if (!found) return error->status;
    s->config.first_text += (uint64_t)found->count;
    lb_status status = LB_OK;
    s->found = found;
    for (int64_t i = 0; i < found->count && s->attention && !has_one(s); i++)
        app_add_attention(&s->attention_lines, found, &found->text[i]);
    if (s->alignments) status = lb_translate_show_alignments(s->translator, found, error);
    if (!status && s->shows_votes)
        status = app_votes_ask(&s->votes, s->translator, in->text, (size_t)in->text_count, s->config, error);
    if (!status) status = print_all(s, found->text, error);
    app_votes_close(&s->votes);
    if (!status && has_one(s) && found->count > 0 && found->text->count > 0)
        status = app_write_attention(s->attention, found, error);
    lb_translations_free(found);
    if (!status && in->count > 0) app_progress_update(&s->progress, in->line[in->count - 1].number, "%s", "");
    return status;
}

static lb_status answer_all(predicting *s, lb_error *error)
{
    lb_error found = {0};
    bool more = true;
    lb_status status = open_input(s, error);
    if (status) return status;
    while (more) {
        more = app_input_gather(&s->input, &found);
        if (has_one(s) && s->input.count > 0 && s->input.line->number > 1)
            return lb_error_set(error, LB_ERROR_FORMAT,
                                "%s:2: --attention accepts only one text, unless its file is .jsonl",
                                s->input.name);
        status = answer(s, error);
        if (status) return status;
    }
    return found.status ? lb_error_set(error, found.status, "%s", found.message) : LB_OK;
}

/* The ending of a file says what it has, unless an option does. */
static void choose_form(predicting *s)
{
    bool chosen = s->jsonl || s->only_outputs || s->shows_votes;
    s->table = (app_table){.asked = !chosen && app_ends_in(s->output, ".csv"), .aligned = s->alignments};
    s->jsonl = s->jsonl || (!chosen && app_ends_in(s->output, ".jsonl"));
}

/* With --only-outputs, line N of the output belongs to line N of the input. */
static lb_status check_options(const predicting *s, lb_error *error)
{
    const char *other = s->config.n_best > 0 ? "n-best"
                        : s->jsonl           ? "jsonl"
                        : s->shows_votes     ? "votes"
                        : s->alignments      ? "alignments"
                                             : NULL;
    bool aligned = s->alignments && (s->jsonl || s->shows_votes);
    const char *first = aligned ? "alignments" : "only-outputs";
    if (s->why && !s->jsonl) return lb_error_set(error, LB_ERROR_ARGUMENT, "--why needs --jsonl");
    if (!aligned && (!s->only_outputs || !other)) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT, "--%s and --%s: expected only one of them", first, other);
}

static int predict(predicting *s)
{
    lb_error error = {0};
    choose_form(s);
    lb_status status = check_options(s, &error);
    if (!status) status = open_model(s, &error);
    if (!status) status = answer_all(s, &error);
    if (!status && s->attention && !has_one(s))
        status = app_write_lines(s->attention, &s->attention_lines, &error);
    if (!status && s->output) status = app_write_lines(s->output, &s->lines, &error);
    predicting_close(s);
    return app_close_stdout(status && error.status ? app_fail(&error) : 0);
}

static const app_example examples[] = {
    {"Apply the model in out/ to each line of words.txt.", "lookback predict out < words.txt"},
    {"Print the three best outputs for each line, with their scores.",
     "lookback predict out --n-best 3 < words.txt"},
    {"Add columns for output, probability and score to a table.",
     "lookback predict out words.csv -o answers.csv"},
    {"Write only the outputs to a file, one for each line.",
     "lookback predict out words.txt --only-outputs -o outputs.txt"},
    {"Save where the model looks while it reads a text, as a NumPy file.",
     "echo abc | lookback predict out --attention where.npy"},
};

int predict_main(int argc, char **argv)
{
    predicting s = {.format.no_target = true, .batch = 256};
    s.config = (lb_translate_config){.length_penalty = 1, .temperature = 1, .seed = 1};
    const app_option options[] = {
        APP_INT('b', "batch", "N", &s.batch, 1, 65536, "lines to decode at once, if that many are available"),
        APP_INT(0, "beam", "N", &s.config.beam, 0, LB_MOST_BEAM,
                "beam width; 1: greedy; 0: 5; 1 for lists of numbers", .usual = true),
        APP_NUMBER(0, "length-penalty", "P", &s.config.length_penalty, 0, LB_MOST_PENALTY,
                   "divide the log-probability of an output by this power of its length",
                   .zero_is_value = true),
        APP_INT(0, "n-best", "N", &s.config.n_best, 1, LB_MOST_BEAM,
                "print the N best outputs, best first, with their scores in a last column; widens the beam "
                "if necessary; outputs that are equal as text are one",
                .usual = true),
        APP_FLAG(0, "copy-unknown", &s.config.copy_unknown,
                 "replace an unknown symbol with the source symbol that gets the most attention, averaged "
                 "over the heads of the last layer"),
        APP_FLAG(0, "no-lexicon", &s.config.no_lexicon,
                 "ignore the lexicon of the model; samples never come from it"),
        APP_FLAG(0, "jsonl", &s.jsonl,
                 "print a JSON object for each line: source, unknown symbols, and all outputs with score, "
                 "probability, and the probability of each symbol",
                 .usual = true),
        APP_FLAG(0, "why", &s.why,
                 "with --jsonl, also how each output symbol depends on each of the source: docs/why.md"),
        APP_FLAG(0, "votes", &s.shows_votes,
                 "for an ensemble, also print the best output of each member on its own, with its score, "
                 "weight and kind in further columns"),
        APP_OUTPUT(
            0, "attention", &s.attention,
            "write the attention for a single input line to a NumPy file, .npy, of shape [layer, head, "
            "target, source], or for all lines to a file of JSON objects, .jsonl",
            .usual = true),
        APP_FLAG(0, "alignments", &s.alignments,
                 "print which source symbol each output symbol is written from, such as 0-0 2-1, in a last "
                 "column: positions in source and output, by the attention of the last layer"),
        APP_OUTPUT('o', "output", &s.output,
                   "write to this file instead of standard output; it is replaced at the end, if all lines "
                   "could be read. .csv: the table that came, with columns for the output; .jsonl: --jsonl",
                   .usual = true),
        APP_FLAG(0, "only-outputs", &s.only_outputs, "print only the output, one line for each line of input",
                 .usual = true),
        APP_THREADS,
        APP_QUIET,
        APP_HEADING("Sampling"),
        APP_FLAG(0, "sample", &s.config.sample,
                 "sample outputs from the model's distribution instead of searching for the best; --n-best "
                 "sets how many for each line"),
        APP_NUMBER(
            0, "temperature", "T", &s.config.temperature, 0, 100,
            "below 1, likely symbols are sampled more often; above 1, less often; 0: always the most likely"),
        APP_SEED(0, "seed", "N", &s.config.seed,
                 "seed for sampling: the same seed and lines give the same outputs"),
        APP_HEADING("Lines"),
        APP_FORMAT(&s.format.kind),
        APP_INT(0, "source-column", "N", &s.format.source_column, 1, 1 << 16,
                "column of the texts; columns are separated by tabs; default: that of the training, if "
                "lines have more columns than a text",
                .usual = true),
        APP_FEATURES(
            &s.format, 1,
            "column of the features, for a model trained with features; default: 2, or that of the training "
            "with --source-column, or if lines have more columns than a text"),
        APP_INT(0, "prefix-column", "N", &s.prefix_column, 1, 1 << 16,
                "column with the beginning of the output; the model writes the rest"),
        APP_SKIP_BAD_LINES(&s.format, "print an empty output for invalid lines instead of stopping",
                           .usual = true),
    };
    const app_program program = {
        .name = "predict",
        .purpose = "Applies a trained model to each line of FILE, or of standard input, and prints the line, "
                   "a tab and the output. MODEL is a model file or its folder. A model trained by `lookback "
                   "sort` reads lists of numbers, separated by spaces, and prints them "
                   "sorted, without the input. The first invalid line stops the program.",
        .operands = "MODEL [FILE]",
        .min_operands = 1,
        .max_operands = 2,
        APP_TABLES(options, examples),
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    s.model_path = argv[0];
    s.input_path = argc > 1 ? argv[1] : NULL;
    return predict(&s);
}
