/* Files are little-endian, whatever the machine is. */
#include "io/safetensors.h"
#include "lookback/io.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

START_TEST(test_file_order_of_each_width_has_the_low_byte_first)
{
    uint16_t narrow[] = {0x0201, 0x0403};
    uint32_t number[] = {0x04030201, 0x08070605};
    uint64_t wide = UINT64_C(0x0807060504030201);
    unsigned char byte[] = {1, 2};
    static const unsigned char expected[] = {1, 2, 3, 4, 5, 6, 7, 8};
    lb_file_order(byte, 2, 1);
    lb_file_order(narrow, 2, sizeof *narrow);
    lb_file_order(number, 2, sizeof *number);
    lb_file_order(&wide, 1, sizeof wide);
    ck_assert_mem_eq(byte, expected, sizeof byte);
    ck_assert_mem_eq(narrow, expected, sizeof narrow);
    ck_assert_mem_eq(number, expected, sizeof number);
    ck_assert_mem_eq(&wide, expected, sizeof wide);
    lb_file_order(number, 2, sizeof *number);
    ck_assert_uint_eq(number[1], 0x08070605);
    lb_file_order(NULL, 0, sizeof *number);
}
END_TEST

START_TEST(test_file_integer_of_each_width_reads_the_low_byte_first)
{
    static const unsigned char bytes[] = {1, 2, 3, 4, 5, 6, 7, 0x80};
    ck_assert_uint_eq(lb_file_integer(bytes, 0), 0);
    ck_assert_uint_eq(lb_file_integer(bytes, 2), 0x0201);
    ck_assert_uint_eq(lb_file_integer(bytes, 4), 0x04030201);
    ck_assert_uint_eq(lb_file_integer(bytes, 8), UINT64_C(0x8007060504030201));
}
END_TEST

/* The last bytes of a file. */
static void expect_end(const char *path, const unsigned char *expected, size_t count)
{
    size_t size;
    char *content = support_read_file(path, &size);
    ck_assert_uint_ge(size, count);
    ck_assert_mem_eq(content + size - count, expected, count);
    free(content);
}

START_TEST(test_write_each_format_is_little_endian)
{
    static const double doubles[] = {1.5, -2};
    static const float floats[] = {1.5F, -2};
    static const int32_t integers[] = {1, 258};
    static const unsigned char doubles_in_file[] = {0, 0, 0, 0, 0, 0, 0xF8, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0xC0};
    static const unsigned char floats_in_file[] = {0, 0, 0xC0, 0x3F, 0, 0, 0, 0xC0};
    static const unsigned char arrays_in_file[] = {0, 0,    0, 0, 0,    0, 0xF8, 0x3F, 0,    0, 0,
                                                   0, 0,    0, 0, 0xC0, 0, 0,    0xC0, 0x3F, 0, 0,
                                                   0, 0xC0, 1, 0, 0,    0, 2,    1,    0,    0};
    char path[SUPPORT_PATH];
    support_path(path, "file");
    ck_assert_int_eq(lb_npy_write(doubles, LB_SHAPE(2), LB_DTYPE_F64, path, NULL), LB_OK);
    expect_end(path, doubles_in_file, sizeof doubles_in_file);
    ck_assert_int_eq(lb_npy_write(doubles, LB_SHAPE(2), LB_DTYPE_F32, path, NULL), LB_OK);
    expect_end(path, floats_in_file, sizeof floats_in_file);
    const lb_safetensors_tensor tensors[] = {{"f", LB_DTYPE_F32, LB_SHAPE(2), floats},
                                             {"i", LB_DTYPE_I32, LB_SHAPE(2), integers},
                                             {"d", LB_DTYPE_F64, LB_SHAPE(2), doubles}};
    ck_assert_int_eq(lb_safetensors_write(tensors, 3, NULL, 0, path, NULL), LB_OK);
    expect_end(path, arrays_in_file, sizeof arrays_in_file);
    size_t size;
    char *content = support_read_file(path, &size);
    ck_assert_uint_eq(size, 8 + lb_file_integer((unsigned char *)content, 8) + sizeof arrays_in_file);
    free(content);
}
END_TEST
