/* The lexicon of a model as constants in C, and which entries its C file would write otherwise. */
#include "export/export.h"

#include "base/alloc.h"
#include "io/file.h"
#include "io/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const app_lexicon_names[] = {"exceptions", "all", "none", NULL};

enum { SAID = 2048 };

lb_status app_lexicon_measure(const lb_text_model *model, int64_t *longest, int64_t *output, lb_error *error)
{
    lb_lexicon_walk walk = {.lexicon = &model->lexicon};
    lb_symbols symbols = {0};
    size_t bytes;
    *longest = *output = 0;
    bool folds = model->lexicon.keys == LB_KEYS_SMALL;
    while (!error->status && lb_lexicon_walk_next(&walk, error)) {
        if (lb_symbols_split(&model->source_rule, walk.key.text, walk.key.length, &symbols, error)) break;
        bool pieces = folds && model->source_rule.subwords; /* which other letters may have more of */
        int64_t count = (int64_t)(pieces ? walk.key.length + 1 : symbols.count);
        if (count > *longest) *longest = count;
        do {
            lb_lexicon_next_answer(&walk.answers, &bytes);
            if ((int64_t)bytes > *output) *output = (int64_t)bytes;
        } while (folds && walk.answers);
    }
    lb_lexicon_walk_end(&walk);
    lb_symbols_free(&symbols);
    return error->status;
}

/* ---- As constants. ---- */

/* Adds the entries that are not left out, each with its first answer, or with those of all spellings. Returns their
 * number. */
static int64_t add_entries(const lb_lexicon *lexicon, const bool *left_out, lb_buffer *out, lb_error *error)
{
    lb_lexicon_walk walk = {.lexicon = lexicon};
    lb_lexicon_writer writer = {.entries = 0};
    size_t length;
    while (lb_lexicon_walk_next(&walk, error)) {
        const char *answer = walk.answers;
        lb_lexicon_next_answer(&walk.answers, &length);
        if (lexicon->keys == LB_KEYS_SMALL) length = (size_t)(walk.end - 1 - answer);
        if (!left_out[walk.entry - 1])
            lb_lexicon_write(&writer, walk.key.text, walk.key.length, answer, length);
    }
    lb_lexicon_walk_end(&walk);
    length = writer.bytes.length;
    char *bytes = lb_lexicon_write_end(&writer);
    if (bytes) app_numbers_bytes(out, "lexicon", bytes, length);
    if (!bytes && writer.entries > 0) lb_no_memory(error, NULL);
    lb_release(bytes);
    return writer.entries;
}

/* ---- Exceptions: the exported file runs over all entries, compiled by the compiler of this machine. ---- */

/* Follows the exported function. Reads lines of a key and an answer, and prints 1 for each that it writes, or 0. */
static const char driver[] = "#include <stdio.h>\n"
                             "static float work[G2P_WORK / sizeof(float)];\n"
                             "static char line[1 << 21], out[G2P_ROOM];\n"
                             "int main(void)\n{\n"
                             "    while (fgets(line, sizeof line, stdin)) {\n"
                             "        char *answer = strchr(line, '\\t') + 1;\n"
                             "        answer[-1] = answer[strcspn(answer, \"\\n\")] = 0;\n"
                             "        g2p_translate(line, out, sizeof out, work);\n"
                             "        putchar(strcmp(out, answer) == 0 ? '1' : '0');\n"
                             "        fflush(stdout);\n"
                             "    }\n    return 0;\n}\n";

/* Says why there is no answer for each entry. What the system has refused is not the fault of the compiler, which can
 * only say it in words. */
static lb_status blame(const char *folder, const char *said, lb_error *error)
{
    static const int reasons[] = {EMFILE, ENFILE, ENOSPC, EFBIG, EROFS, /* the first two of files to read */
#ifdef EDQUOT
                                  EDQUOT
#endif
    };
    enum { READ = 2, OF_A_SHELL = 16 };
    /* A shell moves files to 10 and above, and without room there it ends without a word. */
    bool few = !*said && lb_os_limit_of(LB_OS_OPEN_FILES) < OF_A_SHELL;
    for (int i = 0; i < (int)(sizeof reasons / sizeof *reasons); i++) {
        const char *why = strerror(reasons[i]);
        if (!few && !strstr(said, why)) continue;
        return i < READ ? lb_error_set(error, LB_ERROR_OPEN, "cannot run a compiler: %s", why)
                        : lb_cannot_write(folder, why, error);
    }
    return lb_error_set(error, LB_ERROR_FORMAT,
                        "the exported file could not be compiled or run on this machine, to find what it "
                        "writes otherwise; --lexicon all needs no compiler, and CC names one");
}

