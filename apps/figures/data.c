/* Looks at a file of pairs before a training: its report, and how lengths and symbols are distributed. */
#include "apply/input.h"
#include "base/alloc.h"
#include "cli/commands.h"
#include "console/console.h"
#include "data/pairs/pairs.h"
#include "data/review/pair_report.h"
#include "translate/plan/recipe.h"

#include <lookback/tensor.h>

enum { SHOWN = 10, CONFLICTS = 5, SIDES = 2 };

/* One side of the pairs. */
typedef struct side {
    const char *name;
    int64_t (*length)(const lb_pairs *, int64_t);
    lb_vocabulary *symbols;              /* most frequent first */
    double *lengths;                     /* [longest + 1] the share of pairs with each length, in percent */
    double *counts, *ranks;              /* [symbol_count] */
    int32_t longest, symbol_count, rare; /* symbols that are left, and that are not */
} side;

typedef struct looking {
    const char *dev_file, *dev_targets, *lexicon_file, *output;
    lb_pair_format format;
    lb_strings targets;
    int symbols, normalize, min_count, shown_pairs;
    lb_pairs *train, *dev, *lexicon;
    side side[SIDES];
} looking;

static app_progress progress;

static void show_count(const void *context, const char *unit, int64_t done, int64_t total)
{
    (void)context;
    app_progress_count(&progress, unit, done, total);
}

static lb_status open_pairs(looking *s, const char *path, lb_error *error)
{
    s->train = lb_pairs_open_counted(path, s->format, (lb_counter){.counted = show_count}, error);
    if (!s->train) return error->status;
    if (*s->train->file.note) app_warn("%s", s->train->file.note);
    lb_pair_format format = s->format;
    format.source = s->train->format.source;
    format.target = s->train->format.target;
    format.usual = &s->train->file.columns;
    format.targets = s->dev_targets;
    format.reference_count = 0;
    format.weight_column = 0;
    if (s->dev_file) s->dev = lb_pairs_open(s->dev_file, format, error);
    if (s->dev_file && !s->dev) return error->status;
    format.usual = &s->train->file.columns;
    format.targets = NULL;
    format.weight_column = s->format.weight_column;
    format.weights_beside = true;
    if (s->lexicon_file) s->lexicon = lb_pairs_open(s->lexicon_file, format, error);
    return s->lexicon_file && !s->lexicon ? error->status : LB_OK;
}

/* A training gives the same hint, and says the same of sentences. Without --dev it holds some pairs out. */
static lb_status hint_at_symbols(const looking *s, lb_error *error)
{
    char text[LB_MESSAGE_LENGTH];
    lb_recipe_facts facts;
    lb_training_config config = {0};
    lb_status status = lb_recipe_look(s->train, &facts, error);
    if (!status && lb_texts_say(&facts.texts, s->train, true, text)) app_warn("%s", text);
    facts.pairs -= s->dev ? 0 : facts.pairs / LB_HELD_OUT;
    if (!status) status = lb_training_config_settle(&config, error);
    if (status) return status;
    lb_recipe_fit(&config, &facts);
    if (lb_recipe_note(&config, &facts, text)) app_note("%s", text);
    return LB_OK;
}

static lb_status print_report(looking *s, lb_error *error)
{
    side *source = &s->side[0], *target = &s->side[1];
    source->symbols = lb_vocabulary_new_reserved(error);
    target->symbols = source->symbols ? lb_vocabulary_new_reserved(error) : NULL;
    if (!target->symbols) return LB_ERROR_MEMORY;
    lb_status status = lb_pairs_take_stock(s->train, source->symbols, target->symbols, error);
    if (status) return status;
    char *text = lb_pair_report(s->train, s->dev, source->symbols, target->symbols, error);
    if (!text) return error->status;
    app_put(text);
    lb_release(text);
    const lb_lexicon_model model = {source->symbols, target->symbols, false, s->train};
    text = s->lexicon ? lb_pair_report_lexicon(s->lexicon, &model, error) : NULL;
    if (text) app_put(text);
    lb_release(text);
    return error->status ? error->status : hint_at_symbols(s, error);
}

