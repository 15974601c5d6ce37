/* Texts that fit into their room. */
#include "plot/text.h"
#include "support/suite.h"

#include <string.h>

static lb_font *font;

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
    for (int i = 0; i < 4; i++) {
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
    font = lb_font_builtin(LB_FONT_REGULAR, NULL);
    int failed = support_run_tests();
    lb_font_close(font);
    return failed;
}
