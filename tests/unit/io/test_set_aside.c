/* A file that will be replaced is kept under a name that nothing else has. */
#include "io/path.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lb_error error;

static void expect_kept(const char *path, const char *name, const char *content)
{
    char expected[SUPPORT_PATH], *kept;
    size_t count;
    ck_assert_msg(lb_set_aside(path, &kept, &error) == LB_OK, "%s", error.message);
    ck_assert_str_eq(kept, support_path(expected, name));
    char *text = support_read_file(kept, &count);
    ck_assert_uint_eq(count, strlen(content));
    ck_assert_int_eq(memcmp(text, content, count), 0);
    free(text);
    lb_release(kept);
}

START_TEST(test_set_aside_keeps_each_file_under_a_name_of_its_own)
{
    char path[SUPPORT_PATH];
    support_path(path, "model.safetensors");
    support_write_file(path, "one", 3);
    expect_kept(path, "model.old-1.safetensors", "one");
    expect_kept(path, "model.old-1.safetensors", "one"); /* again: it has that name */
    ck_assert_int_eq(unlink(path), 0);
    support_write_file(path, "two", 3);
    expect_kept(path, "model.old-2.safetensors", "two");
    ck_assert_uint_eq(support_file_count(), 3);
}
END_TEST

START_TEST(test_set_aside_follows_a_link)
{
    char path[SUPPORT_PATH], target[SUPPORT_PATH];
    support_write_file(support_path(target, "target"), "one", 3);
    ck_assert_int_eq(symlink("target", support_path(path, "link")), 0);
    expect_kept(path, "link.old-1", "one");
}
END_TEST

/* The file of that name would be the new one. */
START_TEST(test_set_aside_does_not_take_a_link_for_what_it_keeps)
{
    char path[SUPPORT_PATH], link[SUPPORT_PATH];
    support_write_file(support_path(path, "model.safetensors"), "one", 3);
    ck_assert_int_eq(symlink("model.safetensors", support_path(link, "model.old-1.safetensors")), 0);
    ck_assert_int_eq(symlink("nothing", support_path(link, "model.old-2.safetensors")), 0);
    expect_kept(path, "model.old-3.safetensors", "one");
}
END_TEST

START_TEST(test_set_aside_of_nothing_keeps_nothing)
{
    char path[SUPPORT_PATH], *kept = path;
    ck_assert_int_eq(lb_set_aside(support_path(path, "nothing"), &kept, &error), LB_OK);
    ck_assert_ptr_null(kept);
    support_write_file(support_path(path, "file"), "", 0);
    ck_assert_int_eq(lb_set_aside(support_path(path, "file/below"), &kept, &error), LB_ERROR_WRITE);
    ck_assert_ptr_null(kept);
}
END_TEST

/* Each name fails for the same reason, which is not that it is taken. */
START_TEST(test_set_aside_under_names_that_are_too_long_says_so_at_once)
{
    enum { LONGEST = 250 };
    char name[LONGEST + 1], path[SUPPORT_PATH], *kept;
    memset(name, 'a', LONGEST);
    name[LONGEST] = '\0';
    support_write_file(support_path(path, name), "one", 3);
    ck_assert_int_eq(lb_set_aside(path, &kept, &error), LB_ERROR_WRITE);
    ck_assert_ptr_nonnull(strstr(error.message, strerror(ENAMETOOLONG)));
    ck_assert_ptr_null(kept);
    ck_assert_uint_eq(support_file_count(), 1);
}
END_TEST
