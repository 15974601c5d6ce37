/* Converts the lines of any format to numbered lines with tabs, for files and for streams of pairs. */
#include "data/formats/pair_file.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "data/formats/recognise.h"
#include "io/path.h"
#include "io/scratch_file.h"

#include <errno.h>
#include <stdio.h>

enum { FULL = 1 << 16, MOST_WEIGHT = 1000000, NUMBER = 48 };

static lb_status flush(lb_converter *w, size_t most)
{
    if (w->out.failed || w->fields.text.failed || w->record.failed)
        return lb_out_of_memory_for(w->name, w->error);
    if (!lb_os_is_open(w->to) || w->out.length <= most) return LB_OK;
    lb_status status = lb_copy_add(w->to, &w->room, w->name, w->out.text, w->out.length, w->error);
    w->out.length = 0;
    return status;
}

/* Between the number of a line and what is wrong in it, where other lines have a tab. */
static const char WRONG = '!';

/* A tab or a line end within a field would divide it. Returns whether there was one. */
static bool add_field(lb_buffer *out, lb_span field)
{
    size_t begin = out->length;
    bool broken = false;
    lb_buffer_add(out, field.text, field.length);
    for (char *at = out->text + begin; !out->failed && at < out->text + out->length; at++) {
        if (*at != '\t' && *at != '\n' && *at != '\r') continue;
        *at = ' ';
        broken = true;
    }
    return broken;
}

/* Adds what is wrong in a record in its place. */
static lb_status refuse(lb_converter *w)
{
    lb_buffer_print(&w->out, "%lld%c", (long long)w->first, WRONG);
    (void)add_field(&w->out, lb_span_of(w->kind->why));
    lb_buffer_add(&w->out, "\n", 1);
    return flush(w, FULL);
}

/* Whether a column is read. Those that are left open are among the first three. */
static bool is_used(const lb_pair_format *f, int32_t column)
{
    bool open = f->source_column == 0 || (f->target_column == 0 && !f->no_target) ||
                (f->features_column == 0 && f->source.features && *f->source.features);
    return column == f->source_column || (column == f->target_column && !f->no_target) ||
           column == f->features_column || (f->weights_beside && column == f->weight_column) ||
           (open && column <= 3);
}

/* The next part of a field, of several right answers, from `*next` on; the last one again if there are no more. */
static lb_span next_part(lb_span field, size_t *next, bool *more)
{
    const char *at = field.text + *next, *end = field.text + field.length;
    const char *stop = memchr(at, LB_FIELDS_OR, (size_t)(end - at));
    if (stop) *next = (size_t)(stop + 1 - field.text);
    *more = *more || stop;
    return (lb_span){at, (size_t)((stop ? stop : end) - at)};
}

/* Adds a line for each right answer. */
static lb_status add_lines(lb_converter *w)
{
    size_t next[LB_FIELDS_MOST] = {0};
    lb_status status = LB_OK;
    for (bool first = true, more = true; more && !status; first = false) {
        more = false;
        lb_buffer_print(&w->out, "%lld", (long long)w->first);
        for (int i = 0; i < w->fields.count; i++) {
            bool used = is_used(w->format, i + 1);
            lb_buffer_add(&w->out, "\t", 1);
            if (!used && !first) continue;
            lb_span field = lb_field(&w->fields, i);
            bool broken = add_field(&w->out, used ? next_part(field, &next[i], &more) : field);
            if (used && broken && w->file->met.broken++ == 0) w->file->met.broken_first = w->first;
        }
        lb_buffer_add(&w->out, "\n", 1);
        status = flush(w, FULL);
    }
    return status;
}

/* Adds the lines of a record as often as it counts: what is left of a whole number decides by chance, which is the same
 * in each run. */
