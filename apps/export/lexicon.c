/* The lexicon of a model as constants in C, and which entries its C file would write otherwise. */
#include "export/export.h"

#include "base/alloc.h"
#include "io/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const app_lexicon_names[] = {"exceptions", "all", "none", NULL};

enum { LINE = 120, PATH = 512, COMMAND = 2048 };

/* Goes to the next entry; `*answer` receives its first answer, for lb_release. False at the end and after an error. */
static bool next_entry(const lb_text_model *m, lb_lexicon_walk *walk, char **answer, lb_error *error)
{
    lb_strings symbols = {0};
    *answer = NULL;
    if (!lb_lexicon_walk_next(walk, error)) return false;
    if (!lb_lexicon_next_answer(&walk->answers, m->target, &symbols, error))
        *answer = lb_symbols_join(&m->target_rule, (const char *const *)symbols.text, symbols.count, error);
    lb_strings_free(&symbols);
    return *answer != NULL;
}

lb_status app_lexicon_measure(const lb_text_model *model, app_lexicon_sizes *sizes, lb_error *error)
{
    lb_lexicon_walk walk = {.lexicon = &model->lexicon};
    lb_symbols symbols = {0};
    char *answer;
    *sizes = (app_lexicon_sizes){0};
    while (model->lexicon.bytes && !error->status && next_entry(model, &walk, &answer, error)) {
        size_t bytes = strlen(answer);
        lb_release(answer);
        if (lb_symbols_split(&model->source_rule, walk.key.text, walk.key.length, &symbols, error)) break;
        if ((int64_t)symbols.count > sizes->symbols) sizes->symbols = (int64_t)symbols.count;
        if ((int64_t)bytes > sizes->output) sizes->output = (int64_t)bytes;
    }
    lb_symbols_free(&symbols);
    lb_release(walk.key.text);
    return error->status;
}

/* ---- As constants. ---- */

static void add_bytes(lb_buffer *out, const char *name, const lb_buffer *bytes)
{
    size_t column = LINE;
    lb_buffer_print(out, "static const unsigned char %s[] = {", name);
    for (size_t i = 0; i < bytes->length; i++) {
        char text[8];
        size_t length = (size_t)snprintf(text, sizeof text, "%d,", (unsigned char)bytes->text[i]);
        if (column + length > LINE) lb_buffer_print(out, "\n");
        column = (column + length > LINE ? 0 : column) + length;
        lb_buffer_add(out, text, length);
    }
    lb_buffer_print(out, "\n};\n");
}

lb_status app_lexicon_add(const lb_text_model *model, const bool *left_out, app_kernel *kernel,
                          lb_buffer *out, int64_t *kept, lb_error *error)
{
    lb_lexicon_walk walk = {.lexicon = &model->lexicon};
    lb_lexicon_table table = {.count = 0};
    char *answer;
    while (next_entry(model, &walk, &answer, error)) {
        const lb_buffer text = {.text = answer, .length = strlen(answer)};
        if (!left_out || !left_out[walk.entry - 1])
            lb_lexicon_table_add(&table, walk.key.text, walk.key.length, &text);
        lb_release(answer);
    }
    if (table.count > 0 && !error->status) {
        add_bytes(out, "lexicon", &table.entries);
        add_bytes(out, "lexicon_places", &table.places);
        lb_buffer_print(out, "enum { ENTRIES = %lld };\n", (long long)table.count);
        app_kernel_flag(kernel, "LEXICON");
    }
    *kept = table.count;
    bool failed = table.entries.failed || table.places.failed || table.key.failed;
    lb_lexicon_table_free(&table);
    lb_release(walk.key.text);
    if (error->status || !failed) return error->status;
    return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
}

/* ---- Exceptions: the exported file runs over all entries, compiled by the compiler of this machine. ---- */

