/* Writes a page about a model and a file of pairs: what it writes, where it looks, what it gets wrong. */
#include "report/report.h"
#include "apply/input.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "console/console.h"

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

static void say(const app_report_asked *asked, const app_report_made *made)
{
    if (made->unreadable > 0)
        app_warn("%lld of %lld pairs could not be read", (long long)made->unreadable, (long long)made->pairs);
    if (made->bad_frames > 0)
        app_warn("film.jsonl: left out %lld invalid line%s", (long long)made->bad_frames,
                 made->bad_frames == 1 ? "" : "s");
    if (made->known > 0)
        app_note("%lld of %lld outputs are of the lexicon, which is no test of a model; evaluate measures "
                 "without it, too",
                 (long long)made->known, (long long)made->pairs);
    if (made->detailed < made->pairs)
        app_note("only the first %lld of %lld pairs show their attention; --details sets how many",
                 (long long)made->detailed, (long long)made->pairs);
    if (made->means > 0)
        app_note("%lld of %lld pairs show only the mean over their heads, without erasure, to keep the page "
                 "small; --all-heads keeps each head",
                 (long long)made->means, (long long)made->pairs);
    app_note("wrote %s (%lld pairs, %zu kB of data)", asked->output, (long long)made->pairs,
             (made->bytes + 999) / 1000);
}

static int report(app_report_asked *asked, int operands, char **operand)
{
    lb_error error = {0};
    app_report_made made;
    lb_status status = check_operands(asked, operands, &error);
    asked->model = operand[0];
    asked->file = operands == 2 ? operand[1] : NULL;
    if (!status && !asked->command) status = app_report_no_memory(&error);
    if (!status) status = app_report_build(asked, &made, &error);
    if (!status) say(asked, &made);
    return status ? app_fail(&error) : 0;
}

static const app_example examples[] = {
    {"Look at what the model in out/ does with pairs it has not seen.", "lookback report out test.tsv"},
    {"Look at what it does with two texts.", "lookback report out --input abc --input cab -o two.html"},
};

int report_main(int argc, char **argv)
{
    int threads = 0;
    bool quiet = false;
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
                "pairs shown with the attention of all outputs and the likeliest symbols; others show only "
                "the best output",
                .usual = true),
        APP_FLAG(0, "all-heads", &asked.all_heads,
                 "keep the attention of each head, however large the page gets; by default, many long pairs "
                 "show only the mean over the heads, without erasure and gradient"),
        APP_INT(0, "heads-off", "N", &asked.heads_off, 0, 1 << 20,
                "pairs to decode with each head switched off, to see what it contributes; 0: none"),
        APP_INT(0, "why", "N", &asked.why, 0, 1 << 20,
                "pairs to find out for what their outputs depend on, see docs/why.md, and whether attention "
                "looks there; 0: none"),
        APP_TEXT(0, "engine", "FILE", &asked.engine,
                 "embed the model and this library as WebAssembly, so that new texts can be typed "
                 "into the page; FILE is build/playground/engine.html, built by ./run playground",
                 .usual = true),
        APP_THREADS(&threads),
        APP_QUIET(&quiet),
        APP_HEADING("Decoding"),
        APP_INT('b', "batch", "N", &asked.batch, 1, 65536, "texts to decode at once"),
        APP_INT(0, "beam", "N", &asked.beam, 0, LB_MOST_BEAM,
                "beam width and number of outputs for each pair; 1: greedy; 0: 5, or 1 for lists of numbers",
                .usual = true),
        APP_NUMBER(0, "length-penalty", "P", &asked.length_penalty, 0, LB_MOST_PENALTY,
                   "divide the log-probability of an output by this power of its length"),
        APP_HEADING("Lines"),
        APP_FORMAT(&f->kind),
        APP_TARGETS("targets", "FILE", &f->targets),
        APP_COLUMNS(f, true),
        APP_SKIP_BAD_LINES(f, "show what is wrong with lines that are not pairs, instead of stopping",
                           .usual = true),
        APP_ANY_TARGET(&asked.once, APP_ANY_TARGET_HELP, .usual = true),
    };
    const app_program program = {
        .name = "report",
        .purpose =
            "Writes a page, one HTML file that needs no network, about what a model does with a TSV "
            "file of pairs: all outputs as a table; for each pair the attention, the beam and the likeliest "
            "symbols at each step; over all pairs the source of each symbol, the work of each head, "
            "confusions and calibration; and how the training went. FILE may be - for standard input; MODEL "
            "is a model file or its folder.",
        .operands = "MODEL [FILE]",
        .min_operands = 1,
        .max_operands = 2,
        APP_TABLES(options, examples),
        .threads = &threads,
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
