#include "data/formats/pair_file.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "data/formats/recognise.h"
#include "io/path.h"
#include "io/scratch_file.h"

#include <errno.h>
#include <stdio.h>

enum { SAMPLE = 1 << 16 };

lb_status lb_pair_file_source(const char *path, lb_os_handle *handle, bool *regular, lb_error *error)
{
    lb_os_info info;
    const char *name = lb_pair_file_name(path);
    *handle = strcmp(path, "-") == 0 ? lb_os_input() : lb_os_open(path, LB_OS_READ);
    if (!lb_os_is_open(*handle) || !lb_os_info_of(*handle, &info))
        return lb_cannot_read(name, strerror(errno), error);
    *regular = info.kind == LB_OS_IS_FILE;
    return info.kind == LB_OS_IS_FOLDER ? lb_cannot_read(name, strerror(EISDIR), error) : LB_OK;
}

/* Opens a file for reading from its first byte, as often as one wants; maybe a plain copy of it. */
static lb_status open_one(lb_pair_file *file, const char *path, lb_error *error)
{
    bool regular = true;
    lb_os_handle copy;
    lb_status status = lb_pair_file_source(path, &file->handle, &regular, error);
    file->piped = !regular;
    file->copied = !status && (file->piped || lb_is_gzip(file->handle));
    if (!file->copied) return status;
    status = lb_plain_copy(file->handle, NULL, 0, lb_pair_file_name(path), LB_COPY_MOST, &copy, error);
    lb_os_drop(&file->handle);
    file->handle = copy;
    return status;
}

/* ---- Which columns are read. ---- */

static bool has_numbers(const lb_pair_columns *c)
{
    return c->source || c->target || c->features;
}

/* Features in another column than in training: the others keep their order. */
static lb_pair_columns move_features(lb_pair_columns model, int32_t features)
{
    int32_t first = features == 1 ? 2 : 1, second = 6 - features - first;
    bool in_order = model.source < model.target;
    return (lb_pair_columns){
        .source = in_order ? first : second, .target = in_order ? second : first, .features = features};
}

/* The columns of the file by what it says itself; zero: it says nothing that counts. A model without names was trained
 * with numbers, which may mean anything. */
static lb_pair_columns said_by_file(const lb_recognised *found, const lb_pair_format *format,
                                    const char *kind)
{
    const lb_pair_columns none = {0}, *usual = format->usual ? format->usual : &none;
    bool fixed = found->fixed && !lb_is_same_kind(usual->kind, kind);
    const lb_pair_columns said = {
        .source = found->source, .target = found->target, .features = found->features};
    bool named = *usual->source_name || *usual->target_name;
    if (!found->source || found->by_name || fixed || !has_numbers(usual)) return said;
    if (found->by_content && usual->features && found->columns == 3)
        return move_features(lb_pair_columns_complete(*usual, true), found->features);
    return named ? said : none;
}

static void take_columns(lb_pair_file *file, const lb_recognised *found, lb_pair_format *format)
{
    const lb_pair_columns none = {0}, asked = lb_pair_columns_asked(format),
                          said = said_by_file(found, format, file->kind);
    bool given = has_numbers(&asked), may = !format->source.features || *format->source.features;
    bool by_file = found->by_name || ((!given || found->fixed) && said.source);
    bool row = *file->kind || found->columns > (lb_pair_format_has_features(format) ? 2 : 1);
    bool by_model = format->usual && (given || row || !format->no_target); /* otherwise a line is a text */
    const lb_pair_columns *usual = format->usual, *rest = by_file ? &said : by_model ? usual : &none;
    bool two = format->weights_beside && found->columns == 2 && !lb_pair_format_has_features(format);
    if (two && usual && (usual->source > 2 || usual->target > 2)) rest = &none; /* a lexicon without others */
    file->found_columns = by_file && (!given || found->fixed);
    if (!asked.source) format->source_column = rest->source;
    if (!asked.target && !format->no_target) format->target_column = rest->target;
    if (!asked.features && may) format->features_column = rest->features;
    if (format->features_column && !format->source.features)
        format->source.features = found->between_features;
    if (format->weights_beside && (!format->weight_column || found->weight))
        format->weight_column = found->weight ? found->weight : lb_columns_weight(&found->names);
}

static void keep_name(const lb_fields *names, int32_t column, char kept[LB_PAIR_COLUMN_NAME])
{
    lb_span name = column > 0 && column <= names->count ? lb_field(names, column - 1) : (lb_span){"", 0};
    if (name.length >= LB_PAIR_COLUMN_NAME) name.length = 0;
    memcpy(kept, name.text, name.length);
    kept[name.length] = '\0';
}

