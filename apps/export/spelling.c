#include "export/spelling.h"

#include "base/alloc.h"
#include "console/console.h"
#include "export/normal_forms.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

/* Symbols by their bytes. */
typedef struct entry {
    const char *symbol;
    int32_t id;
} entry;

static int compare(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->symbol, ((const entry *)b)->symbol);
}

/* Whether a reader of the file sees the character as it is: no mark, no blank, nothing that changes the line. */
static bool is_plain(const char *text, size_t bytes)
{
    int32_t character;
    if (bytes == 0 ||
        utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)bytes, &character) < 1)
        return false;
    if (character == '"' || character == '\\' || character == '?') return false; /* ? begins trigraphs */
    utf8proc_category_t is = utf8proc_category(character);
    bool letter = is >= UTF8PROC_CATEGORY_LU && is <= UTF8PROC_CATEGORY_LO;
    return character < 0x80 ? character >= ' ' : letter || is == UTF8PROC_CATEGORY_ND;
}

/* A string of C. */
static void add_string(lb_buffer *out, const char *text)
{
    lb_buffer_print(out, "\"");
    while (*text) {
        size_t bytes = app_visible(text);
        if (is_plain(text, bytes)) {
            lb_buffer_add(out, text, bytes);
            text += bytes;
        } else {
            lb_buffer_print(out, "\\%03o", (unsigned)(unsigned char)*text++);
        }
    }
    lb_buffer_print(out, "\"");
}

static lb_status add_sources(const lb_text_model *model, app_kernel *kernel, lb_buffer *out, lb_error *error)
{
    int32_t count = lb_vocabulary_size(model->source) - LB_FIRST_TOKEN;
    entry *entries = lb_alloc((size_t)count * sizeof *entries + 1);
    size_t longest = 1;
    if (!entries) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    for (int32_t i = 0; i < count; i++) {
        entries[i] = (entry){lb_vocabulary_symbol(model->source, LB_FIRST_TOKEN + i), LB_FIRST_TOKEN + i};
        size_t bytes = strlen(entries[i].symbol);
        longest = bytes > longest ? bytes : longest;
    }
    qsort(entries, (size_t)count, sizeof *entries, compare);
    lb_buffer_print(out, "static const symbol source_symbols[] = {\n");
    for (int32_t i = 0; i < count; i++) {
        lb_buffer_print(out, "    {");
        add_string(out, entries[i].symbol);
        lb_buffer_print(out, ", %d},\n", (int)entries[i].id);
    }
    lb_buffer_print(out, "%s};\n", count ? "" : "    {\"\", 0}\n");
    app_kernel_size_is(kernel, "SOURCES", count);
    app_kernel_size_is(kernel, "SPELLING", (int64_t)longest);
    lb_release(entries);
    return LB_OK;
}

static void add_targets(const lb_text_model *model, app_kernel *kernel, lb_buffer *out)
{
    int32_t count = lb_vocabulary_size(model->target);
    lb_buffer_print(out, "static const char *const target_symbols[] = {\n");
    for (int32_t id = 0; id < count; id++) {
        lb_buffer_print(out, "    ");
        if (id < LB_FIRST_TOKEN)
            add_string(out, id == LB_UNK ? "\xEF\xBF\xBD" : "");
        else
            add_string(out, lb_vocabulary_symbol(model->target, id));
        lb_buffer_print(out, ",\n");
    }
    lb_buffer_print(out, "};\n");
    app_kernel_size_is(kernel, "TARGETS", count);
}

static bool is_separated(const lb_symbol_rule *rule)
{
    return rule->separator && *rule->separator;
}

static void add_separators(const lb_text_model *model, app_kernel *kernel, lb_buffer *out)
{
    const char *separator = model->source_rule.separator;
    bool separated = is_separated(&model->source_rule);
    bool blanks = separated && strspn(separator, " ") == strlen(separator);
    if (separated) {
        int64_t count = 0;
        int32_t character;
        lb_buffer_print(out, "static const uint32_t source_separator[] = {");
        for (utf8proc_ssize_t more; *separator; separator += more, count++) {
            more = utf8proc_iterate((const utf8proc_uint8_t *)separator, -1, &character);
            lb_buffer_print(out, "%s0x%X", count ? ", " : "", (unsigned)character);
        }
        lb_buffer_print(out, "};\n");
        app_kernel_size_is(kernel, "SEPARATOR", count);
        app_kernel_flag(kernel, "SEPARATED");
    }
    if (blanks) app_kernel_flag(kernel, "BLANKS");
    if (blanks || (!separated && lb_vocabulary_id(model->source, " ") == LB_UNK))
        app_kernel_flag(kernel, "TRIMS");
    if (!is_separated(&model->target_rule)) return;
    app_kernel_flag(kernel, "TARGET_SEPARATED");
    lb_buffer_print(out, "static const char target_separator[] = ");
    add_string(out, model->target_rule.separator);
    lb_buffer_print(out, ";\n");
}

static int64_t most_parts(const lb_vocabulary *vocabulary, const lb_symbol_rule *rule, unsigned char *marked)
{
    int64_t most = 1;
    for (int32_t id = LB_FIRST_TOKEN; id < lb_vocabulary_size(vocabulary); id++) {
        int64_t parts = app_characters_mark(marked, lb_vocabulary_symbol(vocabulary, id));
        most = parts > most ? parts : most;
    }
    return most + (is_separated(rule) ? app_characters_mark(marked, rule->separator) : 0);
}

/* No symbol has more bytes than four for each of its parts. */
static void add_room(const lb_text_model *model, int64_t limit, app_kernel *kernel)
{
    size_t most = 3, gap = is_separated(&model->target_rule) ? strlen(model->target_rule.separator) : 0;
    for (int32_t id = LB_FIRST_TOKEN; id < lb_vocabulary_size(model->target); id++) {
        size_t bytes = strlen(lb_vocabulary_symbol(model->target, id));
        most = bytes > most ? bytes : most;
    }
    app_kernel_size_is(kernel, "ROOM_BYTES", limit * (int64_t)(most + gap) + 1);
}

lb_status app_spelling_add(const lb_text_model *model, int64_t longest, int64_t limit, app_kernel *kernel,
                           lb_buffer *out, lb_error *error)
{
    app_characters all;
    lb_status status = app_characters_new(&all) ? add_sources(model, kernel, out, error)
                                                : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    if (!status) {
        add_targets(model, kernel, out);
        add_separators(model, kernel, out);
        add_room(model, limit, kernel);
        int64_t read = longest * most_parts(model->source, &model->source_rule, all.of_source);
        int64_t written = limit * most_parts(model->target, &model->target_rule, all.of_target);
        app_kernel_size_is(kernel, "CHARACTERS", read > written ? read : written);
        bool composes = model->source_rule.normalize == LB_NORMAL_FORM_NFC;
        if (composes) app_kernel_flag(kernel, "COMPOSES");
        if (model->source_rule.normalize != LB_NORMAL_FORM_NONE) {
            app_kernel_flag(kernel, "NORMALIZES");
            app_normal_forms_add(&all, composes, kernel, out);
        }
    }
    app_characters_free(&all);
    return status;
}
