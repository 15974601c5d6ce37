/* Measures how often the outputs of a model, or given predictions, are right. */
#include "evaluate/evaluate.h"
#include "apply/input.h"
#include "cli/commands.h"
#include "console/console.h"

/* Checks beyond the table of options. */
static lb_status check_options(const app_evaluate *s, int operands, lb_error *error)
{
    const lb_symbol_rule *source = &s->format.source, *target = &s->format.target;
    bool rules = source->separator || target->separator || source->features || s->symbols ||
                 s->normalize != LB_NORMAL_FORM_NFD;
    if (s->predictions && operands > 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "expected a MODEL or --predictions, found both; see %s --help",
                            app_name("evaluate"));
    if (!s->predictions && operands == 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "expected a MODEL and a FILE, or --predictions; see %s --help",
                            app_name("evaluate"));
    if (!s->predictions && rules)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "separators, --symbols and --normalize need --predictions: a model has its own");
    if (s->predictions && s->judging.n_best > 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "--n-best needs a MODEL: predictions have one output for each source");
    if (s->errors_path && operands > (s->predictions ? 1 : 2))
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--errors needs one FILE");
    if (s->held_out && s->predictions)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--held-out needs a MODEL");
    if (s->why && (s->predictions || (operands > 2 && !s->json)))
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--why needs a MODEL and one FILE, or --json");
    return LB_OK;
}

/* One of several files. */
static lb_status evaluate_file(app_evaluate *s, const char *model, const char *file, bool several,
                               lb_error *error)
{
    app_score score = {0}, without = {0};
    s->pairs = file;
    lb_status status = s->predictions ? app_evaluate_predictions(s, &score, error)
                                      : app_evaluate_model(s, model, &score, &without, error);
    if (!status)
        status =
            app_score_print(&score, &without, several ? file : NULL, s->confusions, s->seed, s->json, error);
    app_score_close(&score);
    app_score_close(&without);
    return status;
}

static int evaluate_and_print(app_evaluate *s, int operands, char **operand)
{
    lb_error error = {0};
    lb_strings errors = {0};
    const int first = s->predictions ? 0 : 1;
    s->errors = s->errors_path ? &errors : NULL;
    lb_status status = check_options(s, operands, &error);
    app_set_symbols(&s->format, s->symbols, s->normalize);
    app_set_targets(&s->format, &s->targets);
    s->judging.once = s->judging.once || s->targets.count > 1;
    for (int i = first; i < operands && !status; i++)
        status = evaluate_file(s, operand[0], operand[i], operands - first > 1, &error);
    if (!status && s->errors_path) status = app_errors_write(&errors, s->errors_path, &error);
    lb_strings_free(&errors);
    lb_strings_free(&s->targets);
    return app_close_stdout(status ? app_fail(&error) : 0);
}

static const app_example examples[] = {
    {"Measure the model in out/ on pairs it has not seen.", "lookback evaluate out test.tsv"},
    {"Measure it on several files: one table.", "lookback evaluate out dev.tsv test.tsv"},
    {"Make a table of what is wrong.", "lookback evaluate out test.tsv --errors errors.csv"},
    {"Measure the outputs of any program.", "cut -f 1 test.tsv | lookback predict out |\n"
                                            "      lookback evaluate --predictions - test.tsv"},
};