/* Prints what no model can get right that has learned the pairs of FILE. */
static lb_status print_conflicts(looking *s, lb_error *error)
{
    lb_strings found = {0};
    lb_status status = s->dev ? lb_pair_conflicts_find(s->train, s->dev, CONFLICTS, &found, error) : LB_OK;
    if (!status && found.count > 0)
        app_print("other targets in %s than in %s:\n", s->dev->path, s->train->path);
    for (size_t i = 0; i < found.count && !status; i++) app_print("  %s\n", found.text[i]);
    lb_strings_free(&found);
    return status;
}

static lb_status measure_side(const looking *s, side *of, lb_error *error)
{
    int64_t count = lb_pairs_count(s->train);
    for (int64_t i = 0; i < count; i++)
        of->longest = of->length(s->train, i) > of->longest ? (int32_t)of->length(s->train, i) : of->longest;
    int32_t all = lb_vocabulary_size(of->symbols);
    lb_vocabulary_sort(of->symbols, s->min_count);
    of->rare = all - lb_vocabulary_size(of->symbols);
    of->symbol_count = lb_vocabulary_size(of->symbols) - LB_FIRST_TOKEN;
    if (of->symbol_count == 0)
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "%s: no symbol of the %ss occurs %d times, expected at least one (min_count)",
                            s->train->path, of->name, s->min_count);
    of->lengths = lb_alloc_zero(((size_t)of->longest + 1) * sizeof *of->lengths);
    of->counts = lb_alloc(((size_t)of->symbol_count + 1) * sizeof *of->counts);
    of->ranks = lb_alloc(((size_t)of->symbol_count + 1) * sizeof *of->ranks);
    if (!of->lengths || !of->counts || !of->ranks) return lb_no_memory(error, "the data");
    for (int64_t i = 0; i < count; i++) of->lengths[of->length(s->train, i)] += 100 / (double)count;
    for (int32_t i = 0; i < of->symbol_count; i++) {
        of->counts[i] = (double)lb_vocabulary_count(of->symbols, LB_FIRST_TOKEN + i);
        of->ranks[i] = i + 1;
    }
    return LB_OK;
}

/* The length that this share of the texts, in percent, does not exceed. */
static int32_t length_of(const side *of, double share)
{
    static const double ROUNDING = 1e-9;
    int32_t length = 0;
    double sum = of->lengths[0];
    while (length < of->longest && sum < share - ROUNDING) sum += of->lengths[++length];
    return length;
}

static void print_symbols(const side *of, int32_t first, int32_t end, lb_buffer *line)
{
    for (int32_t i = first; i < end; i++) {
        lb_buffer_print(line, "%s", i > first ? ", " : " ");
        char shown[LB_SYMBOL_SHOWN];
        lb_buffer_json_string(line,
                              lb_symbol_show(lb_vocabulary_symbol(of->symbols, LB_FIRST_TOKEN + i), shown));
        lb_buffer_print(line, " %.0f", of->counts[i]);
    }
    lb_buffer_print(line, "\n");
}

static lb_status print_side(const side *of, lb_error *error)
{
    lb_buffer text = {0};
    int32_t count = of->symbol_count, shown = count < SHOWN ? count : SHOWN,
            rare = count > 2 * SHOWN ? count - SHOWN : shown;
    lb_buffer_print(
        &text, "%s lengths: 5 %% up to %d, 25 %% up to %d, half up to %d, 75 %% up to %d, 95 %% up to %d\n",
        of->name, (int)length_of(of, 5), (int)length_of(of, 25), (int)length_of(of, 50),
        (int)length_of(of, 75), (int)length_of(of, 95));
    if (of->rare > 0)
        lb_buffer_print(&text, "%s symbols: %d left, %d unknown by --min-count\n", of->name, (int)count,
                        (int)of->rare);
    lb_buffer_print(&text, "%s symbols, most frequent:", of->name);
    print_symbols(of, 0, shown, &text);
    if (rare < count) {
        lb_buffer_print(&text, "%s symbols, least frequent:", of->name);
        print_symbols(of, rare, count, &text);
    }
    lb_status status = text.failed ? lb_no_memory(error, "the data") : LB_OK;
    if (!status) app_put(text.text);
    lb_release(text.text);
    return status;
}

