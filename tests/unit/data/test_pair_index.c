/* The index of a file of pairs: the same pairs with it and without it, and nothing worse than an error with a bad
 * one. */
#include "data/pairs/pair_index.h"

#include "base/alloc.h"
#include "data/pairs/pairs.h"
#include "data/review/pair_report.h"
#include "data/text/symbols.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHARE = 3, ONE_BIT = 1, ALL_BITS = 0xFF };

#define INDEX "pairs.tsv.index"

/* With everything that there is to find. */
static const char text[] = "\xEF\xBB\xBF"
                           "cafe\u0301\tA\r\n"
                           "café\tA\n"
                           "a\n"
                           "\xff\tb\n"
                           "ab\tAB\n"
                           "a\tbAB\n"
                           "tea\tA\n"
                           "tea\tA\n"
                           "tee\t\"\x01\\\n"
                           "\tA\n"
                           "last\tline";
static const lb_pair_format format = {.source = {.normalize = LB_NORMAL_FORM_NFD}, .skip_bad_lines = true};

static lb_error error;
static lb_pair_index_key key;
static lb_indexed_pairs passed, indexed;

static void write_text(const char *content)
{
    ck_assert_int_eq(chdir(support_tempdir()), 0);
    support_write_file("pairs.tsv", content, strlen(content));
}

static lb_status find_key(int32_t share)
{
    error = (lb_error){0};
    return lb_pair_index_find_key("pairs.tsv", &format, share, &key, &error);
}

/* Writes the text and its index; the pairs are `passed`. */
static void make_index(const char *content, int32_t share)
{
    write_text(content);
    ck_assert_int_eq(find_key(share), LB_OK);
    ck_assert_msg(lb_indexed_pairs_read(&passed, lb_pairs_open("pairs.tsv", format, &error), share, &error) ==
                      LB_OK,
                  "%s", error.message);
    ck_assert_msg(lb_indexed_pairs_write(&passed, INDEX, true, &key, &error) == LB_OK, "%s", error.message);
}

static lb_status open_index(bool all)
{
    error = (lb_error){0};
    return lb_indexed_pairs_open(&indexed, "pairs.tsv", &format, INDEX, &key, all, &error);
}

static void assert_same_symbols(const lb_symbols *a, const lb_symbols *b)
{
    ck_assert_uint_eq(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) ck_assert_str_eq(a->symbol[i], b->symbol[i]);
}

static void assert_same_pairs(lb_pairs *a, lb_pairs *b)
{
    const lb_pairs_facts *x = &a->facts, *y = &b->facts;
    ck_assert_str_eq(a->path, b->path);
    ck_assert_int_eq(lb_pairs_count(a), lb_pairs_count(b));
    ck_assert_int_eq(x->lines, y->lines);
    ck_assert_mem_eq(x->bad, y->bad, sizeof x->bad);
    ck_assert_int_eq(x->crlf, y->crlf);
    ck_assert_int_eq(x->byte_order_mark, y->byte_order_mark);
    ck_assert_uint_eq(x->hash, y->hash);
    ck_assert_int_eq(lb_pairs_different(a), lb_pairs_different(b));
    ck_assert_int_eq(a->weights != NULL, b->weights != NULL);
    if (a->weights) ck_assert_mem_eq(a->weights, b->weights, (size_t)lb_pairs_count(a) * sizeof *a->weights);
    ck_assert_uint_eq(x->first_bad.count, y->first_bad.count);
    for (size_t i = 0; i < x->first_bad.count; i++)
        ck_assert_str_eq(x->first_bad.text[i], y->first_bad.text[i]);
    for (int64_t i = 0; i < lb_pairs_count(a); i++) {
        const lb_pair_line *one, *other;
        ck_assert_int_eq(lb_pairs_source_length(a, i), lb_pairs_source_length(b, i));
        ck_assert_int_eq(lb_pairs_target_length(a, i), lb_pairs_target_length(b, i));
        ck_assert_int_eq(lb_pairs_read(a, i, &one, &error), LB_OK);
        ck_assert_int_eq(lb_pairs_read(b, i, &other, &error), LB_OK);
        assert_same_symbols(&one->source, &other->source);
        assert_same_symbols(&one->target, &other->target);
    }
}

static void assert_same_vocabularies(const lb_vocabulary *a, const lb_vocabulary *b)
{
    ck_assert_int_eq(lb_vocabulary_size(a), lb_vocabulary_size(b));
    for (int32_t id = 0; id < lb_vocabulary_size(a); id++) {
        ck_assert_str_eq(lb_vocabulary_symbol(a, id), lb_vocabulary_symbol(b, id));
        ck_assert_int_eq(lb_vocabulary_count(a, id), lb_vocabulary_count(b, id));
    }
}

