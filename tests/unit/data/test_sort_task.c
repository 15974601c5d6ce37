/* The sort task: two disjoint splits, drawn uniformly and reproducibly. */
#include "data/lists/sort_task.h"
#include "lookback/tensor.h"
#include "support/alloc.h"
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const lb_sort_task usual = {.max_value = 99, .min_length = 5, .max_length = 10, .seed = 7};

START_TEST(test_draw_lists_belong_to_their_split)
{
    /* With so few lists, random splits would share many. */
    const lb_sort_task small = {.max_value = 5, .min_length = 1, .max_length = 3, .seed = 7};
    int seen[2][6 * 36 + 36 + 6 + 300] = {{0}};
    for (int split = 0; SUPPORT_ROW(split, seen); split++)
        for (uint64_t i = 0; i < 4000; i++) {
            int32_t list[3], length = lb_sort_draw(&small, split ? LB_SPLIT_TEST : LB_SPLIT_TRAIN, i, list);
            ck_assert_int_eq(lb_sort_split(list, length), split ? LB_SPLIT_TEST : LB_SPLIT_TRAIN);
            int code = 0;
            for (int32_t j = 0; j < length; j++) code = code * 7 + list[j] + 1;
            seen[split][code]++;
        }
    int in_test = 0, in_train = 0;
    for (int code = 0; code < (int)(sizeof seen[0] / sizeof seen[0][0]); code++) {
        ck_assert_msg(!(seen[0][code] && seen[1][code]), "list %d is in both splits", code);
        in_train += seen[0][code] > 0;
        in_test += seen[1][code] > 0;
    }
    ck_assert_int_gt(in_test, 8);
    ck_assert_int_gt(in_train, 200);
}
END_TEST

START_TEST(test_split_keeps_one_list_in_ten_for_testing)
{
    int in_test = 0;
    const int count = 60000;
    for (int32_t i = 0; i < count; i++)
        in_test += lb_sort_split((const int32_t[]){i % 100, i / 100 % 100, i / 10000, 3}, 4) == LB_SPLIT_TEST;
    ck_assert_double_eq_tol((double)in_test / count, 0.1, 5 * sqrt(0.09 / count));
    /* The order of the numbers is part of the list. */
    int differ = 0;
    for (int32_t i = 0; i < 200; i++)
        differ += lb_sort_split((const int32_t[]){i, 250}, 2) != lb_sort_split((const int32_t[]){250, i}, 2);
    ck_assert_int_gt(differ, 5);
}
END_TEST

START_TEST(test_draw_same_index_gives_the_same_list_and_another_another)
{
    int32_t first[10], again[10];
    int equal = 0;
    for (uint64_t i = 0; i < 200; i++) {
        int32_t length = lb_sort_draw(&usual, LB_SPLIT_TRAIN, i, first);
        ck_assert_int_eq(lb_sort_draw(&usual, LB_SPLIT_TRAIN, i, again), length);
        ck_assert_mem_eq(first, again, (size_t)length * sizeof *first);
        equal += lb_sort_draw(&usual, LB_SPLIT_TRAIN, i + 1, again) == length &&
                 memcmp(first, again, (size_t)length * sizeof *first) == 0;
        lb_sort_task other = usual;
        other.seed = 8;
        equal += lb_sort_draw(&other, LB_SPLIT_TRAIN, i, again) == length &&
                 memcmp(first, again, (size_t)length * sizeof *first) == 0;
    }
    ck_assert_int_eq(equal, 0);
}
END_TEST

START_TEST(test_draw_values_and_lengths_are_even)
{
    enum { LISTS = 20000 };
    for (int split = 0; split < 2; split++) {
        int values[100] = {0}, lengths[11] = {0}, numbers = 0;
        for (uint64_t i = 0; i < LISTS; i++) {
            int32_t list[10], length = lb_sort_draw(&usual, split ? LB_SPLIT_TEST : LB_SPLIT_TRAIN, i, list);
            ck_assert_int_ge(length, 5);
            ck_assert_int_le(length, 10);
            lengths[length]++;
            for (int32_t j = 0; j < length; j++, numbers++) {
                ck_assert_int_ge(list[j], 0);
                ck_assert_int_le(list[j], 99);
                values[list[j]]++;
            }
        }
        for (int l = 5; l <= 10; l++)
            ck_assert_double_eq_tol(lengths[l], LISTS / 6.0, 5 * sqrt(LISTS * 5.0 / 36));
        for (int v = 0; SUPPORT_ROW(v, values); v++)
            ck_assert_double_eq_tol(values[v], numbers / 100.0, 5 * sqrt(numbers * 0.0099));
    }
}
END_TEST

