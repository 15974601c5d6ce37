/* Writes a page about a model and a file of pairs: what it writes, where it looks, what it gets wrong. */
#include "report/report.h"

#include "apply/decoding.h"
#include "base/bytes.h"
#include "base/format.h"
#include "cli/commands.h"
#include "report/statistics.h"
#include "translate/plan/recipe.h"

#include <math.h>
#include <string.h>

enum {
    DETAILED_BATCH = 32, /* texts decoded at once if all of their outputs keep their attention */
    /* Bytes of compressed weights, once and for each pair, within which heads are kept apart. With them 200 pairs of
     * 60 x 60 stay under a megabyte, also of a model that looks everywhere: docs/adr/0024. */
    ROOM = 16 << 10,
    ROOM_OF_PAIR = 3 << 9
};

typedef struct building {
    const app_report_asked *asked;
    lb_translator *translator;
    lb_translator_facts model;
    int beam; /* hypotheses for each text */
    app_report_rows rows;
    app_report_data data;
    void *engine; /* [engine_size]; NULL: the page carries no model */
    size_t engine_size;
    app_pack packed_model;
    app_report_statistics statistics;
    app_report_heads heads;
    app_unknown unknown;
    app_votes votes; /* on the rows */
    app_answers expected;
    app_progress progress;
    const char **text; /* [batch] */
    /* What the program says about the report. */
    int64_t pairs, unreadable, detailed, bad_frames;
    int64_t known; /* pairs whose output is of the lexicon */
    int64_t means; /* detailed pairs with the mean over their heads */
    lb_strings warnings;
} building;

static lb_status open_rows(building *s, lb_error *error)
{
    const app_report_asked *asked = s->asked;
    if (!asked->file) return app_report_rows_take(&s->rows, &asked->inputs, error);
    if (asked->held_out && app_check_held_out(&s->model, error)) return error->status;
    const lb_pair_format format = app_pair_format(asked->format, &s->model);
    return app_report_rows_open(&s->rows, asked->file, &format, asked->once, asked->held_out, error);
}

static lb_status open_all(building *s, lb_error *error)
{
    const app_report_asked *asked = s->asked;
    if (asked->engine && app_page_engine_read(asked->engine, &s->engine, &s->engine_size, error))
        return error->status;
    s->translator = app_open_model(asked->model, asked->file, &s->model, error);
    if (!s->translator) return error->status;
    s->beam = asked->beam ? asked->beam : s->model.sorts ? 1 : 5;
    lb_status status = open_rows(s, error);
    if (!status) status = app_report_data_open(&s->data, error);
    if (!status) status = app_report_statistics_init(&s->statistics, &s->model, error);
    s->text = status ? NULL : lb_alloc((size_t)asked->batch * sizeof *s->text);
    return status || s->text ? status : app_report_no_memory(error);
}

static lb_status add_unreadable(building *s, const char *why, lb_error *error)
{
    app_report_pair pair = {.error = why};
    s->unreadable++;
    return app_report_add_pair(&s->data, s->translator, NULL, &pair, error);
}

/* Adds a text that the model cannot read as a bad line. */
static lb_status refuse(building *s, const app_report_row *row, const char *why, lb_error *error)
{
    lb_error found = {0};
    if (s->asked->file)
        lb_error_set(&found, LB_ERROR_FORMAT, "%s:%lld: %s", s->rows.name, (long long)row->number, why);
    else
        lb_error_set(&found, LB_ERROR_FORMAT, "%s: %s", s->rows.name, why);
    if (!app_skips(&s->asked->format, found.status))
        return lb_error_set(error, found.status, "%s", found.message);
    return add_unreadable(s, found.message, error);
}

static lb_status add_text(building *s, const app_report_row *row, const lb_translations *all,
                          const lb_translation *text, const lb_output *alone, lb_error *error)
{
    if (text->error) return refuse(s, row, text->error, error);
    app_report_pair pair = {.text = text,
                            .expected = &s->expected,
                            .detailed = s->pairs < s->asked->details,
                            .votes = s->votes.ensemble ? &s->votes : NULL,
                            .at = (size_t)(text - all->text)};
    size_t room = ROOM + ROOM_OF_PAIR * (size_t)s->pairs;
    pair.lacks_room = !s->asked->all_heads && s->data.blob.packed.length > room;
    pair.mean_of_heads = pair.lacks_room && pair.detailed && all->heads > 1;
    const app_why *why = &s->statistics.why;
    int64_t compared = why->pairs;
    s->means += pair.mean_of_heads;
    s->known += text->output->from_lexicon;
    lb_status status = app_unknown_count(&s->unknown, text, error);
    if (!status) status = app_answers_split(&s->expected, &s->model.target_rule, &row->targets, error);
    if (!status) status = app_report_heads_keep(&s->heads, s->pairs, row->source, &row->targets, error);
    if (!status)
        status = app_report_statistics_add(&s->statistics, &s->data, all, text, alone, &s->expected, error);
    pair.tau = why->pairs > compared ? why->found[compared * why->rows].tau : NAN;
    return status ? status : app_report_add_pair(&s->data, s->translator, all, &pair, error);
}