static lb_status emit(lb_converter *w)
{
    int column = w->format->weight_column;
    int64_t times = 1;
    lb_status status = LB_OK;
    bool lacks = w->format->weights_beside && column > w->fields.count;
    if (column != 0 && !lacks) {
        double weight = 0;
        lb_span text = column <= w->fields.count ? lb_field(&w->fields, column - 1) : (lb_span){"", 0};
        if (text.length > 0 && *text.text == LB_FIELDS_NOT) text.text++, text.length--;
        if (!lb_span_number(text, MOST_WEIGHT, &weight)) {
            snprintf(w->kind->why, sizeof w->kind->why,
                     "found \"%.*s\" in column %d, expected a weight, a number from 0 to %d",
                     text.length < NUMBER ? (int)text.length : NUMBER, text.text, column, MOST_WEIGHT);
            return refuse(w);
        }
        w->file->met.weighed++;
        if (w->format->weights_beside) return add_lines(w);
        const lb_rng rng = {.seed = (uint64_t)w->first, .stream = lb_rng_stream("weight")};
        times = (int64_t)(weight + lb_rng_uniform(rng, 0));
    }
    for (; times > 0 && !status; times--) status = add_lines(w);
    return status;
}

/* Where quotes are letters, a field goes on to the next quote: the message names the format that reads them so. */
static lb_status bad_quote(const lb_converter *w, const char *found, const char *expected)
{
    char letters[2 * LB_PAIR_KIND_NAME] = "";
    const char *between = w->kind->between, *header = w->file->header ? LB_PAIR_KIND_HEADER : "";
    if (*between == '\t')
        snprintf(letters, sizeof letters, "--format tsv%s", header);
    else if (w->columns <= 2)
        snprintf(letters, sizeof letters, "--format 'lines:%s%s'", between, header);
    return lb_error_set(w->error, LB_ERROR_FORMAT, "%s:%lld: found a quoted field %s, expected %s%s%s%s",
                        w->name, (long long)w->opened, found, expected, *letters ? "; " : "", letters,
                        *letters ? " takes quotes for letters" : "");
}

/* Whether one text is "_", but not both: an underscore is a word, too. */
static bool is_unknown(const lb_converter *w)
{
    const char *nothing = w->kind->row->nothing;
    const lb_pair_format *f = w->format;
    const int32_t columns[] = {f->source_column, f->no_target ? 0 : f->target_column};
    int without = 0;
    for (int i = 0; nothing && i < 2; i++) {
        if (columns[i] == 0 || columns[i] > w->fields.count) return false;
        without += lb_span_is(lb_field(&w->fields, columns[i] - 1), nothing);
    }
    return without == 1;
}

/* Takes the fields of a record. */
static lb_status take_fields(lb_converter *w)
{
    enum { SHOWN = 40 };
    lb_pair_kind *kind = w->kind;
    const lb_first_look *look = &w->file->look;
    const lb_span line = {w->record.text, w->record.length};
    bool first = look->names ? w->first == look->names : w->columns == 0;
    w->columns = w->fields.count;
    if (first && w->file->header) {
        w->file->met.names = w->first;
        return LB_OK;
    }
    const char *lacks = w->first <= look->last ? lb_odd_line_lacks(kind, line, &w->fields) : NULL;
    if (lacks) {
        const int count = w->fields.count;
        bool fits = count > 1 && lb_field(&w->fields, count - 1).length > 0 &&
                    (look->width <= 0 || count == look->width);
        size_t length = (size_t)snprintf(
            kind->why, sizeof kind->why, "found \"%.*s\", expected %s, as in most lines",
            (int)lb_utf8_prefix(line.text, line.length < SHOWN ? line.length : SHOWN), line.text, lacks);
        if (fits) /* the same format takes it, if it is given */
            snprintf(kind->why + length, sizeof kind->why - length, "; --format '%s%s%s%s' takes it",
                     kind->row->name, kind->row->choice ? ":" : "", kind->row->choice ? kind->between : "",
                     w->file->header ? LB_PAIR_KIND_HEADER : "");
        return refuse(w);
    }
    if (!is_unknown(w)) return emit(w);
    w->file->met.unknown++;
    return LB_OK;
}

/* A record is a line, or several of CSV. */
static lb_status take_record(lb_converter *w, lb_pair_line_is found)
{
    lb_status status = LB_OK;
    w->file->met.comments += found == LB_LINE_IS_COMMENT;
    w->file->met.asides += found == LB_LINE_IS_ASIDE;
    if (found == LB_LINE_IS_OPEN)
        status = bad_quote(w, "without an end", "a quote that closes it");
    else if (found != LB_LINE_IS_COMMENT && found != LB_LINE_IS_ASIDE)
        status = found == LB_LINE_IS_BAD ? refuse(w) : take_fields(w);
    w->record.length = 0;
    return status;
}

