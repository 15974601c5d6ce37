/* Text that is shaped and drawn. It needs a process for each test. */
#include "plot/font.h"
#include "plot/text.h"
#include "support/alloc.h"
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static lb_font *font;
static lb_canvas *canvas;

static void setup(void)
{
    font = lb_font_builtin(LB_FONT_REGULAR, NULL);
    canvas = lb_canvas_open(&(lb_canvas_config){.width = 200, .height = 200}, NULL);
    ck_assert(font && canvas);
}

static void teardown(void)
{
    lb_font_close(font);
    lb_canvas_free(canvas);
}

/* The bounding box of the pixels that are not white, and their ink. */
typedef struct ink {
    int x0, y0, x1, y1;
    double sum;
} ink;

static ink find_ink(void)
{
    ink found = {1000, 1000, -1, -1, 0};
    for (int y = 0; y < lb_canvas_about(canvas)->height; y++) {
        for (int x = 0; x < lb_canvas_about(canvas)->width; x++) {
            int dark = 255 - lb_canvas_pixel(canvas, x, y).red;
            found.sum += dark / 255.0;
            if (dark < 8) continue;
            if (x < found.x0) found.x0 = x;
            if (x + 1 > found.x1) found.x1 = x + 1;
            if (y < found.y0) found.y0 = y;
            if (y + 1 > found.y1) found.y1 = y + 1;
        }
    }
    return found;
}

static ink drawn(lb_text_style style, const char *text)
{
    lb_canvas_rect(canvas, (lb_rect){0, 0, 200, 200}, lb_rgb(0xFFFFFF));
    style.font = font;
    lb_text_draw(canvas, &style, (lb_point){100, 100}, text);
    return find_ink();
}

/* Width of a text of size 1. Expected: FreeType's, for the same font at 2048 pixels, with kerning. */
static double width(const char *text)
{
    return lb_text_measure(font, 1, text).width;
}

START_TEST(test_measure_width_equals_freetype)
{
    ck_assert_double_eq_tol(width("Attention"), 4.615234375, 2e-3);
    ck_assert_double_eq_tol(width("est\xc3\xa1"), 2.14111328125, 2e-3);
    ck_assert_double_eq_tol(width("0.00"), 2.2265625, 2e-3);
    ck_assert_double_eq_tol(width("AV"), 1.30419921875, 2e-3);
    ck_assert_double_eq(width(""), 0);
}
END_TEST

START_TEST(test_measure_kerning_brings_letters_together)
{
    ck_assert_double_lt(width("AV"), width("A") + width("V") - 0.03);
}
END_TEST

START_TEST(test_measure_grows_with_size_and_lines)
{
    lb_size one = lb_text_measure(font, 20, "abc"), two = lb_text_measure(font, 20, "abc\nabcd");
    ck_assert_double_eq_tol(one.width, 20 * width("abc"), 1e-9);
    ck_assert_double_eq_tol(two.width, 20 * width("abcd"), 1e-9);
    ck_assert_double_eq_tol(two.height - one.height, 20 * font->metrics.line, 1e-9);
}
END_TEST

START_TEST(test_draw_lines_are_as_far_apart_as_the_font_says)
{
    ink one = drawn((lb_text_style){.size = 40}, "-"), two = drawn((lb_text_style){.size = 40}, "-\n-");
    double between = two.y1 - two.y0 - (one.y1 - one.y0);
    ck_assert_double_eq_tol(between, 40 * font->metrics.line, 1.5);
}
END_TEST

START_TEST(test_measure_accents_do_not_widen)
{
    ck_assert_double_eq(width("\xc3\xa1"), width("a"));
}
END_TEST

START_TEST(test_measure_bad_bytes_count_as_replacement_each)
{
    double replacement = width("\xef\xbf\xbd");
    ck_assert_double_gt(replacement, 0);
    const char *bad[] = {"\xff",    "\x80", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xf8\x88\x80\x80\x80",
                         "\xc0\xaf"};
    for (int i = 0; SUPPORT_ROW(i, bad); i++)
        ck_assert_double_eq_tol(width(bad[i]), replacement * (double)strlen(bad[i]), 1e-9);
    ck_assert_double_eq_tol(width("a\xff"
                                  "b"),
                            width("a") + replacement + width("b"), 1e-9);
}
END_TEST

