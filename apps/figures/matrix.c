/* Fills the matrices that visualize draws: by a model that reads a text, or from a NumPy file. */
#include "figures/maps.h"

#include "console/console.h"

#include "base/alloc.h"
#include "base/format.h"
#include "data/text/subwords.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void app_matrix_free(app_matrix *matrix)
{
    lb_release(matrix->values);
    for (int i = 0; i < APP_LABELS; i++) lb_strings_free(&matrix->labels[i]);
    *matrix = (app_matrix){0};
}

static lb_status check_number(int number, size_t count, const char *what, const char *name, lb_error *error)
{
    if (number < 0 || (size_t)number < count) return LB_OK;
    if (count == 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--%s: expected 0, since %s has only one, found %d",
                            what, name, number);
    return lb_error_set(error, LB_ERROR_ARGUMENT, "--%s: expected 0 to %zu, since %s has %zu, found %d", what,
                        count - 1, name, count, number);
}

lb_status app_matrix_keep(app_matrix *m, int layer, int head, const char *name, lb_error *error)
{
    size_t map = m->rows * m->columns, kept = 0;
    lb_status status = check_number(layer, m->layers, "layer", name, error);
    if (!status) status = check_number(head, m->heads, "head", name, error);
    if (status) return status;
    for (size_t i = 0; i < m->layers * m->heads; i++) {
        bool keep =
            (layer < 0 || i / m->heads == (size_t)layer) && (head < 0 || i % m->heads == (size_t)head);
        if (keep) memmove(m->values + kept++ * map, m->values + i * map, map * sizeof *m->values);
    }
    if (layer >= 0) {
        m->first_layer = (size_t)layer;
        m->layers = 1;
    }
    if (head >= 0) {
        m->first_head = (size_t)head;
        m->heads = 1;
    }
    return LB_OK;
}

void app_matrix_average(app_matrix *m)
{
    size_t map = m->rows * m->columns;
    assert(m->layers > 0 && m->heads > 0);
    const double *last = m->values + (m->layers - 1) * m->heads * map;
    for (size_t i = 0; i < map; i++) {
        double sum = 0;
        for (size_t head = 0; head < m->heads; head++) sum += last[head * map + i];
        m->values[i] = sum / (double)m->heads;
    }
    m->first_layer += m->layers - 1;
    m->averaged = m->heads;
    m->layers = m->heads = 1;
}

/* Reads names with blanks between them. */
static lb_status read_labels(lb_strings *labels, const char *names, const char *path, const char *what,
                             size_t needed, lb_error *error)
{
    static const char blanks[] = " \t\n\v\f\r";
    if (!names) return LB_OK;
    lb_status status = LB_OK;
    char *rest, *text = lb_alloc_string(names);
    if (!text) return lb_no_memory(error, NULL);
    for (char *word = strtok_r(text, blanks, &rest); word && !status; word = strtok_r(NULL, blanks, &rest))
        status = lb_strings_add(labels, lb_alloc_string(word), error);
    lb_release(text);
    if (status || labels->count == needed) return status;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: there are %zu names for %zu %s", path, labels->count,
                        needed, what);
}

lb_status app_matrix_read(const char *path, const char *row_labels, const char *column_labels, app_matrix *m,
                          lb_error *error)
{
    lb_shape shape;
    lb_status status = lb_npy_read(path, &shape, &m->values, error);
    if (status) return status;
    if (shape.ndim < 2 || shape.ndim > 4 || lb_shape_count(shape) == 0) {
        char text[LB_SHAPE_TEXT];
        return lb_error_set(
            error, LB_ERROR_FORMAT,
            "%s: expected a matrix, [rows,columns], with heads and layers before them if there "
            "are such; found an array of shape %s",
            path, lb_shape_format(shape, text));
    }
    m->layers = shape.ndim > 3 ? (size_t)shape.dim[0] : 1;
    m->heads = shape.ndim > 2 ? (size_t)shape.dim[shape.ndim - 3] : 1;
    m->rows = (size_t)shape.dim[shape.ndim - 2];
    m->columns = (size_t)shape.dim[shape.ndim - 1];
    status = read_labels(&m->labels[APP_ROWS], row_labels, path, "rows", m->rows, error);
    if (!status)
        status = read_labels(&m->labels[APP_COLUMNS], column_labels, path, "columns", m->columns, error);
    return status;
}