int evaluate_main(int argc, char **argv)
{
    app_evaluate s = {.batch = 256,
                      .config = {.length_penalty = 1, .skip_bad_texts = true},
                      .format.longest = LB_PAIR_LONGEST,
                      .normalize = LB_NORMAL_FORM_NFD,
                      .confusions = 10,
                      .seed = 1};
    lb_pair_format *f = &s.format;
    const app_option options[] = {
        APP_FORMAT(&f->kind),
        APP_SEVERAL_TARGETS(&s.targets),
        APP_INT(0, "weight-column", "N", &f->weight_column, 1, 1 << 16,
                "column of counts or weights: a pair with a weight of 3 counts three times"),
        APP_COLUMNS(f, true),
        APP_SKIP_BAD_LINES(f, "skip and count lines that are not pairs", .usual = true),
        APP_ANY_TARGET(&s.judging.once, APP_ANY_TARGET_HELP, .usual = true),
        APP_FLAG(0, "lower", &s.judging.lower, "compute BLEU and chrF2 in lower case"),
        APP_INT(0, "confusions", "N", &s.confusions, 0, 1 << 20,
                "how many of the most frequent confusions of symbols to print", .usual = true),
        APP_OUTPUT(
            0, "errors", &s.errors_path,
            "write each wrong output to this file, a table in CSV: its line, source, target, output and "
            "probability, and how many symbols are wrong, and where"),
        APP_SEED(0, "seed", "N", &s.seed, "seed of the bootstrap for the intervals"),
        APP_FLAG(0, "json", &s.json, "print a JSON object", .usual = true),
        APP_THREADS,
        APP_HEADING("With a model"),
        APP_INT('b', "batch", "N", &s.batch, 1, 65536, "texts to decode at once"),
        APP_INT(0, "beam", "N", &s.config.beam, 0, LB_MOST_BEAM,
                "beam width; 1: greedy; 0: 5; 1 for lists of numbers", .usual = true),
        APP_INT(0, "n-best", "N", &s.judging.n_best, 1, LB_MOST_BEAM,
                "also report how often one of the N best outputs is right; widens the beam if necessary"),
        APP_NUMBER(0, "length-penalty", "P", &s.config.length_penalty, 0, LB_MOST_PENALTY,
                   "divide the log-probability of an output by this power of its length",
                   .zero_is_value = true),
        APP_FLAG(0, "copy-unknown", &s.config.copy_unknown,
                 "replace an unknown symbol with the source symbol that gets the most attention"),
        APP_HELD_OUT(&s.held_out),
        APP_FLAG(0, "why", &s.why,
                 "also measure whether attention looks at what the output depends on: docs/why.md"),
        APP_FLAG(0, "no-lexicon", &s.config.no_lexicon,
                 "measure the model without its lexicon only; default: with it, and without"),
        APP_HEADING("With predictions instead of a model"),
        APP_TEXT(0, "predictions", "FILE", &s.predictions,
                 "file with a source, a tab and an output on each line, in the order of the pairs, as "
                 "written by predict; -: standard input",
                 .usual = true),
        APP_TEXT(0, "features-separator", "TEXT", &f->source.features,
                 "separator between the features of a source, such as ;"),
        APP_TEXT(0, "source-separator", "TEXT", &f->source.separator,
                 "separator between the symbols of a source; default: each character is a symbol"),
        APP_TEXT(0, "target-separator", "TEXT", &f->target.separator, "the same for targets and outputs"),
        APP_CHOICE(0, "symbols", "KIND", &s.symbols, lb_symbol_kind_names, lb_setting_find("symbols")->help),
        APP_CHOICE(0, "normalize", "FORM", &s.normalize, lb_normal_form_names,
                   "Unicode normal form in which texts are compared"),
    };
    const app_program program = {
        .name = "evaluate",
        .purpose =
            "Applies a model to the sources of a TSV file of pairs and compares its outputs with the "
            "targets. Prints exact match and sequence error rate, which count whole outputs; the word "
            "error rate, if targets have several words; the symbol error rate; BLEU of symbols; "
            "and, if targets are texts of several words, BLEU and chrF2 as sacreBLEU defines them; each in "
            "percent with its 95 % interval; the perplexity that the model has for a symbol of the targets "
            "and, if they are texts, for a word; and the most frequent confusions. There is no interval "
            "where all bootstrap samples agree, and no BLEU of symbols without an output of four. Each line "
            "counts separately, even if a source has several, unless --any-target "
            "is given, or --targets several times. Several files give one table. FILE may be - for "
            "standard input; MODEL is a model file or its folder.",
        .operands = "[MODEL] FILE...",
        .min_operands = 1,
        .max_operands = 1 << 16,
        APP_TABLES(options, examples),
    };
    int status = app_options(&program, &argc, &argv);
    return status == APP_RUN ? evaluate_and_print(&s, argc, argv) : status;
}