static int different_numbers(const int32_t *list, int32_t length)
{
    int different = 0;
    for (int32_t i = 0; i < length; i++) {
        bool seen = false;
        for (int32_t j = 0; j < i; j++) seen = seen || list[j] == list[i];
        different += !seen;
    }
    return different;
}

START_TEST(test_draw_repeats_are_a_share_of_the_lists_and_leave_the_others_alone)
{
    enum { LISTS = 20000 };
    lb_sort_task task = usual;
    task.repeats = 0.25;
    for (int split = 0; split < 2; split++) {
        int few[5] = {0}, same = 0;
        for (uint64_t i = 0; i < LISTS; i++) {
            int32_t plain[10], list[10];
            lb_split which = split ? LB_SPLIT_TEST : LB_SPLIT_TRAIN;
            int32_t length = lb_sort_draw(&usual, which, i, plain),
                    drawn = lb_sort_draw(&task, which, i, list);
            int different = different_numbers(list, drawn);
            ck_assert_int_eq(lb_sort_split(list, drawn), which);
            if (drawn >= 7 && different <= 4) few[different]++;
            same += drawn == length && memcmp(plain, list, (size_t)length * sizeof *list) == 0;
        }
        /* Of six lengths, four are 7 to 10. A list of the other split is drawn again. */
        int all = few[1] + few[2] + few[3] + few[4];
        ck_assert_double_eq_tol((double)all / LISTS, 0.25 * 4 / 6, 0.02);
        for (int i = 1; i <= 4; i++) ck_assert_int_gt(few[i], all / 8);
        ck_assert_double_ge((double)same / LISTS, split ? 0.1 : 0.65);
    }
}
END_TEST

START_TEST(test_draw_share_of_one_repeats_in_every_list_and_often_the_ends)
{
    lb_sort_task task = usual;
    task.repeats = 1;
    int numbers = 0, smallest = 0, largest = 0;
    for (uint64_t i = 0; i < 2000; i++) {
        int32_t list[10], length = lb_sort_draw(&task, LB_SPLIT_TRAIN, i, list);
        ck_assert_int_le(different_numbers(list, length), 4);
        for (int32_t j = 0; j < length; j++, numbers++) {
            smallest += list[j] == 0;
            largest += list[j] == 99;
        }
    }
    /* One in eight, plus the uniform draws. */
    ck_assert_double_eq_tol((double)smallest / numbers, 0.1325, 0.02);
    ck_assert_double_eq_tol((double)largest / numbers, 0.1325, 0.02);
}
END_TEST

START_TEST(test_draw_lists_of_a_seed_stay_what_they_were)
{
    static const struct {
        lb_split split;
        uint64_t index;
        int32_t list[10], length;
    } drawn[] = {
        {LB_SPLIT_TRAIN, 0, {83, 27, 37, 6, 85, 40, 11}, 7},
        {LB_SPLIT_TRAIN, 1000, {18, 35, 37, 60, 75, 48, 33, 69}, 8},
        {LB_SPLIT_TEST, 0, {85, 4, 78, 10, 88, 16, 76}, 7},
        {LB_SPLIT_TEST, 1000, {98, 1, 32, 41, 11}, 5},
    };
    static const struct {
        lb_split split;
        int32_t list[7];
    } repeated[] = {{LB_SPLIT_TRAIN, {15, 24, 72, 24, 15, 0, 24}},
                    {LB_SPLIT_TEST, {54, 54, 54, 54, 54, 54, 54}}};
    for (size_t i = 0; SUPPORT_ROW(i, drawn); i++) {
        int32_t list[10];
        ck_assert_int_eq(lb_sort_draw(&usual, drawn[i].split, drawn[i].index, list), drawn[i].length);
        ck_assert_mem_eq(list, drawn[i].list, (size_t)drawn[i].length * sizeof *list);
    }
    lb_sort_task repeats = usual;
    repeats.repeats = 1;
    repeats.min_length = repeats.max_length = 7;
    for (size_t i = 0; SUPPORT_ROW(i, repeated); i++) {
        int32_t list[10];
        ck_assert_int_eq(lb_sort_draw(&repeats, repeated[i].split, 0, list), 7);
        ck_assert_mem_eq(list, repeated[i].list, 7 * sizeof *list);
    }
}
END_TEST

