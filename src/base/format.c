#include "base/format.h"

#include <stdio.h>
#include <stdlib.h>

lb_plain_locale lb_plain_locale_enter(void)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return (lb_plain_locale){plain, uselocale(plain)};
}

void lb_plain_locale_leave(lb_plain_locale locale)
{
    uselocale(locale.host);
    if (locale.plain) freelocale(locale.plain);
}

int lb_vsnprintf(char *text, size_t size, const char *format, va_list arguments)
{
    lb_plain_locale locale = lb_plain_locale_enter();
    if (size > 0) *text = '\0';
    int count = locale.plain ? vsnprintf(text, size, format, arguments) : -1;
    lb_plain_locale_leave(locale);
    return count;
}

int lb_snprintf(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = lb_vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return count;
}

double lb_strtod(const char *text, char **end)
{
    lb_plain_locale locale = lb_plain_locale_enter();
    double value = strtod(text, end);
    lb_plain_locale_leave(locale);
    return value;
}

const char *lb_number_text(double number, char text[LB_NUMBER])
{
    enum { FEW = 6, ALL = 17 };
    for (int digits = FEW; digits <= ALL; digits++) {
        lb_snprintf(text, LB_NUMBER, "%.*g", digits, number);
        if (lb_strtod(text, NULL) == number) break;
    }
    return text;
}
