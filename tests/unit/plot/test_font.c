#include "plot/font.h"
#include "plot/text.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char path[] = TEST_FONTS "/DejaVuSans-Bold.ttf", mono_path[] = TEST_FONTS "/DejaVuSansMono.ttf";
static unsigned char *data;
static size_t size;

static void setup(void)
{
    data = (unsigned char *)support_read_file(path, &size);
}

static void teardown(void)
{
    free(data);
}

static unsigned long get(const unsigned char *at, int bytes)
{
    unsigned long value = 0;
    for (int i = 0; i < bytes; i++) value = value << 8 | at[i];
    return value;
}

static void put(unsigned char *at, unsigned long value, int bytes)
{
    for (int i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> 8 * (bytes - 1 - i));
}

/* The position of a table's entry in the table directory of the file. */
static unsigned char *entry(const char *tag)
{
    unsigned char *at = data + 12;
    while (memcmp(at, tag, 4) != 0) at += 16;
    return at;
}

static lb_font *open_bytes(const unsigned char *bytes, size_t count, lb_error *error)
{
    support_write_file(support_path("bytes.ttf"), bytes, count);
    return lb_font_open(support_path("bytes.ttf"), error);
}

START_TEST(test_font_open_equals_the_built_in)
{
    lb_error error = {0};
    lb_font *opened = lb_font_open(path, &error), *builtin = lb_font_builtin(LB_FONT_BOLD, &error);
    ck_assert_msg(opened && builtin, "%s", error.message);
    for (int c = 32; c < 127; c++) {
        char text[] = {(char)c, 'A', '\0'};
        ck_assert_double_eq(lb_text_measure(opened, 1, text).width, lb_text_measure(builtin, 1, text).width);
    }
    ck_assert_str_eq(opened->family, "DejaVu Sans");
    ck_assert(opened->bold);
    ck_assert_ptr_null(builtin->next);
    lb_font_close(opened);
    lb_font_close(builtin);
}
END_TEST

START_TEST(test_font_characters_that_one_lacks_come_from_the_next)
{
    lb_font *mono = lb_font_open(mono_path, NULL);
    ck_assert_ptr_nonnull(mono);
    const lb_font *next = mono->next;
    ck_assert_ptr_nonnull(next);
    ck_assert_str_eq(next->family, "DejaVu Sans");
    ck_assert(!next->bold);
    ck_assert_ptr_eq(lb_font_find(mono, 'a'), mono);
    ck_assert_ptr_eq(lb_font_find(mono, 0x5D0), next); /* alef, which the monospaced one lacks */
    ck_assert_ptr_null(lb_font_find(mono, 0xD55C));
    lb_font_close(mono);
}
END_TEST

START_TEST(test_font_open_failures_name_the_file)
{
    lb_error error = {0};
    ck_assert_ptr_null(lb_font_open("/nowhere/font.ttf", &error));
    ck_assert_int_eq(error.status, LB_ERROR_OPEN);
    ck_assert_str_eq(error.message, "/nowhere/font.ttf: No such file or directory");
    error = (lb_error){0};
    ck_assert_ptr_null(lb_font_open("/", &error));
    ck_assert_int_eq(error.status, LB_ERROR_OPEN);
    error = (lb_error){0};
    ck_assert_ptr_null(lb_font_open(SOURCE_DIR "/CMakeLists.txt", &error));
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "CMakeLists.txt: not a usable font: "));
    error = (lb_error){0};
    ck_assert_ptr_null(open_bytes(data, 0, &error));
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
}
END_TEST

static void refused(const char *why)
{
    lb_error error = {0};
    ck_assert_ptr_null(open_bytes(data, size, &error));
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
    ck_assert_msg(strstr(error.message, why) != NULL, "%s", error.message);
}

START_TEST(test_font_that_cannot_be_drawn_with_is_refused)
{
    unsigned char *glyphs = entry("glyf"), *characters = entry("cmap"),
                  *count = data + get(entry("maxp") + 8, 4) + 4;
    put(glyphs, 0x676c7967, 4); /* "glyg": the list is sorted */
    refused("it has no outlines");
    put(glyphs, 0x676c7966, 4);
    put(glyphs, 0x676c7966, 4);
    put(characters, 0x636d6171, 4);
    refused("it has no character map for Unicode");
    put(characters, 0x636d6170, 4);
    put(count, 0, 2);
    refused("it has no glyphs");
}
END_TEST

