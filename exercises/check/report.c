#include "report.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 512, LISTS = 8, LABEL = 10, GUARD = 16 };

static const double TOLERANCE = 1e-4; /* the library computes in float */
static const double NOT_WRITTEN = -9.87654321e300;
static const int INT_NOT_WRITTEN = INT_MIN + 4711;

static double room[REPORT_ROOM + GUARD];
static int int_room[REPORT_ROOM + GUARD];
static int inputs;
static char question[TEXT];
static report_verdict verdict = REPORT_RIGHT;
static bool hinted;

double *report_room(void)
{
    for (int i = 0; i < REPORT_ROOM + GUARD; i++) room[i] = NOT_WRITTEN;
    return room;
}

int *report_int_room(void)
{
    for (int i = 0; i < REPORT_ROOM + GUARD; i++) int_room[i] = INT_NOT_WRITTEN;
    return int_room;
}

void report_random(double *values, int count)
{
    static uint32_t state = 20;
    for (int i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        values[i] = (double)(state >> 16) / 65536 * 3 - 1.5;
    }
}

lb_tensor *report_tensor(lb_tape *tape, lb_shape shape, const double *values)
{
    lb_tensor *tensor = lb_tensor_new(tape, shape, NULL);
    for (int64_t i = 0; lb_is_sound(tensor) && i < lb_count(tensor); i++)
        tensor->data[i] = (lb_real)values[i];
    return tensor;
}

lb_tensor *report_random_tensor(lb_tape *tape, lb_shape shape)
{
    double values[4 * REPORT_ROOM] = {0};
    report_random(values, (int)lb_shape_count(shape));
    return report_tensor(tape, shape, values);
}

static char *next_list(void)
{
    static char lists[LISTS][TEXT];
    static int next;
    char *list = lists[next++ % LISTS];
    *list = '\0';
    return list;
}

const char *report_list(const double *values, int count)
{
    char *list = next_list();
    for (int i = 0, at = 0; i < count && at < TEXT; i++)
        at += snprintf(list + at, (size_t)(TEXT - at), "%s%.4g", i ? " " : "", values[i]);
    return list;
}

const char *report_int_list(const int *values, int count)
{
    char *list = next_list();
    for (int i = 0, at = 0; i < count && at < TEXT; i++)
        at += snprintf(list + at, (size_t)(TEXT - at), "%s%d", i ? " " : "", values[i]);
    return list;
}

void report_asked(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(question, sizeof question, format, arguments);
    va_end(arguments);
    inputs++;
}

static void print_line(const char *label, const char *text)
{
    printf("    %-*s%s\n", LABEL, label, text);
}

/* Ends in a difference: from here on, only hints follow. */
static bool differ(report_verdict how)
{
    if (verdict != REPORT_RIGHT) return false;
    verdict = how;
    printf("%s\n", how == REPORT_UNTOUCHED ? "yours to write" : "wrong");
    print_line("asked", question);
    return false;
}

static void print_numbers(const char *label, const double *values, int rows, int columns)
{
    for (int i = 0; i < rows * columns; i++) {
        if (i % columns == 0) printf("    %-*s", LABEL, i ? "" : label);
        if (values[i] == NOT_WRITTEN)
            printf(" not written");
        else
            printf(" %7.4f", values[i]);
        if (i % columns == columns - 1) printf("\n");
    }
}

static bool close_enough(double found, double expected)
{
    return fabs(found - expected) <= TOLERANCE * (1 + fabs(expected));
}

bool report_is(const double *found, const double *known, int count)
{
    for (int i = 0; i < count; i++)
        if (!close_enough(found[i], known[i])) return false;
    return true;
}

void report_hint(const char *format, ...)
{
    char text[TEXT];
    va_list arguments;
    if (verdict != REPORT_WRONG || hinted) return;
    hinted = true;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_line("hint", text);
}

static void hint_writing(int missing, bool beyond, int count)
{
    if (missing) report_hint("%d of the %d numbers are not written.", missing, count);
    if (beyond) report_hint("The function writes beyond the end: there is room for %d numbers.", count);
}

bool report_same(const double *found, const double *expected, int rows, int columns)
{
    int count = rows * columns, missing = 0;
    for (int i = 0; i < count; i++) missing += found[i] == NOT_WRITTEN;
    bool beyond = found == room && found[count] != NOT_WRITTEN;
    if (report_is(found, expected, count) && !beyond) return true;
    differ(missing == count ? REPORT_UNTOUCHED : REPORT_WRONG);
    if (missing < count) print_numbers("found", found, rows, columns);
    print_numbers("expected", expected, rows, columns);
    hint_writing(missing, beyond, count);
    return false;
}

bool report_same_number(double found, double expected)
{
    if (close_enough(found, expected)) return true;
    differ(isnan(found) && inputs == 1 ? REPORT_UNTOUCHED : REPORT_WRONG);
    if (verdict != REPORT_UNTOUCHED) print_numbers("found", &found, 1, 1);
    print_numbers("expected", &expected, 1, 1);
    return false;
}

bool report_same_ints(const int *found, const int *expected, int count)
{
    int missing = 0, equal = 0;
    for (int i = 0; i < count; i++) {
        missing += found[i] == INT_NOT_WRITTEN;
        equal += found[i] == expected[i];
    }
    bool beyond = found == int_room && found[count] != INT_NOT_WRITTEN;
    if (equal == count && !beyond) return true;
    differ(missing == count ? REPORT_UNTOUCHED : REPORT_WRONG);
    if (missing == 0) print_line("found", report_int_list(found, count));
    print_line("expected", report_int_list(expected, count));
    hint_writing(missing, beyond, count);
    return false;
}

bool report_is_tensor(lb_tensor *found, lb_tensor *known)
{
    if (!lb_is_sound(found) || !lb_is_sound(known) || !lb_shape_equal(found->shape, known->shape))
        return false;
    const double *a = lb_doubles(found), *b = lb_doubles(known);
    return a && b && report_is(a, b, (int)lb_count(found));
}

bool report_same_tensor(lb_tensor *found, lb_tensor *expected)
{
    char shape[LB_SHAPE_TEXT];
    if (report_is_tensor(found, expected)) return true;
    differ(found ? REPORT_WRONG : REPORT_UNTOUCHED);
    bool sound = found && lb_is_sound(found);
    if (found && !sound) {
        print_line("found", "an error of the library:");
        print_line("", lb_tensor_error(found));
    }
    if (!sound || !lb_shape_equal(found->shape, expected->shape)) {
        if (sound) print_line("found", lb_shape_format(found->shape, shape));
        print_line("expected", lb_shape_format(expected->shape, shape));
        return false;
    }
    const double *values[] = {lb_doubles(found), lb_doubles(expected)};
    int columns = (int)lb_dim(found, -1), rows = (int)lb_count(found) / columns;
    for (int i = 0; i < 2 && values[0] && values[1]; i++)
        print_numbers(i ? "expected" : "found", values[i], rows, columns);
    return false;
}

report_verdict report_end(void)
{
    if (verdict == REPORT_RIGHT) printf("right (%d inputs)\n", inputs);
    return verdict;
}
