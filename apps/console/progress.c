/* Shows the progress of a long task, as a bar on a terminal or as lines of a log. */
#include "base/progress.h"
#include "base/format.h"
#include "console/console.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BAR_MAX = 30, BAR_MIN = 8 };

/* A bar gets its room before the fields after these. */
enum { FIRST_FIELDS = 2 };

static const double REDRAW_SECONDS = 0.1, LATE_SECONDS = 1, LOG_SECONDS = 10, LOG_SECONDS_MIN = 1;

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
    if (!config.clock) config.clock = lb_seconds;
    *progress = (app_progress){.config = config, .done = config.first, .drawn_done = config.first};
    progress->terminal =
        !config.off && lb_os_is_terminal(config.stream) && strcmp(environment("TERM"), "dumb") != 0;
    progress->utf8 = environment_is_utf8();
    progress->colour = !*environment("NO_COLOR");
    progress->start = config.clock();
    progress->counted = progress->drawn = progress->start;
}

char *app_short_count(double count, char text[APP_SHORT])
{
    static const char units[] = " kMGTPE";
    int unit = 0;
    /* 999.5 would round to four digits. */
    while (count >= 999.5 && units[unit + 1]) {
        count /= 1000;
        unit++;
    }
    int digits = unit == 0 ? 0 : count < 9.995 ? 2 : count < 99.95 ? 1 : 0;
    snprintf(text, APP_SHORT, "%.*f%.*s", digits, count, unit > 0, &units[unit]);
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

char *app_measured(double measure, int digits, char text[APP_MEASURED])
{
    if (isnan(measure))
        snprintf(text, APP_MEASURED, "-");
    else
        lb_snprintf(text, APP_MEASURED, "%.*f", digits, measure);
    return text;
}

double app_progress_rate(const app_progress *progress)
{
    double seconds = progress->counted - progress->start;
    return seconds > 0 ? (double)(progress->done - progress->config.first) / seconds : 0;
}

/* Counts the characters, but not the bytes that continue one; each is assumed to be one column wide. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

/* Drops fields, each of which has two blanks in front, from the end until the others have room. The first ones stay. */
static void drop_fields(char *fields, int first, int room)
{
    char *at[APP_PROGRESS_TEXT / 2 + 1];
    int count = 0;
    for (char *field = fields; (field = strstr(field, "  ")); field += 2) at[count++] = field;
    while (count > first && width_of(fields) > room) *at[--count] = '\0';
}

static void format_head(const app_progress *progress, char *head, size_t size)
{
    long long done = progress->done, total = progress->config.total;
    if (total > 0) {
        /* The number is as wide as it will ever be, so that the rest does not move. */
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
    assert(width <= BAR_MAX);
    if (progress->colour) end += sprintf(end, "\033[36m");
    for (int i = 0; i < width; i++) {
        if (i == filled && progress->colour) end += sprintf(end, "\033[0;2m");
        end += sprintf(end, "%s", i < filled ? full : empty);
    }
    if (progress->colour) sprintf(end, "\033[0m");
}

/* The line for a terminal. The time left stays to the last, and no word is cut. */
static void lay_out(const app_progress *progress, const char *head, const char *tail,
                    char line[APP_PROGRESS_LINE])
{
    /* Leaves the last column free: some terminals wrap as soon as it is written. */
    int columns = lb_os_columns(progress->config.stream) - 1,
        room = columns - width_of(head) - width_of(tail);
    char fields[APP_PROGRESS_TEXT + 2];
    snprintf(fields, sizeof fields, "%s%s", progress->text[0] ? "  " : "", progress->text);
    if (progress->config.total > 0) drop_fields(fields, FIRST_FIELDS, room - BAR_MIN - 2);
    drop_fields(fields, 0, room);
    int width = room - width_of(fields) - 2;
    bool bar = progress->config.total > 0 && width >= BAR_MIN;
    snprintf(line, APP_PROGRESS_LINE, "%s%s", room >= 0 ? head : "", bar ? "  " : "");
    if (bar) add_bar(progress, width < BAR_MAX ? width : BAR_MAX, line);
    if (room < 0) tail += strspn(tail, " ");
    if (room < 0 && width_of(tail) > columns) tail = "";
    size_t used = strlen(line);
    snprintf(line + used, APP_PROGRESS_LINE - used, "%s%s", fields, tail);
}

static void write_line(app_progress *progress, bool last)
{
    FILE *stream = progress->config.stream;
    char head[80], tail[APP_SHORT + 8], line[APP_PROGRESS_LINE];
    progress->due = false;
    if (app_quiet) return;
    format_head(progress, head, sizeof head);
    format_tail(progress, last, tail, sizeof tail);
    if (!progress->terminal) {
        fprintf(stream, "%s%s%s%s\n", head, progress->text[0] ? "  " : "", progress->text, tail);
        return;
    }
    lay_out(progress, head, tail, line);
    if (progress->config.late) lb_os_say_on_interrupt(APP_ERASE_LINE);
    app_redrawn = last ? NULL : stream;
    fprintf(stream, "\r%s\033[K%s", line, last ? "\n" : "");
}

static bool is_due(const app_progress *progress, double now)
{
    double seconds = now - progress->drawn;
    if (progress->config.late && !app_redrawn) return now - progress->start >= LATE_SECONDS;
    if (progress->terminal) return seconds >= REDRAW_SECONDS;
    if (seconds < LOG_SECONDS_MIN) return false;
    int64_t tenth = progress->config.total / 10;
    return seconds >= LOG_SECONDS || (tenth > 0 && progress->done / tenth > progress->drawn_done / tenth);
}

static void draw_if_due(app_progress *progress, double now)
{
    if (!is_due(progress, now)) return;
    progress->drawn = now;
    progress->drawn_done = progress->done;
    if (progress->terminal)
        write_line(progress, false);
    else
        progress->due = true;
}

void app_progress_update(app_progress *progress, int64_t done, const char *format, ...)
{
    if (progress->config.late && !progress->terminal) return;
    if (progress->due && done != progress->done) write_line(progress, false);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(progress->text, sizeof progress->text, format, arguments);
    va_end(arguments);
    double now = progress->config.clock();
    if (done != progress->done) progress->counted = now;
    progress->done = done;
    progress->updated = true;
    draw_if_due(progress, now);
}

void app_progress_count(app_progress *progress, const char *unit, int64_t done, int64_t total)
{
    if (progress->config.unit != unit || done < progress->done)
        app_progress_init(progress, (app_progress_config){.unit = unit, .total = total, .late = true});
    app_progress_update(progress, done, "%s", "");
}

bool app_progress_tick(void *context)
{
    app_progress *progress = context;
    if (progress->terminal) draw_if_due(progress, progress->config.clock());
    return false;
}

void app_progress_end(app_progress *progress)
{
    if (progress->config.late) {
        app_erase_redrawn_line();
        lb_os_say_on_interrupt(NULL);
    } else if (progress->updated) {
        write_line(progress, true);
    }
    progress->updated = false;
}