static char *report_on(const lb_indexed_pairs *pairs)
{
    char *found = lb_pair_report(pairs->train, pairs->held_out, pairs->source, pairs->target, &error);
    ck_assert_ptr_nonnull(found);
    return found;
}

static void assert_same_reports(void)
{
    char *a = report_on(&passed), *b = report_on(&indexed);
    ck_assert_str_eq(a, b);
    lb_release(a);
    lb_release(b);
}

static void assert_same_order(void)
{
    lb_pair_order *a = lb_pair_order_new(passed.train, 2, 7, &error),
                  *b = lb_pair_order_new(indexed.train, 2, 7, &error);
    for (int64_t step = 0; step < 3 * lb_pair_order_batches(a); step++) {
        lb_pair_step x = lb_pair_order_at(a, step), y = lb_pair_order_at(b, step);
        ck_assert_int_eq(x.count, y.count);
        ck_assert_mem_eq(x.pair, y.pair, (size_t)x.count * sizeof *x.pair);
    }
    lb_pair_order_free(a);
    lb_pair_order_free(b);
}

START_TEST(test_index_has_what_the_passes_find)
{
    for (int32_t share = 0; share <= SHARE; share += SHARE) {
        make_index(text, share);
        ck_assert_int_eq(passed.train->facts.bad[LB_LINE_COLUMNS], 1);
        ck_assert_msg(open_index(true) == LB_OK, "%s", error.message);
        ck_assert_uint_ne(indexed.id, 0);
        assert_same_pairs(passed.train, indexed.train);
        ck_assert_int_eq(indexed.held_out != NULL, share > 0);
        if (share > 0) assert_same_pairs(passed.held_out, indexed.held_out);
        assert_same_vocabularies(passed.source, indexed.source);
        assert_same_vocabularies(passed.target, indexed.target);
        assert_same_reports();
        assert_same_order();
        lb_indexed_pairs_free(&indexed);
        lb_indexed_pairs_free(&passed);
    }
    ck_assert_uint_eq(support_file_count(), 2);
}
END_TEST

START_TEST(test_index_moves_with_its_file)
{
    make_index(text, 0);
    ck_assert_int_eq(mkdir("elsewhere", 0777), 0);
    ck_assert_int_eq(rename("pairs.tsv", "elsewhere/words.tsv"), 0);
    ck_assert_int_eq(rename(INDEX, "elsewhere/words.tsv.index"), 0);
    ck_assert_int_eq(lb_indexed_pairs_open(&indexed, "elsewhere/words.tsv", &format,
                                           "elsewhere/words.tsv.index", &key, true, &error),
                     LB_OK);
    ck_assert_str_eq(indexed.train->facts.first_bad.text[0],
                     "elsewhere/words.tsv:3: found 1 column, expected 2, separated by tabs");
    lb_indexed_pairs_free(&indexed);
    lb_indexed_pairs_free(&passed);
}
END_TEST

static void assert_misfit(const char *message)
{
    ck_assert_int_eq(open_index(true), LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, message);
    ck_assert_ptr_null(indexed.train);
}

START_TEST(test_index_of_other_bytes_does_not_fit)
{
    static char other[sizeof text];
    make_index(text, 0);
    lb_indexed_pairs_free(&passed);
    for (size_t i = 0; i < sizeof text - 1; i++) {
        memcpy(other, text, sizeof text);
        other[i] ^= ONE_BIT;
        write_text(other);
        ck_assert_int_eq(find_key(0), LB_OK);
        assert_misfit(INDEX ": of other pairs");
    }
    memcpy(other, text, sizeof text);
    other[sizeof text - 2] = '\0';
    write_text(other);
    ck_assert_int_eq(find_key(0), LB_OK);
    assert_misfit(INDEX ": of other pairs");
    lb_pair_index_key same = key;
    write_text(text);
    ck_assert_int_eq(find_key(0), LB_OK);
    ck_assert_int_eq(open_index(true), LB_OK);
    lb_indexed_pairs_free(&indexed);
    ck_assert_uint_ne(key.content, same.content);
}
END_TEST

