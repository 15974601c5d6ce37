/* What a file seems to be by its first bytes. */
#include "io/file.h"

#include "support/suite.h"

#include <string.h>

#define BYTES(text) (text), sizeof(text) - 1

static const struct {
    const char *bytes;
    size_t count;
    const char *name; /* NULL: unknown */
} cases[] = {
    {BYTES("\x1F\x8B\x08\0"), "gzip data"},
    {BYTES("PK\x03\x04\x14\0"), "a zip archive, such as a spreadsheet"},
    {BYTES("\xFD\x37zXZ\0"), "xz data"},
    {BYTES("\x28\xB5\x2F\xFD\x04"), "zstd data"},
    {BYTES("BZh91AY&SY"), "bzip2 data"},
    {BYTES("PAR1\x15\0"), "Apache Parquet data"},
    {BYTES("\x89PNG\r\n\x1A\n"), "a PNG picture"},
    {BYTES("%PDF-1.5\n"), "a PDF document"},
    {BYTES("\x7F\x45LF\x02"), "a program"},
    {BYTES("\x93NUMPY\x01\0"), "an array of NumPy"},
    {BYTES("\xFF\xFE\x61\0"), "text in UTF-16"},
    {BYTES("\xFE\xFF\0a"), "text in UTF-16"},
    {BYTES("\xFF\xFE\0\0\x61\0\0\0"), "text in UTF-32"},
    {BYTES("\0\0\xFE\xFF\0\0\0\x61"), "text in UTF-32"},
    {BYTES("a\0\0\0\t\0\0\0"), "text in UTF-32LE"},
    {BYTES("\0\0\0a\0\0\0b"), "text in UTF-32BE"},
    {BYTES("a\0\t\0"), "text in UTF-16LE"},
    {BYTES("\0a\0b"), "text in UTF-16BE"},
    {BYTES("\x10\0\0\0\0\0\0\0{\"a\":1}"), "safetensors, such as a model"},
    {BYTES("{\"source\": \"a\"}\n"), "JSON"},
    {BYTES("[\n  {"), "JSON"},
    {BYTES("{"), "JSON"},
    {BYTES("[1, 2]"), "JSON"},
    {BYTES("<?xml version=\"1.0\"?>\n"), "XML"},
    {BYTES("<!DOCTYPE html>\n"), "HTML or XML"},
    {BYTES("# made\nmsgid \"\"\nmsgstr \"\"\n"), "messages of gettext"},
    {BYTES("| a | b |\n|:--|---|\n"), "a table of Markdown"},
    {BYTES("| a, b |\n|  |\n"), "text with commas, such as CSV"},
    {BYTES("a,b\n"), "text with commas, such as CSV"},
    {BYTES("a;b\nc\td\n"), "text with semicolons, such as CSV"},
    {BYTES("a,b\tc\n"), "text with tabs, such as pairs"},
    {BYTES("{a\tb}\n"), "text with tabs, such as pairs"},
    {BYTES("word\r\n"), "text"},
    {BYTES("\xC3\xA9t\xC3\xA9"), "text"},
    {BYTES("[square] brackets"), "text"},
    {BYTES("\x10\0\0\0\0\0\0\xFF{\"a\":1}"), NULL},
    {BYTES("\x1F"), NULL},
    {BYTES("a\0b"), NULL},
    {BYTES("\1\0\2\0"), NULL},
    {BYTES("a\0\0\0"), NULL},
    {BYTES("\xE9t\xE9"), NULL},
    {BYTES(""), NULL},
    {BYTES("\n"), NULL},
};

START_LOOP_TEST(test_file_kind_is_seen_by_the_first_bytes, sizeof cases / sizeof *cases)
{
    const char *bytes = cases[_i].bytes, *name = cases[_i].name;
    const lb_file_kind *found = lb_file_kind_or_text(bytes, cases[_i].count);
    ck_assert_msg(!found == !name, "case %d", _i);
    if (name) ck_assert_str_eq(found->name, name);
    /* Text without a format of its own is what a reader of text expects. */
    bool plain = name && (strcmp(name, "text") == 0 || strstr(name, "tabs"));
    ck_assert_ptr_eq(lb_file_kind_find(bytes, cases[_i].count), plain ? NULL : found);
}
END_TEST

START_TEST(test_file_kind_of_a_long_text_is_text)
{
    static char text[9000];
    for (size_t i = 0; i < sizeof text; i += 3) memcpy(text + i, "\xE2\x82\xAC", 3);
    for (size_t first = 0; first < 9; first += 3)
        ck_assert_ptr_nonnull(lb_file_kind_or_text(text + first, sizeof text - first));
    text[1] = 'x';
    ck_assert_ptr_null(lb_file_kind_or_text(text, sizeof text));
}
END_TEST

static void assert_printed(const char *bytes, const char *path, bool pairs, const char *expected)
{
    char text[LB_FILE_KIND_TEXT];
    const lb_file_kind *kind = lb_file_kind_or_text(bytes, strlen(bytes));
    ck_assert_str_eq(lb_file_kind_print(kind, path, "a model", pairs, text), expected);
}

START_TEST(test_file_kind_print_says_what_to_type)
{
    char path[1000];
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = '\0';
    assert_printed("\x1F\x8B", "a.gz", false, "found gzip data, expected a model; try: gunzip a.gz");
    assert_printed("\x1F\x8B", "it's a.gz", false,
                   "found gzip data, expected a model; try: gunzip 'it'\\''s a.gz'");
    assert_printed("\x1F\x8B", "standard input", false, "found gzip data, expected a model; try: gunzip");
    assert_printed("\x7F\x45LF", "a", false, "found a program, expected a model");
    assert_printed("a,b", "a", true, "found text with commas, such as CSV, expected a model");
    char text[LB_FILE_KIND_TEXT];
    lb_file_kind_print(lb_file_kind_find("\x1F\x8B", 2), path, "a model", false, text);
    ck_assert_uint_eq(strlen(text), LB_FILE_KIND_TEXT - 1);
}
END_TEST
