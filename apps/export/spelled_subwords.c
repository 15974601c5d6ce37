/* The merges of a model as constants in C, for apps/export/kernel/subwords.h. */
#include "export/export.h"

#include "data/text/subwords.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum { CHARACTERS = 0x110000 };

static void add_kinds(app_kernel *kernel, lb_buffer *out)
{
    int64_t rows = 0;
    int before = -1;
    lb_buffer_print(out, "static const subword_kind subword_kinds[] = {\n");
    for (int32_t c = 0; c < CHARACTERS; c++) {
        int kind = (int)lb_subword_kind_of(c);
        if (kind == before) continue;
        lb_buffer_print(out, "    {0x%X, %d},\n", (unsigned)c, kind);
        before = kind;
        rows++;
    }
    app_kernel_end_table(kernel, out, "", "SUBWORD_KINDS", rows);
}

/* The character of a piece that is one; 0: it is none. The mark of a blank is a blank. */
static int32_t character_of(const lb_subword_piece *piece)
{
    int32_t character;
    if (piece->left >= 0) return 0;
    if (strcmp(piece->text, LB_SUBWORD_BLANK) == 0) return ' ';
    return utf8proc_iterate((const utf8proc_uint8_t *)piece->text, -1, &character) > 0 ? character : 0;
}

/* A row of a table that the kernel searches, by its first two numbers. */
typedef struct row {
    int32_t number[4];
} row;

static int compare_rows(const void *a, const void *b)
{
    const int32_t *x = ((const row *)a)->number, *y = ((const row *)b)->number;
    int side = x[0] == y[0];
    return x[side] < y[side] ? -1 : x[side] > y[side];
}

static void add_rows(row *rows, int64_t count, int columns, lb_buffer *out)
{
    qsort(rows, (size_t)count, sizeof *rows, compare_rows);
    for (int64_t i = 0; i < count; i++) {
        lb_buffer_print(out, "    {");
        for (int k = 0; k < columns; k++) lb_buffer_print(out, "%s%d", k ? ", " : "", (int)rows[i].number[k]);
        lb_buffer_print(out, "},\n");
    }
}

static void add_pieces(const lb_text_model *model, row *rows, app_kernel *kernel, lb_buffer *out)
{
    int64_t found = 0;
    const lb_subwords *subwords = model->source_rule.subwords;
    const int32_t end = lb_vocabulary_size(subwords->ids);
    lb_buffer_print(out, "static const subword_piece subword_pieces[] = {\n");
    for (int32_t id = LB_FIRST_TOKEN; id < end; id++) {
        const lb_subword_piece *p = &subwords->pieces[id];
        int32_t symbol = p->allowed ? lb_vocabulary_id(model->source, p->text) : 0,
                character = character_of(p);
        int32_t right = p->left < 0 ? character : p->right - LB_FIRST_TOKEN;
        lb_buffer_print(out, "    {%d, %d, %d},\n", (int)symbol,
                        p->left < 0 ? -1 : (int)p->left - LB_FIRST_TOKEN, (int)right);
        if (character) rows[found++] = (row){{character, id - LB_FIRST_TOKEN}};
    }
    app_kernel_end_table(kernel, out, "    {0, 0, 0}\n", "SUBWORD_PIECES", end - LB_FIRST_TOKEN);
    lb_buffer_print(out, "static const subword_character subword_characters[] = {\n");
    add_rows(rows, found, 2, out);
    app_kernel_end_table(kernel, out, "    {0, 0}\n", "SUBWORD_CHARACTERS", found);
}

static void add_merges(const lb_text_model *model, row *rows, app_kernel *kernel, lb_buffer *out)
{
    const lb_subword_merge *merges = model->source_rule.subwords->merges;
    int64_t count = model->source_rule.subwords->count;
    for (int64_t i = 0; i < count; i++)
        rows[i] = (row){{merges[i].left - LB_FIRST_TOKEN, merges[i].right - LB_FIRST_TOKEN, (int32_t)i,
                         merges[i].made - LB_FIRST_TOKEN}};
    lb_buffer_print(out, "static const subword_merge subword_merges[] = {\n");
    add_rows(rows, count, 4, out);
    app_kernel_end_table(kernel, out, "    {0, 0, 0, 0}\n", "SUBWORD_MERGES", count);
}

lb_status app_spelling_add_subwords(const lb_text_model *model, app_kernel *kernel, lb_buffer *out,
                                    lb_error *error)
{
    enum { BYTES = 256, IN_A_LINE = 16 };
    const lb_subwords *subwords = model->source_rule.subwords;
    size_t most = (size_t)subwords->count + (size_t)lb_vocabulary_size(subwords->ids);
    row *rows = lb_alloc(most * sizeof *rows);
    if (!rows) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    add_kinds(kernel, out);
    add_pieces(model, rows, kernel, out);
    add_merges(model, rows, kernel, out);
    lb_release(rows);
    lb_buffer_print(out, "static const short byte_symbols[256] = {");
    for (unsigned byte = 0; byte < BYTES; byte++) {
        char name[] = "<0x00>";
        snprintf(name, sizeof name, "<0x%02X>", byte);
        lb_buffer_print(out, "%s%d",
                        byte == 0          ? "\n    "
                        : byte % IN_A_LINE ? ", "
                                           : ",\n    ",
                        (int)lb_vocabulary_id(model->source, name));
    }
    lb_buffer_print(out, "\n};\n");
    app_kernel_flag(kernel, "SUBWORDS");
    return LB_OK;
}
