/* Joins the files of kernel/ to one C file and its header, with what the flags of a model choose. */
#include "export/export.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* From kernel.S: names and texts of the files in turn, each with a NUL at its end; an empty name is the last. */
extern const char app_kernel_files[];

enum { WORD = 32, DEEPEST = 8, NUMBER = 4 };

void app_kernel_flag(app_kernel *kernel, const char *name)
{
    assert(kernel->flags < APP_KERNEL_FLAGS);
    kernel->flag[kernel->flags++] = name;
}

void app_kernel_size_is(app_kernel *kernel, const char *name, int64_t value)
{
    assert(kernel->sizes < APP_KERNEL_SIZES);
    kernel->size[kernel->sizes++] = (app_kernel_size){name, value};
}

static const app_kernel_size *find_size(const app_kernel *kernel, const char *name)
{
    for (int i = 0; i < kernel->sizes; i++)
        if (strcmp(kernel->size[i].name, name) == 0) return &kernel->size[i];
    return NULL;
}

int64_t app_kernel_size_of(const app_kernel *kernel, const char *name)
{
    const app_kernel_size *found = find_size(kernel, name);
    return found ? found->value : 0;
}

void app_kernel_end_table(app_kernel *kernel, lb_buffer *out, const char *zeros, const char *size,
                          int64_t rows)
{
    lb_buffer_print(out, "%s};\n", rows ? "" : zeros);
    app_kernel_size_is(kernel, size, rows);
}

void app_kernel_add_sizes(const app_kernel *kernel, lb_buffer *out)
{
    lb_buffer_print(out, "enum {\n");
    for (int i = 0; i < kernel->sizes; i++)
        lb_buffer_print(out, "    %s = %lld%s\n", kernel->size[i].name, (long long)kernel->size[i].value,
                        i + 1 < kernel->sizes ? "," : "");
    lb_buffer_print(out, "};\n");
}

static const char *text_of(const char *name)
{
    const char *at = app_kernel_files;
    while (*at && strcmp(at, name) != 0) {
        at += strlen(at) + 1;
        at += strlen(at) + 1;
    }
    return *at ? at + strlen(at) + 1 : "";
}