/* Follows a quoted field from line to line. `fields` is how many were complete before this one. */
static lb_status follow(lb_converter *w, int64_t number, bool before, int fields, lb_pair_line_is found)
{
    lb_converted *met = &w->file->met;
    char text[LB_MESSAGE_LENGTH / 4];
    bool ends = before && (found != LB_LINE_IS_OPEN || w->fields.count > fields);
    if (ends && found == LB_LINE_IS_STRAY) {
        snprintf(text, sizeof text, "that goes on to line %lld, and text after its end", (long long)number);
        return bad_quote(w, text, "a divider there, or the end of the line");
    }
    if (ends && met->long_fields++ == 0) {
        met->long_first = w->opened;
        met->long_last = number;
    }
    if (found == LB_LINE_IS_OPEN && (!before || ends)) w->opened = number;
    return LB_OK;
}

lb_status lb_converter_take(lb_converter *c, lb_line *line, lb_error *error)
{
    lb_converted *met = &c->file->met;
    size_t before = c->record.length;
    int fields = before > 0 ? c->fields.count : 0;
    lb_pair_line_is found = LB_LINE_IS_BAD;
    c->error = error;
    met->lines++;
    met->marked |= lb_line_drop_mark(line);
    bool blank = before == 0 && lb_line_is_blank(line);
    /* the first line may say what divides the others */
    bool divider = before == 0 && !blank && c->columns == 0 && c->kind->row->quotes &&
                   lb_csv_divider((lb_span){line->text, line->length});
    met->blanks += blank;
    met->comments += divider;
    if (blank || divider) return LB_OK;
    if (before == 0) c->first = line->number;
    if (before > 0) lb_buffer_add(&c->record, "\n", 1);
    lb_buffer_add(&c->record, line->text, line->length);
    if (c->record.failed) return lb_out_of_memory_for(c->name, error);
    if (line->cut)
        snprintf(c->kind->why, sizeof c->kind->why,
                 "found a line of more than %d bytes, expected at most that many", LB_PAIR_LINE_BYTES);
    else
        found = lb_pair_kind_split(c->kind, (lb_span){c->record.text + before, c->record.length - before},
                                   before > 0, &c->fields);
    lb_status status = follow(c, line->number, before > 0, fields, found);
    bool goes_on = found == LB_LINE_IS_OPEN && c->record.length <= LB_PAIR_LINE_BYTES;
    return status || goes_on ? status : take_record(c, found);
}

lb_status lb_converter_end(lb_converter *c, lb_error *error)
{
    c->error = error;
    return c->record.length > 0 ? take_record(c, LB_LINE_IS_OPEN) : LB_OK;
}

void lb_converter_free(lb_converter *c)
{
    lb_release(c->fields.text.text);
    lb_release(c->record.text);
    lb_release(c->out.text);
    *c = (lb_converter){0};
}

static lb_status convert_one(lb_converter *w, lb_lines *lines)
{
    lb_line line;
    lb_lines_result result;
    while ((result = lb_lines_next(lines, true, &line, w->error)) == LB_LINES_ONE) {
        lb_status status = lb_converter_take(w, &line, w->error);
        if (status) return status;
    }
    return result == LB_LINES_FAILED ? LB_ERROR_OPEN : lb_converter_end(w, w->error);
}

/* A line of each file: the source, and its targets, which are several right answers. Behind the last, `*more` is
 * false. */