START_TEST(test_draw_every_byte_pair_is_harmless)
{
    lb_text_style style = {.font = font, .size = 9};
    for (int a = 1; a < 256; a += 3) {
        for (int b = 128; b < 256; b += 5) {
            char text[] = {(char)a, (char)b, 'x', '\0'};
            lb_text_draw(canvas, &style, (lb_point){5, 5}, text);
            ck_assert_double_gt(lb_text_measure(font, 9, text).width, 0);
        }
    }
    ck_assert_int_eq(lb_canvas_status(canvas, NULL), LB_OK);
}
END_TEST

START_TEST(test_draw_missing_character_is_a_box)
{
    ck_assert_ptr_null(lb_font_find(font, 0x6F22));
    ink box = drawn((lb_text_style){.size = 40}, "\xe6\xbc\xa2");
    ck_assert_int_ge(box.x0, 101);
    ck_assert_int_le(box.x1, 100 + 24);
    ck_assert_int_eq(box.y1, 100);
    ck_assert_double_gt(box.sum, 50);
    ck_assert_double_lt(box.sum, 0.4 * (box.x1 - box.x0) * (box.y1 - box.y0)); /* it is hollow */
    ck_assert_double_eq_tol(width("\xe6\xbc\xa2"), 1, 1e-9); /* as wide as the character itself */
    ck_assert_double_eq_tol(width("\xe0\xa4\xb9"), 0.6, 1e-9);
}
END_TEST

START_TEST(test_measure_letters_join_as_their_script_wants)
{
    /* Seen, lam, alef, meem: joined, and lam with alef as one. */
    double apart = width("\u0633") + width("\u0644") + width("\u0627") + width("\u0645");
    ck_assert_double_lt(width("\u0633\u0644\u0627\u0645"), apart - 0.3);
    ck_assert_double_lt(width("e\u0301"), width("e") + 0.01); /* the mark is above */
}
END_TEST

/* So that they are kerned together. */
START_TEST(test_shape_punctuation_before_the_first_letter_belongs_to_its_script)
{
    static const char *const texts[] = {"\"a", "(\u00aba", "(\u05d0"};
    for (int i = 0; SUPPORT_ROW(i, texts); i++) {
        lb_line line;
        ck_assert_int_eq(lb_line_shape(font, texts[i], &line), LB_OK);
        ck_assert_uint_ge(line.count, 2);
        for (size_t k = 1; k < line.count; k++) ck_assert_int_eq(line.glyph[k].run, line.glyph[0].run);
        lb_line_free(&line);
    }
}
END_TEST

START_TEST(test_draw_full_stop_after_hebrew_is_at_its_left)
{
    drawn((lb_text_style){.size = 40}, "\u05d0.");
    double dot = 40 * width(".");
    lb_canvas_rect(canvas, (lb_rect){100 + dot, 0, 200, 200}, lb_rgb(0xFFFFFF));
    ink left = find_ink();
    ck_assert_int_ge(left.y0, 90); /* low: the dot alone */
    ck_assert_int_le(left.y1, 100);
    ck_assert_double_gt(left.sum, 10);
}
END_TEST

/* In a text from right to left, a number still reads from left to right. */
START_TEST(test_shape_number_after_hebrew_reads_from_left_to_right)
{
    static const char text[] = "\u05d0\u05d1 12";
    static const size_t begins[] = {5, 6, 4, 2, 0}; /* from left to right: 1, 2, blank, bet, alef */
    lb_line line;
    ck_assert_int_eq(lb_line_shape(font, text, &line), LB_OK);
    ck_assert(line.leftward);
    ck_assert_uint_eq(line.count, sizeof begins / sizeof *begins);
    for (size_t i = 0; i < line.count; i++) {
        ck_assert_uint_eq(line.glyph[i].begin, begins[i]);
        ck_assert(i == 0 || line.glyph[i].x > line.glyph[i - 1].x);
    }
    lb_line_free(&line);
}
END_TEST

START_TEST(test_draw_upright_letter_is_crisp)
{
    for (int size = 9; size < 30; size++) {
        ink h = drawn((lb_text_style){.size = size}, "H");
        ck_assert_int_eq(h.y1, 100); /* the baseline is the edge of a pixel, and so is the top */
        ck_assert_int_eq(100 - h.y0, (int)lround(0.729 * size));
        ink x = drawn((lb_text_style){.size = size}, "x");
        ck_assert_int_eq(100 - x.y0, (int)lround(0.547 * size));
    }
}
END_TEST