static bool is_known(const lb_translation *text)
{
    return text->count > 0 && text->output->from_lexicon;
}

/* What the model alone writes for the texts of `all` that the lexicon has, in their order; it moves these to the
 * front. */
static lb_translations *translate_known(building *s, const lb_translations *all, lb_translate_config config,
                                        lb_error *error)
{
    int64_t count = 0;
    for (int64_t i = 0; i < all->count; i++)
        if (is_known(&all->text[i])) s->text[count++] = s->text[i];
    config.n_best = 1;
    config.no_lexicon = true;
    config.attention = config.erasure = config.gradient = false;
    return lb_translate_all(s->translator, s->text, count, config, error);
}

/* Prints the rows in order; `all` has the texts of those that could be read, `alone` those of translate_known. */
static lb_status add_rows(building *s, const lb_translations *all, const lb_translations *alone,
                          lb_error *error)
{
    size_t next = 0, known = 0;
    lb_status status = LB_OK;
    for (size_t i = 0; i < s->rows.count && !status; i++) {
        const app_report_row *row = &s->rows.row[i];
        const lb_translation *text = row->error ? NULL : &all->text[next++];
        const lb_translation *other = text && is_known(text) ? &alone->text[known++] : NULL;
        const lb_output *output = other && other->count > 0 ? other->output : NULL;
        status = text ? add_text(s, row, all, text, output, error) : add_unreadable(s, row->error, error);
        s->pairs++;
    }
    return status;
}

static lb_status translate(building *s, bool detailed, lb_error *error)
{
    size_t count = 0;
    bool why = s->pairs < s->asked->why;
    for (size_t i = 0; i < s->rows.count; i++)
        if (!s->rows.row[i].error) s->text[count++] = s->rows.row[i].source;
    lb_translate_config config = {.beam = s->beam,
                                  .n_best = detailed ? s->beam : 1,
                                  .length_penalty = s->asked->length_penalty,
                                  .attention = true,
                                  .erasure = why,
                                  .gradient = why,
                                  .measured = 1,
                                  .skip_bad_texts = true,
                                  .stop = app_progress_tick,
                                  .context = &s->progress};
    lb_translations *all = lb_translate_all(s->translator, s->text, (int64_t)count, config, error);
    if (!all) return error->status;
    lb_status status = lb_translate_show_alignments(s->translator, all, error);
    if (!status && detailed && lb_is_ensemble(s->model.model))
        status = app_votes_ask(&s->votes, s->translator, s->text, count, config, error);
    lb_translations *alone = status ? NULL : translate_known(s, all, config, error);
    status = alone ? add_rows(s, all, alone, error) : error->status;
    app_votes_close(&s->votes);
    lb_translations_free(alone);
    lb_translations_free(all);
    return status;
}

static lb_status add_pairs(building *s, lb_error *error)
{
    lb_status status = LB_OK;
    app_progress_init(&s->progress,
                      (app_progress_config){.unit = "pair", .total = s->rows.expected, .late = true});
    lb_json_open(&s->data.json, "pairs", "[");
    do {
        int64_t detailed = s->asked->details - s->pairs, why = s->asked->why - s->pairs;
        int64_t most = detailed > 0 && DETAILED_BATCH < s->asked->batch ? DETAILED_BATCH : s->asked->batch;
        if (detailed > 0 && detailed < most) most = detailed;
        if (why > 0 && why < most) most = why;
        app_report_rows_next(&s->rows, (size_t)most);
        if (s->rows.count > 0) status = translate(s, detailed > 0, error);
        app_progress_update(&s->progress, s->pairs, "%s", "");
    } while (!status && s->rows.count > 0);
    app_progress_end(&s->progress);
    if (!status && s->pairs == s->unreadable)
        status =
            lb_error_set(error, LB_ERROR_FORMAT, "%s: found no pair, expected at least one", s->rows.name);
    s->detailed = s->pairs < s->asked->details ? s->pairs : s->asked->details;
    lb_buffer_print(&s->data.json, "]");
    lb_json_whole(&s->data.json, "detailed", s->detailed);
    return status;
}

