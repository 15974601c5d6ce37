/* This unit runs in both precisions: one of the conversions goes to lb_real. */
#include "io/safetensors.h"
#include "lookback/io.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bits of binary16 and bfloat16 with their values; NAN means any NaN. */
static const struct half {
    lb_dtype dtype;
    uint16_t bits;
    double value;
} halves[] = {
    {LB_DTYPE_F16, 0x0000, 0.0},        {LB_DTYPE_F16, 0x8000, -0.0},
    {LB_DTYPE_F16, 0x3c00, 1.0},        {LB_DTYPE_F16, 0xc000, -2.0},
    {LB_DTYPE_F16, 0x3555, 0x1.554p-2}, {LB_DTYPE_F16, 0x7bff, 65504.0},
    {LB_DTYPE_F16, 0x0400, 0x1p-14},    {LB_DTYPE_F16, 0x03ff, 1023 * 0x1p-24},
    {LB_DTYPE_F16, 0x8001, -0x1p-24},   {LB_DTYPE_F16, 0x7c00, INFINITY},
    {LB_DTYPE_F16, 0xfc00, -INFINITY},  {LB_DTYPE_F16, 0x7e00, NAN},
    {LB_DTYPE_BF16, 0x3f80, 1.0},       {LB_DTYPE_BF16, 0xc049, -3.140625},
    {LB_DTYPE_BF16, 0x0001, 0x1p-133},  {LB_DTYPE_BF16, 0x7f80, INFINITY},
    {LB_DTYPE_BF16, 0x8000, -0.0},      {LB_DTYPE_BF16, 0x7fc0, NAN},
};

START_LOOP_TEST(test_to_double_half_precision_is_exact, sizeof halves / sizeof *halves)
{
    const struct half *half = &halves[_i];
    double value;
    lb_dtype_to_double(half->dtype, &half->bits, 1, &value);
    if (isnan(half->value)) {
        ck_assert(isnan(value));
    } else {
        ck_assert_msg(value == half->value, "%04x: %a", half->bits, value);
        ck_assert(!signbit(value) == !signbit(half->value));
    }
}
END_TEST

START_TEST(test_to_double_unaligned_numbers_are_read_like_aligned_ones)
{
    const float floats[] = {0.1f, -7};
    const int32_t ints[] = {INT32_MIN, 5};
    unsigned char shifted[sizeof floats + 1];
    double values[2];
    memcpy(shifted + 1, floats, sizeof floats);
    lb_dtype_to_double(LB_DTYPE_F32, shifted + 1, 2, values);
    ck_assert(values[0] == (double)0.1f && values[1] == -7);
    memcpy(shifted + 1, ints, sizeof ints);
    lb_dtype_to_double(LB_DTYPE_I32, shifted + 1, 2, values);
    ck_assert(values[0] == INT32_MIN && values[1] == 5);
}
END_TEST

START_TEST(test_to_real_rounds_to_nearest_and_keeps_its_own_bits)
{
    const double doubles[] = {0.1, 1 + 0x1p-24, 1e300};
    lb_real out[3];
    lb_dtype_to_real(LB_DTYPE_F64, doubles, 3, out);
    for (int i = 0; SUPPORT_ROW(i, doubles); i++) ck_assert(out[i] == (lb_real)doubles[i]);
    unsigned char own[2 * sizeof(lb_real)];
    memset(own, 0x7f, sizeof own);
    own[3] = 0xff;
    lb_dtype_to_real(LB_DTYPE_REAL, own, 2, out);
    ck_assert_int_eq(memcmp(out, own, sizeof own), 0);
}
END_TEST

START_TEST(test_to_double_whole_numbers_are_exact)
{
    const int64_t wide[] = {INT64_MIN, (INT64_C(1) << 53) - 1, -1};
    const int32_t narrow[] = {INT32_MIN, -1};
    const unsigned char bytes[] = {0, 255, 2};
    double out[3];
    lb_dtype_to_double(LB_DTYPE_I64, wide, 3, out);
    ck_assert(out[0] == -0x1p63 && out[1] == 0x1p53 - 1 && out[2] == -1);
    lb_dtype_to_double(LB_DTYPE_I32, narrow, 2, out);
    ck_assert(out[0] == INT32_MIN && out[1] == -1);
    lb_dtype_to_double(LB_DTYPE_U8, bytes, 3, out);
    ck_assert(out[0] == 0 && out[1] == 255 && out[2] == 2);
    lb_dtype_to_double(LB_DTYPE_BOOL, bytes, 3, out);
    ck_assert(out[0] == 0 && out[1] == 1 && out[2] == 1);
}
END_TEST

START_TEST(test_names_and_sizes_are_those_of_the_formats)
{
    ck_assert_str_eq(lb_dtype_name(LB_DTYPE_BF16), "BF16");
    ck_assert_str_eq(lb_dtype_numpy_name(LB_DTYPE_I64), "i8");
    ck_assert_uint_eq(lb_dtype_size(LB_DTYPE_REAL), sizeof(lb_real));
    ck_assert_uint_eq(lb_dtype_size(LB_DTYPE_BOOL), 1);
    ck_assert_int_eq(LB_DTYPE_F32, 0);
    lb_dtype found;
    ck_assert(lb_dtype_find("BF16", lb_dtype_name, &found) && found == LB_DTYPE_BF16);
    ck_assert(lb_dtype_find("b1", lb_dtype_numpy_name, &found) && found == LB_DTYPE_BOOL);
    ck_assert(!lb_dtype_find("b1", lb_dtype_name, &found));
}
END_TEST

/* Files are little-endian, whatever the machine is. */

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
    const char *path = support_path("file");
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
