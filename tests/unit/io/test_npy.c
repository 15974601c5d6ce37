#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "lookback/io.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#define DATA TEST_DATA "/io/"

/* The values of the fixture: 0.5 i - 3, as far as the dtype can hold them. */
static double exact(double value)
{
    return value;
}

static double plus_three(double value)
{
    return trunc(value + 3);
}

static double positive(double value)
{
    return value > 0;
}

static const struct fixture {
    const char *path;
    double (*stored)(double value);
} fixtures[] = {
    {DATA "c_f8.npy", exact},        {DATA "c_f4.npy", exact},       {DATA "c_f2.npy", exact},
    {DATA "fortran_f8.npy", exact},  {DATA "fortran_i4.npy", trunc}, {DATA "c_i8.npy", trunc},
    {DATA "c_u1.npy", plus_three},   {DATA "c_b1.npy", positive},    {DATA "version2_f8.npy", exact},
    {DATA "version3_f8.npy", exact},
};

START_LOOP_TEST(test_read_array_of_numpy_gives_its_values, sizeof fixtures / sizeof *fixtures)
{
    lb_shape shape;
    double *values;
    lb_error error = {0};
    lb_status status = lb_npy_read(fixtures[_i].path, &shape, &values, &error);
    ck_assert_msg(status == LB_OK, "%s", error.message);
    ck_assert(lb_shape_equal(shape, LB_SHAPE(2, 3, 4)));
    for (int i = 0; i < 24; i++) {
        double expected = fixtures[_i].stored(0.5 * i - 3);
        ck_assert_msg(values[i] == expected, "%s: %d: %g != %g", fixtures[_i].path, i, values[i], expected);
    }
    lb_release(values);
}
END_TEST

START_TEST(test_read_scalar_vector_and_empty_array_give_their_shapes)
{
    lb_shape shape;
    double *values;
    ck_assert_int_eq(lb_npy_read(DATA "scalar_f8.npy", &shape, &values, NULL), LB_OK);
    ck_assert(lb_shape_equal(shape, (lb_shape){0}));
    ck_assert(values[0] == 2.5);
    lb_release(values);
    ck_assert_int_eq(lb_npy_read(DATA "vector_f8.npy", &shape, &values, NULL), LB_OK);
    ck_assert(lb_shape_equal(shape, LB_SHAPE(4)));
    ck_assert(values[3] == -1.5);
    lb_release(values);
    ck_assert_int_eq(lb_npy_read(DATA "empty_f4.npy", &shape, &values, NULL), LB_OK);
    ck_assert(lb_shape_equal(shape, LB_SHAPE(0, 3)));
    lb_release(values);
}
END_TEST

static void assert_same_file(const char *path, const char *expected)
{
    size_t count, expected_count;
    char *content = support_read_file(path, &count),
         *reference = support_read_file(expected, &expected_count);
    ck_assert_uint_eq(count, expected_count);
    ck_assert_msg(memcmp(content, reference, count) == 0, "not the bytes of %s", expected);
    free(content);
    free(reference);
}

START_TEST(test_write_gives_the_very_bytes_of_numpy)
{
    double ramp[24];
    for (int i = 0; i < 24; i++) ramp[i] = 0.5 * i - 3;
    const char *path = support_path("file.npy");
    ck_assert_int_eq(lb_npy_write(ramp, LB_SHAPE(2, 3, 4), LB_DTYPE_F64, path, NULL), LB_OK);
    assert_same_file(path, DATA "c_f8.npy");
    ck_assert_int_eq(lb_npy_write(ramp, LB_SHAPE(2, 3, 4), LB_DTYPE_F32, path, NULL), LB_OK);
    assert_same_file(path, DATA "c_f4.npy");
    ck_assert_int_eq(lb_npy_write(ramp, LB_SHAPE(4), LB_DTYPE_F64, path, NULL), LB_OK);
    assert_same_file(path, DATA "vector_f8.npy");
    ck_assert_int_eq(lb_npy_write(NULL, LB_SHAPE(0, 3), LB_DTYPE_F32, path, NULL), LB_OK);
    assert_same_file(path, DATA "empty_f4.npy");
    ck_assert_int_eq(lb_npy_write(&(double){2.5}, (lb_shape){0}, LB_DTYPE_F64, path, NULL), LB_OK);
    assert_same_file(path, DATA "scalar_f8.npy");
}
END_TEST