/* Says why a mark is a symbol without its letter, which nobody asked for. */
static void explain_marks(const looking *s)
{
    if (s->normalize != LB_NORMAL_FORM_NFD) return;
    for (int i = 0; i < SIDES; i++) {
        for (int32_t id = 0; id < s->side[i].symbol_count; id++) {
            char shown[LB_SYMBOL_SHOWN];
            const char *symbol = lb_vocabulary_symbol(s->side[i].symbols, LB_FIRST_TOKEN + id);
            if (!lb_symbol_is_mark(symbol)) continue;
            app_print(
                "%s is a combining mark: by default, --normalize nfd, it is a symbol of its own; --normalize "
                "nfc joins it to its letter where Unicode has one character for both\n",
                lb_symbol_show(symbol, shown));
            return;
        }
    }
}

static void print_text(const lb_symbols *text, lb_buffer *line)
{
    for (size_t i = 0; i < text->count; i++) {
        char shown[LB_SYMBOL_SHOWN];
        const char *symbol = text->symbol[i];
        lb_buffer_print(line, "%s%s", i ? " " : "",
                        strcmp(symbol, " ") == 0 ? "\xe2\x90\xa3" : lb_symbol_show(symbol, shown));
    }
}

/* Prints the first pairs: line, source and target, with tabs between them and blanks between symbols. */
static lb_status print_pairs(const looking *s, lb_error *error)
{
    lb_buffer text = {0};
    lb_status status = LB_OK;
    for (int64_t i = 0; i < s->shown_pairs && i < lb_pairs_count(s->train) && !status; i++) {
        const lb_pair_line *pair;
        status = lb_pairs_read(s->train, i, &pair, error);
        if (status) break;
        lb_buffer_print(&text, "%lld\t", (long long)lb_pairs_line_number(s->train, i));
        print_text(&pair->source, &text);
        lb_buffer_print(&text, "\t");
        print_text(&pair->target, &text);
        lb_buffer_print(&text, "\n");
    }
    if (!status && text.failed) status = lb_no_memory(error, "the data");
    if (!status && text.text) app_put(text.text);
    lb_release(text.text);
    return status;
}

/* Draws the lengths, and the counts of the symbols in the order of their ranks. */
static lb_status draw(const looking *s, lb_error *error)
{
    lb_series lengths[SIDES], symbols[SIDES];
    for (int i = 0; i < SIDES; i++) {
        const side *of = &s->side[i];
        lengths[i] = (lb_series){.name = of->name, .y = of->lengths, .count = of->longest + 1};
        symbols[i] =
            (lb_series){.name = of->name, .x = of->ranks, .y = of->counts, .count = of->symbol_count};
    }
    const lb_chart charts[] = {{.series = lengths,
                                .count = SIDES,
                                .title = "Lengths",
                                .x.label = "Symbols",
                                .left.label = "Pairs, %"},
                               {.series = symbols,
                                .count = SIDES,
                                .title = "Symbols",
                                .x = {.label = "Rank", .log = true},
                                .left = {.label = "Occurrences", .log = true}}};
    return app_save_charts(charts, 2, s->output, error);
}

static void close_all(looking *s)
{
    for (int i = 0; i < SIDES; i++) {
        lb_vocabulary_free(s->side[i].symbols);
        lb_release(s->side[i].lengths);
        lb_release(s->side[i].counts);
        lb_release(s->side[i].ranks);
    }
    lb_pairs_close(s->lexicon);
    lb_pairs_close(s->dev);
    lb_pairs_close(s->train);
    lb_strings_free(&s->targets);
}

