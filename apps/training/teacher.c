/* `--teacher`: writes the targets of unlabelled sources with a trained model, and adds them to the pairs of a
 * training. */
#include "training/train_options.h"

#include "apply/input.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "console/console.h"
#include "data/formats/recognise.h"
#include "data/text/symbols.h"
#include "io/file.h"
#include "io/path.h"
#include "translate/input/data.h"
#include "translate/plan/recipe.h"

#include <string.h>

enum { AT_ONCE = 256, SEAL = 18 };

static const char NO_SYMBOL[] = "\xEF\xBF\xBD"; /* U+FFFD */

typedef struct lesson {
    const app_teaching *asked;
    lb_pair_format format; /* of the files that are read; then that of the one to write, which is TSV */
    lb_translator *teacher;
    lb_strings sources; /* of the pairs, of the file without targets, and made-up ones */
    lb_strings targets; /* of the pairs */
    lb_buffer lines;    /* the pairs of the training */
    lb_buffer added;    /* those of the teacher */
    int64_t taught;
    char seal[APP_PATH]; /* written behind the pairs: a hash of all that decides them, and of their file */
    lb_error *error;
} lesson;

/* Prints a pair in the columns of the format; `source` has a tab before its features. Other columns are "-". */
static void print_pair(lb_buffer *lines, const lb_pair_format *f, const char *source, const char *target)
{
    const char *tab = f->source.features && *f->source.features ? strchr(source, '\t') : NULL;
    int length = tab ? (int)(tab - source) : (int)strlen(source), last = lb_pair_format_columns(f);
    lb_pair_columns c = lb_pair_columns_complete(lb_pair_columns_asked(f), tab != NULL);
    for (int column = 1; column <= last; column++) {
        lb_buffer_print(lines, "%s", column > 1 ? "\t" : "");
        if (column == c.source)
            lb_buffer_print(lines, "%.*s", length, source);
        else if (column == c.features)
            lb_buffer_print(lines, "%s", tab + 1);
        else
            lb_buffer_print(lines, "%s", column == c.target ? target : "-");
    }
    lb_buffer_print(lines, "\n");
}

static bool is_usable(const lb_translation *text)
{
    return text->count > 0 && text->output->finished && text->output->length > 0 &&
           !strstr(text->output->text, NO_SYMBOL);
}

/* Moves texts to the end of others. */
static lb_status collect(lb_strings *to, lb_strings *from, lb_error *error)
{
    lb_status status = LB_OK;
    for (size_t i = 0; i < from->count && !status; i++) {
        status = lb_strings_add(to, from->text[i], error);
        from->text[i] = NULL;
    }
    return status;
}

static lb_status collect_file(lesson *l, const char *path, lb_pair_format *format)
{
    app_pair_input input = {0};
    lb_status status = app_pair_input_open(&input, path, format, l->error);
    if (!status) {
        lb_lines_keep(&input.lines, input.file.piped);
        status = app_pair_input_texts(&input, SIZE_MAX, l->error);
    }
    if (!status) status = collect(&l->sources, &input.sources, l->error);
    if (!status && !format->no_target) status = collect(&l->targets, &input.targets, l->error);
    *format = input.format;
    format->kind = format->targets = NULL;
    format->weight_column = 0;
    app_pair_input_close(&input);
    return status;
}

/* The teacher has learned the targets of its own sources by heart: what it knows beyond them shows on others. */
static lb_status make_up(lesson *l, uint64_t seed)
{
    lb_strings made;
    const lb_strings given = {.count = l->targets.count, .text = l->sources.text};
    size_t wanted = l->asked->made_up < 0 ? given.count : (size_t)l->asked->made_up;
    lb_status status = lb_cross_sources(&l->format.source, &given, wanted, seed, &made, l->error);
    if (!status) status = collect(&l->sources, &made, l->error);
    lb_strings_free(&made);
    return status;
}

static lb_status collect_all(lesson *l, const lb_training_config *c)
{
    lb_status status = collect_file(l, c->train, &l->format);
    lb_pair_format unlabelled = l->format;
    unlabelled.no_target = true;
    unlabelled.target_column = 0;
    if (!status && l->asked->unlabelled) status = collect_file(l, l->asked->unlabelled, &unlabelled);
    return status || l->asked->made_up == 0 ? status : make_up(l, c->seed);
}

static lb_status teach_some(lesson *l, size_t first, size_t count)
{
    lb_translate_config config = {.skip_bad_texts = true};
    lb_translations *found = lb_translate_all(l->teacher, (const char *const *)l->sources.text + first,
                                              (int64_t)count, config, l->error);
    if (!found) return l->error->status;
    for (size_t i = 0; i < count; i++) {
        const char *source = l->sources.text[first + i];
        const char *target = first + i < l->targets.count ? l->targets.text[first + i] : NULL;
        if (target) print_pair(&l->lines, &l->format, source, target);
        if (!is_usable(&found->text[i])) continue;
        const char *output = found->text[i].output->text;
        if (target && strcmp(output, target) == 0) continue;
        print_pair(&l->added, &l->format, source, output);
        l->taught++;
    }
    lb_translations_free(found);
    return LB_OK;
}