/* What another file needs to be read as this one. */
static void keep_columns(lb_pair_file *file, const lb_recognised *found, const lb_pair_format *format)
{
    lb_pair_columns *kept = &file->columns;
    *kept = lb_pair_columns_asked(format);
    lb_pair_columns used = lb_pair_columns_complete(*kept, format->features_column != 0);
    if (format->weight_column) *kept = used; /* other files may have weights, but need none */
    if (!lb_is_same_kind(file->kind, "") || strstr(file->kind, LB_PAIR_KIND_HEADER))
        memcpy(kept->kind, file->kind, sizeof kept->kind);
    keep_name(&found->names, used.source, kept->source_name);
    if (!format->no_target) keep_name(&found->names, used.target, kept->target_name);
    keep_name(&found->names, used.features, kept->features_name);
}

/* ---- What is said about them. ---- */

static bool is_used(const lb_pair_columns *used, const lb_pair_format *format, int32_t column)
{
    return column == used->source || column == used->features || column == format->weight_column ||
           (!format->no_target && column == used->target);
}

/* What would read a column that is not used; NULL: nothing that is known. */
static const char *option_for(const lb_recognised *found, const lb_pair_format *format, int32_t column,
                              const char *name)
{
    bool weight = column == found->weight || lb_is_weight_name(lb_span_of(name));
    if (weight && format->weight_column == 0) return "weight";
    return column == found->unused ? "features" : NULL;
}

/* Names all unused columns, or, of a format whose columns are known, those that one may want. */
static lb_status name_unused(lb_pair_file *file, const lb_recognised *found, const lb_pair_format *format)
{
    enum { SHOWN = 6 };
    lb_buffer text = {0};
    lb_pair_columns used =
        lb_pair_columns_complete(lb_pair_columns_asked(format), format->features_column != 0);
    int count = 0;
    for (int i = 1; i <= found->columns; i++) {
        char name[LB_PAIR_COLUMN_NAME];
        keep_name(&found->names, i, name);
        const char *option = option_for(found, format, i, name);
        if (is_used(&used, format, i) || (found->fixed && !option) || count++ >= SHOWN) continue;
        lb_buffer_print(&text, "%s%d", count > 1 ? ", " : "", i);
        lb_buffer_print(&text, *name ? " " : "");
        if (*name) lb_buffer_json_string(&text, name);
        if (option) lb_buffer_print(&text, " (--%s-column %d reads it)", option, i);
    }
    if (count > SHOWN) lb_buffer_print(&text, " and %d more", count - SHOWN);
    if (text.text) snprintf(file->unused, sizeof file->unused, "%s", text.text);
    bool failed = text.failed;
    lb_release(text.text);
    return failed ? LB_ERROR_MEMORY : LB_OK;
}

static void print_reading(lb_buffer *text, const char *kind, bool header, const lb_pair_columns *c,
                          const lb_pair_columns *names)
{
    if (kind)
        lb_buffer_print(text, "%s%s", *kind ? kind : "tsv", header && !strchr(kind, '+') ? "+header" : "");
    if (!c) return;
    const int32_t column[] = {c->source, c->target, c->features};
    const char *const word[] = {"source", "target", "features"};
    const char *const name[] = {names->source_name, names->target_name, names->features_name};
    bool first = !kind;
    for (int i = 0; i < 3; i++) {
        if (column[i] == 0) continue;
        lb_buffer_print(text, "%s%s %d", first ? "" : ", ", word[i], (int)column[i]);
        lb_buffer_print(text, *name[i] ? " " : "");
        if (*name[i]) lb_buffer_json_string(text, name[i]);
        first = false;
    }
}

/* What else the first lines could be. */
static void note_doubts(lb_pair_file *file, const char *name, const lb_recognised *found,
                        const lb_pair_format *format)
{
    if (format->features_column && found->features && format->features_column != found->features)
        snprintf(file->note, sizeof file->note,
                 "%.300s: column %d looks like features, but features are read in column %d", name,
                 (int)found->features, (int)format->features_column);
    else if (found->lone_name && format->no_target && !found->header)
        snprintf(
            file->note, sizeof file->note,
            "%.200s: the first line is \"%.63s\", the name of the sources in training: it is read as a text, "
            "and left out by --format tsv+header",
            name, format->usual->source_name);
    else if (found->ambiguous && !found->header)
        snprintf(file->note, sizeof file->note,
                 "%.300s: read as csv, but semicolons divide all lines, too: --format 'csv:;' reads it so",
                 name);
}

