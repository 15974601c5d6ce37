/* The answers of a model as the table that was given to it, in CSV, with columns for the output at its end. */
#include "apply/answer.h"
#include "apply/input.h"

#include <math.h>
#include <string.h>

enum { DIGITS = 9 };

/* The cells of a row that has them with tabs between, as many as the head has names; the last one has what is too
 * much. */
static void add_cells(lb_buffer *csv, const char *row, int columns)
{
    for (int i = 0; i < columns; i++) {
        size_t length = i + 1 < columns ? strcspn(row, "\t") : strlen(row);
        lb_buffer_csv_cell(csv, row, length);
        lb_buffer_print(csv, ",");
        row += length + (row[length] == '\t');
    }
}

/* The names are those of the file. A file without names has sources, maybe features, and columns that are not read. */
static int add_head(lb_buffer *csv, const app_input *input, const char *row, const app_table *table)
{
    const lb_pair_stream *from = &input->stream;
    const lb_fields *names = from->kind.keys.count > 0 ? &from->kind.keys : &from->names;
    int columns = names->count, source = input->format.source_column,
        features = input->format.features_column;
    for (const char *tab = row; names->count == 0 && tab; tab = strchr(tab + 1, '\t')) columns++;
    for (int i = 0; i < columns; i++) {
        if (i < names->count) {
            lb_buffer_csv_cell(csv, lb_field(names, i).text, lb_field(names, i).length);
        } else if (i + 1 == (source ? source : 1)) {
            lb_buffer_print(csv, "source");
        } else if (lb_symbol_rule_has_features(&input->format.source) && i + 1 == (features ? features : 2)) {
            lb_buffer_print(csv, "features");
        } else {
            lb_buffer_print(csv, "column %d", i + 1);
        }
        lb_buffer_print(csv, ",");
    }
    lb_buffer_print(csv, "output,probability,score,from%s%s\n", table->likeness ? ",unlike" : "",
                    table->aligned ? ",alignment" : "");
    return columns;
}

static void add_number(lb_buffer *csv, double number)
{
    if (isfinite(number)) lb_buffer_print(csv, "%.*g", DIGITS, number);
    lb_buffer_print(csv, ",");
}

void app_table_add(app_table *table, const app_input *input, const app_input_line *line,
                   const lb_translations *found, const lb_translation *text, lb_buffer *csv)
{
    const lb_output none = {.text = (char[]){""}, .probability = NAN, .score = NAN};
    const char *row = line->row ? line->row : "";
    if (csv->length == 0) table->columns = add_head(csv, input, row, table);
    for (int64_t i = 0; i == 0 || i < text->count; i++) {
        const lb_output *output = i < text->count ? &text->output[i] : &none;
        add_cells(csv, row, table->columns);
        lb_buffer_csv_cell(csv, output->text, strlen(output->text));
        lb_buffer_print(csv, ",");
        add_number(csv, output->probability);
        add_number(csv, output->score);
        lb_buffer_print(csv, "%s", output == &none ? "" : output->from_lexicon ? "lexicon" : "model");
        if (table->likeness) lb_buffer_print(csv, text->unlike ? ",yes" : ",");
        lb_buffer_print(csv, "%s", table->aligned ? "," : "");
        if (table->aligned) app_add_alignment(csv, found, text, output);
        lb_buffer_print(csv, "\n");
    }
}
