/* When a training makes an index of its pairs, when it uses it, and what it says about it. */
#include "translate/input/data.h"

#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONG_SYMBOL = 700000 };

#define INDEX "folder/pairs.tsv.index"

static const char made[] =
    "folder/pairs.tsv: wrote the index " INDEX ", 1 MB; the next training on this file starts at once";
static const lb_pair_format format = {.source = {.separator = " "}};

static lb_error error;
static lb_indexed_pairs pairs;
static char *index_path;
static char noted[2 * LB_MESSAGE_LENGTH];

static void hear_note(const char *text)
{
    ck_assert_str_eq(noted, "");
    snprintf(noted, sizeof noted, "%s", text);
}

/* The passes over the pairs: how often each was told of, and of how many units. */
static struct {
    int bytes, pairs;
    int64_t last, total;
} counted;

static void note_count(const char *unit, int64_t done, int64_t total)
{
    bool pair = strcmp(unit, "pair") == 0;
    ck_assert(pair || strcmp(unit, "MB read") == 0);
    ck_assert(0 <= done && done <= total);
    counted.bytes += !pair;
    counted.pairs += pair;
    counted.last = done;
    counted.total = total;
}

static lb_status hear(void *context, const lb_event *event, lb_error *failure)
{
    (void)context, (void)failure;
    if (event->kind == LB_EVENT_NOTE) hear_note(event->text);
    if (event->kind == LB_EVENT_COUNTED) note_count(event->unit, event->done, event->total);
    return LB_OK;
}

static void write_pairs(void)
{
    static const char text[] = "a b\tB\na c\tC\nb\tB\nc a b\tD\n";
    ck_assert_int_eq(chdir(support_tempdir()), 0);
    ck_assert(mkdir("folder", 0777) == 0 || access("folder", F_OK) == 0);
    ck_assert(mkdir("out", 0777) == 0 || access("out", F_OK) == 0);
    support_write_file("folder/pairs.tsv", text, strlen(text));
}

static const char *index_file; /* of the configuration */

static lb_status open_pairs(lb_index_use use)
{
    const lb_training_config config = {.train = "folder/pairs.tsv",
                                       .dev = "dev.tsv",
                                       .index = use,
                                       .index_file = index_file,
                                       .out = "out",
                                       .tell = hear};
    *noted = '\0';
    error = (lb_error){0};
    return lb_training_pairs_open(&pairs, &index_path, &config, &format, &error);
}

static void close_pairs(void)
{
    lb_indexed_pairs_free(&pairs);
    lb_release(index_path);
}

/* Opens and closes the pairs; they are from an index or not, and there is this note. */
static void assert_opened(lb_index_use use, bool from_index, const char *note)
{
    ck_assert_msg(open_pairs(use) == LB_OK, "%s", error.message);
    ck_assert_int_eq(pairs.file.bytes != NULL, from_index);
    ck_assert_int_eq(lb_pairs_count(pairs.train), 4);
    ck_assert_int_eq(lb_vocabulary_count(pairs.source, lb_vocabulary_id(pairs.source, "a")), 3);
    ck_assert_str_eq(noted, note);
    close_pairs();
}

START_TEST(test_passes_over_a_large_file_are_counted_but_not_with_an_index)
{
    enum { PAIRS = 10000, LINE = 4 };
    static char text[PAIRS * LINE + 1];
    write_pairs();
    for (int i = 0; i < PAIRS; i++) memcpy(text + (size_t)i * LINE, "a\tB\n", LINE);
    support_write_file("folder/pairs.tsv", text, PAIRS * LINE);
    ck_assert_msg(open_pairs(LB_INDEX_ALWAYS) == LB_OK, "%s", error.message);
    close_pairs();
    ck_assert_int_eq(counted.bytes, 2); /* of the reading */
    ck_assert_int_eq(counted.pairs, 6); /* of symbols, and of what the index has of each pair */
    ck_assert_int_eq(counted.last, 8192);
    ck_assert_int_eq(counted.total, PAIRS);
    ck_assert_msg(open_pairs(LB_INDEX_ALWAYS) == LB_OK, "%s", error.message);
    close_pairs();
    ck_assert_int_eq(counted.bytes + counted.pairs, 8);
}
END_TEST

START_TEST(test_index_is_made_once_and_then_used)
{
    support_watch_allocations();
    write_pairs();
    assert_opened(LB_INDEX_ALWAYS, true, made);
    assert_opened(LB_INDEX_ALWAYS, true, "");
    ck_assert_int_eq(access(INDEX, F_OK), 0);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_index_of_a_small_file_is_made_only_if_asked_for)
{
    write_pairs();
    assert_opened(LB_INDEX_AUTO, false, "");
    assert_opened(LB_INDEX_NEVER, false, "");
    ck_assert_int_ne(access(INDEX, F_OK), 0);
    assert_opened(LB_INDEX_ALWAYS, true, made);
    assert_opened(LB_INDEX_AUTO, false, "");
    assert_opened(LB_INDEX_NEVER, false, "");
}
END_TEST

static void write_many_pairs(void)
{
    char *line = malloc(LONG_SYMBOL + 3);
    write_pairs();
    memset(line, 'a', LONG_SYMBOL);
    memcpy(line + LONG_SYMBOL, "\tb\n", 3);
    FILE *file = fopen("folder/pairs.tsv", "w");
    for (int i = 0; i <= LB_INDEX_BYTES / LONG_SYMBOL; i++) fwrite(line, 1, LONG_SYMBOL + 3, file);
    ck_assert_int_eq(fclose(file), 0);
    free(line);
}