/* ---- The attention of a model for a text. ---- */

static lb_status label_steps(lb_strings *labels, const lb_translator_facts *model, const lb_output *output,
                             lb_error *error)
{
    const char *end = lb_vocabulary_symbol(model->target, LB_EOS);
    lb_status status = LB_OK;
    for (int64_t i = 0; i < output->steps && !status; i++)
        status =
            lb_strings_add(labels, lb_alloc_string(i == output->length ? end : output->symbol[i]), error);
    return status;
}

static lb_status make_room(app_matrix *m, size_t layers, size_t heads, size_t rows, size_t columns,
                           lb_error *error)
{
    m->layers = layers;
    m->heads = heads;
    m->rows = rows;
    m->columns = columns;
    m->values = lb_alloc(layers * heads * rows * columns * sizeof *m->values);
    return m->values ? LB_OK : lb_no_memory(error, NULL);
}

static lb_status copy_maps(app_matrix *m, const lb_translator_facts *model, const lb_translation *text,
                           const lb_real *from, size_t layers, size_t heads, lb_error *error)
{
    size_t rows = (size_t)text->output->steps, columns = (size_t)text->length;
    if (!from)
        return lb_error_set(error, LB_ERROR_FORMAT, "found %s",
                            text->output->from_lexicon
                                ? "an answer of the lexicon, which the model cannot write"
                                : "a text of one symbol, expected more for erasure");
    lb_status status = make_room(m, layers, heads, rows, columns, error);
    for (size_t i = 0; i < layers * heads * rows * columns && !status; i++) m->values[i] = (double)from[i];
    for (size_t i = 0; i < columns && !status; i++)
        status = lb_strings_add(&m->labels[APP_COLUMNS], lb_alloc_string(text->symbol[i]), error);
    return status ? status : label_steps(&m->labels[APP_ROWS], model, text->output, error);
}

/* ---- Patching. ---- */

/* Whether a point is drawn: what is handed on, by whole layers or by heads. What it is made of is left out. */
static bool is_drawn(const lb_patched *patched)
{
    static const char *const ends[] = {"context", "state", "initial", "residual", "feed_forward", NULL};
    const char *end = strrchr(patched->name, '.');
    return strcmp(patched->name, "encoder.embedding") == 0 || (end && lb_choice_find(ends, end + 1) >= 0);
}

/* "cross.context 1.0": with its layer and head, if it has them. */
static char *name_point(const lb_patched *patched)
{
    char text[LB_POINT_NAME + 48], layer[24] = "", head[24] = "";
    if (patched->layer >= 0) snprintf(layer, sizeof layer, " %lld", (long long)patched->layer);
    if (patched->head >= 0) snprintf(head, sizeof head, ".%lld", (long long)patched->head);
    snprintf(text, sizeof text, "%s%s%s", patched->name, layer, head);
    return lb_alloc_string(text);
}

static lb_status copy_patches(app_matrix *m, const lb_translator_facts *model, const lb_output *output,
                              lb_error *error)
{
    size_t drawn = 0, steps = (size_t)output->steps, row = 1;
    for (int64_t i = 0; i < output->patched_count; i++) drawn += is_drawn(&output->patched[i]);
    if (!output->lost)
        return lb_error_set(error, LB_ERROR_FORMAT, "found an answer that the model cannot write");
    lb_status status = make_room(m, 1, 1, drawn + 1, steps, error);
    if (!status) status = lb_strings_add(&m->labels[APP_ROWS], lb_alloc_string("the other text"), error);
    if (!status) memcpy(m->values, output->lost, steps * sizeof *m->values);
    for (int64_t i = 0; i < output->patched_count && !status; i++) {
        if (!is_drawn(&output->patched[i])) continue;
        memcpy(m->values + row++ * steps, output->patched[i].returned, steps * sizeof *m->values);
        status = lb_strings_add(&m->labels[APP_ROWS], name_point(&output->patched[i]), error);
    }
    return status ? status : label_steps(&m->labels[APP_COLUMNS], model, output, error);
}

