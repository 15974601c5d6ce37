#include "plot/font.h"
#include "plot/font_check.h"
#include "support/alloc.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char path[] = TEST_FONTS "/DejaVuSans-Bold.ttf";
static unsigned char *data;
static size_t size;

static void setup(void)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    data = malloc(1 << 21);
    size = fread(data, 1, 1 << 21, file);
    fclose(file);
}

static void teardown(void)
{
    free(data);
}

static size_t table(const char *tag)
{
    for (size_t entry = 12;; entry += 16) {
        ck_assert_uint_lt(entry, 1000);
        const unsigned char *p = data + entry;
        if (memcmp(p, tag, 4) == 0)
            return (size_t)p[8] << 24 | (size_t)p[9] << 16 | (size_t)p[10] << 8 | p[11];
    }
}

START_TEST(test_font_open_equals_the_built_in)
{
    lb_error error = {0};
    lb_font *opened = lb_font_open(path, &error), *builtin = lb_font_builtin(LB_FONT_BOLD, &error);
    ck_assert_msg(opened && builtin, "%s", error.message);
    for (int c = 32; c < 0x500; c++) {
        int glyph = lb_font_glyph(builtin, c);
        ck_assert_int_eq(lb_font_glyph(opened, c), glyph);
        ck_assert_double_eq(lb_font_advance(opened, glyph), lb_font_advance(builtin, glyph));
    }
    ck_assert_int_gt(lb_font_glyph(opened, 'A'), 0);
    lb_font_close(opened);
    lb_font_close(builtin);
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
    ck_assert_ptr_nonnull(strstr(error.message, "CMakeLists.txt"));
    error = (lb_error){0};
    ck_assert_ptr_null(lb_font_from_memory("", 0, "nothing", &error));
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
}
END_TEST

static void put(size_t at, unsigned value, int bytes)
{
    for (int i = 0; i < bytes; i++) data[at + (size_t)i] = (unsigned char)(value >> 8 * (bytes - 1 - i));
}

START_TEST(test_font_check_finds_what_is_broken)
{
    ck_assert_ptr_null(lb_font_check(data, size));
    ck_assert_ptr_nonnull(lb_font_check(data, size / 2)); /* tables beyond the end */
    size_t head = table("head"), hhea = table("hhea"), loca = table("loca"), maxp = table("maxp");
    static const char *const expected[] = {"units per em", "offsets is unknown", "number of widths",
                                           "outside",      "too few offsets",    "missing"};
    if (_i == 0) put(head + 18, 0, 2);
    if (_i == 1) put(head + 50, 7, 2);
    if (_i == 2) put(hhea + 34, 0, 2);
    if (_i == 3) put(loca + 4 * (size_t)(data[maxp + 4] << 8 | data[maxp + 5]), 0x7FFFFFFF, 4); /* the last */
    if (_i == 4) put(maxp + 4, 0xFFFF, 2);
    for (size_t entry = 12; _i == 5 && entry < 12 + 16 * 16; entry += 16)
        if (memcmp(data + entry, "glyf", 4) == 0) data[entry] = 'x';
    const char *wrong = lb_font_check(data, size);
    ck_assert_ptr_nonnull(wrong);
    ck_assert_msg(strstr(wrong, expected[_i]) != NULL, "%s", wrong);
}
END_TEST

START_TEST(test_font_check_composite_of_itself_is_refused)
{
    lb_font *font = lb_font_builtin(LB_FONT_BOLD, NULL);
    unsigned glyph = (unsigned)lb_font_glyph(font, 0xE1); /* a with acute: two parts */
    lb_font_close(font);
    const unsigned char *entry = data + table("loca") + 4 * (size_t)glyph;
    size_t start = (size_t)entry[0] << 24 | (size_t)entry[1] << 16 | (size_t)entry[2] << 8 | entry[3];
    size_t outline = table("glyf") + start;
    ck_assert_uint_ge(data[outline], 0x80);
    put(outline + 12, glyph, 2);
    const char *wrong = lb_font_check(data, size);
    ck_assert_ptr_nonnull(wrong);
    ck_assert_ptr_nonnull(strstr(wrong, "too many parts"));
}
END_TEST

static void use(const unsigned char *bytes, size_t count)
{
    lb_error error = {0};
    lb_font *font = lb_font_from_memory(bytes, count, "fuzz", &error);
    ck_assert(font != NULL || error.status == LB_ERROR_FORMAT);
    if (!font) return;
    lb_canvas *canvas = lb_canvas_new(30, 30, NULL);
    lb_glyph_place place = {.origin = {5, 20}, .right = {12, 0}, .up = {0, -12}};
    int before = 0;
    for (int c = 0x20; c < 0x250; c += 3) {
        int glyph = lb_font_glyph(font, c);
        lb_font_kerning(font, before, glyph);
        lb_font_advance(font, glyph);
        lb_font_draw(font, glyph, &place, canvas);
        before = glyph;
    }
    lb_canvas_fill(canvas, lb_rgb(0));
    lb_canvas_free(canvas);
    lb_font_close(font);
}

START_TEST(test_font_broken_at_random_never_crashes)
{
    static const char *const tables[] = {"head", "maxp", "hhea", "hmtx", "cmap",
                                         "loca", "glyf", "kern", "\0"};
    unsigned seed = (unsigned)_i * 7919 + 1;
    for (int round = 0; round < 25; round++) {
        size_t at = 0, reach = 300;
        if (tables[_i][0]) at = table(tables[_i]);
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
    for (long n = 0; n < 2; n++) {
        support_watch_allocations();
        support_fail_allocation(n + 1);
        lb_error error = {0};
        ck_assert_ptr_null(lb_font_open(path, &error));
        ck_assert_int_eq(error.status, LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
    support_watch_allocations();
    support_fail_allocation(1);
    lb_error error = {0};
    ck_assert_ptr_null(lb_font_builtin(LB_FONT_REGULAR, &error));
    ck_assert_int_eq(error.status, LB_ERROR_MEMORY);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("font");
    TCase *tests = tcase_create("font");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, test_font_open_equals_the_built_in);
    tcase_add_test(tests, test_font_open_failures_name_the_file);
    tcase_add_loop_test(tests, test_font_check_finds_what_is_broken, 0, 6);
    tcase_add_test(tests, test_font_check_composite_of_itself_is_refused);
    tcase_add_loop_test(tests, test_font_broken_at_random_never_crashes, 0, 9);
    tcase_add_test(tests, test_font_out_of_memory_leaks_nothing);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