/* Writes the sources of all entries, a line each. */
static lb_status write_sources(const lb_text_model *model, const char *path, lb_error *error)
{
    lb_lexicon_walk walk = {.lexicon = &model->lexicon};
    lb_buffer lines = {0};
    while (!error->status && lb_lexicon_walk_next(&walk, error)) {
        char *source = lb_lexicon_source(&model->source_rule, walk.key.text, error);
        if (source) lb_buffer_print(&lines, "%s\n", source);
        lb_release(source);
    }
    if (!error->status && lines.failed) lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    lb_status status =
        error->status ? error->status : lb_file_write_atomic(path, lines.text, lines.length, error);
    lb_release(lines.text);
    lb_release(walk.key.text);
    return status;
}

/* The program around the exported function. What cannot be translated is an empty line. */
static const char driver[] = "#include <stdio.h>\n#include <string.h>\n#include \"g2p.h\"\n"
                             "static float work[G2P_WORK / sizeof(float)];\n"
                             "static char line[1 << 20], out[G2P_ROOM];\n"
                             "int main(void)\n{\n    while (fgets(line, sizeof line, stdin)) {\n"
                             "        line[strcspn(line, \"\\n\")] = 0;\n"
                             "        puts(g2p_translate(line, out, sizeof out, work) < 0 ? \"\" : out);\n"
                             "        fflush(stdout);\n    }\n    return 0;\n}\n";

/* Compares the lines that the program writes with the answers. */
static lb_status compare(const lb_text_model *model, FILE *lines, app_progress *progress, bool *left_out,
                         lb_error *error)
{
    lb_lexicon_walk walk = {.lexicon = &model->lexicon};
    char *answer, *line = NULL;
    size_t room = 0;
    while (next_entry(model, &walk, &answer, error)) {
        ssize_t length = getline(&line, &room, lines);
        if (length < 1) {
            lb_release(answer);
            lb_error_set(
                error, LB_ERROR_FORMAT,
                "the exported file could not be compiled or run on this machine, to find what it writes "
                "otherwise; --lexicon all needs no compiler, and CC names one");
            break;
        }
        line[length - 1] = '\0';
        left_out[walk.entry - 1] = strcmp(line, answer) == 0;
        lb_release(answer);
        app_progress_count(progress, "entry", walk.entry, model->lexicon.entries);
    }
    free(line); /* of getline */
    lb_release(walk.key.text);
    return error->status;
}

/* Compiles the file in the folder, and runs it. */
static lb_status run(const lb_text_model *model, const char *folder, bool *left_out, lb_error *error)
{
    char command[COMMAND];
    app_progress progress = {0};
    snprintf(command, sizeof command,
             "cd '%s' && ${CC:-cc} -std=c99 -O2 -o run main.c g2p.c -lm 2>/dev/null && exec ./run <sources",
             folder);
    FILE *lines = popen(command, "r"); /* NOLINT(cert-env33-c): it is the compiler of the user */
    if (!lines) return lb_error_set(error, LB_ERROR_OPEN, "cannot run a compiler: %s", strerror(errno));
    lb_status status = compare(model, lines, &progress, left_out, error);
    app_progress_end(&progress);
    pclose(lines);
    return status;
}

lb_status app_lexicon_try(const lb_text_model *model, const lb_buffer *header, const lb_buffer *code,
                          bool *left_out, lb_error *error)
{
    static const char *const names[] = {"main.c", "g2p.h", "g2p.c", "sources", "run"};
    const char *temp = getenv("TMPDIR");
    char folder[PATH], path[sizeof names / sizeof *names][PATH + 16];
    bool long_name = snprintf(folder, sizeof folder, "%s/lookback-XXXXXX", temp ? temp : "/tmp") >= PATH;
    if (long_name || strchr(folder, '\'') || !mkdtemp(folder))
        return lb_error_set(error, LB_ERROR_WRITE, "%s: cannot make a folder: %s", folder, strerror(errno));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
    lb_status status = lb_file_write_atomic(path[0], driver, sizeof driver - 1, error);
    if (!status) status = lb_file_write_atomic(path[1], header->text, header->length, error);
    if (!status) status = lb_file_write_atomic(path[2], code->text, code->length, error);
    if (!status) status = write_sources(model, path[3], error);
    if (!status) status = run(model, folder, left_out, error);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(path[i]);
    rmdir(folder);
    return status;
}
