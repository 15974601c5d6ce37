/* Windows as the room of the system gives it: names, links, locks, and files in use. */
#include "os/os.h"
#include "os/windows/system.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *path, *other;

static bool has(const char *file, const char *expected)
{
    size_t count;
    char *content = support_read_file(file, &count);
    bool same = count == strlen(expected) && memcmp(content, expected, count) == 0;
    free(content);
    return same;
}

START_TEST(test_names_of_devices_and_streams_are_odd)
{
    static const char *const odd[] = {"NUL",       "nul.txt",     "out/COM1", "out\\lpt9.tsv",  "aux .tsv",
                                      "file:name", "C:file:name", "C:NUL",    "\\\\.\\pipe\\x", "out/a:b/c"};
    static const char *const even[] = {
        "null", "COM", "COM10", "out/console.tsv", "C:\\out\\file", "C:file", "a.nul", "NUL/file", ""};
    for (size_t i = 0; SUPPORT_ROW(i, odd); i++) ck_assert_msg(lb_os_is_odd(odd[i]), "%s", odd[i]);
    for (size_t i = 0; SUPPORT_ROW(i, even); i++) ck_assert_msg(!lb_os_is_odd(even[i]), "%s", even[i]);
}
END_TEST

START_TEST(test_odd_names_are_neither_made_nor_followed)
{
    static const char *const names[] = {"NUL", "com1.tsv", "file:stream"};
    static const int ways[] = {LB_OS_WRITE | LB_OS_NEW, LB_OS_WRITE | LB_OS_CREATE,
                               LB_OS_READ | LB_OS_NO_LINK};
    lb_os_info info;
    for (size_t i = 0; SUPPORT_ROW(i, names); i++) {
        path = support_path(names[i]);
        for (size_t j = 0; SUPPORT_ROW(j, ways); j++) {
            ck_assert(!lb_os_is_open(lb_os_open(path, ways[j])));
            ck_assert_int_eq(errno, EINVAL);
        }
        ck_assert(lb_os_info_at(path, false, &info));
        ck_assert_int_eq(info.kind, LB_OS_IS_OTHER);
    }
    ck_assert_uint_eq(support_file_count(), 0);
}
END_TEST

START_TEST(test_name_and_parts_of_a_path_end_at_either_slash)
{
    ck_assert_str_eq(lb_os_name_of("C:\\out\\model.safetensors"), "model.safetensors");
    ck_assert_str_eq(lb_os_name_of("out\\a/b"), "b");
    ck_assert_str_eq(lb_os_name_of("model"), "model");
}
END_TEST

START_TEST(test_long_paths_and_letters_of_all_kinds_name_files)
{
    enum { FOLDERS = 6 };
    char long_path[LB_OS_PATH];
    wchar_t wide[LB_WIDE_PATH];
    char back[LB_OS_PATH];
    snprintf(long_path, sizeof long_path, "%s", support_tempdir());
    for (int i = 0; i < FOLDERS; i++) {
        size_t length = strlen(long_path);
        snprintf(long_path + length, sizeof long_path - length, "\\%070d", i);
        ck_assert(lb_os_make_folder(long_path));
    }
    strcat(long_path, "/\xC3\xA4\xE6\x97\xA5\xF0\x9F\x98\x80.tsv");
    ck_assert_uint_gt(strlen(long_path), 400);
    lb_os_handle file = lb_os_open(long_path, LB_OS_WRITE | LB_OS_NEW);
    ck_assert_msg(lb_os_is_open(file), "%d", errno);
    lb_os_drop(&file);
    ck_assert(lb_os_exists(long_path));
    ck_assert(lb_os_wide(long_path, wide));
    ck_assert(wcsncmp(wide, L"\\\\?\\", 4) == 0);
    ck_assert(lb_os_narrow(wide, back));
    ck_assert(strstr(back, "\xF0\x9F\x98\x80.tsv"));
    while (lb_os_remove(long_path)) *strrchr(long_path, strchr(long_path, '/') ? '/' : '\\') = '\0';
    ck_assert(!lb_os_exists("\xFF"));
    ck_assert_int_eq(errno, EILSEQ);
}
END_TEST

START_TEST(test_file_in_use_is_renamed_and_replaced)
{
    support_write_file(path = support_path("old"), "old", 3);
    support_write_file(other = support_path("new"), "new", 3);
    lb_os_handle used = lb_os_open(other, LB_OS_READ);
    char bytes[3];
    ck_assert(lb_os_rename(other, path));
    ck_assert(has(path, "new"));
    ck_assert_int_eq(lb_os_read_all(used, bytes, 3), 3);
    lb_os_drop(&used);
    used = lb_os_open(path, LB_OS_READ);
    ck_assert(lb_os_remove(path));
    lb_os_drop(&used);
    ck_assert(!lb_os_exists(path));
}
END_TEST