/* Adds a word: the prefix in place of g2p, and a number in place of its name if `numbers`. */
static void add_word(const app_kernel *kernel, const char *word, size_t length, bool numbers, lb_buffer *out)
{
    char name[WORD];
    const app_kernel_size *size = NULL;
    if (numbers && snprintf(name, sizeof name, "%.*s", (int)length, word) < WORD)
        size = find_size(kernel, name);
    bool lower = strncmp(word, "g2p", 3) == 0, upper = strncmp(word, "G2P", 3) == 0;
    if (size) {
        lb_buffer_print(out, "%lld", (long long)size->value);
    } else if (lower || upper) {
        for (const char *c = kernel->prefix; *c; c++) {
            char letter = upper ? (char)toupper((unsigned char)*c) : *c;
            lb_buffer_add(out, &letter, 1);
        }
        lb_buffer_add(out, word + 3, length - 3);
    } else {
        lb_buffer_add(out, word, length);
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void add_text(const app_kernel *kernel, const char *text, size_t length, bool numbers, lb_buffer *out)
{
    for (size_t at = 0, end; at < length; at = end) {
        end = at + 1;
        while (end < length && is_word(text[at]) && is_word(text[end])) end++;
        add_word(kernel, text + at, end - at, numbers, out);
    }
}

bool app_kernel_has(const app_kernel *kernel, const char *condition)
{
    bool negated = *condition == '!', found = false;
    for (int i = 0; i < kernel->flags; i++)
        found = found || strcmp(kernel->flag[i], condition + negated) == 0;
    return found != negated;
}

/* The conditions around a line. */
typedef struct nest {
    bool taken[DEEPEST]; /* whether one of its branches was */
    bool here[DEEPEST];  /* whether that branch, and all around it, are */
    int depth;
} nest;

static bool is_wanted(const nest *n)
{
    return n->depth == 0 || n->here[n->depth - 1];
}

static void begin_branch(nest *n, bool true_here)
{
    int top = n->depth - 1;
    bool around = top == 0 || n->here[top - 1];
    n->here[top] = around && true_here && !n->taken[top];
    n->taken[top] = n->taken[top] || true_here;
}

/* Whether the line is a condition, which then changes the nest. */
static bool read_condition(const app_kernel *kernel, const char *line, nest *n)
{
    char word[WORD] = "", condition[WORD] = "";
    if (sscanf(line, "# %31[a-z] %31[!A-Z0-9_]", word, condition) < 1) return false;
    if (strcmp(word, "if") == 0 && n->depth < DEEPEST) {
        n->taken[n->depth++] = false;
        begin_branch(n, app_kernel_has(kernel, condition));
    } else if (strcmp(word, "elif") == 0 && n->depth > 0) {
        begin_branch(n, app_kernel_has(kernel, condition));
    } else if (strcmp(word, "else") == 0 && n->depth > 0) {
        begin_branch(n, true);
    } else if (strcmp(word, "endif") == 0 && n->depth > 0) {
        n->depth--;
    } else {
        return false;
    }
    return true;
}

/* An include of a file of the kernel becomes the file. */
static void add_line(const app_kernel *kernel, const char *line, size_t length, const char *model,
                     lb_buffer *out)
{
    char name[WORD];
    bool blank = length == 1,
         after_blank = out->length > 1 && memcmp(out->text + out->length - 2, "\n\n", 2) == 0;
    if (sscanf(line, "# include \"%31[^\"]\"", name) == 1 && strcmp(name, "g2p.h") != 0) {
        if (strcmp(name, "model.h") == 0)
            lb_buffer_print(out, "%s", model);
        else
            app_kernel_add_code(kernel, name, model, out);
    } else if (!(blank && after_blank)) {
        add_text(kernel, line, length, false, out);
    }
}

void app_kernel_add_code(const app_kernel *kernel, const char *name, const char *model, lb_buffer *out)
{
    nest n = {.depth = 0};
    for (const char *line = text_of(name), *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next == '\n';
        if (!read_condition(kernel, line, &n) && is_wanted(&n))
            add_line(kernel, line, (size_t)(next - line), model, out);
    }
}

/* The numbers in brackets, "[LONGEST][KEYS]", multiplied. */
static int64_t count_of(const app_kernel *kernel, const char *declared)
{
    int64_t count = 1;
    char name[WORD];
    for (const char *at = strchr(declared, '['); at && sscanf(at, "[%31[A-Z_]]", name) == 1;
         at = strchr(at + 1, '['))
        count *= app_kernel_size_of(kernel, name);
    return count;
}

/* The bytes of the struct `memory` in work.h; 0 if there is no memory to find out. All of its fields have types of 4
 * bytes, or are structs of such. */
static int64_t count_work(const app_kernel *kernel)
{
    app_kernel structs = {.sizes = 0}; /* and their bytes */
    char names[DEEPEST][WORD], type[WORD], field[4 * WORD];
    int64_t bytes = 0;
    lb_buffer text = {0};
    app_kernel_add_code(kernel, "work.h", "", &text);
    for (const char *line = text.text && !text.failed ? text.text : ""; *line;
         line += strcspn(line, "\n"), line += *line == '\n') {
        if (sscanf(line, "    %31[a-z0-9_] %127[^;]", type, field) == 2) {
            const app_kernel_size *known = find_size(&structs, type);
            bytes += count_of(kernel, field) * (known ? known->value : NUMBER);
        } else if (sscanf(line, "} %31[a-z_]", names[structs.sizes]) == 1 && structs.sizes < DEEPEST - 1) {
            app_kernel_size_is(&structs, names[structs.sizes], bytes);
            bytes = 0;
        }
    }
    lb_release(text.text);
    return app_kernel_size_of(&structs, "memory");
}

void app_kernel_add_header(app_kernel *kernel, lb_buffer *out)
{
    const char *text = text_of("g2p.h");
    int64_t work = count_work(kernel);
    out->failed = out->failed || work == 0;
    app_kernel_size_is(kernel, "WORK_BYTES", work);
    add_text(kernel, text, strlen(text), true, out);
}
