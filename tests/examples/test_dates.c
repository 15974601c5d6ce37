/* examples/dates: its dates are correct, and the same for the same seed. */
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAKE_DATES BIN_DIR "/make_dates"

static support_result result;

#define RUN(...) SUPPORT_RUN(&result, NULL, MAKE_DATES, __VA_ARGS__)

static char *content(const char *name)
{
    size_t length;
    return support_read_file(support_path(name), &length);
}

static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                     "jul", "aug", "sep", "oct", "nov", "dec"};
static const char *const weekdays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

/* The index in `names` of a name that begins a word of the text; -1 if there is none. */
static int find_name(const char *text, const char *const *names, int count)
{
    for (const char *at = text; *at; at++)
        for (int i = 0; i < count; i++)
            if ((at == text || !strchr("abcdefghijklmnopqrstuvwxyz", at[-1])) &&
                strncmp(at, names[i], 3) == 0)
                return i;
    return -1;
}

/* 0 is Sunday. Counts the days since Monday, 1 January 1900. */
static int weekday_of(int year, int month, int day)
{
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int leaps = 0;
    for (int y = 1900; y < year + (month > 2); y++) leaps += (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
    return ((year - 1900) * 365 + leaps + before[month - 1] + day) % 7;
}

/* Reads the numbers in a text, as many as there is room for. */
static int find_numbers(const char *text, int numbers[4])
{
    int count = 0;
    for (const char *at = text; *at && count < 4; at++) {
        if (*at < '0' || *at > '9') continue;
        numbers[count++] = atoi(at);
        at += strspn(at, "0123456789") - 1;
    }
    return count;
}

/* The written date is the same as the ISO date next to it. */
static void check_pair(char *source, const char *target)
{
    int year, month, day, numbers[4], used = 0;
    ck_assert_int_eq(sscanf(target, "%4d-%2d-%2d%n", &year, &month, &day, &used), 3);
    SUPPORT_CHECK(used == 10 && target[used] == '\0', "%s", target);
    for (char *at = source; *at; at++)
        if (*at >= 'A' && *at <= 'Z') *at = (char)(*at - 'A' + 'a');
    int name = find_name(source, months, 12), weekday = find_name(source, weekdays, 7);
    int count = find_numbers(source, numbers);
    SUPPORT_CHECK(weekday < 0 || weekday == weekday_of(year, month, day), "%s is no %s", target, source);
    SUPPORT_CHECK(name < 0 || name == month - 1, "%s is not %s", target, source);
    SUPPORT_CHECK(count == (name < 0 ? 3 : 2), "%d numbers in %s", count, source);
    bool year_first = numbers[0] >= 1900;
    int first = year_first ? 1 : 0;
    SUPPORT_CHECK(numbers[year_first ? 0 : count - 1] == year, "%s is not %s", target, source);
    int said_day = name >= 0 ? numbers[first] : numbers[year_first ? 2 : 0];
    SUPPORT_CHECK(said_day == day, "%s is not %s", target, source);
    SUPPORT_CHECK(name >= 0 || numbers[1] == month, "%s is not %s", target, source);
}

/* Returns the number of pairs in the file. */
static int check_pairs(const char *name)
{
    int lines = 0;
    char *text = content(name), *rest;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), lines++) {
        char *tab = strchr(line, '\t');
        SUPPORT_CHECK(tab != NULL, "%s", line);
        *tab = '\0';
        check_pair(line, tab + 1);
    }
    free(text);
    return lines;
}

START_TEST(test_make_dates_each_pair_says_the_same_twice)
{
    RUN(".");
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(result.error, "");
    ck_assert_int_eq(check_pairs("train.tsv"), 8000);
    ck_assert_int_eq(check_pairs("dev.tsv"), 800);
}
END_TEST

START_TEST(test_make_dates_no_date_of_dev_is_in_train)
{
    RUN(".");
    ck_assert_int_eq(result.status, 0);
    char *train = content("train.tsv"), *dev = content("dev.tsv"), *rest;
    for (char *line = strtok_r(dev, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *target = strchr(line, '\t');
        SUPPORT_CHECK(target && !strstr(train, target), "%s is in train.tsv too", line);
    }
    free(train);
    free(dev);
}
END_TEST

START_TEST(test_make_dates_seed_decides_what_is_drawn)
{
    static const char *const seeds[] = {"1", "1", "2"};
    char *drawn[3];
    for (int i = 0; SUPPORT_ROW(i, seeds); i++) {
        RUN(".", seeds[i]);
        ck_assert_int_eq(result.status, 0);
        drawn[i] = content("train.tsv");
    }
    ck_assert_str_eq(drawn[0], drawn[1]);
    ck_assert_str_ne(drawn[0], drawn[2]);
    for (int i = 0; i < 3; i++) free(drawn[i]);
}
END_TEST

START_TEST(test_make_dates_no_place_to_write_and_wrong_usage_are_told)
{
    RUN("missing");
    ck_assert_int_eq(result.status, 1);
    ck_assert_str_eq(result.error,
                     "make_dates: missing/train.tsv: cannot write: No such file or directory\n");
    RUN(".", "seed");
    ck_assert_int_eq(result.status, 2);
    SUPPORT_RUN(&result, NULL, MAKE_DATES);
    ck_assert_int_eq(result.status, 2);
    ck_assert_int_eq(strncmp(result.error, "usage: make_dates FOLDER [SEED]", 31), 0);
}
END_TEST
