/* This unit runs in both precisions: one of the conversions goes to lb_real. */
#include <math.h>
#include <string.h>

#include "io/safetensors.h"
#include "support/suite.h"

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
    for (int i = 0; i < 3; i++) ck_assert(out[i] == (lb_real)doubles[i]);
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