START_TEST(test_index_of_another_format_does_not_fit)
{
    static const lb_pair_format others[] = {{.source_column = 1},
                                            {.target_column = 1},
                                            {.features_column = 1},
                                            {.no_target = true},
                                            {.longest = 1000},
                                            {.skip_bad_lines = true},
                                            {.source = {.separator = ";"}},
                                            {.target = {.separator = ";"}},
                                            {.source = {.features = ";"}},
                                            {.source = {.normalize = LB_NORMAL_FORM_NFC}},
                                            {.target = {.normalize = LB_NORMAL_FORM_NFD}},
                                            {.source = {.separator = ";", .features = ";"}},
                                            {.source = {.separator = ";;"}}};
    enum { OTHERS = sizeof others / sizeof *others };
    uint64_t seen[OTHERS + 2] = {lb_pair_index_format(&(lb_pair_format){0}, 0),
                                 lb_pair_index_format(&(lb_pair_format){0}, SHARE)};
    for (int i = 0; i < OTHERS; i++) seen[i + 2] = lb_pair_index_format(&others[i], 0);
    for (int i = 0; i < OTHERS + 2; i++)
        for (int j = 0; j < i; j++) ck_assert_msg(seen[i] != seen[j], "%d and %d", i, j);
    const lb_pair_format same = {.source = {.separator = ""}};
    ck_assert_uint_eq(lb_pair_index_format(&same, 0), seen[0]);
}
END_TEST

/* Changes the index file on purpose, with right hashes. */
static void change_index(void (*change)(lb_pair_index_header *header))
{
    size_t count;
    lb_bytes parts[LB_PARTS];
    char *bytes = support_read_file(INDEX, &count);
    lb_pair_index_header *header = (lb_pair_index_header *)(void *)bytes;
    change(header);
    ck_assert(lb_pair_index_cut((lb_bytes){bytes, count}, parts));
    lb_pair_index_seal(header, parts, true);
    support_write_file(INDEX, bytes, count);
    free(bytes);
}

static void raise_version(lb_pair_index_header *header)
{
    header->version++;
}

static void turn_order(lb_pair_index_header *header)
{
    header->order = UINT32_C(0x04030201);
}

START_TEST(test_index_of_another_version_or_machine_does_not_fit)
{
    make_index(text, 0);
    change_index(raise_version);
    assert_misfit(INDEX ": of another version or machine");
    lb_indexed_pairs_free(&passed);
    make_index(text, 0);
    change_index(turn_order);
    assert_misfit(INDEX ": of another version or machine");
    support_write_file(INDEX, "pairs", 5);
    assert_misfit(INDEX ": not an index of pairs");
    support_write_file(INDEX, "", 0);
    assert_misfit(INDEX ": found an empty file");
    ck_assert_int_eq(unlink(INDEX), 0);
    ck_assert_int_eq(open_index(true), LB_ERROR_OPEN);
    ck_assert_int_eq(mkdir(INDEX, 0777), 0);
    ck_assert_int_eq(open_index(true), LB_ERROR_OPEN);
}
END_TEST

static void count_one_less(lb_pair_index_header *header)
{
    header->different--;
}

/* NFD makes the first two pairs equal. */
START_TEST(test_index_has_equal_pairs_only_if_there_are_any)
{
    static const float weights[] = {1, 0, 1, 1, 1, 0, 1, 1};
    make_index(text, 0);
    ck_assert_int_eq(open_index(true), LB_OK);
    ck_assert_int_eq(lb_pairs_different(indexed.train), 6);
    ck_assert_mem_eq(indexed.train->weights, weights, sizeof weights);
    lb_indexed_pairs_free(&indexed);
    change_index(count_one_less);
    assert_misfit(INDEX ": damaged: found other repeated pairs");
    lb_indexed_pairs_free(&passed);
    make_index("a\tb\nb\ta\na\tc\n", 0);
    ck_assert_int_eq(open_index(true), LB_OK);
    ck_assert_int_eq(lb_pairs_different(indexed.train), 3);
    ck_assert_ptr_null(indexed.train->weights);
    lb_indexed_pairs_free(&indexed);
    lb_indexed_pairs_free(&passed);
}
END_TEST

/* After the index has been opened. */
START_TEST(test_index_of_a_file_that_changes_in_place_is_noticed_at_each_line)
{
    size_t count;
    make_index(text, 3);
    ck_assert_int_eq(open_index(true), LB_OK);
    char *bytes = support_read_file("pairs.tsv", &count);
    for (size_t i = 0; i < count; i++)
        if (bytes[i] >= 'a' && bytes[i] <= 'z') bytes[i] ^= 1;
    FILE *file = fopen("pairs.tsv", "r+");
    ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
    fclose(file);
    lb_pairs *const both[] = {indexed.train, indexed.held_out};
    for (int k = 0; SUPPORT_ROW(k, both); k++)
        for (int64_t i = 0; i < lb_pairs_count(both[k]); i++) {
            const lb_pair_line *line;
            ck_assert_int_eq(lb_pairs_read(both[k], i, &line, &error), LB_ERROR_FORMAT);
            ck_assert_msg(strstr(error.message, "the file has changed since it was opened"), "%s",
                          error.message);
        }
    lb_indexed_pairs_free(&indexed);
    free(bytes);
}
END_TEST