/* Two fonts in one file, as in a .ttc: offsets of tables count from the beginning of the file. */
static void write_collection(const char *to)
{
    enum { HEADER = 20 };
    size_t other_size;
    unsigned char *other = (unsigned char *)support_read_file(mono_path, &other_size);
    unsigned char *file = calloc(1, HEADER + other_size + size);
    ck_assert_ptr_nonnull(file);
    memcpy(file, "ttcf\0\1\0\0\0\0\0\2", 12);
    put(file + 12, HEADER, 4);
    put(file + 16, HEADER + other_size, 4);
    memcpy(file + HEADER, other, other_size);
    memcpy(file + HEADER + other_size, data, size);
    for (size_t start = HEADER; start <= HEADER + other_size; start += other_size)
        for (unsigned long i = 0; i < get(file + start + 4, 2); i++) {
            unsigned char *offset = file + start + 12 + 16 * i + 8;
            put(offset, get(offset, 4) + start, 4);
        }
    support_write_file(to, file, HEADER + other_size + size);
    free(other);
    free(file);
}

START_TEST(test_font_of_a_collection_is_told_by_its_number)
{
    char numbered[SUPPORT_PATH + 8];
    const char *file = support_path("two.ttc");
    write_collection(file);
    static const char *const ends[] = {"", "#0", "#1"}, *const families[] = {"DejaVu Sans Mono",
                                                                             "DejaVu Sans Mono",
                                                                             "DejaVu Sans"};
    lb_error error = {0};
    for (int i = 0; SUPPORT_ROW(i, ends); i++) {
        snprintf(numbered, sizeof numbered, "%s%s", file, ends[i]);
        lb_font *font = lb_font_open(numbered, &error);
        ck_assert_msg(font != NULL, "%s", error.message);
        ck_assert_str_eq(font->family, families[i]);
        lb_font_close(font);
    }
    snprintf(numbered, sizeof numbered, "%s#2", file);
    ck_assert_ptr_null(lb_font_open(numbered, &error));
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "#2: expected a font from 0 to 1, found 2"));
    error = (lb_error){0};
    snprintf(numbered, sizeof numbered, "%s#x", file);
    ck_assert_ptr_null(lb_font_open(numbered, &error));
    ck_assert_int_eq(error.status, LB_ERROR_OPEN);
}
END_TEST

static void use(const unsigned char *bytes, size_t count)
{
    lb_error error = {0};
    lb_font *font = open_bytes(bytes, count, &error);
    ck_assert(font != NULL || error.status == LB_ERROR_FORMAT);
    if (!font) return;
    /* Not PDF: Cairo embeds a font without checking its tables (docs/adr/0021). */
    static const lb_format formats[] = {LB_FORMAT_PNG, LB_FORMAT_SVG};
    for (int i = 0; SUPPORT_ROW(i, formats); i++) {
        lb_canvas *canvas =
            lb_canvas_open(&(lb_canvas_config){.width = 30, .height = 30, .format = formats[i]}, NULL);
        ck_assert_ptr_nonnull(canvas);
        lb_text_style style = {.font = font, .size = 12};
        lb_text_draw(canvas, &style, (lb_point){5, 20}, "AVfi \u00e1\u0416\u03b1\u0633\u0644\u0627\u0645");
        const void *document;
        size_t length;
        if (i > 0)
            ck_assert_int_le((int)lb_canvas_document(canvas, &document, &length, NULL), (int)LB_ERROR_MEMORY);
        lb_canvas_free(canvas);
    }
    lb_font_close(font);
}

START_LOOP_TEST(test_font_broken_at_random_never_crashes, 9)
{
    static const char *const tables[] = {"head", "maxp", "hhea", "hmtx", "cmap",
                                         "loca", "glyf", "kern", "\0"};
    unsigned seed = (unsigned)_i * 7919 + 1;
    for (int round = 0; round < 25; round++) {
        size_t at = 0, reach = 300;
        if (tables[_i][0]) at = get(entry(tables[_i]) + 8, 4);
        if (_i >= 5) reach = 60000;
        unsigned char saved[8];
        size_t where[8];
        for (int k = 0; k < 8; k++) {
            seed = seed * 1664525 + 1013904223;
            where[k] = at + (seed >> 8) % reach;
            saved[k] = data[where[k]];
            data[where[k]] = (unsigned char)(seed >> 24);
        }
        use(data, size);
        for (int k = 7; k >= 0; k--) data[where[k]] = saved[k];
        use(data, size / 40 * (size_t)(round + 1));
    }
}
END_TEST

START_TEST(test_font_out_of_memory_leaks_nothing)
{
    for (long n = 0; n < 5; n++) {
        support_watch_allocations();
        support_fail_allocation(n + 1);
        lb_error error = {0};
        ck_assert_ptr_null(lb_font_open(path, &error));
        ck_assert_int_eq(error.status, LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
    for (long n = 0; n < 2; n++) {
        support_watch_allocations();
        support_fail_allocation(n + 1);
        lb_error error = {0};
        ck_assert_ptr_null(lb_font_builtin(LB_FONT_REGULAR, &error));
        ck_assert_int_eq(error.status, LB_ERROR_MEMORY);
    }
}
END_TEST

int main(void)
{
    return support_run_tests_between(setup, teardown);
}