static int look(looking *s, const char *path)
{
    lb_error error = {0};
    lb_status status = open_pairs(s, path, &error);
    if (!status) status = print_report(s, &error);
    if (!status) status = print_conflicts(s, &error);
    for (int i = 0; i < SIDES && !status; i++) {
        status = measure_side(s, &s->side[i], &error);
        if (!status) status = print_side(&s->side[i], &error);
    }
    if (!status) {
        explain_marks(s);
        status = print_pairs(s, &error);
    }
    if (!status && s->output) status = draw(s, &error);
    close_all(s);
    app_progress_end(&progress);
    lb_error told = {0};
    if (status)
        lb_error_set(&told, status, "%s%s", error.message,
                     app_lacks_targets(error.message) ? "; --targets names a file of the targets" : "");
    return app_close_stdout(status ? app_fail(&told) : 0);
}

static const app_example examples[] = {
    {"Look at pairs before training on them.", "lookback data pairs.tsv"},
    {"Compare two files, and draw their lengths and symbols.",
     "lookback data pairs.tsv --dev dev.tsv -o data.png"},
};

int data_main(int argc, char **argv)
{
    looking s = {.normalize = LB_NORMAL_FORM_NFD,
                 .min_count = 1,
                 .side = {{.name = "source", .length = lb_pairs_source_length},
                          {.name = "target", .length = lb_pairs_target_length}}};
    lb_pair_format *f = &s.format;
    const app_option options[] = {
        APP_TEXT(0, "dev", "FILE", &s.dev_file, "pairs that the training will not see"),
        APP_TEXT(0, "lexicon", "FILE", &s.lexicon_file,
                 "a lexicon for the model that would be trained on FILE"),
        APP_OUTPUT('o', "output", &s.output,
                   "draw the distributions of lengths and symbols, as PNG, SVG or PDF"),
        APP_INT(0, "pairs", "N", &s.shown_pairs, 0, 1 << 20,
                "also print the first N pairs as symbols: line, source and target, with tabs between them"),
        APP_FORMAT(&f->kind),
        APP_SEVERAL_TARGETS(&s.targets),
        APP_TARGETS("dev-targets", "--dev", &s.dev_targets),
        APP_INT(0, "source-column", "N", &f->source_column, 0, 1 << 16, "column of the sources"),
        APP_INT(0, "target-column", "N", &f->target_column, 0, 1 << 16, "column of the targets"),
        APP_FEATURES(f, 0, "column of the features of the sources"),
        APP_INT(0, "weight-column", "N", &f->weight_column, 0, 1 << 16, "column of counts or weights"),
        APP_TEXT(0, "features-separator", "TEXT", &f->source.features,
                 "separator between features; default: recognised, or a semicolon"),
        APP_TEXT(0, "source-separator", "TEXT", &f->source.separator,
                 "separator between symbols of the source, such as ' '; default: each character is a symbol"),
        APP_TEXT(0, "target-separator", "TEXT", &f->target.separator, "the same for the target"),
        APP_CHOICE(0, "symbols", "KIND", &s.symbols, lb_symbol_kind_names, lb_setting_find("symbols")->help),
        APP_CHOICE(0, "normalize", "FORM", &s.normalize, lb_normal_form_names,
                   "Unicode normal form of the symbols"),
        APP_INT(0, "min-count", "N", &s.min_count, 1, 1 << 30,
                "drop symbols that occur less often than this"),
        APP_SKIP_BAD_LINES(f, "skip and count bad lines"),
    };
    const app_program program = {
        .name = "data",
        .purpose = "Shows what a training would find in a file of pairs: format, columns, lengths, symbols, "
                   "oddities and their remedies, repetitions, sources with several targets, and sources that "
                   "--dev shares with FILE. It takes the options of `lookback train`. FILE may be - for "
                   "standard input.",
        .operands = "FILE",
        .min_operands = 1,
        .max_operands = 1,
        APP_TABLES(options, examples),
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    app_set_symbols(f, s.symbols, s.normalize);
    app_set_targets(f, &s.targets);
    lb_error error = {0};
    if (s.output && app_check_picture("--output", s.output, &error)) return app_fail(&error);
    return look(&s, argv[0]);
}