/* Reports unknown symbols, as many as fit into a line. */
static void note_unknown(const lb_translation *text)
{
    char list[LB_MESSAGE_LENGTH] = "";
    size_t used = 0;
    for (int64_t i = 0; i < text->unknown_count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s\"%.40s\"", used ? ", " : "",
                                 text->unknown[i]);
    if (used > 0) app_warn("--input: the model does not know %s", list);
}

const char *const app_measures[] = {
    [APP_ATTENTION] = "attention", [APP_ERASURE] = "erasure", [APP_GRADIENT] = "gradient", NULL};

lb_status app_matrix_attend(lb_translator *translator, const char *text, app_measure by, const char *patch,
                            app_matrix *matrix, bool *ended, lb_error *error)
{
    const bool erases = by == APP_ERASURE, attends = by == APP_ATTENTION && !patch;
    lb_translate_config config = {.attention = attends,
                                  .erasure = erases,
                                  .gradient = !erases && !attends && !patch,
                                  .patch = patch ? &patch : NULL,
                                  .skip_bad_texts = true};
    lb_translator_facts model = lb_translator_about(translator);
    lb_translations *found = lb_translate_all(translator, &text, 1, config, error);
    if (!found) return error->status;
    lb_status status = found->text->error ? lb_error_set(error, LB_ERROR_FORMAT, "%s", found->text->error)
                                          : lb_translate_show_alignments(translator, found, error);
    if (!status) {
        const lb_output *output = found->text->output;
        const lb_real *from = attends ? output->weights : erases ? output->erasure : output->gradient;
        const size_t layers = attends ? (size_t)model.model->layers : 1,
                     heads = attends ? (size_t)model.model->heads : 1;
        note_unknown(found->text);
        *ended = output->finished;
        status = patch ? copy_patches(matrix, &model, output, error)
                       : copy_maps(matrix, &model, found->text, from, layers, heads, error);
    }
    if (patch) {
        matrix->across = "output";
        matrix->down = "point";
        matrix->unit = "log-probability returned";
    } else if (!attends) {
        matrix->unit = erases ? "log-probability lost" : "gradient times input";
    }
    lb_translations_free(found);
    return status;
}

/* ---- The likeliest symbols for an output. ---- */

enum { LIKELIEST = 5 };

static lb_status copy_likeliest(app_matrix *m, const lb_translator_facts *model, const lb_output *output,
                                const lb_likeliest *found, lb_error *error)
{
    static const char *const ranks[LIKELIEST] = {"1", "2", "3", "4", "5"};
    lb_status status = make_room(m, 1, 1, (size_t)found->steps, (size_t)found->count, error);
    if (!status) status = label_steps(&m->labels[APP_ROWS], model, output, error);
    for (size_t i = 0; !status && i < m->columns; i++)
        status = lb_strings_add(&m->labels[APP_COLUMNS], lb_alloc_string(ranks[i]), error);
    for (size_t i = 0; !status && i < m->rows * m->columns; i++) {
        m->values[i] = found->probability[i];
        status = lb_strings_add(&m->labels[APP_CELLS], lb_alloc_string(found->symbol[i]), error);
    }
    return status;
}

lb_status app_matrix_likeliest(const char *model, const char *text, app_matrix *m, lb_error *error)
{
    lb_translator *translator = lb_translator_open(model, error);
    if (!translator) return error->status;
    const lb_translator_facts facts = lb_translator_about(translator);
    lb_translations *all =
        lb_translate_all(translator, &text, 1, (lb_translate_config){.skip_bad_texts = true}, error);
    lb_likeliest *found = NULL;
    if (all && all->text->error)
        lb_error_set(error, LB_ERROR_FORMAT, "--input: %s", all->text->error);
    else if (all)
        found = lb_translate_likeliest(translator, all->text, all->text->output, LIKELIEST, error);
    lb_status status = found ? copy_likeliest(m, &facts, all->text->output, found, error) : error->status;
    m->across = "rank";
    m->unit = "probability";
    lb_likeliest_free(found);
    lb_translations_free(all);
    lb_translator_close(translator);
    return status;
}

/* ---- Words instead of their pieces. ---- */

/* The words of one side: of each piece, and the pieces of each. */
typedef struct sides_words {
    lb_strings word;
    size_t *of;    /* [pieces]: the number of its word */
    size_t *parts; /* [words] */
} sides_words;

