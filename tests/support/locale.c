#include "support/locale.h"

#include "support/suite.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

const char *const support_locales[] = {"de_DE.UTF-8", "tr_TR.UTF-8", "ps_AF.UTF-8", NULL};

bool support_set_locale(const char *name)
{
    setenv("LOCPATH", TEST_OUTPUT "/locales", 1);
    if (setlocale(LC_ALL, name) && strcmp(localeconv()->decimal_point, ".") != 0) return true;
    support_skip(name, "the C library has no such locale, or no localedef");
    return false;
}
