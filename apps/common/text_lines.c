#include "common/text_lines.h"

#include "common/report.h"

#include "base/buffer.h"
#include "data/pair_line.h"
#include "data/pairs.h"
#include "data/symbols.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    POOL = 1 << 18,     /* bytes of text, and ids, that are read at once, and the longest line beside them */
    UNKNOWN_NAMED = 20, /* symbols of which it is said one by one that they are unknown */
    SAMPLE = 8,         /* symbols that are shown of what the model knows */
    SAMPLE_BYTES = 128
};

static const char INPUT[] = "standard input";

lb_status app_text_lines_open(app_text_lines *lines, const app_text_model *model, int capacity,
                              int source_column, bool skip_bad_lines, lb_error *error)
{
    size_t room = (size_t)capacity;
    *lines = (app_text_lines){.model = model,
                              .capacity = capacity,
                              .format = {.source_column = source_column,
                                         .no_target = true,
                                         .source = model->translator.source_rule,
                                         .longest = model->longest,
                                         .skip_bad_lines = skip_bad_lines},
                              .line = lb_alloc(room * sizeof *lines->line),
                              .text = lb_alloc(room * sizeof *lines->text),
                              .ids = lb_alloc(((size_t)model->longest + POOL) * sizeof *lines->ids),
                              .letters = lb_alloc(LB_PAIR_LINE_BYTES + POOL),
                              .unknown = lb_vocabulary_new_reserved(error)};
    if (!lines->line || !lines->text || !lines->ids || !lines->letters || !lines->unknown)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    return lb_lines_open(&lines->input, STDIN_FILENO, INPUT, LB_PAIR_LINE_BYTES, error);
}

void app_text_lines_close(app_text_lines *lines)
{
    lb_lines_close(&lines->input);
    lb_pair_line_free(&lines->parts);
    lb_release(lines->line);
    lb_release(lines->text);
    lb_release(lines->ids);
    lb_release(lines->letters);
    lb_vocabulary_free(lines->unknown);
    *lines = (app_text_lines){0};
}

/* The column with the text. Lines have been found to have it. */
static void copy_source(app_text_lines *lines, const lb_line *line, app_text_line *to)
{
    const char *at = line->text, *end = at + line->length;
    if (line->number == 1 && lb_pair_line_has_mark(at, line->length)) at += LB_PAIR_LINE_MARK;
    for (int32_t i = 1; i < lines->format.source_column; i++)
        at = (const char *)memchr(at, '\t', (size_t)(end - at)) + 1;
    const char *tab = memchr(at, '\t', (size_t)(end - at));
    to->length = (size_t)((tab ? tab : end) - at);
    to->source = memcpy(lines->letters + lines->letters_used, at, to->length);
    lines->letters_used += to->length;
}

/* "e, a, t": what such a model knows. */
static void write_sample(const lb_vocabulary *vocabulary, char sample[SAMPLE_BYTES])
{
    size_t used = 0;
    sample[0] = '\0';
    for (int32_t id = LB_FIRST_TOKEN; id < LB_FIRST_TOKEN + SAMPLE && id < lb_vocabulary_size(vocabulary);
         id++) {
        const char *symbol = lb_vocabulary_symbol(vocabulary, id);
        if (used + strlen(symbol) + sizeof ", " > SAMPLE_BYTES) return;
        used += (size_t)snprintf(sample + used, SAMPLE_BYTES - used, "%s%s", used ? ", " : "", symbol);
    }
}

static lb_status name_unknown(app_text_lines *lines, int64_t number, const char *symbol, lb_error *error)
{
    int32_t before = lb_vocabulary_size(lines->unknown);
    lines->unknown_times++;
    if (before == LB_FIRST_TOKEN + UNKNOWN_NAMED) return LB_OK;
    lb_status status = lb_vocabulary_add(lines->unknown, &symbol, 1, error);
    if (status || lb_vocabulary_size(lines->unknown) == before) return status;
    app_note("%s:%lld: the model does not know the symbol \"%.40s\"", INPUT, (long long)number, symbol);
    return LB_OK;
}

