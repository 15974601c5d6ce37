#include "base/format.h"

#include "os/os.h"

#include <stdio.h>
#include <stdlib.h>

int lb_vsnprintf(char *text, size_t size, const char *format, va_list arguments)
{
    lb_os_locale locale = lb_os_locale_enter();
    if (size > 0) *text = '\0';
    int count = locale.plain ? vsnprintf(text, size, format, arguments) : -1;
    lb_os_locale_leave(locale);
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
    lb_os_locale locale = lb_os_locale_enter();
    double value = strtod(text, end);
    lb_os_locale_leave(locale);
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
