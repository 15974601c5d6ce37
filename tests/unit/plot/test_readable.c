/* The label of any symbol is readable. */
#include "base/alloc.h"
#include "plot/font.h"
#include "support/alloc.h"
#include "support/suite.h"

START_TEST(test_readable_what_cannot_be_seen_is_told)
{
    static const struct {
        const char *text, *readable;
    } cases[] = {
        {"", ""},
        {"a", "a"},
        {"t\xca\x83", "t\xca\x83"},               /* IPA */
        {"\xcc\x83", "\xe2\x97\x8c\xcc\x83"},     /* a tilde on a circle */
        {"\xc9\x91\xcc\x83", "\xc9\x91\xcc\x83"}, /* a tilde on its letter */
        {" ", "\xe2\x90\xa3"},                    /* a blank */
        {"a b", "a b"},                           /* a blank within a symbol */
        {" b", " b"},                             /* at its start */
        {"b ", "b "},                             /* at its end */
        {"\xc2\xa0", "U+00A0"},                   /* a non-breaking space */
        {"\r", "U+000D"},                         /* a control character */
        {"\xe2\x80\x8d", "U+200D"},               /* a joiner */
        {"\xe1\x84\x92", "U+1112"},               /* a letter that the font lacks */
        {"x\xed\x95\x9c", "xU+D55C"},             /* another one */
        {"\xf4\x8f\xbf\xbf", "U+10FFFF"},         /* the last code point */
        {"\xff", "\xef\xbf\xbd"},                 /* an invalid byte */
        {"\xff\xff\xff\xff\xff", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    };
    lb_font *font = lb_font_builtin(LB_FONT_REGULAR, NULL);
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        char *readable = lb_text_readable(font, cases[i].text);
        ck_assert_str_eq(readable, cases[i].readable);
        lb_release(readable);
    }
    lb_font_close(font);
}
END_TEST

START_TEST(test_readable_letter_in_parts_is_composed_where_the_font_lacks_one)
{
    static const char parts[] = "\xce\xb1\xcc\x93\xcd\x82",
                      composed[] = "\xe1\xbc\x86"; /* alpha, two marks */
    lb_font *all = lb_font_builtin(LB_FONT_REGULAR, NULL);
    lb_font *fewer = lb_font_open(TEST_FONTS "/DejaVuSansMono.ttf", NULL);
    char *kept = lb_text_readable(all, parts), *joined = lb_text_readable(fewer, parts);
    ck_assert_str_eq(kept, parts);
    ck_assert_str_eq(joined, composed);
    lb_release(kept);
    lb_release(joined);
    lb_font_close(all);
    lb_font_close(fewer);
}
END_TEST

START_TEST(test_readable_failing_allocation_is_null)
{
    support_watch_allocations();
    lb_font *font = lb_font_builtin(LB_FONT_REGULAR, NULL);
    long live = support_live_allocations();
    for (long n = 1; n <= 2; n++) {
        support_fail_allocation(n);
        ck_assert_ptr_null(lb_text_readable(font, "a"));
        ck_assert_int_eq(support_live_allocations(), live);
    }
    lb_font_close(font);
}
END_TEST