/* Says what the model does not know of the text. Where that is all of it, the user may have taken another model. */
static lb_status note_unknown(app_text_lines *lines, const app_text *text, int64_t number, lb_error *error)
{
    int32_t unknown = 0;
    lb_status status = LB_OK;
    for (int32_t i = 0; i < text->length; i++) unknown += text->id[i] == LB_UNK;
    if (unknown == text->length && !lines->strangers_said) {
        char sample[SAMPLE_BYTES];
        write_sample(lines->model->translator.source, sample);
        app_note("%s:%lld: the model knows no symbol of this text; it was trained on texts of %s ...", INPUT,
                 (long long)number, sample);
        lines->strangers_said = true;
    }
    for (int32_t i = 0; i < text->length && !status; i++)
        if (text->id[i] == LB_UNK) status = name_unknown(lines, number, lines->parts.source.symbol[i], error);
    return status;
}

static lb_status take_text(app_text_lines *lines, const lb_line *line, lb_error *error)
{
    const lb_symbols *symbols = &lines->parts.source;
    int32_t *ids = lines->ids + lines->ids_used, length = (int32_t)symbols->count;
    app_text *text = &lines->text[lines->count];
    app_text_line *to = &lines->line[lines->count];
    lb_vocabulary_encode(lines->model->translator.source, symbols->symbol, symbols->count, ids, length);
    *text = (app_text){ids, length};
    *to = (app_text_line){.number = line->number};
    copy_source(lines, line, to);
    lines->ids_used += symbols->count;
    lines->count++;
    return note_unknown(lines, text, line->number, error);
}

/* A line that is skipped leaves its text behind where that can be shown, so that answers still stand beside their texts. */
static void take_bad_line(app_text_lines *lines, const lb_line *line, const lb_error *found)
{
    lb_bad_line bad = lines->parts.bad;
    app_text_line *to = &lines->line[lines->count++];
    *to = (app_text_line){.number = line->number, .bad = true};
    bool is_text = bad == LB_LINE_SYMBOL || (bad == LB_LINE_LONG && !line->cut);
    if (is_text && line->length <= LB_PAIR_LINE_BYTES) copy_source(lines, line, to);
    if (lines->skipped++ < LB_PAIRS_BAD_KEPT) app_note("%s: skipped", found->message);
}

static lb_status take(app_text_lines *lines, const lb_line *line, lb_error *error)
{
    lb_error found = {0};
    lb_status status = lb_pair_line_read(&lines->format, INPUT, line, &lines->parts, &found);
    if (!status) return take_text(lines, line, error);
    if (status != LB_ERROR_FORMAT || !lines->format.skip_bad_lines) {
        bool columns = status == LB_ERROR_FORMAT && lines->parts.bad == LB_LINE_COLUMNS &&
                       lines->format.source_column == 0;
        return lb_error_set(error, status, "%s%s", found.message,
                            columns ? "; --source-column takes one of several" : "");
    }
    take_bad_line(lines, line, &found);
    return LB_OK;
}

bool app_text_lines_gather(app_text_lines *lines, lb_error *error)
{
    lines->count = 0;
    lines->ids_used = lines->letters_used = 0;
    while (lines->count < lines->capacity && lines->ids_used <= POOL && lines->letters_used <= POOL) {
        lb_line line;
        lb_lines_result result = lb_lines_next(&lines->input, lines->count == 0, &line, error);
        if (result == LB_LINES_LATER) return true;
        if (result != LB_LINES_ONE || take(lines, &line, error)) return false;
    }
    return true;
}

void app_text_lines_sum_up(const app_text_lines *lines)
{
    if (lines->unknown && lb_vocabulary_size(lines->unknown) == LB_FIRST_TOKEN + UNKNOWN_NAMED)
        app_note("%lld symbols of the texts were unknown to the model; not all have been named",
                 (long long)lines->unknown_times);
    if (lines->skipped > 0) app_note("%lld bad lines were skipped", (long long)lines->skipped);
}
