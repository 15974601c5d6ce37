#include "data/formats/pair_file.h"

#include "base/alloc.h"
#include "data/formats/recognise.h"
#include "io/plain_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SAMPLE = 1 << 16 };

/* Columns that are given say as much as this. */
static const char UNIMORPH[] = "unimorph";

/* Between features, where nothing else is found. */
static const char FEATURES[] = ";";

const char *lb_pair_file_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static lb_status cannot_read(const char *path, int reason, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_OPEN, "%s: cannot read: %s", lb_pair_file_name(path),
                        strerror(reason));
}

static void close_one(int *descriptor)
{
    if (*descriptor > STDIN_FILENO) close(*descriptor);
    *descriptor = -1;
}

/* Puts a plain copy in the place of an open file. */
static lb_status copy_one(const char *path, int *descriptor, lb_error *error)
{
    int copy;
    lb_status status = lb_plain_copy(*descriptor, lb_pair_file_name(path), LB_COPY_MOST, &copy, error);
    close_one(descriptor);
    *descriptor = copy;
    return status;
}

/* Opens a file for reading from its first byte. */
static lb_status open_one(const char *path, bool again, int *descriptor, bool *copied, lb_error *error)
{
    struct stat info;
    bool standard = strcmp(path, "-") == 0;
    int flags = O_RDONLY | O_CLOEXEC | (again ? O_NONBLOCK : 0);
    *descriptor = standard ? STDIN_FILENO : open(path, flags);
    if (*descriptor < 0 || fstat(*descriptor, &info) != 0) return cannot_read(path, errno, error);
    if (S_ISDIR(info.st_mode)) return cannot_read(path, EISDIR, error);
    bool regular = S_ISREG(info.st_mode), pipe = standard && !S_ISCHR(info.st_mode);
    if (again && !regular && !pipe)
        return lb_error_set(error, LB_ERROR_OPEN, "%s: cannot read: found a pipe or device, expected a file",
                            lb_pair_file_name(path));
    *copied = regular ? lb_is_gzip(*descriptor) : again;
    return *copied ? copy_one(path, descriptor, error) : LB_OK;
}

static lb_status look(const lb_pair_file *file, const char *kind, int32_t features, lb_recognised *found,
                      lb_error *error)
{
    char *bytes = lb_alloc(SAMPLE);
    if (!bytes) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the first lines");
    ssize_t count = pread(file->descriptor, bytes, SAMPLE, lseek(file->descriptor, 0, SEEK_CUR));
    lb_status status =
        lb_recognise(bytes, count > 0 ? (size_t)count : 0, count < SAMPLE, kind, features, found, error);
    lb_release(bytes);
    return status;
}

/* What is odd about them is said: nothing is guessed in silence. */
static void note_columns(lb_pair_file *file, const char *name, const lb_recognised *found, bool given,
                         const lb_pair_format *format)
{
    if (format->features_column && found->features && format->features_column != found->features)
        snprintf(file->note, sizeof file->note,
                 "%.300s: column %d looks like features, but features are read in column %d", name,
                 (int)found->features, (int)format->features_column);
    else if (found->unused && found->unused != format->weight_column && !given)
        snprintf(file->note, sizeof file->note,
                 "%.300s: column %d is not used: features would have several keys, and values that recur; "
                 "--features-column %d reads it",
                 name, (int)found->unused, (int)found->unused);
    else if (found->ambiguous)
        snprintf(file->note, sizeof file->note,
                 "%.300s: read as csv, but semicolons divide all lines, too: --format 'csv:;' reads it so",
                 name);
}

/* Given columns are used, and whoever has given others than the file has is told. */
static void take_columns(lb_pair_file *file, const char *name, const lb_recognised *found,
                         lb_pair_format *format)
{
    bool given = format->source_column || format->target_column || format->features_column;
    note_columns(file, name, found, given, format);
    if (format->features_column && !format->source.features)
        format->source.features = found->between_features;
    if (!found->source || (given && !found->fixed)) return;
    file->found_columns = true;
    if (!format->source_column) format->source_column = found->source;
    if (!format->no_target && !format->target_column) format->target_column = found->target;
    bool may = !format->source.features || *format->source.features;
    if (!found->features || !may) return;
    format->features_column = found->features;
    if (!format->source.features) format->source.features = found->between_features;
}

/* Whether the format of a model may be that of a file that looks like nothing in particular: both have tabs, or
 * none. */
static lb_status fits_usual(const char *usual, bool tabs, bool *fits, lb_error *error)
{
    lb_pair_kind kind;
    lb_status status = lb_pair_kind_parse(usual, &kind, error);
    *fits = !status && lb_pair_kind_has_tabs(&kind) == tabs;
    lb_pair_kind_free(&kind);
    return status;
}

/* Sentences with a comma each are no CSV, if nothing says that there are targets, too. */
static bool has_commas(const char *kind)
{
    return strncmp(kind, "csv", 3) == 0;
}

