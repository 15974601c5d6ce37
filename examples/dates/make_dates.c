/* Writes pairs of a date in everyday spelling and in ISO 8601, "3rd of May 1979 TAB 1979-05-03": train.tsv for training
 * and dev.tsv for measuring. No date is in both. */
#include <lookback/lookback.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRAIN = 8000, DEV = 800, FIRST_YEAR = 1900, YEARS = 200, DEV_SHARE = 10, WRITTEN = 64 };

typedef struct date {
    int year, month, day;
} date;

static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                     "July",    "August",   "September", "October", "November", "December"};
static const char *const weekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                       "Thursday", "Friday", "Saturday"};

/* %d 3, %D 03, %o 3rd; %m 5, %M 05, %b May, %B May, Sep and September; %y 1979; %w Thursday, %a Thu.
 * A dot between numbers means that the day comes first, and a slash after the year that the month does. Ambiguous
 * dates, such as 03/05/1979 or a year of two digits, are left out: no model could learn them. */
static const char *const spellings[] = {
    "%d %B %y",    "%B %d, %y",     "%o of %B %y", "%o %B %y",      "the %o of %B, %y",
    "%B %o, %y",   "%B the %o, %y", "%w %d %B %y", "%w, %B %d, %y", "%w, the %o of %B %y",
    "%a %d %b %y", "%a, %b %d %y",  "%d %b %y",    "%b %d, %y",     "%d-%b-%y",
    "%y, %B %d",   "%y %b %d",      "%d.%m.%y",    "%D.%M.%y",      "%d. %B %y",
    "%y/%m/%d",    "%y/%M/%D",      "%D %b %y",    "%a. %d.%m.%y",
};

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* 0 is Sunday. Source: Sakamoto 1992. */
static int weekday(date d)
{
    static const int shift[] = {0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4};
    int year = d.month < 3 ? d.year - 1 : d.year;
    return (year + year / 4 - year / 100 + year / 400 + shift[d.month - 1] + d.day) % 7;
}

static const char *ordinal_ending(int day)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    bool teen = day / 10 == 1;
    return day % 10 < 4 && !teen ? endings[day % 10] : endings[0];
}

/* One date in DEV_SHARE is for dev, whatever the seed. */
static bool is_for_dev(date d)
{
    lb_rng rng = {.stream = lb_rng_stream("dates for dev")};
    int number = (d.year * 12 + d.month) * 31 + d.day;
    return lb_rng_below(rng, (uint64_t)number, DEV_SHARE) == 0;
}

/* The first date for this file at or after position *at, which is moved past it. */
static date draw_date(lb_rng rng, uint64_t *at, bool dev)
{
    date d;
    do {
        d.year = FIRST_YEAR + (int)lb_rng_below(rng, (*at)++, YEARS);
        d.month = 1 + (int)lb_rng_below(rng, (*at)++, 12);
        d.day = 1 + (int)lb_rng_below(rng, (*at)++, (uint64_t)days_in(d.year, d.month));
    } while (is_for_dev(d) != dev);
    return d;
}

/* Writes the value of one letter of a spelling. */
static void write_part(date d, char part, char text[WRITTEN])
{
    const char *month = months[d.month - 1], *day = weekdays[weekday(d)];
    switch (part) {
    case 'd':
        snprintf(text, WRITTEN, "%d", d.day);
        break;
    case 'D':
        snprintf(text, WRITTEN, "%02d", d.day);
        break;
    case 'o':
        snprintf(text, WRITTEN, "%d%s", d.day, ordinal_ending(d.day));
        break;
    case 'm':
        snprintf(text, WRITTEN, "%d", d.month);
        break;
    case 'M':
        snprintf(text, WRITTEN, "%02d", d.month);
        break;
    case 'b':
        snprintf(text, WRITTEN, "%.3s", month);
        break;
    case 'B':
        snprintf(text, WRITTEN, "%s", month);
        break;
    case 'y':
        snprintf(text, WRITTEN, "%d", d.year);
        break;
    case 'a':
        snprintf(text, WRITTEN, "%.3s", day);
        break;
    default:
        snprintf(text, WRITTEN, "%s", day);
        break;
    }
}

static void write_date(date d, const char *spelling, char text[WRITTEN])
{
    size_t used = 0;
    text[0] = '\0';
    for (const char *at = spelling; *at; at++) {
        char part[WRITTEN] = {*at};
        if (*at == '%') write_part(d, *++at, part);
        used += (size_t)snprintf(text + used, WRITTEN - used, "%s", part);
    }
}

/* Some people write everything in capitals, some nothing. */
static void change_letters(char *text, uint64_t mood)
{
    bool capitals = mood == 0, small = mood == 1;
    for (; *text; text++) {
        if (capitals && *text >= 'a' && *text <= 'z') *text = (char)(*text - 'a' + 'A');
        if (small && *text >= 'A' && *text <= 'Z') *text = (char)(*text - 'A' + 'a');
    }
}

static void write_pairs(FILE *file, uint64_t seed, bool dev, int count)
{
    enum { MOODS = 8 };
    lb_rng rng = {.seed = seed, .stream = lb_rng_stream(dev ? "dates of dev" : "dates of train")};
    uint64_t at = 0;
    for (int i = 0; i < count; i++) {
        char text[WRITTEN];
        date d = draw_date(rng, &at, dev);
        write_date(d, spellings[lb_rng_below(rng, at++, sizeof spellings / sizeof *spellings)], text);
        change_letters(text, lb_rng_below(rng, at++, MOODS));
        fprintf(file, "%s\t%d-%02d-%02d\n", text, d.year, d.month, d.day);
    }
}

static bool write_file(const char *folder, uint64_t seed, bool dev)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.tsv", folder, dev ? "dev" : "train");
    FILE *file = fopen(path, "w");
    if (file) write_pairs(file, seed, dev, dev ? DEV : TRAIN);
    bool lost = !file || ferror(file);
    if ((file && fclose(file)) || lost) {
        fprintf(stderr, "make_dates: %s: cannot write: %s\n", path, strerror(errno));
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    char *end = "";
    uint64_t seed = argc > 2 ? strtoull(argv[2], &end, 10) : 1;
    if (argc < 2 || argc > 3 || *end || (argc > 2 && !*argv[2])) {
        fprintf(stderr, "usage: make_dates FOLDER [SEED]; writes FOLDER/train.tsv and FOLDER/dev.tsv\n");
        return 2;
    }
    return write_file(argv[1], seed, false) && write_file(argv[1], seed, true) ? 0 : 1;
}