START_TEST(test_draw_align_moves_the_text)
{
    lb_text_style style = {.size = 20};
    double wide = 20 * width("Hello");
    ink left = drawn(style, "Hello");
    style.align = LB_ALIGN_RIGHT;
    ink right = drawn(style, "Hello");
    style.align = LB_ALIGN_CENTER;
    ink center = drawn(style, "Hello");
    ck_assert_int_ge(left.x0, 100);
    ck_assert_int_le(right.x1, 101);
    ck_assert_double_eq_tol(left.x0 - right.x0, wide, 1.01);
    ck_assert_double_eq_tol(left.x0 - center.x0, wide / 2, 1.01);
}
END_TEST

START_TEST(test_draw_valign_moves_the_text)
{
    lb_text_style style = {.size = 20, .valign = LB_VALIGN_MIDDLE};
    ink middle = drawn(style, "H");
    ck_assert_int_le((int)fabs((middle.y0 + middle.y1) / 2.0 - 100), 1);
    style.valign = LB_VALIGN_TOP;
    ck_assert_int_ge(drawn(style, "H").y0, 100);
    style.valign = LB_VALIGN_BOTTOM;
    ck_assert_int_le(drawn(style, "g").y1, 100);
    ck_assert_int_le(drawn(style, "g\ng").y1, 100);
    ck_assert_int_lt(drawn(style, "g\ng").y0, drawn(style, "g").y0 - 15);
}
END_TEST

START_TEST(test_draw_turned_stays_within_bounds_with_the_same_ink)
{
    const double angles[] = {0, 45, 90, 180, 270, -90, 33, 360};
    double upright = drawn((lb_text_style){.size = 24}, "Look").sum;
    for (int i = 0; SUPPORT_ROW(i, angles); i++) {
        for (int align = 0; align < 3; align++) {
            lb_text_style style = {.font = font, .size = 24, .angle = angles[i], .align = (lb_align)align};
            lb_rect bounds = lb_text_bounds(&style, "Look");
            ink found = drawn(style, "Look");
            ck_assert_double_ge(found.x0, 100 + bounds.x - 1.5);
            ck_assert_double_ge(found.y0, 100 + bounds.y - 1.5);
            ck_assert_double_le(found.x1, 100 + bounds.x + bounds.width + 1.5);
            ck_assert_double_le(found.y1, 100 + bounds.y + bounds.height + 1.5);
            if (align == LB_ALIGN_CENTER) ck_assert_double_eq_tol(found.sum, upright, 0.04 * upright);
        }
    }
}
END_TEST

START_TEST(test_draw_90_degrees_reads_upwards_and_270_downwards)
{
    lb_text_style style = {.size = 30, .angle = 90};
    ink up = drawn(style, "H.");
    ck_assert_int_le(up.y1, 100);
    ck_assert_int_le(up.x1, 100);
    style.angle = 270;
    ink down = drawn(style, "H.");
    ck_assert_int_ge(down.y0, 100);
    ck_assert_int_ge(down.x0, 100);
    ck_assert_int_eq(down.x1 - down.x0, up.x1 - up.x0);
}
END_TEST

START_TEST(test_draw_bold_has_more_ink)
{
    double regular = drawn((lb_text_style){.size = 24}, "Attention").sum;
    lb_font_close(font);
    font = lb_font_builtin(LB_FONT_BOLD, NULL);
    ck_assert_double_gt(drawn((lb_text_style){.size = 24}, "Attention").sum, 1.3 * regular);
}
END_TEST

START_TEST(test_draw_color_is_used)
{
    lb_text_style style = {.font = font, .size = 60, .color = lb_rgb(0xFF0000)};
    lb_text_draw(canvas, &style, (lb_point){50, 100}, "I");
    bool pure = false;
    for (int x = 50; x < 70; x++) {
        lb_color c = lb_canvas_pixel(canvas, x, 80);
        ck_assert_int_eq(c.red, 255);
        pure = pure || (c.green == 0 && c.blue == 0);
    }
    ck_assert(pure);
}
END_TEST

START_TEST(test_draw_out_of_memory_is_remembered)
{
    long needed = 0;
    lb_text_style style = {.font = font, .size = 20};
    for (long n = 0; n <= needed; n++) {
        lb_canvas *fresh = lb_canvas_open(&(lb_canvas_config){.width = 50, .height = 50}, NULL);
        support_watch_allocations();
        support_fail_allocation(n + 1);
        lb_text_draw(fresh, &style, (lb_point){5, 30}, "\xc3\xa1x"); /* the first is composed of two */
        if (n == 0) needed = 2;
        if (support_allocation_count() > n) needed = n + 1;
        lb_error error = {0};
        ck_assert_int_eq(lb_canvas_status(fresh, &error),
                         support_allocation_count() > n ? LB_ERROR_MEMORY : LB_OK);
        ck_assert_int_eq(support_live_allocations(), 0);
        lb_canvas_free(fresh);
    }
    ck_assert_int_ge(needed, 3);
}
END_TEST