static void take_a_column(lb_pair_index_header *header)
{
    header->columns--;
}

/* Lines of so many columns would have no target. */
START_TEST(test_index_of_too_few_columns_is_refused)
{
    make_index(text, 0);
    change_index(take_a_column);
    assert_misfit(INDEX ": damaged: found impossible numbers");
}
END_TEST

START_TEST(test_index_with_any_damage_is_refused)
{
    static const unsigned char damage[] = {ONE_BIT, 0x80, ALL_BITS};
    size_t count;
    make_index(text, SHARE);
    lb_indexed_pairs_free(&passed);
    char *sound = support_read_file(INDEX, &count), *damaged = malloc(count + 1);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof damage; k++) {
            memcpy(damaged, sound, count);
            damaged[i] = (char)(damaged[i] ^ damage[k]);
            support_write_file(INDEX, damaged, count);
            SUPPORT_CHECK(open_index(true) == LB_ERROR_FORMAT, "byte %zu", i);
        }
    for (size_t left = 0; left < count; left++) {
        support_write_file(INDEX, sound, left);
        SUPPORT_CHECK(open_index(true) == LB_ERROR_FORMAT, "%zu bytes", left);
    }
    memcpy(damaged, sound, count);
    damaged[count] = '\0';
    support_write_file(INDEX, damaged, count + 1);
    ck_assert_int_eq(open_index(true), LB_ERROR_FORMAT);
    free(damaged);
    free(sound);
}
END_TEST

/* Reads all pairs; each is there or has changed. Returns how many have changed. */
static int64_t read_all(lb_pairs *pairs)
{
    int64_t changed = 0;
    for (int64_t i = 0; i < lb_pairs_count(pairs); i++) {
        const lb_pair_line *line;
        lb_error found = {0};
        lb_status status = lb_pairs_read(pairs, i, &line, &found);
        SUPPORT_CHECK(status == LB_OK || (status == LB_ERROR_FORMAT && strstr(found.message, "has changed")),
                      "%s", found.message);
        changed += status != LB_OK;
    }
    return changed;
}

/* Uses everything in an index; returns the number of pairs that have changed. */
static int64_t use(void)
{
    lb_error found = {0};
    int64_t changed = read_all(indexed.train);
    if (indexed.held_out) changed += read_all(indexed.held_out);
    lb_release(lb_pair_report(indexed.train, NULL, indexed.source, indexed.target, &found));
    lb_vocabulary_sort(indexed.source, 1);
    lb_pair_order *order = lb_pair_order_new(indexed.train, 1, 1, &found);
    for (int64_t step = 0; step < 2 * lb_pair_order_batches(order); step++) lb_pair_order_at(order, step);
    lb_pair_order_free(order);
    lb_indexed_pairs_free(&indexed);
    return changed;
}

/* Somebody may change an index on purpose, and set its hashes right. */
START_TEST(test_index_that_was_made_up_is_refused_or_harmless)
{
    static const unsigned char damage[] = {ONE_BIT, 0x80, ALL_BITS};
    size_t count;
    int opened = 0, refused = 0;
    int64_t changed = 0;
    make_index(text, SHARE);
    lb_indexed_pairs_free(&passed);
    char *sound = support_read_file(INDEX, &count), *damaged = malloc(count);
    for (size_t i = sizeof(uint64_t); i < count; i++)
        for (size_t k = 0; k < sizeof damage; k++) {
            lb_bytes parts[LB_PARTS];
            const lb_bytes file = {damaged, count};
            memcpy(damaged, sound, count);
            damaged[i] = (char)(damaged[i] ^ damage[k]);
            if (lb_pair_index_cut(file, parts))
                lb_pair_index_seal((lb_pair_index_header *)damaged, parts, true);
            support_write_file(INDEX, damaged, count);
            lb_status status = open_index(true);
            SUPPORT_CHECK(status == LB_OK || status == LB_ERROR_FORMAT, "byte %zu: %s", i, error.message);
            opened += status == LB_OK;
            refused += status != LB_OK;
            if (status == LB_OK) changed += use();
        }
    free(damaged);
    free(sound);
    ck_assert_int_gt(opened, 100);
    ck_assert_int_gt(refused, 100);
    ck_assert_int_gt(changed, 100);
}
END_TEST

