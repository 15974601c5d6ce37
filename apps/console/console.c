#include "console/console.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/bytes.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static const char *program = "lookback";
static const char *called; /* NULL: use its own name */
static int flush_error;    /* errno of the first output that was lost */
bool app_quiet;

const char *app_name(const char *name)
{
    return called ? called : name;
}

void app_called_as(const char *name)
{
    called = name;
    program = name;
}

void app_start(const char *name)
{
    program = app_name(name);
    lb_os_survive_failed_writes();
}

bool app_interrupted(void *context)
{
    (void)context;
    return lb_os_interrupted() != 0;
}

/* ---- Standard output. ---- */

/* The C1 controls, and what turns the direction of the text around it: U+202A to U+202E and U+2066 to U+2069. */
static bool is_hidden(const char *text)
{
    unsigned char last = (unsigned char)text[1];
    if (text[0] == '\xC2') return last < 0xA0;
    if (text[0] != '\xE2' || (last != 0x80 && last != 0x81)) return false;
    int first = last == 0x80 ? 0xAA : 0xA6, end = last == 0x80 ? 0xAF : 0xAA;
    return (unsigned char)text[2] >= first && (unsigned char)text[2] < end;
}

size_t app_visible(const char *text)
{
    enum { MOST = 4 };
    unsigned char first = (unsigned char)text[0];
    if (first < 0x80) return iscntrl(first) ? 0 : 1;
    if (is_hidden(text)) return 0;
    size_t left = strnlen(text, MOST);
    for (size_t bytes = 2; bytes <= left; bytes++)
        if (lb_utf8_valid(text, bytes)) return bytes;
    return 0;
}

void app_put_visible(const char *text, const char *kept)
{
    for (size_t bytes; *text; text += bytes ? bytes : 1) {
        bytes = strchr(kept, *text) ? 1 : app_visible(text);
        if (bytes > 0)
            fwrite(text, 1, bytes, stdout);
        else
            printf("\\x%02x", (unsigned)(unsigned char)*text);
    }
}

bool app_prints_on_terminal(void)
{
    return lb_os_is_terminal(stdout);
}

void app_put(const char *text)
{
    if (app_prints_on_terminal())
        app_put_visible(text, "\n\t");
    else
        fputs(text, stdout);
}

void app_print(const char *format, ...)
{
    lb_buffer text = {0};
    va_list arguments;
    va_start(arguments, format);
    if (app_prints_on_terminal())
        lb_buffer_vprint(&text, format, arguments);
    else
        vprintf(format, arguments);
    va_end(arguments);
    if (text.failed && !flush_error) flush_error = ENOMEM;
    if (text.text && !text.failed) app_put(text.text);
    lb_release(text.text);
}

/* ---- Files that are written. ---- */

char *app_path(const char *folder, const char *name, char path[APP_PATH])
{
    snprintf(path, APP_PATH, "%s/%s", folder, name);
    return path;
}

/* ---- Standard error. ---- */

FILE *app_redrawn;

void app_erase_redrawn_line(void)
{
    if (app_redrawn) fputs(APP_ERASE_LINE, app_redrawn);
    app_redrawn = NULL;
}

/* Quoted text in a message may come from a damaged file. */
static void hide_controls(char *line)
{
    for (char *letter = line; *letter;) {
        size_t bytes = app_visible(letter);
        if (bytes == 0) *letter = '?';
        letter += bytes ? bytes : 1;
    }
}

enum { LINE = 2 * LB_MESSAGE_LENGTH };

lb_strings *app_warnings;

/* Standard error is unbuffered: a single write keeps the line apart from those of other programs. */
static void say(lb_strings *kept, const char *format, va_list arguments)
{
    char line[LINE];
    vsnprintf(line, sizeof line, format, arguments);
    hide_controls(line);
    app_erase_redrawn_line();
    fprintf(stderr, "%s: %s\n", program, line);
    lb_status status = kept ? lb_strings_add(kept, lb_alloc_string(line), NULL) : LB_OK;
    (void)status; /* it has been said, at least */
}

void app_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!app_quiet) say(NULL, format, arguments);
    va_end(arguments);
}

void app_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(app_warnings, format, arguments);
    va_end(arguments);
}

void app_show(const char *text)
{
    char line[LINE];
    app_erase_redrawn_line();
    while (*text && !app_quiet) {
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        hide_controls(line);
        fprintf(stderr, "%s\n", line);
        text += length + (text[length] == '\n');
    }
}

/* ---- The end of standard output. ---- */

bool app_flush_stdout(void)
{
    /* If printing has already failed, errno still has the reason: callers do nothing else in between. */
    if (!flush_error && !ferror(stdout) && fflush(stdout) == 0) return true;
    if (flush_error == 0) flush_error = errno;
    return false;
}

int app_close_stdout(int status)
{
    errno = flush_error;
    /* A flush repeats what has failed while printing, and so finds the reason. */
    int lost = flush_error || fflush(stdout) || ferror(stdout);
    int reason = errno;
    /* Standard output may never have been open (>&-); that matters only if something was written. */
    if (fclose(stdout) && !lost && errno != EBADF) {
        lost = 1;
        reason = errno;
    }
    if (!lost || status) return status;
    if (reason != EPIPE) {
        app_warn("cannot write standard output%s%s", reason ? ": " : "", reason ? strerror(reason) : "");
    }
    return lb_status_exit(LB_ERROR_WRITE);
}