static int height_of_box(double capital, double small)
{
    const lb_glyph_place place = {
        .origin = {50, 150}, .right = {100, 0}, .up = {0, -100}, .capital = capital, .small = small};
    lb_canvas_rect(canvas, (lb_rect){0, 0, 200, 200}, lb_rgb(0xFFFFFF));
    lb_glyph_draw_box(font, &place, canvas);
    lb_canvas_fill(canvas, lb_rgb(0));
    ink found = find_ink();
    return found.y1 - found.y0;
}

/* Text of a pixel has letters of one height. */
START_TEST(test_box_is_stretched_only_if_capitals_are_higher_than_small_letters)
{
    int plain = height_of_box(0, 0);
    ck_assert_int_gt(height_of_box(1, 0.5), plain + 10);
    ck_assert_int_eq(height_of_box(0.5, 0.5), plain);
    ck_assert_int_eq(height_of_box(0.4, 0.5), plain);
}
END_TEST

/* Texts that fit into their room. */

static lb_fitted_text fit(double width, int lines, const char *text)
{
    lb_fitted_text fitted = lb_text_fit(font, (lb_text_room){width, lines, 20, 8}, text);
    lb_size size = lb_text_measure(font, fitted.size, fitted.text);
    if (*fitted.text) ck_assert_mem_eq(&fitted.extent, &size, sizeof size);
    return fitted;
}

static double width_of(const char *text)
{
    return lb_text_measure(font, 20, text).width;
}

START_TEST(test_fit_leaves_what_fits_as_it_is)
{
    static const char *const texts[] = {"word", "two  words ", "two\nlines", " "};
    for (int i = 0; SUPPORT_ROW(i, texts); i++) {
        lb_fitted_text fitted = fit(width_of(texts[i]), 1, texts[i]);
        ck_assert_str_eq(fitted.text, texts[i]);
        ck_assert_double_eq(fitted.size, 20);
    }
    ck_assert_str_eq(fit(10, 3, NULL).text, "");
    ck_assert_double_eq(fit(10, 3, "").extent.height, 0);
}
END_TEST

START_TEST(test_fit_breaks_lines_at_blanks_before_it_makes_them_smaller)
{
    lb_fitted_text fitted = fit(width_of("Output Tokens"), 2, "Output Tokens (Queries)");
    ck_assert_str_eq(fitted.text, "Output Tokens\n(Queries)");
    ck_assert_double_eq(fitted.size, 20);
    fitted = fit(width_of("Tokens"), 3, "Output Tokens (Queries)");
    ck_assert_str_eq(fitted.text, "Output\nTokens\n(Queries)");
    ck_assert_double_lt(fitted.size, 20);
    ck_assert_double_gt(fitted.size, 8);
    ck_assert_double_le(fitted.extent.width, width_of("Tokens"));
    fitted = fit(0.9 * width_of("Output Tokens"), 1, "Output Tokens");
    ck_assert_str_eq(fitted.text, "Output Tokens");
    ck_assert_double_le(fitted.extent.width, 0.9 * width_of("Output Tokens"));
}
END_TEST

START_TEST(test_fit_says_that_it_cuts_off)
{
    char text[2000] = "";
    for (int i = 0; i < 140; i++) strcat(text, "caf\xc3\xa9 au lait ");
    for (int lines = 1; lines <= 3; lines++) {
        lb_fitted_text fitted = fit(300, lines, text);
        int breaks = 0;
        for (const char *c = fitted.text; *c; c++) breaks += *c == '\n';
        ck_assert_int_eq(breaks, lines - 1);
        ck_assert_double_le(fitted.extent.width, 300);
        ck_assert_str_eq(fitted.text + strlen(fitted.text) - 3, "\xe2\x80\xa6");
    }
    memset(text, 'm', 1999); /* a word without blanks, longer than what is kept */
    memcpy(text + 507, "\xc3\xa9", 2);
    lb_fitted_text word = fit(300, 3, text);
    ck_assert_uint_lt(strlen(word.text), LB_FITTED_TEXT);
    ck_assert_str_eq(word.text + strlen(word.text) - 4, "m\xe2\x80\xa6");
    ck_assert_double_eq(word.size, 8);
}
END_TEST

int main(void)
{
    return support_run_tests_between(setup, teardown);
}