/* A process that was told that the index is sound leaves out what grows with the pairs, but no more. */
START_TEST(test_index_is_checked_in_part_by_those_that_follow)
{
    size_t count;
    make_index(text, 0);
    lb_indexed_pairs_free(&passed);
    char *bytes = support_read_file(INDEX, &count);
    lb_bytes parts[LB_PARTS];
    ck_assert(lb_pair_index_cut((lb_bytes){bytes, count}, parts));
    *(char *)(uintptr_t)parts[LB_PART_TRAIN].data ^= ONE_BIT;
    support_write_file(INDEX, bytes, count);
    assert_misfit(INDEX ": damaged: its hash is another one");
    ck_assert_int_eq(open_index(false), LB_OK);
    ck_assert_int_gt(use(), 0);
    *(char *)(uintptr_t)parts[LB_PART_SOURCE].data ^= ONE_BIT;
    support_write_file(INDEX, bytes, count);
    ck_assert_int_eq(open_index(false), LB_ERROR_FORMAT);
    free(bytes);
}
END_TEST

START_TEST(test_index_of_a_file_that_changes_in_use_is_an_error)
{
    make_index(text, 0);
    lb_indexed_pairs_free(&passed);
    ck_assert_int_eq(open_index(true), LB_OK);
    int64_t pairs = lb_pairs_count(indexed.train);
    ck_assert_int_eq(truncate("pairs.tsv", 0), 0);
    ck_assert_int_eq(use(), pairs);
    ck_assert_int_eq(open_index(true), LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, INDEX ": of a file of another size");
}
END_TEST

START_TEST(test_index_that_is_replaced_in_use_stays)
{
    make_index(text, 0);
    ck_assert_int_eq(open_index(true), LB_OK);
    ck_assert_int_eq(lb_indexed_pairs_write(&passed, INDEX, true, &key, &error), LB_OK);
    assert_same_pairs(passed.train, indexed.train);
    lb_indexed_pairs_free(&passed);
    ck_assert_int_eq(use(), 0);
}
END_TEST

/* Whoever may write to the folder may do that at any time. */
START_TEST(test_index_that_is_shortened_or_overwritten_in_use_stays)
{
    static const char zeros[4096] = {0};
    make_index(text, SHARE);
    ck_assert_int_eq(open_index(true), LB_OK);
    support_write_file(INDEX, zeros, sizeof zeros);
    assert_same_pairs(passed.train, indexed.train);
    ck_assert_int_eq(truncate(INDEX, 0), 0);
    assert_same_pairs(passed.train, indexed.train);
    assert_same_pairs(passed.held_out, indexed.held_out);
    lb_indexed_pairs_free(&passed);
    ck_assert_int_eq(use(), 0);
}
END_TEST

START_TEST(test_index_allocations_failing_are_errors_and_leak_nothing)
{
    make_index(text, SHARE);
    lb_indexed_pairs_free(&passed);
    support_watch_allocations();
    ck_assert_int_eq(open_index(true), LB_OK);
    lb_indexed_pairs_free(&indexed);
    long opening = support_allocation_count();
    make_index(text, SHARE);
    lb_indexed_pairs_free(&passed);
    long all = support_allocation_count();
    long refused = 0;
    ck_assert_int_gt(opening, 10);
    for (long n = 1; n <= all - opening; n++) {
        support_fail_allocation(n);
        error = (lb_error){0};
        lb_pair_index_key found;
        lb_status status = lb_pair_index_find_key("pairs.tsv", &format, SHARE, &found, &error);
        if (!status)
            status =
                lb_indexed_pairs_read(&passed, lb_pairs_open("pairs.tsv", format, &error), SHARE, &error);
        if (!status) status = lb_indexed_pairs_write(&passed, INDEX, true, &found, &error);
        lb_indexed_pairs_free(&passed);
        if (status) ck_assert_int_eq(status, error.status);
        support_fail_allocation(n);
        status = open_index(true);
        ck_assert_msg(status == LB_ERROR_MEMORY || status == LB_OK, "%ld: %s", n, error.message);
        refused += status != LB_OK;
        lb_indexed_pairs_free(&indexed);
        support_fail_allocation(0);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
    ck_assert_int_gt(refused, opening / 2);
    ck_assert_int_le(refused, opening);
}
END_TEST
