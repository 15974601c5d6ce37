/* Recognises a file that is not what was expected, for messages that say what to type. */
#include "io/file.h"

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/format.h"
#include "io/safetensors.h"

#include <string.h>

/* The first line of a text is enough to see what it is, and its last character may be cut there. */
enum { LOOKED_AT = 4096, LAST_CHARACTER = 3 };

/* How a file begins. */
typedef struct beginning {
    const char *bytes;
    size_t count;
    lb_file_kind kind;
} beginning;

#define BEGINS(text) (text), sizeof(text) - 1
#define WIDE(code)                                                                                           \
    {                                                                                                        \
        "text in " code, "iconv -f " code " -t UTF-8", " > NEW", true                                        \
    }

static const beginning beginnings[] = {
    {BEGINS("\x1F\x8B"), {"gzip data", "gunzip", "", false}},
    {BEGINS("PK\x03\x04"), {"a zip archive, such as a spreadsheet", "unzip", "", false}},
    {BEGINS("\xFD"
            "7zXZ"),
     {"xz data", "unxz", "", false}},
    {BEGINS("\x28\xB5\x2F\xFD"), {"zstd data", "unzstd", "", false}},
    {BEGINS("PAR1\x15"), {"Apache Parquet data", NULL, "", false}},
    {BEGINS("BZh"), {"bzip2 data", "bunzip2", "", false}},
    {BEGINS("\x89PNG"), {"a PNG picture", NULL, "", false}},
    {BEGINS("%PDF-"), {"a PDF document", "pdftotext -layout", "", false}},
    {BEGINS("\x7F"
            "ELF"),
     {"a program", NULL, "", false}},
    {BEGINS("\x93NUMPY"), {"an array of NumPy", "lookback visualize --matrix", "", false}},
    {BEGINS("<?xml"), {"XML", NULL, "", true}},
    {BEGINS("<tmx"), {"XML", NULL, "", true}},
    {BEGINS("<!"), {"HTML or XML", NULL, "", true}},
    {BEGINS("<html"), {"HTML", NULL, "", true}},
    {BEGINS("\xFF\xFE\0\0"), WIDE("UTF-32")}, /* before UTF-16, whose mark begins it */
    {BEGINS("\0\0\xFE\xFF"), WIDE("UTF-32")},
    {BEGINS("\xFF\xFE"), WIDE("UTF-16")},
    {BEGINS("\xFE\xFF"), WIDE("UTF-16")},
};

/* Text without a mark, by the zeros around its first two letters, if they are of ASCII. */
static const struct {
    size_t bytes, letter; /* of a character; where its letter is */
    lb_file_kind kind;
} wides[] = {
    {4, 0, WIDE("UTF-32LE")},
    {4, 3, WIDE("UTF-32BE")},
    {2, 0, WIDE("UTF-16LE")},
    {2, 1, WIDE("UTF-16BE")},
};

static const lb_file_kind safetensors = {"safetensors, such as a model", "lookback inspect", "", false},
                          json = {"JSON", NULL, "", true},
                          csv = {"text with commas, such as CSV", NULL, "", true},
                          semicolons = {"text with semicolons, such as CSV", NULL, "", true},
                          messages = {"messages of gettext", NULL, "", true},
                          markdown = {"a table of Markdown", "sed -n '3,$s/ *| */\\t/gp'", " > NEW", true},
                          tabs = {"text with tabs, such as pairs", NULL, "", true},
                          plain = {"text", NULL, "", true};

/* A length, then a JSON object. */
static bool is_safetensors(const char *text, size_t count)
{
    enum { LENGTH = LB_SAFETENSORS_LENGTH_BYTES };
    return count > LENGTH && text[LENGTH] == '{' &&
           lb_file_integer((const unsigned char *)text, LENGTH) <= LB_SAFETENSORS_MAX_HEADER;
}

static bool is_json(const char *line, size_t length)
{
    static const char blanks[] = " \t\r\n";
    size_t at = 1;
    if (length == 0 || (line[0] != '{' && line[0] != '[')) return false;
    while (at < length && line[at] && strchr(blanks, line[at])) at++;
    return at == length || strchr("\"{[]}", line[at]) || (line[0] == '[' && strchr("-0123456789", line[at]));
}