/* Packs the model for a page with an engine. */
static lb_status pack_model(building *s, lb_error *error)
{
    void *bytes;
    size_t count;
    if (!s->engine) return LB_OK;
    lb_status status = lb_file_read(s->model.path, 0, &bytes, &count, error);
    if (!status) status = app_pack_open(&s->packed_model, error);
    if (!status) {
        app_pack_add(&s->packed_model, bytes, count);
        status = app_pack_finish(&s->packed_model, error);
    }
    lb_release(bytes);
    return status;
}

/* Who reads the page has not seen the terminal: it has all warnings, too. */
static void warn(building *s)
{
    if (s->unreadable > 0)
        app_warn("%lld of %lld pairs could not be read", (long long)s->unreadable, (long long)s->pairs);
    if (s->bad_frames > 0)
        app_warn("film.jsonl: left out %lld invalid line%s", (long long)s->bad_frames,
                 s->bad_frames == 1 ? "" : "s");
    app_unknown_say(&s->unknown, s->rows.name);
    if (s->asked->why > 0 && s->model.model->heads > 0 && s->statistics.why.pairs == 0)
        app_warn("found no output of the model for a source of several symbols, so nothing says whether "
                 "attention looks at what outputs depend on");
    for (size_t i = 0; i < s->warnings.count; i++)
        app_report_drop_folders(s->warnings.text[i], s->asked->file);
    lb_json_strings(&s->data.json, "warnings", (const char *const *)s->warnings.text,
                    (int64_t)s->warnings.count);
}

static void say(const building *s)
{
    const size_t bytes = lb_base64_length(s->data.data.packed.length) +
                         lb_base64_length(s->data.blob.packed.length) +
                         lb_base64_length(s->packed_model.packed.length);
    if (s->known > 0)
        app_note("%lld of %lld outputs are of the lexicon, which is no test of a model; evaluate measures "
                 "without it, too",
                 (long long)s->known, (long long)s->pairs);
    if (s->detailed < s->pairs)
        app_note("only the first %lld of %lld pairs show their attention; --details sets how many",
                 (long long)s->detailed, (long long)s->pairs);
    if (s->means > 0)
        app_note("%lld of %lld pairs show only the mean over their heads, without erasure, to keep the page "
                 "small; --all-heads keeps each head",
                 (long long)s->means, (long long)s->pairs);
    app_note("wrote %s (%lld pair%s, %zu kB of data)", s->asked->output, (long long)s->pairs,
             lb_plural(s->pairs), (bytes + 999) / 1000);
}

static lb_status build(building *s, lb_error *error)
{
    lb_buffer_print(&s->data.json, "{\"version\":1");
    app_report_about_print(s->asked, s->beam, s->translator, &s->data);
    s->expected.texts = s->heads.texts = s->data.by->texts;
    lb_status status = add_pairs(s, error);
    if (!status) status = app_report_heads_measure(&s->heads, s->translator, &s->data, error);
    if (status) return status;
    app_report_statistics_print(&s->statistics, &s->data, &s->heads);
    app_report_history_print(&s->model, &s->data);
    status = app_report_attention_history_print(s->model.path, &s->data, &s->bad_frames, error);
    if (status) return status;
    warn(s);
    status = app_report_data_finish(&s->data, error);
    if (!status) status = pack_model(s, error);
    if (!status)
        status = app_page_write(s->asked->output, &s->data, s->engine ? &s->packed_model : NULL,
                                (lb_bytes){s->engine, s->engine_size}, error);
    if (!status) say(s);
    return status;
}

/* Checks beyond the table of options. */
static lb_status check_operands(const app_report_asked *asked, int operands, lb_error *error)
{
    if (operands == 2 && asked->inputs.count > 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "expected a FILE or --input, found both; see %s --help",
                            app_name("report"));
    if (operands == 1 && asked->inputs.count == 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "expected a FILE or --input; see %s --help",
                            app_name("report"));
    return LB_OK;
}

