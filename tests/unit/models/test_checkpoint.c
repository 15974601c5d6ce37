/* Arrays of a file as tensors. Tests of modules cover parameters in files. This test runs in both precisions. */
#include "lookback/models.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <string.h>

static lb_safetensors *file;

static lb_tape *open_file(void)
{
    char path[SUPPORT_PATH];
    const float grid[] = {1, 2.5f, -3, 4, 5, 0.125f};
    const int64_t ids[] = {7, -2};
    const lb_safetensors_tensor arrays[] = {
        {.name = "grid", .dtype = LB_DTYPE_F32, .shape = LB_SHAPE(2, 3), .data = grid},
        {.name = "ids", .dtype = LB_DTYPE_I64, .shape = LB_SHAPE(2), .data = ids}};
    support_path(path, "data.safetensors");
    ck_assert_int_eq(lb_safetensors_write(arrays, 2, NULL, 0, path, NULL), LB_OK);
    file = lb_safetensors_open(path, NULL);
    ck_assert_ptr_nonnull(file);
    return lb_tape_new();
}

START_TEST(test_checkpoint_tensor_has_the_shape_and_the_numbers_of_the_array)
{
    lb_tape *tape = open_file();
    const lb_tensor *grid = lb_checkpoint_tensor(tape, file, "grid"),
                    *ids = lb_checkpoint_tensor(tape, file, "ids");
    ck_assert_int_eq(lb_tape_status(tape), LB_OK);
    ck_assert(lb_shape_equal(grid->shape, LB_SHAPE(2, 3)));
    ck_assert(grid->data[1] == (lb_real)2.5 && grid->data[5] == (lb_real)0.125);
    ck_assert(!grid->requires_grad);
    ck_assert(lb_shape_equal(ids->shape, LB_SHAPE(2)));
    ck_assert(ids->data[0] == 7 && ids->data[1] == -2);
    lb_tape_free(tape);
    lb_safetensors_close(file);
}
END_TEST

START_TEST(test_checkpoint_tensor_that_is_not_there_is_an_error_of_the_tape)
{
    lb_tape *tape = open_file();
    ck_assert(!lb_is_sound(lb_checkpoint_tensor(tape, file, "gird")));
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(lb_tape_error(tape), "data.safetensors"));
    ck_assert_ptr_nonnull(strstr(lb_tape_error(tape), "gird"));
    lb_tape_free(tape);
    lb_safetensors_close(file);
}
END_TEST
