/* Prints the probabilities that a model assigns to given pairs. */
#include "apply/answer.h"
#include "apply/decoding.h"
#include "apply/input.h"
#include "cli/commands.h"
#include "console/console.h"
#include "translate/apply/translator.h"

/* A model applied to a file. */
typedef struct scoring {
    int batch;
    const char *attention; /* file; NULL: none */
    bool jsonl, alignments;
    lb_pair_format format; /* of the file, as the command line has it */
    lb_translator *translator;
    lb_translator_facts model;
    app_pair_input pairs;
    app_unknown unknown;
    int64_t symbols, unknown_symbols; /* of the targets */
    lb_buffer attention_lines;        /* of its file */
    lb_buffer line;                   /* of the current pair */
    const lb_translations *found;     /* the current ones */
} scoring;

static lb_status open_all(scoring *s, const char *model, const char *pairs, lb_error *error)
{
    s->translator = app_open_model(model, pairs, &s->model, error);
    if (!s->translator) return error->status;
    if ((s->attention || s->alignments) && s->model.model->heads == 0)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: the model has no attention to write", s->model.path);
    if (lb_is_ensemble(s->model.model) && s->model.model->kind->force && (s->attention || s->alignments))
        return lb_error_set(
            error, LB_ERROR_FORMAT,
            "%s: --attention and --alignments: an ensemble has none of its own for given targets",
            s->model.path);
    const lb_pair_format format = app_pair_format(s->format, &s->model);
    lb_status status = app_pair_input_open(&s->pairs, pairs, &format, error);
    return status ? status : app_pair_input_check(&s->pairs, error);
}

static lb_status print_pair(scoring *s, size_t row, const lb_translation *text, lb_error *error)
{
    const char *source = s->pairs.sources.text[row];
    if (text->error)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s:%lld: %s", s->pairs.name,
                            (long long)s->pairs.number[row], text->error);
    s->symbols += text->output->length;
    for (int64_t i = 0; i < text->output->length; i++)
        s->unknown_symbols += lb_vocabulary_id(s->model.target, text->output->symbol[i]) == LB_UNK;
    lb_status status = app_unknown_count(&s->unknown, text, error);
    if (status) return status;
    lb_buffer *line = &s->line;
    line->length = 0;
    if (s->jsonl)
        app_answer_json(line, source, text);
    else
        lb_buffer_print(line, "%s\t%s\t%.6f", source, text->output->text, text->output->score);
    if (s->alignments && !s->jsonl) {
        lb_buffer_print(line, "\t");
        app_add_alignment(line, s->found, text, text->output);
    }
    lb_buffer_print(line, "\n");
    if (line->failed) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    app_put(line->text);
    return LB_OK;
}

static lb_status score(scoring *s, lb_error *error)
{
    const lb_score_config config = {.attention = s->attention || s->alignments};
    lb_translations *found = lb_translator_score(s->translator, (const char *const *)s->pairs.sources.text,
                                                 (const char *const *)s->pairs.targets.text,
                                                 (int64_t)s->pairs.sources.count, config, error);
    if (!found) return error->status;
    lb_status status = LB_OK;
    s->found = found;
    for (int64_t i = 0; i < found->count && s->attention; i++)
        app_add_attention(&s->attention_lines, found, &found->text[i]);
    if (s->alignments) status = lb_translate_show_alignments(s->translator, found, error);
    for (int64_t i = 0; i < found->count && !status; i++)
        status = print_pair(s, (size_t)i, &found->text[i], error);
    lb_translations_free(found);
    if (!app_flush_stdout()) return LB_ERROR_WRITE; /* app_close_stdout reports the error */
    return status;
}

static lb_status score_all(scoring *s, lb_error *error)
{
    lb_status status;
    app_progress progress;
    app_progress_init(&progress, (app_progress_config){.unit = "pair",
                                                       .total = s->pairs.checked,
                                                       .late = true,
                                                       .off = app_prints_on_terminal()});
    do {
        status = app_pair_input_texts(&s->pairs, (size_t)s->batch, error);
        if (!status && s->pairs.sources.count > 0) status = score(s, error);
        app_progress_update(&progress, s->pairs.count, "%s", "");
    } while (!status && s->pairs.sources.count > 0);
    app_progress_end(&progress);
    if (s->pairs.skipped > 0)
        app_warn("%s: %lld bad line%s skipped", s->pairs.name, (long long)s->pairs.skipped,
                 s->pairs.skipped == 1 ? " was" : "s were");
    app_unknown_say(&s->unknown, s->pairs.name);
    if (s->unknown_symbols > 0)
        app_warn("%s: %lld of the %lld target symbols are unknown and were scored as such", s->pairs.name,
                 (long long)s->unknown_symbols, (long long)s->symbols);
    return status;
}

static int score_file(scoring *s, char **operand)
{
    lb_error error = {0};
    lb_status status = open_all(s, operand[0], operand[1], &error);
    if (!status) status = score_all(s, &error);
    if (!status && s->attention) status = app_write_lines(s->attention, &s->attention_lines, &error);
    lb_release(s->attention_lines.text);
    lb_release(s->line.text);
    app_unknown_close(&s->unknown);
    app_pair_input_close(&s->pairs);
    lb_translator_close(s->translator);
    return app_close_stdout(status && error.status ? app_fail(&error) : 0);
}

static const app_example examples[] = {
    {"Print each pair with its log-probability under the model in out/.", "lookback score out test.tsv"},
    {"Find the ten pairs that surprise the model most.",
     "lookback score out pairs.tsv | sort -t \"$(printf '\\t')\" -k 3,3g | head"},
};

int score_main(int argc, char **argv)
{
    scoring s = {.batch = 256, .format.empty_target = true};
    const app_option options[] = {
        APP_FLAG(0, "jsonl", &s.jsonl,
                 "print a JSON object for each pair, with the probability of each target symbol"),
        APP_OUTPUT(0, "attention", &s.attention,
                   "write the attention of each pair to a file of JSON objects, one for each line"),
        APP_FLAG(0, "alignments", &s.alignments,
                 "print which source symbol each target symbol is written from, such as 0-0 2-1, in a last "
                 "column: positions in source and target, by the attention of the last layer"),
        APP_INT('b', "batch", "N", &s.batch, 1, 65536, "pairs to score at once"),
        APP_THREADS,
        APP_HEADING("Lines"),
        APP_FORMAT(&s.format.kind),
        APP_TARGETS("targets", "FILE", &s.format.targets),
        APP_COLUMNS(&s.format, false),
        APP_SKIP_BAD_LINES(&s.format, "skip lines that are not pairs instead of stopping at the first"),
    };
    const app_program program = {
        .name = "score",
        .purpose = "Prints each pair of a TSV file with the log-probability that a model gives its target: "
                   "source, target and log-probability, separated by tabs. FILE may be - for standard input; "
                   "MODEL is a model file or its folder.",
        .operands = "MODEL FILE",
        .min_operands = 2,
        .max_operands = 2,
        APP_TABLES(options, examples),
    };
    int status = app_options(&program, &argc, &argv);
    return status == APP_RUN ? score_file(&s, argv) : status;
}
