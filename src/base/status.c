/* The texts and exit statuses of lb_status, the record of the first error, and the version, for all layers. */
#include "lookback/base.h"

#include "base/format.h"

#include <stdarg.h>

typedef struct status_row {
    const char *text;
    int exit_status;
} status_row;

static const status_row rows[] = {
#define STATUS_ROW(name, text, exit_status) [name] = {text, exit_status},
    LB_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

lb_status lb_error_set(lb_error *error, lb_status status, const char *format, ...)
{
    if (error && error->status == LB_OK) {
        va_list arguments;
        va_start(arguments, format);
        lb_vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        error->status = status;
    }
    return status;
}

static status_row row_of(lb_status status)
{
    size_t row = (size_t)status;
    return row < sizeof rows / sizeof *rows ? rows[row] : (status_row){"unknown status", 1};
}

const char *lb_status_text(lb_status status)
{
    return row_of(status).text;
}

int lb_status_exit(lb_status status)
{
    return row_of(status).exit_status;
}

/* ---- The version. ---- */

#define TEXT_OF(number) TEXT(number)
#define TEXT(number)    #number

const char *lb_version(void)
{
    return TEXT_OF(LB_VERSION_MAJOR) "." TEXT_OF(LB_VERSION_MINOR) "." TEXT_OF(LB_VERSION_PATCH);
}