START_TEST(test_index_of_a_large_file_is_made_by_itself_in_the_folder_of_the_training)
{
    write_many_pairs();
    ck_assert_int_eq(open_pairs(LB_INDEX_AUTO), LB_OK);
    ck_assert_str_eq(noted, "folder/pairs.tsv: wrote the index out/pairs.tsv.index, 1 MB; the next training "
                            "in out starts at once");
    close_pairs();
    ck_assert_int_eq(access("out/pairs.tsv.index", F_OK), 0);
    ck_assert_int_ne(access(INDEX, F_OK), 0);
    ck_assert_int_eq(unlink("out/pairs.tsv.index"), 0);
    ck_assert_int_eq(symlink("../folder/victim", "out/pairs.tsv.index"), 0);
    ck_assert_int_eq(open_pairs(LB_INDEX_AUTO), LB_OK);
    ck_assert_str_eq(noted, "out/pairs.tsv.index: found a symbolic link, expected a file; the next training "
                            "will read all pairs again");
    close_pairs();
    ck_assert_int_ne(access("folder/victim", F_OK), 0);
}
END_TEST

START_TEST(test_index_in_a_file_that_is_named_is_made_of_any_file_and_a_link_is_followed)
{
    static const char said[] =
        "folder/pairs.tsv: wrote the index link, 1 MB; the next training on this file starts at once";
    write_pairs();
    support_write_file("out/index", "anything", 8);
    ck_assert_int_eq(symlink("out/index", "link"), 0);
    index_file = "link";
    assert_opened(LB_INDEX_AUTO, true, said);
    assert_opened(LB_INDEX_ALWAYS, true, "");
    assert_opened(LB_INDEX_NEVER, false, "");
    index_file = "out/index";
    assert_opened(LB_INDEX_AUTO, true, "");
    ck_assert_int_ne(access(INDEX, F_OK), 0);
}
END_TEST

START_TEST(test_index_of_a_large_file_is_made_unless_it_shall_not_be)
{
    write_many_pairs();
    static const bool uses[] = {[LB_INDEX_NEVER] = false, [LB_INDEX_AUTO] = true, [LB_INDEX_ALWAYS] = true};
    for (int use = LB_INDEX_NEVER; use >= LB_INDEX_AUTO; use--) {
        ck_assert_int_eq(open_pairs((lb_index_use)use), LB_OK);
        ck_assert_int_eq(pairs.file.bytes != NULL, uses[use]);
        close_pairs();
    }
}
END_TEST

START_TEST(test_index_that_does_not_fit_is_replaced)
{
    write_pairs();
    support_write_file(INDEX, "anything", 8);
    assert_opened(LB_INDEX_ALWAYS, true, made);
    ck_assert_int_eq(truncate(INDEX, 100), 0);
    assert_opened(LB_INDEX_ALWAYS, true, made);
    assert_opened(LB_INDEX_ALWAYS, true, "");
    FILE *file = fopen("folder/pairs.tsv", "a");
    fputs("new\tN\n", file);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(open_pairs(LB_INDEX_ALWAYS), LB_OK);
    ck_assert_int_eq(lb_pairs_count(pairs.train), 5);
    ck_assert_str_eq(noted, made);
    close_pairs();
}
END_TEST

START_TEST(test_index_that_cannot_be_written_is_a_note)
{
    write_pairs();
    ck_assert_int_eq(mkdir(INDEX, 0777), 0);
    assert_opened(LB_INDEX_ALWAYS, false,
                  INDEX ": cannot write: Is a directory; the next training will read all pairs again");
}
END_TEST

/* root may write everywhere. */
static void assert_noted_without_permission(void)
{
    ck_assert_int_eq(chmod(".", 0755), 0);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0) _exit(99);
        bool opened = open_pairs(LB_INDEX_ALWAYS) == LB_OK;
        bool said = strcmp(noted, INDEX ": cannot write: Permission denied; the next training will read all "
                                        "pairs again") == 0;
        _exit(opened && said && !pairs.file.bytes ? 0 : 1);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(chmod("folder", 0777), 0);
    ck_assert_int_eq(status, 0);
}

START_TEST(test_index_in_a_folder_without_permission_is_a_note)
{
    write_pairs();
    ck_assert_int_eq(chmod("folder", 0555), 0);
    assert_noted_without_permission();
    ck_assert_int_ne(access(INDEX, F_OK), 0);
}
END_TEST

START_TEST(test_index_that_cannot_be_read_is_not_replaced)
{
    size_t count;
    write_pairs();
    support_write_file(INDEX, "precious", 8);
    ck_assert_int_eq(chmod(INDEX, 0), 0);
    ck_assert_int_eq(chmod("folder", 0777), 0);
    assert_noted_without_permission();
    ck_assert_int_eq(chmod(INDEX, 0644), 0);
    char *found = support_read_file(INDEX, &count);
    ck_assert_str_eq(found, "precious");
    free(found);
}
END_TEST

START_TEST(test_index_of_a_file_with_a_bad_line_is_not_made)
{
    write_pairs();
    support_write_file("folder/pairs.tsv", "a\tb\nc\n", 6);
    ck_assert_int_eq(open_pairs(LB_INDEX_ALWAYS), LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, "folder/pairs.tsv:2: found 1 column, expected 2, separated by tabs; "
                                    "--skip-bad-lines leaves such lines out");
    close_pairs();
    ck_assert_int_eq(unlink("folder/pairs.tsv"), 0);
    ck_assert_int_eq(open_pairs(LB_INDEX_ALWAYS), LB_ERROR_OPEN);
    close_pairs();
    ck_assert_str_eq(noted, "");
    ck_assert_int_ne(access(INDEX, F_OK), 0);
}
END_TEST