START_TEST(test_write_then_read_keeps_every_bit_of_doubles)
{
    const double values[] = {0.1, -0.0, 5e-324, INFINITY, NAN, 1.7976931348623157e308};
    lb_shape shape;
    double *back;
    ck_assert_int_eq(lb_npy_write(values, LB_SHAPE(1, 1, 6, 1, 1, 1), LB_DTYPE_F64, support_path("f"), NULL),
                     LB_OK);
    ck_assert_int_eq(lb_npy_read(support_path("f"), &shape, &back, NULL), LB_OK);
    ck_assert(lb_shape_equal(shape, LB_SHAPE(1, 1, 6, 1, 1, 1)));
    ck_assert_int_eq(memcmp(back, values, sizeof values), 0);
    lb_release(back);
}
END_TEST

START_TEST(test_write_impossible_arguments_fail)
{
    lb_error error = {0};
    double value = 1;
    ck_assert_int_eq(lb_npy_write(&value, LB_SHAPE(1), LB_DTYPE_I64, support_path("file"), &error),
                     LB_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "I64"));
    ck_assert_int_eq(lb_npy_write(&value, LB_SHAPE(-1), LB_DTYPE_F64, support_path("file"), NULL),
                     LB_ERROR_ARGUMENT);
    ck_assert_uint_eq(support_file_count(), 0);
    ck_assert_int_eq(lb_npy_write(&value, LB_SHAPE(1), LB_DTYPE_F64, support_path("no/file"), NULL),
                     LB_ERROR_WRITE);
}
END_TEST

static lb_status try_bytes(const void *bytes, size_t count, lb_error *error)
{
    lb_shape shape;
    double *values;
    support_write_file(support_path("file"), bytes, count);
    lb_status status = lb_npy_read(support_path("file"), &shape, &values, error);
    if (status) ck_assert_ptr_null(values);
    lb_release(values);
    return status;
}

START_TEST(test_read_file_cut_anywhere_or_longer_fails)
{
    for (size_t f = 0; SUPPORT_ROW(f, fixtures); f++) {
        size_t size;
        char *content = support_read_file(fixtures[f].path, &size);
        for (size_t count = 0; count < size; count++)
            ck_assert_msg(try_bytes(content, count, NULL) == LB_ERROR_FORMAT, "%s at %zu", fixtures[f].path,
                          count);
        ck_assert_int_eq(try_bytes(content, size, NULL), LB_OK);
        ck_assert_int_eq(try_bytes(content, size + 1, NULL), LB_ERROR_FORMAT);
        free(content);
    }
}
END_TEST

START_TEST(test_read_mutated_file_never_crashes)
{
    enum { MUTANTS = 5000, HEADER = 128 };
    static const char likely[] = "{}()',:0123456789<>|=fiub \n\xff";
    size_t size, refused = 0;
    char *content = support_read_file(DATA "fortran_f8.npy", &size), *mutant = malloc(size);
    for (uint32_t m = 0; m < MUTANTS; m++) {
        memcpy(mutant, content, size);
        for (uint64_t c = 0; c <= m % 3; c++) {
            lb_rng_block bits =
                lb_rng_bits((lb_rng){.seed = 1, .stream = lb_rng_stream("npy"), .step = m}, c);
            char value = bits.word[1] % 2 ? likely[bits.word[2] % (sizeof likely - 1)] : (char)bits.word[2];
            mutant[bits.word[0] % HEADER] = value;
        }
        if (try_bytes(mutant, size, NULL)) refused++;
    }
    ck_assert_uint_gt(refused, MUTANTS / 4);
    ck_assert_uint_lt(refused, MUTANTS);
    free(mutant);
    free(content);
}
END_TEST