/* Finds out the format and the columns. */
static lb_status settle(lb_pair_file *file, const char *name, lb_pair_format *format, lb_error *error)
{
    lb_recognised found = {0};
    const char *usual = format->usual_kind ? format->usual_kind : "", *given = format->kind;
    bool seeks = lseek(file->descriptor, 0, SEEK_CUR) >= 0, fits = false;
    if (given && !*given) given = NULL;
    lb_status status = seeks ? look(file, given, format->features_column, &found, error) : LB_OK;
    if (!status) status = fits_usual(usual, found.tabs, &fits, error);
    if (status) return status;
    if (format->features_column != 0 && strcmp(found.kind, UNIMORPH) == 0) *found.kind = '\0';
    bool other = strcmp(found.kind, usual) != 0 || (has_commas(found.kind) && !found.header);
    if (!given && format->no_target && other) found = (lb_recognised){0};
    file->recognised = !given && (*found.kind || found.header);
    file->header = found.header;
    snprintf(file->kind, sizeof file->kind, "%s",
             given                        ? given
             : *found.kind                ? found.kind
             : fits && !format->no_target ? usual
                                          : "");
    take_columns(file, name, &found, format);
    return LB_OK;
}

static lb_status convert(lb_pair_file *file, const char *path, const lb_pair_format *format,
                         lb_pair_kind *kind, lb_error *error)
{
    bool both = format->source_column && format->target_column && !format->no_target;
    lb_conversion asked = {.name = lb_pair_file_name(path),
                           .from = file->descriptor,
                           .targets = -1,
                           .to = lb_nameless_file(),
                           .most = LB_COPY_MOST,
                           .kind = kind,
                           .header = file->header || kind->header,
                           .weight_column = format->weight_column,
                           .source_column = both ? format->source_column : 0,
                           .target_column = both ? format->target_column : 0,
                           .met = &file->met};
    bool copied;
    lb_status status = asked.to < 0 ? cannot_read(path, errno, error) : LB_OK;
    file->header = asked.header;
    if (!status && format->targets) {
        asked.targets_name = lb_pair_file_name(format->targets);
        status = open_one(format->targets, false, &asked.targets, &copied, error);
    }
    if (!status) status = lb_convert(&asked, error);
    close_one(&asked.targets);
    close_one(&file->descriptor);
    file->descriptor = asked.to;
    file->copied = file->numbered = true;
    if (!status && lseek(asked.to, 0, SEEK_SET) != 0) status = cannot_read(path, errno, error);
    return status;
}

/* What goes without saying for this kind of file, and what is not used unless somebody says so. */
static void take_unsaid(lb_pair_file *file, const char *name, const lb_pair_kind_row *row,
                        lb_pair_format *format)
{
    bool known = format->usual_kind && strcmp(format->usual_kind, row->name) == 0;
    if (!format->source.separator) format->source.separator = row->source_separator;
    if (!format->target.separator) format->target.separator = row->target_separator;
    if (format->features_column && !format->source.features) format->source.features = FEATURES;
    if (row->weight && !format->weight_column && !format->no_target && !known)
        snprintf(
            file->note, sizeof file->note,
            "%.300s: column %d has probabilities, which are not used: --weight-column %d weighs lines by "
            "them",
            name, (int)row->weight, (int)row->weight);
}

/* Opens what the format needs; the file is then at its first byte. */
static lb_status prepare(lb_pair_file *file, const char *path, lb_pair_format *format, lb_error *error)
{
    lb_pair_kind kind;
    lb_status status = format->targets ? LB_OK : settle(file, lb_pair_file_name(path), format, error);
    if (status) return status;
    status = lb_pair_kind_parse(file->kind, &kind, error);
    bool changed = !status && (file->header || format->targets || format->weight_column != 0 ||
                               !lb_pair_kind_is_plain(&kind));
    if (!status) take_unsaid(file, lb_pair_file_name(path), kind.row, format);
    if (changed) status = convert(file, path, format, &kind, error);
    lb_pair_kind_free(&kind);
    return status;
}

lb_status lb_pair_file_open(lb_pair_file *file, const char *path, lb_pair_format *format, bool again,
                            lb_error *error)
{
    *file = (lb_pair_file){.descriptor = -1};
    bool other = format->kind && *format->kind && strcmp(format->kind, "tsv") != 0;
    lb_status status = open_one(path, again || other, &file->descriptor, &file->copied, error);
    if (!status) status = prepare(file, path, format, error);
    if (status) lb_pair_file_close(file);
    return status;
}

void lb_pair_file_line(const lb_pair_file *file, lb_line *line)
{
    if (!file->numbered) return;
    int64_t number = 0;
    size_t at = 0;
    while (at < line->length && line->text[at] != '\t') number = 10 * number + (line->text[at++] - '0');
    at += at < line->length;
    line->number = number;
    line->text += at;
    line->length -= at;
    line->offset += (int64_t)at;
}

void lb_pair_file_close(lb_pair_file *file)
{
    close_one(&file->descriptor);
}
