#include "common/taught.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "common/output.h"
#include "common/pair_input.h"
#include "common/report.h"
#include "data/crossed_sources.h"
#include "data/strings.h"
#include "io/file.h"

#include <string.h>

enum { AT_ONCE = 256 };

static const char NO_SYMBOL[] = "\xEF\xBF\xBD"; /* U+FFFD */

typedef struct lesson {
    const app_teaching *asked;
    lb_translator *teacher;
    lb_buffer lines;    /* the pairs of the training */
    lb_buffer added;    /* those of the teacher */
    lb_strings sources; /* of the pairs */
    int64_t given, taught;
    lb_error *error;
} lesson;

/* Prints a pair in the columns of the format; `source` has a tab before its features. Other columns are "-". */
static void print_pair(lb_buffer *lines, const lb_pair_format *f, const char *source, const char *target)
{
    const char *tab = f->source.features && *f->source.features ? strchr(source, '\t') : NULL;
    int length = tab ? (int)(tab - source) : (int)strlen(source);
    int source_column = f->source_column ? f->source_column : 1;
    int features_column = !tab ? 0 : f->features_column ? f->features_column : 2;
    int target_column = f->target_column ? f->target_column : features_column == 2 ? 3 : 2;
    int last = target_column > source_column ? target_column : source_column;
    if (features_column > last) last = features_column;
    for (int column = 1; column <= last; column++) {
        lb_buffer_print(lines, "%s", column > 1 ? "\t" : "");
        if (column == source_column)
            lb_buffer_print(lines, "%.*s", length, source);
        else if (column == features_column)
            lb_buffer_print(lines, "%s", tab + 1);
        else
            lb_buffer_print(lines, "%s", column == target_column ? target : "-");
    }
    lb_buffer_print(lines, "\n");
}

static bool is_usable(const lb_translation *text)
{
    return text->count > 0 && text->output->finished && text->output->length > 0 &&
           !strstr(text->output->text, NO_SYMBOL);
}

static lb_status teach_some(lesson *l, const app_pair_texts *texts, const lb_pair_format *format)
{
    lb_translate_config config = {.skip_bad_texts = true};
    lb_translations *found =
        lb_translate_all(l->teacher, (const char *const *)texts->source, texts->count, config, l->error);
    if (!found) return l->error->status;
    for (size_t i = 0; i < found->count; i++) {
        const char *target = format->no_target ? NULL : texts->target[i];
        if (target) print_pair(&l->lines, format, texts->source[i], target);
        l->given += target != NULL;
        if (target && lb_strings_add(&l->sources, lb_alloc_string(texts->source[i]), l->error)) break;
        if (!is_usable(&found->text[i])) continue;
        const char *output = found->text[i].output->text;
        if (target && strcmp(output, target) == 0) continue;
        print_pair(&l->added, &l->asked->format, texts->source[i], output);
        l->taught++;
    }
    lb_translations_free(found);
    return l->error->status;
}

static lb_status teach_file(lesson *l, const char *path, const lb_pair_format *format)
{
    app_pair_input input = {.descriptor = -1};
    app_pair_texts texts = {0};
    lb_status status = app_pair_input_open(&input, path, format, l->error);
    if (!status) status = app_pair_texts_new(&texts, AT_ONCE, l->error);
    bool more = !status;
    while (more) {
        status = app_pair_texts_read(&texts, &input, l->error);
        more = !status && texts.count > 0;
        if (more) status = teach_some(l, &texts, format);
        more = more && !status;
    }
    app_pair_texts_free(&texts);
    app_pair_input_close(&input);
    return status;
}

/* The teacher has learned the targets of its own sources by heart: what it knows beyond them shows on others. */
static lb_status teach_made_up(lesson *l, const lb_pair_format *unlabelled)
{
    lb_strings made;
    size_t wanted = l->asked->made_up < 0 ? l->sources.count : (size_t)l->asked->made_up;
    lb_status status =
        lb_cross_sources(&unlabelled->source, &l->sources, wanted, l->asked->seed, &made, l->error);
    for (size_t first = 0; first < made.count && !status; first += AT_ONCE) {
        size_t rest = made.count - first;
        app_pair_texts some = {.source = made.text + first, .count = rest < AT_ONCE ? rest : AT_ONCE};
        status = teach_some(l, &some, unlabelled);
    }
    lb_strings_free(&made);
    return status;
}

static lb_status write_pairs(const lesson *l, const char *path)
{
    lb_buffer all = {0};
    lb_buffer_print(&all, "%s%s", l->lines.text ? l->lines.text : "", l->added.text ? l->added.text : "");
    bool failed = all.failed || l->lines.failed || l->added.failed;
    lb_status status = failed ? lb_error_set(l->error, LB_ERROR_MEMORY, "%s: out of memory", path)
                              : lb_file_write_atomic(path, all.text, all.length, l->error);
    lb_release(all.text);
    return status;
}

lb_status app_taught_write(const app_teaching *teaching, const char *path, lb_error *error)
{
    lesson l = {.asked = teaching, .error = error};
    lb_pair_format unlabelled = teaching->format;
    unlabelled.no_target = true;
    unlabelled.target_column = 0;
    l.teacher = lb_translator_open(teaching->teacher, error);
    lb_status status = l.teacher ? teach_file(&l, teaching->train, &teaching->format) : error->status;
    if (!status && teaching->unlabelled) status = teach_file(&l, teaching->unlabelled, &unlabelled);
    if (!status && teaching->made_up != 0) status = teach_made_up(&l, &unlabelled);
    if (!status) status = write_pairs(&l, path);
    if (!status)
        app_note("%s: %lld pairs of %s, %lld of the teacher", path, (long long)l.given, teaching->train,
                 (long long)l.taught);
    lb_release(l.lines.text);
    lb_release(l.added.text);
    lb_strings_free(&l.sources);
    lb_translator_free(l.teacher);
    return status;
}