static const struct made_up {
    const char *dictionary, *reason; /* NULL: fine, with 8 bytes of data */
} made_up[] = {
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }", NULL},
    {"{\"shape\":(1,),\"descr\":\"=f8\",\"fortran_order\":True}\n", NULL},
    {"{'descr':'|u1','fortran_order':False,'shape':(2,4,)}", NULL},
    {"", "expected a header with descr"},
    {"{}", "expected a header with descr"},
    {"{'descr': '<f8', 'fortran_order': False}", "expected a header with descr"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (), 'x': 1}", "expected a header with descr"},
    {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': ()}", "expected a header with descr"},
    {"{'descr': '<f8', 'fortran_order': 0, 'shape': ()}", "expected a header with descr"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1)}", "expected a header with descr"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", "expected a header with descr"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1 1)}", "expected a header with descr"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1)}", "expected a header with descr"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}",
     "expected a header with descr"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296,4294967296)}",
     "expected a header with descr"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': ()} x", "expected a header with descr"},
    {"{'descr': '<f8' 'fortran_order': False, 'shape': ()}", "expected a header with descr"},
    {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': ()}", "expected a header with descr"},
    {"{'descr': '<c16', 'fortran_order': False, 'shape': ()}", "found dtype '<c16'"},
    {"{'descr': '|f8', 'fortran_order': False, 'shape': ()}", "found dtype '|f8'"},
    {"{'descr': '<', 'fortran_order': False, 'shape': ()}", "found dtype '<'"},
    {"{'descr': '', 'fortran_order': False, 'shape': ()}", "found dtype ''"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}",
     "8 bytes of data, expected 16 for [2] of <f8"},
};

START_LOOP_TEST(test_read_made_up_header_is_understood_or_refused_with_the_reason,
                sizeof made_up / sizeof *made_up)
{
    char bytes[300] = "\x93NUMPY\x01";
    lb_error error = {0};
    size_t length = strlen(made_up[_i].dictionary);
    bytes[8] = (char)length;
    memcpy(bytes + 10, made_up[_i].dictionary, length);
    lb_status status = try_bytes(bytes, 10 + length + 8, &error);
    ck_assert_msg(status == (made_up[_i].reason ? LB_ERROR_FORMAT : LB_OK), "%s", error.message);
    if (made_up[_i].reason)
        ck_assert_msg(strstr(error.message, made_up[_i].reason) != NULL, "%s", error.message);
}
END_TEST

START_TEST(test_read_other_files_fail_with_the_reason)
{
    lb_shape shape;
    double *values;
    lb_error order = {0};
    ck_assert_int_eq(lb_npy_read(DATA "big_endian_f8.npy", &shape, &values, &order), LB_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(order.message, "'>f8'"));
    ck_assert_int_eq(lb_npy_read(DATA "make_fixtures.py", &shape, &values, NULL), LB_ERROR_FORMAT);
    ck_assert_int_eq(lb_npy_read(DATA "missing", &shape, &values, NULL), LB_ERROR_OPEN);
    size_t size;
    lb_error version = {0};
    char *content = support_read_file(DATA "version3_f8.npy", &size);
    content[6] = 4;
    ck_assert_int_eq(try_bytes(content, size, &version), LB_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(version.message, "not a .npy file of version 1, 2 or 3"));
    /* A file that ends after the length of its header has none, and one that ends before that is no such file. */
    lb_error cut = {0}, shorter = {0};
    content[6] = 3;
    ck_assert_int_eq(try_bytes(content, 12, &cut), LB_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(cut.message, ", found only 0"));
    ck_assert_int_eq(try_bytes(content, 11, &shorter), LB_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(shorter.message, "not a .npy file"));
    free(content);
}
END_TEST

START_TEST(test_any_call_failing_allocation_is_an_error_and_leaks_nothing)
{
    double value = 1, *values;
    lb_shape shape;
    support_watch_allocations();
    const char *path = support_path("file");
    ck_assert_int_eq(lb_npy_write(&value, LB_SHAPE(1), LB_DTYPE_F32, path, NULL), LB_OK);
    long in_write = support_allocation_count();
    ck_assert_int_eq(lb_npy_read(path, &shape, &values, NULL), LB_OK);
    lb_release(values);
    long in_read = support_allocation_count() - in_write;
    ck_assert_int_gt(in_write, 1);
    ck_assert_int_gt(in_read, 1);
    for (long n = 1; n <= in_write; n++) {
        support_fail_allocation(n);
        ck_assert_int_eq(lb_npy_write(&value, LB_SHAPE(1), LB_DTYPE_F32, path, NULL), LB_ERROR_MEMORY);
    }
    for (long n = 1; n <= in_read; n++) {
        support_fail_allocation(n);
        ck_assert_int_eq(lb_npy_read(path, &shape, &values, NULL), LB_ERROR_MEMORY);
        ck_assert_ptr_null(values);
    }
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST
