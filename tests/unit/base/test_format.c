/* Text that is the same in every locale. */
#include "base/alloc.h"
#include "base/buffer.h"
#include "base/format.h"
#include "support/locale.h"
#include "support/suite.h"

#include <locale.h>
#include <stdio.h>

START_TEST(test_snprintf_cuts_off_and_counts_as_that_of_c)
{
    char text[8] = "before";
    ck_assert_int_eq(lb_snprintf(text, sizeof text, "%s %.3f", "half", 0.5), 10);
    ck_assert_str_eq(text, "half 0.");
    ck_assert_int_eq(lb_snprintf(NULL, 0, "%g", 0.5), 3);
}
END_TEST

START_TEST(test_texts_have_a_point_in_every_locale)
{
    for (const char *const *locale = support_locales; *locale; locale++) {
        if (!support_set_locale(*locale)) continue;
        char text[8];
        lb_buffer buffer = {0};
        lb_error error = {0};
        lb_snprintf(text, sizeof text, "%g", 0.5);
        ck_assert_str_eq(text, "0.5");
        lb_buffer_print(&buffer, "[%.9g,%.3f,%.1e]", 0.5, 0.5, 1.5);
        ck_assert_str_eq(buffer.text, "[0.5,0.500,1.5e+00]");
        lb_release(buffer.text);
        lb_error_set(&error, LB_ERROR_ARGUMENT, "found %g", 0.5);
        ck_assert_str_eq(error.message, "found 0.5");
    }
}
END_TEST

START_TEST(test_locale_of_the_host_is_kept)
{
    for (const char *const *name = support_locales; *name; name++) {
        if (!support_set_locale(*name)) continue;
        char before[16], after[16], text[8];
        snprintf(before, sizeof before, "%g", 0.5);
        ck_assert_str_ne(before, "0.5");
        lb_snprintf(text, sizeof text, "%g", 0.5);
        ck_assert(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
        snprintf(after, sizeof after, "%g", 0.5);
        ck_assert_str_eq(after, before);
    }
    /* A thread of the host can have one of its own. */
    locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char text[8];
    uselocale(own);
    lb_snprintf(text, sizeof text, "%g", 0.5);
    ck_assert(uselocale(LC_GLOBAL_LOCALE) == own);
    freelocale(own);
}
END_TEST
