#include "common/matrix.h"

#include "common/report.h"

#include "base/alloc.h"
#include "data/strings.h"
#include "data/symbols.h"
#include "plot/readable.h"

#include <stdio.h>
#include <string.h>

/* A copy of `label`, which may be NULL for want of memory, as the matrix's own. */
static lb_status set_label(app_matrix *m, const char **label, char *text, lb_error *error)
{
    lb_status status = lb_strings_add(&m->texts, text, error);
    if (!status) *label = text;
    return status;
}

static lb_status label_text(app_matrix *m, const app_text_model *model, const lb_symbols *symbols,
                            const lb_hypothesis *output, lb_error *error)
{
    lb_status status = LB_OK;
    for (size_t i = 0; i < m->columns && !status; i++)
        status = set_label(m, &m->column_labels[i], lb_alloc_string(symbols->symbol[i]), error);
    for (size_t i = 0; i < m->rows && !status; i++) {
        bool end = (int64_t)i == output->length;
        const char *symbol = end ? lb_vocabulary_symbol(model->translator.target, LB_EOS)
                                 : app_target_symbol(model, output->id[i]);
        status = set_label(m, &m->row_labels[i], lb_alloc_string(symbol), error);
    }
    return status;
}

static lb_status copy_attention(app_matrix *m, const app_text_model *model, const lb_symbols *symbols,
                                const lb_hypothesis *output, lb_error *error)
{
    m->layers = (size_t)model->translator.model->layers;
    m->heads = (size_t)model->translator.model->heads;
    m->rows = (size_t)output->steps;
    m->columns = symbols->count;
    size_t count = m->layers * m->heads * m->rows * m->columns;
    m->values = lb_alloc(count * sizeof *m->values);
    m->row_labels = lb_alloc(m->rows * sizeof *m->row_labels);
    m->column_labels = lb_alloc(m->columns * sizeof *m->column_labels);
    if (!m->values || !m->row_labels || !m->column_labels)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) m->values[i] = (double)output->weights[i];
    return label_text(m, model, symbols, output, error);
}

static lb_status check_length(const app_text_model *model, size_t count, lb_error *error)
{
    if (count == 0) return lb_error_set(error, LB_ERROR_FORMAT, "found no text, expected some");
    if (count <= (size_t)model->longest) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "found a text of %zu symbols, expected at most %d", count,
                        (int)model->longest);
}

/* Says which symbols the model does not know, as many as a line holds. */
static void note_unknown(const lb_symbols *symbols, const int32_t *id)
{
    char list[LB_ERROR_LENGTH] = "";
    size_t used = 0;
    for (size_t i = 0; i < symbols->count && used < sizeof list; i++) {
        if (id[i] != LB_UNK) continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s\"%.40s\"", used ? ", " : "",
                                 symbols->symbol[i]);
    }
    if (used > 0) app_note("--input: the model does not know %s", list);
}

static lb_status attend(app_text_model *model, const lb_symbols *symbols, app_matrix *matrix, bool *ended,
                        lb_error *error)
{
    lb_beam found;
    int32_t *id = lb_alloc(symbols->count * sizeof *id), length = (int32_t)symbols->count;
    if (!id) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    lb_vocabulary_encode(model->translator.source, symbols->symbol, symbols->count, id, length);
    note_unknown(symbols, id);
    lb_status status = app_text_decode(model, &(app_text){id, length}, 1, &found, error);
    lb_release(id);
    if (status) return status;
    *ended = found.hypothesis->finished;
    return copy_attention(matrix, model, symbols, found.hypothesis, error);
}

lb_status app_matrix_attend_text(app_text_model *model, const char *text, app_matrix *matrix, bool *ended,
                                 lb_error *error)
{
    lb_symbols symbols = {0};
    *ended = true;
    lb_status status = lb_symbols_split(&model->translator.source_rule, text, strlen(text), &symbols, error);
    if (!status) status = check_length(model, symbols.count, error);
    if (!status) status = attend(model, &symbols, matrix, ended, error);
    lb_symbols_free(&symbols);
    return status;
}

lb_status app_matrix_make_readable(app_matrix *matrix, const lb_font *font, lb_error *error)
{
    lb_status status = LB_OK;
    const char **rows = matrix->row_labels, **columns = matrix->column_labels;
    for (size_t i = 0; i < matrix->rows && rows && !status; i++)
        status = set_label(matrix, &rows[i], lb_text_readable(font, rows[i]), error);
    for (size_t i = 0; i < matrix->columns && columns && !status; i++)
        status = set_label(matrix, &columns[i], lb_text_readable(font, columns[i]), error);
    return status;
}