/* As a program that reads a file without leave for others to remove it. */
START_TEST(test_file_that_others_hold_is_an_error)
{
    wchar_t wide[LB_WIDE_PATH];
    support_write_file(path = support_path("held"), "old", 3);
    support_write_file(other = support_path("new"), "new", 3);
    ck_assert(lb_os_wide(path, wide));
    HANDLE held = CreateFileW(wide, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    ck_assert(!lb_os_rename(other, path));
    ck_assert_int_eq(errno, EACCES);
    ck_assert(!lb_os_is_open(lb_os_open(path, LB_OS_WRITE)));
    ck_assert_int_eq(errno, EACCES);
    CloseHandle(held);
    ck_assert(lb_os_rename(other, path));
}
END_TEST

START_TEST(test_lock_holds_until_its_handle_is_closed_and_lets_others_read)
{
    char byte;
    support_write_file(path = support_path("file"), "1", 1);
    lb_os_handle one = lb_os_open(path, LB_OS_READ | LB_OS_WRITE),
                 two = lb_os_open(path, LB_OS_READ | LB_OS_WRITE);
    ck_assert_int_eq(lb_os_lock(one), LB_OS_LOCKED);
    ck_assert_int_eq(lb_os_lock(two), LB_OS_LOCKED_BY_OTHERS);
    ck_assert_int_eq(lb_os_read_at(two, 0, &byte, 1), 1);
    lb_os_drop(&one);
    ck_assert_int_eq(lb_os_lock(two), LB_OS_LOCKED);
    lb_os_drop(&two);
}
END_TEST

START_TEST(test_new_file_is_gone_unless_it_gets_its_name)
{
    char name[SUPPORT_PATH + LB_OS_NEW_SUFFIX];
    path = support_path("file");
    lb_os_handle file = lb_os_new_open(path, name, sizeof name);
    ck_assert(lb_os_write_all(file, "half", 4));
    lb_os_drop(&file);
    ck_assert_uint_eq(support_file_count(), 0);
    file = lb_os_new_open(path, name, sizeof name);
    ck_assert(lb_os_write_all(file, "whole", 5));
    ck_assert(lb_os_new_name(file, path, name, sizeof name));
    ck_assert(lb_os_rename(name, path));
    lb_os_drop(&file);
    ck_assert(has(path, "whole"));
    ck_assert_uint_eq(support_file_count(), 1);
}
END_TEST

START_TEST(test_handle_appends_cuts_and_keeps_its_place)
{
    char bytes[4];
    support_write_file(path = support_path("file"), "abcdef", 6);
    lb_os_handle file = lb_os_open(path, LB_OS_WRITE | LB_OS_APPEND);
    ck_assert(lb_os_cut(file, 4));
    ck_assert(lb_os_write_all(file, "z", 1));
    lb_os_drop(&file);
    ck_assert(has(path, "abcdz"));
    file = lb_os_open(path, LB_OS_READ);
    ck_assert(lb_os_go(file, 1));
    ck_assert_int_eq(lb_os_read_at(file, 3, bytes, 4), 2);
    ck_assert_int_eq(lb_os_place(file), 1);
    lb_os_handle again = lb_os_again(file);
    ck_assert_int_eq(lb_os_read(again, bytes, 1), 1);
    ck_assert_int_eq(lb_os_place(file), 2);
    lb_os_drop(&again);
    lb_os_drop(&file);
}
END_TEST

START_TEST(test_temp_file_is_found_by_nobody_later)
{
    _putenv_s("TMPDIR", support_tempdir());
    lb_os_handle file = lb_os_temp_file();
    char bytes[2];
    ck_assert(lb_os_write_all(file, "ab", 2));
    ck_assert_int_eq(lb_os_read_at(file, 0, bytes, 2), 2);
    lb_os_drop(&file);
    ck_assert_uint_eq(support_file_count(), 0);
}
END_TEST

START_TEST(test_folders_and_what_is_missing_have_reasons)
{
    char byte;
    lb_os_info info;
    ck_assert(!lb_os_make_folder(support_tempdir()));
    ck_assert_int_eq(errno, EEXIST);
    ck_assert(!lb_os_is_open(lb_os_open(support_tempdir(), LB_OS_WRITE)));
    ck_assert_int_eq(errno, EISDIR);
    lb_os_handle folder = lb_os_open(support_tempdir(), LB_OS_READ);
    ck_assert(lb_os_info_of(folder, &info));
    ck_assert_int_eq(info.kind, LB_OS_IS_FOLDER);
    ck_assert_int_eq(lb_os_read(folder, &byte, 1), -1);
    lb_os_drop(&folder);
    ck_assert(!lb_os_info_at(path = support_path("none/file"), true, &info));
    ck_assert_int_eq(errno, ENOENT);
    support_write_file(path = support_path("file"), "", 0);
    ck_assert(!lb_os_is_open(lb_os_open(path, LB_OS_WRITE | LB_OS_NEW)));
    ck_assert_int_eq(errno, EEXIST);
    ck_assert(lb_os_link(path, other = support_path("second")));
    ck_assert(!lb_os_link(path, other));
    ck_assert_int_eq(errno, EEXIST);
}
END_TEST