static int report(app_report_asked *asked, int operands, char **operand)
{
    lb_error error = {0};
    building s = {.asked = asked, .heads.most = (size_t)asked->heads_off};
    lb_status status = check_operands(asked, operands, &error);
    app_warnings = &s.warnings;
    asked->model = operand[0];
    asked->file = operands == 2 ? operand[1] : NULL;
    if (!status && !asked->command) status = app_report_no_memory(&error);
    const char *const paths[] = {asked->model, asked->file, asked->output, asked->engine,
                                 asked->format.targets};
    for (size_t i = 0; i < sizeof paths / sizeof *paths && !status; i++)
        app_report_drop_folders(asked->command, paths[i]);
    if (!status) status = open_all(&s, &error);
    if (!status) status = build(&s, &error);
    app_unknown_close(&s.unknown);
    app_answers_free(&s.expected);
    app_report_heads_free(&s.heads);
    app_report_statistics_free(&s.statistics);
    app_report_data_close(&s.data);
    app_pack_close(&s.packed_model);
    app_report_rows_close(&s.rows);
    lb_translator_close(s.translator);
    lb_release((void *)s.text);
    lb_release(s.engine);
    app_warnings = NULL;
    lb_strings_free(&s.warnings);
    return status ? app_fail(&error) : 0;
}

static const app_example examples[] = {
    {"Look at what the model in out/ does with pairs it has not seen.", "lookback report out test.tsv"},
    {"Look at what it does with two texts.", "lookback report out --input abc --input cab -o two.html"},
};

int report_main(int argc, char **argv)
{
    app_report_asked asked = {.output = "report.html",
                              .batch = 256,
                              .details = 1000,
                              .heads_off = 200,
                              .why = 200,
                              .length_penalty = 1};
    lb_pair_format *f = &asked.format;
    const app_option options[] = {
        APP_OUTPUT('o', "output", &asked.output, "where to write the page", .usual = true),
        APP_TEXTS('i', "input", "TEXT", &asked.inputs,
                  "a text, or several on separate lines, instead of FILE; may be repeated", .usual = true),
        APP_TEXT(0, "title", "TEXT", &asked.title,
                 "title of the page; default: the names of the model and of the file", .usual = true),
        APP_INT(0, "details", "N", &asked.details, 0, 1 << 20,
                "pairs shown with the attention of all outputs and the most likely symbols; others show only "
                "the best output",
                .usual = true),
        APP_FLAG(0, "all-heads", &asked.all_heads,
                 "keep the attention of each head, however large the page gets; by default, many long pairs "
                 "show only the mean over the heads, without erasure and gradient"),
        APP_INT(0, "heads-off", "N", &asked.heads_off, 0, 1 << 20,
                "pairs to decode with each head switched off, to see what it contributes; 0: none"),
        APP_INT(0, "why", "N", &asked.why, 0, 1 << 20,
                "pairs to measure what their outputs depend on, see docs/why.md, and whether attention "
                "looks there; 0: none"),
        APP_TEXT(0, "engine", "FILE", &asked.engine,
                 "embed the model and this library as WebAssembly, so that new texts can be typed "
                 "into the page; FILE is build/playground/engine.html, built by ./run playground",
                 .usual = true),
        APP_THREADS,
        APP_QUIET,
        APP_HEADING("Decoding"),
        APP_INT('b', "batch", "N", &asked.batch, 1, 65536, "texts to decode at once"),
        APP_INT(0, "beam", "N", &asked.beam, 0, LB_MOST_BEAM,
                "beam width and number of outputs for each pair; 1: greedy; 0: 5; 1 for lists of numbers",
                .usual = true),
        APP_NUMBER(0, "length-penalty", "P", &asked.length_penalty, 0, LB_MOST_PENALTY,
                   "divide the log-probability of an output by this power of its length",
                   .zero_is_value = true),
        APP_HEADING("Lines"),
        APP_FORMAT(&f->kind),
        APP_TARGETS("targets", "FILE", &f->targets),
        APP_COLUMNS(f, true),
        APP_SKIP_BAD_LINES(f, "show what is wrong with lines that are not pairs, instead of stopping",
                           .usual = true),
        APP_ANY_TARGET(&asked.once, APP_ANY_TARGET_HELP, .usual = true),
        APP_HELD_OUT(&asked.held_out),
    };
    const app_program program = {
        .name = "report",
        .purpose =
            "Writes a page, one HTML file that needs no network, about what a model does with a TSV "
            "file of pairs: all outputs as a table; for each pair attention, beam and the most likely "
            "symbols at each step; over all pairs the source of each symbol, the work of each head, "
            "confusions and calibration; and how the training went. FILE may be - for standard input; MODEL "
            "is a model file or its folder.",
        .operands = "MODEL [FILE]",
        .min_operands = 1,
        .max_operands = 2,
        APP_TABLES(options, examples),
    };
    /* Parsing moves the operands to the end. */
    char *command = app_report_command(argc, argv);
    asked.command = command;
    int status = app_options(&program, &argc, &argv);
    if (status == APP_RUN) status = report(&asked, argc, argv);
    lb_release(command);
    lb_strings_free(&asked.inputs);
    return status;
}