static size_t first_line(const char *text, size_t count)
{
    const char *end = memchr(text, '\n', count);
    return end ? (size_t)(end - text) : count;
}

/* Whether a line begins with msgid, maybe behind comments. */
static bool has_messages(const char *text, size_t count)
{
    static const char begins[] = "msgid \"";
    for (size_t at = 0; at + sizeof begins <= count && at < LOOKED_AT;
         at += first_line(text + at, count - at) + 1)
        if (memcmp(text + at, begins, sizeof begins - 1) == 0) return true;
    return false;
}

/* Whether the second line rules off the first: |---|:--| */
static bool is_markdown(const char *text, size_t count)
{
    const size_t first = first_line(text, count), begin = first < count ? first + 1 : count,
                 length = first_line(text + begin, count - begin);
    bool rules = length > 2 && *text == '|' && text[begin] == '|' && memchr(text + begin, '-', length);
    for (size_t i = 0; i < length && rules; i++) rules = text[begin + i] && strchr("|-: \r", text[begin + i]);
    return rules;
}

static bool is_wide(const char *text, size_t count, size_t bytes, size_t letter)
{
    if (count < 2 * bytes) return false;
    for (size_t i = 0; i < 2 * bytes; i++) {
        bool ascii = text[i] == '\t' || (text[i] >= ' ' && text[i] <= '~');
        if (i % bytes == letter ? !ascii : text[i] != '\0') return false;
    }
    return true;
}

/* Control characters belong to no text. */
static bool is_text(const char *text, size_t count)
{
    if (count > LOOKED_AT) count = LOOKED_AT;
    size_t line = first_line(text, count);
    for (size_t i = 0; i < line; i++)
        if ((unsigned char)text[i] < ' ' && text[i] != '\t' && text[i] != '\r') return false;
    size_t valid = lb_utf8_prefix(text, line), cut = line == LOOKED_AT ? LAST_CHARACTER : 0;
    return line > 0 && valid + cut >= line;
}

const lb_file_kind *lb_file_kind_find(const void *bytes, size_t count)
{
    const char *text = bytes;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (count >= beginnings[i].count && memcmp(text, beginnings[i].bytes, beginnings[i].count) == 0)
            return &beginnings[i].kind;
    if (is_safetensors(text, count)) return &safetensors;
    for (size_t i = 0; i < sizeof wides / sizeof *wides; i++)
        if (is_wide(text, count, wides[i].bytes, wides[i].letter)) return &wides[i].kind;
    if (!is_text(text, count)) return NULL;
    size_t line = first_line(text, count);
    if (is_json(text, line)) return &json;
    if (has_messages(text, count)) return &messages;
    if (is_markdown(text, count)) return &markdown;
    if (memchr(text, '\t', line)) return NULL;
    return memchr(text, ',', line) ? &csv : memchr(text, ';', line) ? &semicolons : NULL;
}

const lb_file_kind *lb_file_kind_or_text(const void *bytes, size_t count)
{
    const lb_file_kind *found = lb_file_kind_find(bytes, count);
    if (found || !is_text(bytes, count)) return found;
    return memchr(bytes, '\t', first_line(bytes, count)) ? &tabs : &plain;
}

void lb_file_kind_add_remedy(const lb_file_kind *kind, const char *path, lb_buffer *text)
{
    if (!kind->remedy) return;
    lb_buffer_print(text, "; try: %s", kind->remedy);
    if (!kind->after || strcmp(path, "standard input") == 0) return;
    lb_buffer_print(text, " ");
    lb_buffer_shell_word(text, path);
    lb_buffer_print(text, "%s", kind->after);
}

const char *lb_file_kind_print(const lb_file_kind *kind, const char *path, const char *expected, bool pairs,
                               char text[LB_FILE_KIND_TEXT])
{
    lb_buffer remedy = {0};
    if (pairs || !kind->is_text) lb_file_kind_add_remedy(kind, path, &remedy);
    (void)lb_snprintf(text, LB_FILE_KIND_TEXT, "found %s, expected %s%s", kind->name, expected,
                      remedy.text ? remedy.text : "");
    lb_release(remedy.text);
    return text;
}