START_TEST(test_check_impossible_tasks_are_errors_of_argument)
{
    static const lb_sort_task bad[] = {
        {.max_value = -1, .min_length = 1, .max_length = 3},
        {.max_value = INT32_MAX, .min_length = 1, .max_length = 3},
        {.max_value = 9, .min_length = 0, .max_length = 3},
        {.max_value = 9, .min_length = -2, .max_length = 3},
        {.max_value = 9, .min_length = 4, .max_length = 3},
        {.max_value = 9, .min_length = 4, .max_length = INT32_MAX},
        {.max_value = 0, .min_length = 1, .max_length = 1}, /* one list cannot be in both splits */
        {.max_value = 1, .min_length = 1, .max_length = 1},
        {.max_value = 9, .min_length = 1, .max_length = 3, .repeats = -0.1},
        {.max_value = 9, .min_length = 1, .max_length = 3, .repeats = 1.1},
        {.max_value = 9, .min_length = 1, .max_length = 3, .repeats = NAN},
    };
    for (int i = 0; SUPPORT_ROW(i, bad); i++) {
        lb_error error = {0};
        ck_assert_msg(lb_sort_check(&bad[i], &error) == LB_ERROR_ARGUMENT, "case %d", i);
        ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
        ck_assert_uint_gt(strlen(error.message), 20);
    }
}
END_TEST

START_TEST(test_check_possible_tasks_have_lists_in_both_splits)
{
    static const lb_sort_task good[] = {
        {.max_value = 99, .min_length = 5, .max_length = 10},
        {.max_value = 99, .min_length = 1, .max_length = 1},
        {.max_value = 1, .min_length = 5, .max_length = 5},
        {.max_value = 0, .min_length = 1, .max_length = 60},
        {.max_value = 3, .min_length = 2000, .max_length = 3000},
        {.max_value = 1000000, .min_length = 1, .max_length = 2},
    };
    for (int i = 0; SUPPORT_ROW(i, good); i++) {
        lb_error error = {0};
        ck_assert_msg(lb_sort_check(&good[i], &error) == LB_OK, "case %d: %s", i, error.message);
        int32_t list[3000];
        for (uint64_t index = 0; index < 5; index++) {
            ck_assert_int_ge(lb_sort_draw(&good[i], LB_SPLIT_TEST, index, list), good[i].min_length);
            ck_assert_int_ge(lb_sort_draw(&good[i], LB_SPLIT_TRAIN, index, list), good[i].min_length);
        }
    }
}
END_TEST

/* All lists of one number. */
START_TEST(test_check_tasks_of_few_lists_are_possible_as_soon_as_both_splits_have_one)
{
    bool seen[2] = {false, false};
    for (int32_t most = 0; most < 40; most++) {
        const lb_sort_task task = {.max_value = most, .min_length = 1, .max_length = 1};
        seen[lb_sort_split(&most, 1)] = true;
        ck_assert_int_eq(lb_sort_check(&task, NULL) == LB_OK, seen[0] && seen[1]);
    }
    ck_assert(seen[0] && seen[1]);
}
END_TEST

START_TEST(test_check_failing_allocation_is_an_error_of_memory)
{
    lb_error error = {0};
    support_watch_allocations();
    support_fail_allocation(1);
    ck_assert_int_eq(lb_sort_check(&usual, &error), LB_ERROR_MEMORY);
    ck_assert_int_eq(lb_sort_check(&usual, NULL), LB_OK);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_vocabulary_holds_numbers_and_special_ids)
{
    ck_assert_int_eq(LB_FIRST_TOKEN, 4);
    ck_assert_int_eq(lb_sort_vocab(&usual), 104);
    ck_assert_int_eq(lb_sort_vocab(&(lb_sort_task){.max_value = 0}), 5);
}
END_TEST

START_TEST(test_sort_values_sorts_whatever_the_signs)
{
    int32_t values[] = {5, -1, INT32_MAX, 5, INT32_MIN, 0};
    const int32_t sorted[] = {INT32_MIN, -1, 0, 5, 5, INT32_MAX};
    lb_sort_values(values, 6);
    ck_assert_mem_eq(values, sorted, sizeof sorted);
    lb_sort_values(values, 0);
    int32_t one = 3;
    lb_sort_values(&one, 1);
    ck_assert_int_eq(one, 3);
}
END_TEST

/* The number that these digits are. */
static int64_t number_of(const int32_t *digits, int32_t length)
{
    int64_t number = 0;
    for (int32_t i = 0; i < length; i++) number = 10 * number + digits[i];
    return number;
}