/* A word as text; to be released. A blank alone is shown as in a piece. */
static char *word_text(const char *begin, size_t length)
{
    char *text = lb_alloc(length + 1);
    if (!text) return NULL;
    memcpy(text, begin, length);
    text[length] = '\0';
    text = lb_subwords_finish(text, &length);
    if (!text || text[strspn(text, " ")]) return text;
    lb_release(text);
    return lb_alloc_string(LB_SUBWORD_BLANK);
}

/* Adds a word of the next pieces; `text` is to be released with it. */
static lb_status add_word(sides_words *words, size_t first, size_t end, char *text, lb_error *error)
{
    for (size_t i = first; i < end; i++) words->of[i] = words->word.count;
    words->parts[words->word.count] = end - first;
    return lb_strings_add(&words->word, text, error);
}

/* Finds the words of labels. The `text` of the first `pieces` has room, as has `start`, for where each begins. What
 * follows them are words already. */
static lb_status find_words(const lb_strings *labels, size_t pieces, sides_words *words, char *text,
                            size_t *start, lb_error *error)
{
    lb_status status = LB_OK;
    char *to = text;
    for (size_t i = 0; i < pieces; i++) {
        start[i] = (size_t)(to - text);
        to = lb_subwords_append(to, labels->text[i]);
    }
    start[pieces] = (size_t)(to - text);
    size_t first = 0, next = 0;
    for (const char *at = text; !status && lb_subwords_next(&at, to); first = next) {
        while (next < pieces && start[next] < (size_t)(at - text)) next++;
        if (next == first) continue; /* no piece begins in this word */
        char *word = word_text(text + start[first], start[next] - start[first]);
        status = add_word(words, first, next, word, error);
    }
    for (size_t i = pieces; i < labels->count && !status; i++)
        status = add_word(words, i, i + 1, lb_alloc_string(labels->text[i]), error);
    return status;
}

static lb_status join_labels(const lb_strings *labels, bool ended, sides_words *words, lb_error *error)
{
    size_t pieces = 0, bytes = 1, count = labels->count;
    for (; pieces < count - ended && !lb_symbol_is_feature(labels->text[pieces]); pieces++)
        bytes += strlen(labels->text[pieces]);
    size_t *start = lb_alloc((pieces + 1) * sizeof *start);
    char *text = lb_alloc(bytes);
    words->of = lb_alloc(count * sizeof *words->of);
    words->parts = lb_alloc(count * sizeof *words->parts);
    lb_status status = start && text && words->of && words->parts
                           ? find_words(labels, pieces, words, text, start, error)
                           : lb_no_memory(error, NULL);
    lb_release(start);
    lb_release(text);
    return status;
}

static lb_status join_values(app_matrix *m, const sides_words *rows, const sides_words *columns,
                             lb_error *error)
{
    size_t maps = m->layers * m->heads, height = rows->word.count, width = columns->word.count;
    double *joined = lb_alloc_zero(maps * height * width * sizeof *joined), *from = m->values;
    if (!joined) return lb_no_memory(error, NULL);
    for (size_t row = 0; row < maps * m->rows; row++) {
        size_t word = rows->of[row % m->rows];
        double *to = joined + (row / m->rows * height + word) * width;
        double parts = m->unit ? 1 : (double)rows->parts[word];
        for (size_t k = 0; k < m->columns; k++) to[columns->of[k]] += *from++ / parts;
    }
    lb_release(m->values);
    m->values = joined;
    m->rows = height;
    m->columns = width;
    return LB_OK;
}

/* Moves the words to the labels, and frees the rest. */
static void move_words(sides_words *words, lb_strings *labels)
{
    lb_strings_free(labels);
    *labels = words->word;
    lb_release(words->of);
    lb_release(words->parts);
}

lb_status app_matrix_join_words(app_matrix *m, bool ended, lb_error *error)
{
    sides_words rows = {0}, columns = {0};
    lb_status status = join_labels(&m->labels[APP_ROWS], ended, &rows, error);
    if (!status) status = join_labels(&m->labels[APP_COLUMNS], false, &columns, error);
    if (!status) status = join_values(m, &rows, &columns, error);
    move_words(&rows, &m->labels[APP_ROWS]);
    move_words(&columns, &m->labels[APP_COLUMNS]);
    return status;
}
