#include "console/progress.h"

#include "base/clock.h"
#include "console/console.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR_MAX = 30, BAR_MIN = 8, DEFAULT_COLUMNS = 80 };

static const double REDRAW_SECONDS = 0.1, LOG_SECONDS = 10, LOG_SECONDS_MIN = 1;

static double monotonic(void)
{
    return 1e-9 * (double)lb_clock();
}

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

/* The program stays in the C locale, for decimal points; so the encoding is read from the names of the locale. */
static bool environment_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *value = environment(names[i]);
        if (!*value) continue;
        const char *encoding = strchr(value, '.');
        return encoding &&
               (strncasecmp(encoding, ".utf-8", 6) == 0 || strncasecmp(encoding, ".utf8", 5) == 0);
    }
    return false;
}

void app_progress_init(app_progress *progress, app_progress_config config)
{
    if (!config.unit) config.unit = "step";
    if (!config.stream) config.stream = stderr;
    if (!config.clock) config.clock = monotonic;
    *progress = (app_progress){.config = config, .done = config.first, .drawn_done = config.first};
    progress->terminal = isatty(fileno(config.stream)) && strcmp(environment("TERM"), "dumb") != 0;
    progress->utf8 = environment_is_utf8();
    progress->colour = !*environment("NO_COLOR");
    progress->start = config.clock();
    progress->drawn = progress->start;
}

char *app_short_count(double count, char text[APP_SHORT])
{
    static const char units[] = " kMGTPE";
    int unit = 0;
    /* 999.5 would round to four digits */
    while (count >= 999.5 && units[unit + 1]) {
        count /= 1000;
        unit++;
    }
    int digits = unit == 0 ? 0 : count < 9.995 ? 2 : count < 99.95 ? 1 : 0;
    int length = snprintf(text, APP_SHORT, "%.*f", digits, count);
    if (unit && length > 0 && length < APP_SHORT - 1) memcpy(text + length, (char[]){units[unit], '\0'}, 2);
    return text;
}

char *app_short_time(double seconds, char text[APP_SHORT])
{
    /* For days, seconds are no longer useful, but the number must not overflow. */
    int64_t whole = seconds > 0 ? (int64_t)fmin(seconds + 0.5, 1e15) : 0;
    long long minutes = whole / 60, second = whole % 60;
    if (minutes < 60) {
        snprintf(text, APP_SHORT, "%lld:%02lld", minutes, second);
    } else {
        snprintf(text, APP_SHORT, "%lld:%02lld:%02lld", minutes / 60, minutes % 60, second);
    }
    return text;
}

double app_progress_rate(const app_progress *progress)
{
    double seconds = progress->config.clock() - progress->start;
    return seconds > 0 ? (double)(progress->done - progress->config.first) / seconds : 0;
}

static int columns_of(FILE *stream)
{
    struct winsize size = {0};
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) || size.ws_col == 0) return DEFAULT_COLUMNS;
    return size.ws_col;
}

static bool continues_letter(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Counts the characters; each is assumed to be one column wide. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++) width += !continues_letter(*text);
    return width;
}

static void cut(char *text, int width)
{
    for (; *text; text++) {
        if (!continues_letter(*text) && width-- <= 0) break;
    }
    *text = '\0';
}

static void format_head(const app_progress *progress, char *head, size_t size)
{
    long long done = progress->done, total = progress->config.total;
    if (total > 0) {
        /* as wide as it will ever be, so that the rest does not move */
        int digits = snprintf(NULL, 0, "%lld", total);
        snprintf(head, size, "%s %*lld/%lld", progress->config.unit, digits, done, total);
    } else {
        snprintf(head, size, "%s %lld", progress->config.unit, done);
    }
}

static void format_tail(const app_progress *progress, bool last, char *tail, size_t size)
{
    char time[APP_SHORT];
    int64_t remaining = progress->config.total - progress->done;
    double rate = app_progress_rate(progress);
    if (last) {
        snprintf(tail, size, "  %s", app_short_time(progress->config.clock() - progress->start, time));
    } else if (remaining > 0 && rate > 0) {
        snprintf(tail, size, "  %s left", app_short_time((double)remaining / rate, time));
    } else {
        *tail = '\0';
    }
}

/* Appends the bar, `width` columns, to the line. */
static void add_bar(const app_progress *progress, int width, char line[APP_PROGRESS_LINE])
{
    double part = fmin(fmax((double)progress->done / (double)progress->config.total, 0), 1);
    int filled = (int)(part * width);
    const char *full = progress->utf8 ? "\u2501" : "#", *empty = progress->utf8 ? "\u2500" : ".";
    char *end = line + strlen(line);
    if (progress->colour) end += sprintf(end, "\033[36m");
    for (int i = 0; i < width; i++) {
        if (i == filled && progress->colour) end += sprintf(end, "\033[0;2m");
        end += sprintf(end, "%s", i < filled ? full : empty);
    }
    if (progress->colour) sprintf(end, "\033[0m");
}

static void write_line(app_progress *progress, bool last)
{
    if (app_is_quiet()) return;
    char head[80], tail[APP_SHORT + 8], line[APP_PROGRESS_LINE];
    const char *gap = progress->text[0] ? "  " : "";
    format_head(progress, head, sizeof head);
    format_tail(progress, last, tail, sizeof tail);
    progress->drawn = progress->config.clock();
    progress->drawn_done = progress->done;
    if (!progress->terminal) {
        fprintf(progress->config.stream, "%s%s%s%s\n", head, gap, progress->text, tail);
        return;
    }
    /* Leaves the last column free: some terminals wrap as soon as it is written. */
    int columns = columns_of(progress->config.stream) - 1;
    int room = columns - width_of(head) - width_of(gap) - width_of(progress->text) - width_of(tail) - 2;
    bool bar = progress->config.total > 0 && room >= BAR_MIN;
    snprintf(line, sizeof line, "%s%s", head, bar ? "  " : "");
    if (bar) add_bar(progress, room < BAR_MAX ? room : BAR_MAX, line);
    size_t used = strlen(line);
    snprintf(line + used, sizeof line - used, "%s%s%s", gap, progress->text, tail);
    if (room < 0) cut(line, columns);
    fprintf(progress->config.stream, "\r%s\033[K%s", line, last ? "\n" : "");
}

static bool is_due(const app_progress *progress)
{
    double seconds = progress->config.clock() - progress->drawn;
    if (progress->terminal) return seconds >= REDRAW_SECONDS;
    if (seconds < LOG_SECONDS_MIN) return false;
    int64_t tenth = progress->config.total / 10;
    return seconds >= LOG_SECONDS || (tenth > 0 && progress->done / tenth > progress->drawn_done / tenth);
}

void app_progress_update(app_progress *progress, int64_t done, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(progress->text, sizeof progress->text, format, arguments);
    va_end(arguments);
    progress->done = done;
    progress->updated = true;
    if (is_due(progress)) write_line(progress, false);
}

void app_progress_end(app_progress *progress)
{
    if (!progress->updated) return;
    write_line(progress, true);
    progress->updated = false;
}