/* Whether tabs divide the columns; those of UniMorph do, too. */
static bool is_tsv(const char *kind)
{
    return lb_is_same_kind(kind, "") || lb_is_same_kind(kind, "unimorph");
}

/* Says how the file is read, where that is not as in training. */
static lb_status compare_reading(lb_pair_file *file, const char *name, const lb_pair_format *format)
{
    const lb_pair_columns *usual = format->usual, *ours = &file->columns;
    bool given = format->kind && *format->kind;
    if (!usual || (format->no_target && !given && !file->recognised && !ours->source)) return LB_OK;
    bool has = lb_pair_format_has_features(format);
    lb_pair_columns used = lb_pair_columns_complete(*ours, has),
                    before = lb_pair_columns_complete(*usual, has);
    if (format->no_target) used.target = before.target = 0;
    bool columns =
        used.source != before.source || used.target != before.target || used.features != before.features;
    columns = columns && (file->found_columns || has_numbers(usual));
    bool named = *usual->source_name && strcmp(usual->kind, "jsonl") != 0;
    bool had_header = named || strstr(usual->kind, LB_PAIR_KIND_HEADER);
    bool same = lb_is_same_kind(file->kind, usual->kind) || (is_tsv(file->kind) && is_tsv(usual->kind));
    bool kind = !same || file->header != had_header;
    if (format->no_target && !file->recognised) kind = kind && given;
    if (!kind && !columns) return LB_OK;
    lb_buffer text = {0};
    print_reading(&text, kind ? file->kind : NULL, file->header, columns ? &used : NULL, ours);
    lb_buffer_print(&text, "; the model was trained with ");
    print_reading(&text, kind ? usual->kind : NULL, had_header, columns ? &before : NULL, usual);
    if (text.text) snprintf(file->note, sizeof file->note, "%.200s: read as %.280s", name, text.text);
    bool failed = text.failed;
    lb_release(text.text);
    return failed ? LB_ERROR_MEMORY : LB_OK;
}

/* Refuses members with other names than in training, none of which says what it is. */
static lb_status expect_members(const lb_recognised *found, const char *name, const lb_pair_format *format,
                                lb_error *error)
{
    const lb_pair_columns *usual = format->usual;
    if (!usual || !*usual->source_name || found->source || found->header || found->names.count == 0)
        return LB_OK;
    if (format->source_column || format->target_column || format->features_column) return LB_OK;
    lb_buffer text = {0};
    for (int i = 0; i < found->names.count; i++) {
        char member[LB_PAIR_COLUMN_NAME];
        keep_name(&found->names, i + 1, member);
        lb_buffer_print(&text, "%s", i > 0 ? ", " : "");
        lb_buffer_json_string(&text, member);
    }
    bool target = !format->no_target && *usual->target_name;
    lb_status status =
        lb_error_set(error, LB_ERROR_FORMAT,
                     "%s: found the members %.200s, expected \"%s\"%s%s%s as in training; "
                     "--source-column and --target-column choose others",
                     name, text.text ? text.text : "", usual->source_name, target ? " and \"" : "",
                     target ? usual->target_name : "", target ? "\"" : "");
    lb_release(text.text);
    return status;
}

lb_status lb_pair_file_decide(lb_pair_file *file, const char *name, const char *text, size_t length,
                              bool whole, lb_pair_format *format, lb_pair_kind *kind, lb_error *error)
{
    lb_recognised found;
    *kind = (lb_pair_kind){0};
    lb_status status = lb_recognise(name, text, length, whole, format, &found, error);
    if (!status) status = expect_members(&found, name, format, error);
    if (!status) {
        bool given = format->kind && *format->kind;
        file->recognised = !given && found.recognised;
        file->header = found.header;
        file->look = found.look;
        snprintf(file->kind, sizeof file->kind, "%s", given ? format->kind : found.kind);
        take_columns(file, &found, format);
        if (format->no_target && *file->kind && !format->source_column) format->source_column = 1;
        keep_columns(file, &found, format);
        note_doubts(file, name, &found, format);
        status = name_unused(file, &found, format);
        if (!status && found.columns > 0) status = compare_reading(file, name, format);
        if (status) lb_error_set(error, status, "%s: out of memory", name);
    }
    if (!status) status = lb_pair_kind_parse(file->kind, kind, error);
    kind->blanks = found.blanks;
    file->header = file->header || kind->header;
    if (!status && kind->row->members && !found.header)
        kind->keys = found.names;
    else
        lb_release(found.names.text.text);
    format->usual = NULL;
    return status;
}

