/* Names of files and folders, links, and files that nobody finds. */
#include "os/os.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *path, *other;

static bool has(const char *file, const char *expected)
{
    size_t count;
    char *content = support_read_file(file, &count);
    bool same = strcmp(content, expected) == 0;
    free(content);
    return same;
}

START_TEST(test_names_of_a_file_are_given_changed_and_taken)
{
    char target[LB_OS_PATH], real[LB_OS_PATH];
    support_write_file(path = support_path("one"), "1", 1);
    support_write_file(other = support_path("two"), "2", 1);
    ck_assert(!lb_os_link(path, other));
    ck_assert_int_eq(errno, EEXIST);
    ck_assert(lb_os_rename(path, other));
    ck_assert(has(other, "1"));
    ck_assert_int_eq(symlink("two", path), 0);
    ck_assert(lb_os_resolve(path, target) && lb_os_resolve(other, real));
    ck_assert_str_eq(target, real);
    ck_assert(lb_os_remove(other));
    ck_assert(!lb_os_resolve(path, target));
    ck_assert_int_eq(errno, ENOENT);
    ck_assert(lb_os_remove(path));
    ck_assert_uint_eq(support_file_count(), 0);
    ck_assert(lb_os_make_folder(path));
    ck_assert(!lb_os_make_folder(path));
    ck_assert_int_eq(errno, EEXIST);
    ck_assert(lb_os_remove(path));
    ck_assert(!lb_os_remove(path));
}
END_TEST

START_TEST(test_link_of_a_link_is_of_its_file)
{
    lb_os_info info;
    support_write_file(path = support_path("file"), "whole", 5);
    ck_assert_int_eq(symlink("file", path = support_path("link")), 0);
    ck_assert(lb_os_link(path, other = support_path("kept")));
    ck_assert(lb_os_info_at(other, false, &info));
    ck_assert_int_eq(info.kind, LB_OS_IS_FILE);
}
END_TEST

START_TEST(test_temp_file_is_in_the_folder_for_them_and_found_by_nobody)
{
    char bytes[4];
    unsetenv("TMPDIR");
    ck_assert_str_eq(lb_os_temp_folder(), "/tmp");
    setenv("TMPDIR", "", 1);
    ck_assert_str_eq(lb_os_temp_folder(), "/tmp");
    setenv("TMPDIR", support_tempdir(), 1);
    ck_assert_str_eq(lb_os_temp_folder(), support_tempdir());
    lb_os_handle file = lb_os_temp_file();
    ck_assert(lb_os_write_all(file, "abcd", 4));
    ck_assert_int_eq(lb_os_read_at(file, 0, bytes, 4), 4);
    ck_assert_mem_eq(bytes, "abcd", 4);
    ck_assert_uint_eq(support_file_count(), 0);
    lb_os_drop(&file);
    setenv("TMPDIR", path = support_path("none"), 1);
    ck_assert(!lb_os_is_open(lb_os_temp_file()));
    ck_assert_int_eq(errno, ENOENT);
    char folder[LB_OS_PATH] = "";
    memset(folder, 'x', sizeof folder - 1);
    setenv("TMPDIR", folder, 1);
    ck_assert(!lb_os_is_open(lb_os_temp_file()));
    ck_assert_int_eq(errno, ENAMETOOLONG);
}
END_TEST