static lb_status take_lines(lb_converter *w, lb_lines *files, int count, bool *more)
{
    static const char or = LB_FIELDS_OR;
    lb_line line;
    lb_fields_clear(&w->fields);
    for (int i = 0; i < count; i++) {
        lb_lines_result found = lb_lines_next(&files[i], true, &line, w->error);
        if (found == LB_LINES_FAILED) return LB_ERROR_OPEN;
        if (i == 0) *more = found == LB_LINES_ONE;
        if (*more != (found == LB_LINES_ONE))
            return lb_error_set(w->error, LB_ERROR_FORMAT,
                                "%s:%lld: found %s target, expected as many lines as in %s", files[i].name,
                                (long long)files[i].number, *more ? "the last" : "a further", w->name);
        if (!*more) continue;
        w->file->met.marked |= lb_line_drop_mark(&line);
        if (i > 1) lb_buffer_add(&w->fields.text, & or, 1);
        lb_buffer_add(&w->fields.text, line.text, line.length);
        if (i == 0 || i == count - 1) lb_fields_end(&w->fields);
        w->first = line.number;
    }
    return LB_OK;
}

static lb_status convert_side_by_side(lb_converter *w, lb_lines *files, int count)
{
    lb_converted *met = &w->file->met;
    bool more = true;
    while (more) {
        lb_status status = take_lines(w, files, count, &more);
        if (status) return status;
        met->lines += more;
        if (more && w->first == 1 && w->file->header)
            met->names = 1;
        else if (more && emit(w))
            return w->error->status;
    }
    return LB_OK;
}

lb_status lb_convert(const lb_converter *begun, const lb_os_handle *targets, int count, lb_error *error)
{
    lb_converter w = *begun;
    lb_lines *files = lb_alloc_zero(((size_t)count + 1) * sizeof *files);
    w.error = error;
    lb_status status = LB_OK;
    if (!files) return lb_out_of_memory_for(w.name, error);
    for (int i = 0; i <= count && !status; i++)
        status = lb_lines_open(&files[i], i ? targets[i - 1] : w.file->handle,
                               i ? lb_pair_file_name(lb_pair_format_targets(w.format, i - 1)) : w.name,
                               LB_PAIR_LINE_BYTES, error);
    if (!status) status = count > 0 ? convert_side_by_side(&w, files, count + 1) : convert_one(&w, files);
    if (!status) status = flush(&w, 0);
    for (int i = 0; i <= count; i++) lb_lines_close(&files[i]);
    lb_release(files);
    lb_converter_free(&w);
    return status;
}

void lb_pair_file_line(const lb_pair_file *file, lb_line *line)
{
    if (!file->numbered) return;
    int64_t number = 0;
    size_t at = 0;
    while (at < line->length && lb_is_digit(line->text[at])) number = 10 * number + (line->text[at++] - '0');
    line->refused = at < line->length && line->text[at] != '\t';
    at += at < line->length;
    line->number = number;
    line->text += at;
    line->length -= at;
    line->offset += (int64_t)at;
}

lb_status lb_recognise_both(const char *name, lb_os_handle sources, lb_os_handle targets,
                            const lb_pair_format *format, lb_recognised *found, lb_error *error)
{
    enum { SAMPLE = 1 << 16 };
    const lb_os_handle handle[] = {sources, targets};
    const int64_t begin[] = {lb_os_place(sources), lb_os_place(targets)};
    lb_pair_format own = *format;
    lb_lines files[2] = {{0}};
    lb_buffer text = {0};
    lb_line line;
    lb_status status = LB_OK;
    for (int i = 0; i < 2 && !status; i++)
        status = lb_lines_open(&files[i], handle[i], name, LB_PAIR_LINE_BYTES, error);
    for (int i = 0; !status && text.length < SAMPLE; i = 1 - i) {
        if (lb_lines_next(&files[i], true, &line, NULL) != LB_LINES_ONE) break;
        (void)lb_line_drop_mark(&line);
        lb_buffer_print(&text, i ? "%.*s\n" : "%.*s\t", (int)line.length, line.text);
    }
    for (int i = 0; i < 2; i++) {
        lb_lines_close(&files[i]);
        if (!status && !lb_os_go(handle[i], begin[i])) status = lb_cannot_read(name, strerror(errno), error);
    }
    own.kind = "tsv";
    if (!status && text.failed) status = lb_no_memory(error, "the first lines");
    if (!status && text.length > 0)
        status = lb_recognise(name, text.text, text.length, true, &own, found, error);
    lb_release(text.text);
    return status;
}
