#include "export/normal_forms.h"

#include "base/alloc.h"

#include <string.h>
#include <utf8proc.h>

enum { PARTS = 4, ROOM = 16, HANGUL = 0xAC00, HANGUL_END = 0xD7A4 };

/* The canonical decomposition of a character. */
typedef struct parts {
    int32_t character[ROOM];
    int count;
} parts;

bool app_characters_new(app_characters *all)
{
    *all = (app_characters){lb_alloc_zero(APP_CHARACTERS), lb_alloc_zero(APP_CHARACTERS)};
    return all->of_source && all->of_target;
}

void app_characters_free(app_characters *all)
{
    lb_release(all->of_source);
    lb_release(all->of_target);
}

static parts parts_of(int32_t character)
{
    parts found = {.count = 0};
    int last = 0;
    utf8proc_ssize_t count = utf8proc_decompose_char(
        character, found.character, ROOM, (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE), &last);
    found.count = count > 0 && count <= ROOM ? (int)count : 0;
    return found;
}

/* The composed form of some parts, if it is one character; otherwise 0. */
static int32_t one_of(const int32_t *part, int count)
{
    int32_t composed[ROOM];
    memcpy(composed, part, (size_t)count * sizeof *part);
    utf8proc_ssize_t left =
        utf8proc_normalize_utf32(composed, count, (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    return left == 1 ? composed[0] : 0;
}

int64_t app_characters_mark(unsigned char *marked, const char *text)
{
    int64_t count = 0;
    int32_t character;
    for (utf8proc_ssize_t more; *text; text += more) {
        more = utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &character);
        if (more <= 0) return count;
        parts found = parts_of(character);
        for (int i = 0; i < found.count; i++) marked[found.character[i]] = 1;
        count += found.count;
    }
    return count;
}

/* How many of the parts are marked. */
static int count_marked(const unsigned char *marked, const parts *of)
{
    int count = 0;
    for (int i = 0; i < of->count; i++) count += marked[of->character[i]];
    return count;
}

/* The characters that consist of others, and what is asked of each. `wanted` has 1 for those of the tables, and 2 for
 * those that are composed, too. */
static void choose(const app_characters *all, bool composes, unsigned char *wanted)
{
    for (int32_t c = 0; c < APP_CHARACTERS; c++) {
        parts of = parts_of(c);
        if ((c >= HANGUL && c < HANGUL_END) || of.count < 1 || (of.count == 1 && of.character[0] == c))
            continue;
        bool target = count_marked(all->of_target, &of) == of.count;
        if (!target && count_marked(all->of_source, &of) == 0) continue;
        if (wanted[c] == 0) wanted[c] = 1;
        /* What it is composed of may be composed itself. */
        for (int count = of.count; (target || composes) && count > 1; count--) {
            int32_t whole = one_of(of.character, count);
            if (whole) wanted[whole] = 2;
        }
    }
}

static void add_decompositions(const unsigned char *wanted, app_kernel *kernel, lb_buffer *out)
{
    int64_t rows = 0;
    lb_buffer_print(out, "static const decomposition decompositions[] = {\n");
    for (int32_t c = 0; c < APP_CHARACTERS; c++) {
        if (!wanted[c]) continue;
        parts of = parts_of(c);
        lb_buffer_print(out, "    {0x%X, {", (unsigned)c);
        for (int i = 0; i < of.count && i < PARTS; i++)
            lb_buffer_print(out, "%s0x%X", i ? ", " : "", (unsigned)of.character[i]);
        lb_buffer_print(out, "}},\n");
        rows++;
    }
    lb_buffer_print(out, "%s};\n", rows ? "" : "    {0, {0}}\n");
    app_kernel_size_is(kernel, "DECOMPOSITIONS", rows);
}

static void add_compositions(const unsigned char *wanted, app_kernel *kernel, lb_buffer *out)
{
    int64_t rows = 0;
    lb_buffer_print(out, "static const composition compositions[] = {\n");
    for (int32_t c = 0; c < APP_CHARACTERS; c++) {
        if (wanted[c] != 2) continue;
        parts of = parts_of(c);
        lb_buffer_print(out, "    {0x%X, 0x%X, 0x%X},\n", (unsigned)one_of(of.character, of.count - 1),
                        (unsigned)of.character[of.count - 1], (unsigned)c);
        rows++;
    }
    lb_buffer_print(out, "%s};\n", rows ? "" : "    {0, 0, 0}\n");
    app_kernel_size_is(kernel, "COMPOSITIONS", rows);
}

static void add_marks(const app_characters *all, const unsigned char *wanted, app_kernel *kernel,
                      lb_buffer *out)
{
    int64_t rows = 0;
    unsigned char *needed = lb_alloc_zero(APP_CHARACTERS);
    if (!needed) out->failed = true;
    for (int32_t c = 0; c < APP_CHARACTERS && needed; c++) {
        needed[c] |= all->of_source[c] | all->of_target[c];
        if (!wanted[c]) continue;
        parts of = parts_of(c);
        for (int i = 0; i < of.count; i++) needed[of.character[i]] = 1;
    }
    lb_buffer_print(out, "static const mark marks[] = {\n");
    for (int32_t c = 0; c < APP_CHARACTERS && needed; c++) {
        int order = utf8proc_get_property(c)->combining_class;
        if (!needed[c] || order == 0) continue;
        lb_buffer_print(out, "    {0x%X, %d},\n", (unsigned)c, order);
        rows++;
    }
    lb_buffer_print(out, "%s};\n", rows ? "" : "    {0, 0}\n");
    app_kernel_size_is(kernel, "MARKS", rows);
    lb_release(needed);
}

void app_normal_forms_add(const app_characters *all, bool composes, app_kernel *kernel, lb_buffer *out)
{
    unsigned char *wanted = lb_alloc_zero(APP_CHARACTERS);
    if (!wanted) {
        out->failed = true;
        return;
    }
    choose(all, composes, wanted);
    add_decompositions(wanted, kernel, out);
    add_marks(all, wanted, kernel, out);
    add_compositions(wanted, kernel, out);
    lb_release(wanted);
}
