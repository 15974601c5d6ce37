/* A program that is started without standard input gives the first file that it opens the descriptor 0, a descriptor
 * like any other. */
#include "io/file.h"
#include "io/path.h"
#include "lookback/io.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static lb_error error;

static void assert_first_is_free(void)
{
    ck_assert_msg(fcntl(STDIN_FILENO, F_GETFD) < 0, "a file is still open");
}

START_TEST(test_file_with_the_first_descriptor_is_written_and_read)
{
    void *bytes = NULL;
    size_t count = 0;
    close(STDIN_FILENO);
    const char *path = support_path("file");
    ck_assert_int_eq(lb_file_write_atomic(path, "whole", 5, &error), LB_OK);
    assert_first_is_free();
    ck_assert(lb_os_sync_name(path));
    assert_first_is_free();
    ck_assert_int_eq(lb_file_read(path, 0, &bytes, &count, &error), LB_OK);
    ck_assert_uint_eq(count, 5);
    lb_release(bytes);
    assert_first_is_free();
}
END_TEST

START_TEST(test_model_file_with_the_first_descriptor_is_opened)
{
    const lb_real number = 3;
    const lb_safetensors_tensor tensor = {
        .name = "x", .dtype = LB_DTYPE_REAL, .shape = LB_SHAPE(1), .data = &number};
    close(STDIN_FILENO);
    ck_assert_int_eq(lb_safetensors_write(&tensor, 1, NULL, 0, support_path("file"), &error), LB_OK);
    lb_safetensors *file = lb_safetensors_open(support_path("file"), &error);
    ck_assert_msg(file != NULL, "%s", error.message);
    lb_safetensors_close(file);
    assert_first_is_free();
}
END_TEST

START_TEST(test_lock_with_the_first_descriptor_is_a_lock)
{
    lb_lock *lock = NULL, *second = NULL;
    close(STDIN_FILENO);
    ck_assert_int_eq(lb_lock_folder(support_tempdir(), &lock, &error), LB_OK);
    ck_assert_ptr_nonnull(lock);
    ck_assert_int_eq(lb_lock_folder(support_tempdir(), &second, &error), LB_ERROR_BUSY);
    lb_lock_free(lock);
    assert_first_is_free();
}
END_TEST