/* Compiles the files in the folder, and reads what the program prints. */
static lb_status run(const char *folder, int64_t entries, bool *left_out, lb_error *error)
{
    lb_buffer command = {0};
    char said[SAID];
    app_progress progress = {0};
    int64_t entry = 0;
    int c;
    lb_buffer_print(&command, "cd ");
    lb_buffer_shell_word(&command, folder);
    lb_buffer_print(&command, " && said=$(LC_ALL=C ${CC:-cc} -std=c99 -O2 -o run run.c -lm 2>&1) && "
                              "exec ./run <entries; printf %%s \"$said\"");
    FILE *found =
        popen(command.failed ? "" : command.text, "r"); /* NOLINT(cert-env33-c): the user's compiler */
    lb_release(command.text);
    if (!found) return lb_error_set(error, LB_ERROR_OPEN, "cannot run a compiler: %s", strerror(errno));
    for (; entry < entries && ((c = getc(found)) == '0' || c == '1'); entry++) {
        left_out[entry] = c == '1';
        app_progress_count(&progress, "entry", entry + 1, entries);
    }
    app_progress_end(&progress);
    said[fread(said, 1, sizeof said - 1, found)] = '\0';
    pclose(found);
    return entry == entries ? LB_OK : blame(folder, said, error);
}

/* Finds out which entries the exported file without a lexicon writes by itself. `constants` are those of the model. */
static lb_status try_all(const lb_lexicon *lexicon, app_kernel kernel, const char *constants, bool *left_out,
                         lb_error *error)
{
    static const char *const names[] = {"g2p.h", "run.c", "entries", "run"};
    char folder[LB_OS_PATH], path[sizeof names / sizeof *names][LB_OS_PATH + 16];
    if (!lb_os_make_temp_folder(folder))
        return lb_error_set(error, LB_ERROR_WRITE, "%s: cannot make a folder: %s", folder, strerror(errno));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
    lb_buffer content[] = {{0}, {0}, {0}}; /* of all but the program */
    lb_lexicon_walk walk = {.lexicon = lexicon};
    size_t length;
    kernel.prefix = "g2p";
    app_kernel_add_header(&kernel, &content[0]);
    app_kernel_add_code(&kernel, "g2p.c", constants, &content[1]);
    lb_buffer_print(&content[1], "%s", driver);
    while (lb_lexicon_walk_next(&walk, error)) {
        const char *answer = lb_lexicon_next_answer(&walk.answers, &length);
        lb_buffer_print(&content[2], "%s\t%.*s\n", walk.key.text, (int)length, answer);
    }
    lb_lexicon_walk_end(&walk);
    lb_status status = error->status;
    for (size_t i = 0; i < sizeof content / sizeof *content; i++) {
        if (!status && content[i].failed) status = lb_no_memory(error, NULL);
        if (!status) status = lb_file_write_atomic(path[i], content[i].text, content[i].length, error);
        lb_release(content[i].text);
    }
    if (!status) status = run(folder, lexicon->entries, left_out, error);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) lb_os_remove(path[i]);
    lb_os_remove(folder);
    return status;
}

lb_status app_lexicon_add(const lb_lexicon *lexicon, bool exceptions, app_kernel *kernel,
                          lb_buffer *constants, int64_t *kept, lb_error *error)
{
    lb_status status = LB_OK;
    bool *left_out = lb_alloc_zero((size_t)lexicon->entries);
    if (!left_out) return lb_no_memory(error, NULL);
    if (exceptions) status = try_all(lexicon, *kernel, constants->text, left_out, error);
    if (!status) *kept = add_entries(lexicon, left_out, constants, error);
    if (!status && *kept > 0) app_kernel_flag(kernel, "LEXICON");
    lb_release(left_out);
    return error->status;
}