static lb_status teach(lesson *l)
{
    app_progress progress;
    app_progress_config config = {.unit = "taught", .total = (int64_t)l->sources.count};
    lb_status status = LB_OK;
    app_progress_init(&progress, config);
    for (size_t first = 0, count; first < l->sources.count && !status; first += count) {
        if (app_interrupted(NULL)) {
            status = lb_error_set(l->error, LB_ERROR_INTERRUPTED,
                                  "interrupted while the teacher was writing; the same command starts again");
            break;
        }
        count = l->sources.count - first < AT_ONCE ? l->sources.count - first : AT_ONCE;
        status = teach_some(l, first, count);
        if (!status)
            app_progress_update(&progress, (int64_t)(first + count), "%lld new pairs", (long long)l->taught);
    }
    app_progress_end(&progress);
    return status;
}

static uint64_t hash_texts(uint64_t hash, const lb_strings *strings)
{
    hash = lb_hash(hash, &strings->count, sizeof strings->count);
    for (size_t i = 0; i < strings->count; i++)
        hash = lb_hash(hash, strings->text[i], strlen(strings->text[i]) + 1);
    return hash;
}

/* One number for who teaches what, and for what was written. */
static lb_status seal_lesson(const lesson *l, char seal[SEAL])
{
    uint64_t teacher, pairs, bytes;
    const char *version = lb_version();
    const lb_pair_columns c = lb_pair_columns_asked(&l->format);
    const int columns[] = {c.source, c.target, c.features};
    lb_status status = lb_file_hash(lb_translator_about(l->teacher).path, &teacher, &bytes, l->error);
    if (!status) status = lb_file_hash(l->asked->pairs, &pairs, &bytes, l->error);
    if (status) return status;
    uint64_t hash = hash_texts(hash_texts(LB_HASH, &l->sources), &l->targets);
    hash = lb_hash(lb_hash(hash, columns, sizeof columns), version, strlen(version));
    hash = lb_hash(lb_hash(hash, &teacher, sizeof teacher), &pairs, sizeof pairs);
    snprintf(seal, SEAL, "%016llx\n", (unsigned long long)hash);
    return LB_OK;
}

/* A vote may take minutes to write them, and a training is resumed. What is missing or another is written again. */
static lb_status are_written(const lesson *l, bool *same)
{
    void *found;
    char seal[SEAL] = "";
    size_t count;
    *same = false;
    if (lb_file_is_missing(l->seal) || lb_file_is_missing(l->asked->pairs)) return LB_OK;
    lb_status status = lb_file_read_own(l->seal, 0, &found, &count, l->error);
    if (!status) status = seal_lesson(l, seal);
    *same = !status && count == SEAL - 1 && memcmp(found, seal, count) == 0;
    lb_release(found);
    return status;
}

static lb_status teach_and_write(lesson *l, const char *train)
{
    char seal[SEAL];
    const char *pairs = l->asked->pairs;
    lb_status status = teach(l);
    const lb_bytes parts[] = {{l->lines.text, l->lines.length}, {l->added.text, l->added.length}};
    if (!status && (l->lines.failed || l->added.failed)) status = lb_out_of_memory_for(pairs, l->error);
    if (!status) status = lb_file_write_own(pairs, parts, 2, l->error);
    if (!status) status = seal_lesson(l, seal);
    if (!status) status = lb_file_write_own(l->seal, &(lb_bytes){seal, SEAL - 1}, 1, l->error);
    if (!status)
        app_note("%s: %zu pairs from %s, %lld from the teacher", pairs, l->targets.count, train,
                 (long long)l->taught);
    return status;
}

/* The file of the teacher, with what the one before it said about itself beyond `given`. */
static void take_taught(lb_training_config *c, const lesson *l, const lb_training_config *given)
{
    c->train = l->asked->pairs;
    c->train_targets = NULL;
    c->weight_column = 0;
    c->format = NULL;
    if (!given->target_separator) c->target_separator = l->format.target.separator;
    if (!given->features_separator) c->features_separator = l->format.source.features;
    if (c->source_column || c->target_column || c->features_column) return;
    c->source_column = l->format.source_column;
    c->target_column = l->format.target_column;
    c->features_column = l->format.features_column;
}

lb_status app_learn_from_teacher(app_teaching *teaching, lb_training_config *config, lb_lock **lock,
                                 lb_error *error)
{
    lb_warm_start start;
    lb_training_config c = *config;
    if (!teaching->teacher) return LB_OK;
    lb_status status = lb_warm_start_open(&start, &c, error);
    lesson l = {.asked = teaching, .format = lb_recipe_format(&c), .error = error};
    app_path(c.out, "taught.tsv", teaching->pairs);
    app_path(c.out, "taught.seal", l.seal);
    lb_os_catch_interrupts();
    if (!status) status = lb_folder_make(c.out, error);
    if (!status) status = lb_lock_folder(c.out, lock, error);
    if (!status) status = lb_own_check(teaching->pairs, "a file", error);
    if (!status) status = lb_own_check(l.seal, "a file", error);
    if (!status && !(l.teacher = lb_translator_open(teaching->teacher, error))) status = error->status;
    if (!status) status = collect_all(&l, &c);
    bool written = false;
    if (!status) status = are_written(&l, &written);
    if (!status && written)
        app_note("%s: already written by the teacher", teaching->pairs);
    else if (!status)
        status = teach_and_write(&l, c.train);
    take_taught(config, &l, &c);
    lb_release(l.lines.text);
    lb_release(l.added.text);
    lb_strings_free(&l.sources);
    lb_strings_free(&l.targets);
    lb_translator_close(l.teacher);
    lb_warm_start_free(&start);
    return status;
}