START_TEST(test_draw_sums_have_one_plus_and_their_answers_are_right)
{
    const lb_sort_task sums = {
        .max_value = 9, .min_length = 1, .max_length = 8, .seed = 5, .what = LB_LIST_ADD, .repeats = 0.3};
    ck_assert_int_eq(lb_sort_check(&sums, NULL), LB_OK);
    ck_assert_int_eq(lb_sort_longest(&sums, 8), 17);
    ck_assert_int_eq(lb_sort_vocab(&sums), LB_FIRST_TOKEN + 11);
    int lengths[9] = {0}, carries = 0;
    for (uint64_t i = 0; i < 3000; i++) {
        int32_t sum[17], length = lb_sort_draw(&sums, i % 2 ? LB_SPLIT_TEST : LB_SPLIT_TRAIN, i, sum),
                         plus = 0;
        ck_assert_int_eq(lb_sort_split(sum, length), i % 2 ? LB_SPLIT_TEST : LB_SPLIT_TRAIN);
        while (sum[plus] < 10) plus++;
        ck_assert_int_eq(sum[plus], 10);
        int32_t second = length - plus - 1;
        ck_assert(plus >= 1 && plus <= 8 && second >= 1 && second <= 8);
        lengths[plus]++;
        int64_t expected = number_of(sum, plus) + number_of(sum + plus + 1, second);
        for (int32_t k = 0; k < length; k++) sum[k] += LB_FIRST_TOKEN;
        int32_t answer = lb_sort_answer(&sums, sum, length);
        for (int32_t k = 0; k < answer; k++) sum[k] -= LB_FIRST_TOKEN;
        ck_assert_int_eq(number_of(sum, answer), expected);
        ck_assert(answer == (plus > second ? plus : second) || sum[0] == 1);
        carries += answer > plus && answer > second;
    }
    for (int i = 1; i <= 8; i++) ck_assert_int_gt(lengths[i], 250);
    ck_assert_int_gt(carries, 100);
}
END_TEST

/* There are only a hundred of them, and drawing from an empty split would never end. */
START_TEST(test_draw_sums_of_one_digit_are_in_both_splits)
{
    int seen[2] = {0};
    for (int32_t a = 0; a <= 9; a++)
        for (int32_t b = 0; b <= 9; b++) seen[lb_sort_split((const int32_t[]){a, 10, b}, 3)]++;
    ck_assert(seen[LB_SPLIT_TRAIN] > 50 && seen[LB_SPLIT_TEST] > 1);
}
END_TEST

START_TEST(test_answer_is_what_the_task_says)
{
    const struct {
        lb_list_task what;
        int32_t answer[4];
    } cases[] = {{LB_LIST_SORT, {0, 3, 3, 7}}, {LB_LIST_REVERSE, {0, 7, 3, 3}}, {LB_LIST_COPY, {3, 3, 7, 0}}};
    for (int i = 0; SUPPORT_ROW(i, cases); i++) {
        lb_sort_task other = usual;
        other.what = cases[i].what;
        int32_t list[] = {3, 3, 7, 0}, one = 5;
        ck_assert_int_eq(lb_sort_answer(&other, list, 4), 4);
        ck_assert_mem_eq(list, cases[i].answer, sizeof list);
        ck_assert_int_eq(lb_sort_answer(&other, &one, 1), 1);
        ck_assert_int_eq(one, 5);
        int32_t same[10], drawn[10]; /* lists do not depend on what is done to them */
        ck_assert_int_eq(lb_sort_draw(&other, LB_SPLIT_TRAIN, 9, drawn),
                         lb_sort_draw(&usual, LB_SPLIT_TRAIN, 9, same));
        ck_assert_int_eq(drawn[0], same[0]);
    }
}
END_TEST

START_TEST(test_set_lengths_takes_one_or_two_numbers_and_nothing_else)
{
    static const char *const wrong[] = {
        "",     "-",    "5-",   "-5",           "0-5", "5-4", "5-10-15", "5 -10",
        "5-1O", "+5-9", "5--9", "1-2147483648", "x",   "0",   "5,10",    "99999999999999999999"};
    lb_sort_task lists = usual;
    for (int i = 0; SUPPORT_ROW(i, wrong); i++)
        ck_assert_msg(lb_sort_set_lengths(&lists, "", "", wrong[i], NULL) == LB_ERROR_ARGUMENT, "%s",
                      wrong[i]);
    ck_assert_int_eq(lists.min_length, 5);
    ck_assert_int_eq(lists.max_length, 10);
    ck_assert_int_eq(lb_sort_set_lengths(&lists, "", "", "11-30", NULL), LB_OK);
    ck_assert(lists.min_length == 11 && lists.max_length == 30);
    ck_assert_int_eq(lb_sort_set_lengths(&lists, "", "", "7", NULL), LB_OK);
    ck_assert(lists.min_length == 7 && lists.max_length == 7);
}
END_TEST

START_TEST(test_check_a_task_that_there_is_not_and_sums_of_other_digits_are_errors)
{
    lb_error error = {0};
    lb_sort_task wrong = usual;
    wrong.what = LB_LIST_ADD;
    ck_assert_int_eq(lb_sort_check(&wrong, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "found 99 as the largest number, expected 9, the largest digit, to add");
    wrong.what = (lb_list_task)(LB_LIST_ADD + 1);
    error = (lb_error){0};
    ck_assert_int_eq(lb_sort_check(&wrong, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "found the task 4, expected 0 to 3");
}
END_TEST