static lb_status look_at_beginning(lb_pair_file *file, const char *name, lb_pair_format *format,
                                   lb_pair_kind *kind, lb_error *error)
{
    char *bytes = lb_alloc(SAMPLE);
    if (!bytes) return lb_no_memory(error, "the first lines");
    int64_t count = lb_os_read_at(file->handle, lb_os_place(file->handle), bytes, SAMPLE);
    file->first = bytes;
    file->first_bytes = count > 0 ? (size_t)count : 0;
    file->first_whole = count < SAMPLE;
    return lb_pair_file_decide(file, name, bytes, file->first_bytes, file->first_whole, format, kind, error);
}

/* Whether the first lines of sources and targets are names. A format that is given decides. */
static lb_status look_at_both(lb_pair_file *file, const lb_converter *of, lb_os_handle targets,
                              lb_error *error)
{
    lb_recognised found = {0};
    bool given = of->format->kind && *of->format->kind;
    lb_status status =
        given ? LB_OK : lb_recognise_both(of->name, file->handle, targets, of->format, &found, error);
    file->header = given ? strstr(of->format->kind, LB_PAIR_KIND_HEADER) != NULL : found.header;
    if (!status) keep_columns(file, &found, of->format);
    lb_release(found.names.text.text);
    return status;
}

static lb_status convert(lb_pair_file *file, const char *path, const lb_pair_format *format,
                         lb_pair_kind *kind, lb_error *error)
{
    lb_converter begun = {.name = lb_pair_file_name(path),
                          .kind = kind,
                          .format = format,
                          .file = file,
                          .to = lb_os_temp_file(),
                          .room = LB_COPY_MOST};
    int count = 0;
    lb_os_handle *targets = lb_alloc(((size_t)format->reference_count + 1) * sizeof *targets);
    lb_status status = lb_os_is_open(begun.to) && targets ? LB_OK : lb_cannot_copy(begun.name, error);
    for (const char *name; targets && !status && (name = lb_pair_format_targets(format, count)) != NULL;
         count++) {
        lb_pair_file one = {0};
        status = open_one(&one, name, error);
        targets[count] = one.handle;
    }
    if (targets && !status && count > 0) status = look_at_both(file, &begun, *targets, error);
    if (!status) status = lb_convert(&begun, targets, count, error);
    while (targets && count > 0) lb_os_drop(&targets[--count]);
    lb_release(targets);
    lb_os_drop(&file->handle);
    file->handle = begun.to;
    file->copied = file->numbered = true;
    if (!status && !lb_os_go(begun.to, 0)) status = lb_cannot_copy(begun.name, error);
    return status;
}

/* Opens what the format needs; the file is then at its first byte. */
static lb_status open_lines(lb_pair_file *file, const char *path, lb_pair_format *format, lb_error *error)
{
    lb_pair_kind kind = {0};
    lb_status status = format->targets
                           ? lb_pair_kind_parse(file->kind, &kind, error)
                           : look_at_beginning(file, lb_pair_file_name(path), format, &kind, error);
    const lb_pair_kind_row *row = status ? NULL : kind.row;
    bool changed = row && (file->header || format->targets || format->weight_column != 0 || !row->plain);
    if (row && !format->source.separator) format->source.separator = row->source_separator;
    if (row && !format->target.separator) format->target.separator = row->target_separator;
    if (row && format->features_column && !format->source.features)
        format->source.features = ";"; /* nothing shows */
    if (changed) status = convert(file, path, format, &kind, error);
    lb_pair_kind_free(&kind);
    return status;
}

lb_status lb_pair_file_open(lb_pair_file *file, const char *path, lb_pair_format *format, lb_error *error)
{
    *file = (lb_pair_file){0};
    lb_status status = open_one(file, path, error);
    const lb_os_handle opened = file->handle;
    if (!status) status = lb_json_unpack(&file->handle, lb_pair_file_name(path), format, error);
    file->copied = file->copied || file->handle.number != opened.number;
    if (!status) status = open_lines(file, path, format, error);
    if (status) lb_pair_file_close(file);
    format->usual = NULL;
    return status;
}

void lb_pair_file_close(lb_pair_file *file)
{
    lb_release(file->first);
    file->first = NULL;
    file->first_bytes = 0;
    lb_os_drop(&file->handle);
}
