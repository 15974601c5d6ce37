/* This unit runs in both precisions: reading converts to lb_real. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/safetensors.h"
#include "lookback/io.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#define OTHERS TEST_DATA "/io/others.safetensors"

static const float floats[] = {0.1f, -2.5f, 1e-42f, INFINITY, -0.0f, 3e38f};
static const double doubles[] = {0.1, -1e300};
static const int64_t integers[] = {INT64_MIN, 7, INT64_MAX};
static const unsigned char bytes[] = {1, 2, 255};

/* The odd number of bytes in front would unalign all others if they were stored in this order. */
static const lb_safetensors_tensor tensors[] = {
    {"bytes", LB_DTYPE_U8, {1, {3}}, bytes},           {"layer.weight", LB_DTYPE_F32, {2, {2, 3}}, floats},
    {"moment", LB_DTYPE_F64, {3, {1, 2, 1}}, doubles}, {"scalar \"\\\n\xe2\x82\xac", .data = floats},
    {"ids", LB_DTYPE_I64, {1, {3}}, integers},         {"empty", LB_DTYPE_F32, {2, {0, 5}}, NULL},
};
static const lb_safetensors_metadata metadata[] = {
    {"config", "{\"hidden\": 128}"}, {"vocab", "a\tb\nc \xf0\x9f\x98\x80 \x01 \\u0000"}, {"", ""}};

enum { TENSORS = sizeof tensors / sizeof *tensors, METADATA = sizeof metadata / sizeof *metadata };

static void write_sample(const char *path)
{
    lb_error error = {0};
    lb_status status = lb_safetensors_write(tensors, TENSORS, metadata, METADATA, path, &error);
    ck_assert_msg(status == LB_OK, "%s", error.message);
}

static lb_safetensors *open_file(const char *path)
{
    lb_error error = {0};
    lb_safetensors *file = lb_safetensors_open(path, &error);
    ck_assert_msg(file, "%s", error.message);
    return file;
}

START_TEST(test_write_then_open_gives_back_every_bit)
{
    write_sample(support_path("file"));
    lb_safetensors *file = open_file(support_path("file"));
    ck_assert_int_eq(lb_safetensors_count(file), TENSORS);
    for (size_t i = 0; SUPPORT_ROW(i, tensors); i++) {
        const lb_safetensors_tensor *found = lb_safetensors_find(file, tensors[i].name);
        ck_assert_ptr_nonnull(found);
        ck_assert_str_eq(found->name, tensors[i].name);
        ck_assert_int_eq(found->dtype, tensors[i].dtype);
        ck_assert(lb_shape_equal(found->shape, tensors[i].shape));
        size_t size = lb_dtype_size(found->dtype);
        ck_assert_uint_eq((uintptr_t)found->data % size, 0);
        size *= (size_t)lb_shape_count(found->shape);
        if (size) ck_assert_int_eq(memcmp(found->data, tensors[i].data, size), 0);
    }
    for (size_t i = 0; SUPPORT_ROW(i, metadata); i++)
        ck_assert_str_eq(lb_safetensors_metadata_value(file, metadata[i].key), metadata[i].value);
    ck_assert_ptr_null(lb_safetensors_find(file, "layer"));
    ck_assert_ptr_null(lb_safetensors_metadata_value(file, "layer"));
    lb_safetensors_close(file);
}
END_TEST

START_TEST(test_write_twice_gives_the_same_bytes_and_aligned_data)
{
    size_t first_size, second_size;
    write_sample(support_path("first"));
    write_sample(support_path("second"));
    char *a = support_read_file(support_path("first"), &first_size),
         *b = support_read_file(support_path("second"), &second_size);
    ck_assert_uint_eq(first_size, second_size);
    ck_assert_int_eq(memcmp(a, b, first_size), 0);
    uint64_t header = lb_file_integer((unsigned char *)a, sizeof header);
    ck_assert_uint_eq((header + sizeof header) % 64, 0);
    ck_assert_uint_eq(sizeof header + header + sizeof doubles + sizeof integers + sizeof floats +
                          sizeof *floats + sizeof bytes,
                      first_size);
    free(a);
    free(b);
}
END_TEST

START_TEST(test_write_known_content_gives_known_bytes)
{
    static const char expected[] =
        "{\"__metadata__\":{\"lookback.crc32\":\"4ba1f13d\",\"lookback.format\":\"1\",\"k\":\"v\\\"\"},"
        "\"a\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}}";
    const lb_safetensors_tensor one = {"a", LB_DTYPE_F32, {2, {2, 3}}, floats};
    ck_assert_int_eq(
        lb_safetensors_write(&one, 1, &(lb_safetensors_metadata){"k", "v\""}, 1, support_path("file"), NULL),
        LB_OK);
    size_t size;
    char *content = support_read_file(support_path("file"), &size);
    ck_assert_uint_eq(size, 192 + sizeof floats);
    ck_assert_int_eq(memcmp(content, "\xb8\0\0\0\0\0\0", 8), 0);
    content[192] = '\0';
    ck_assert_uint_eq(strspn(content + 8 + sizeof expected - 1, " "), 192 - 8 - (sizeof expected - 1));
    content[8 + sizeof expected - 1] = '\0';
    ck_assert_str_eq(content + 8, expected);
    free(content);
}
END_TEST

START_TEST(test_write_nothing_gives_a_file_that_opens)
{
    ck_assert_int_eq(lb_safetensors_write(NULL, 0, NULL, 0, support_path("file"), NULL), LB_OK);
    lb_safetensors *file = open_file(support_path("file"));
    ck_assert_int_eq(lb_safetensors_count(file), 0);
    ck_assert_ptr_null(lb_safetensors_find(file, "x"));
    lb_safetensors_close(file);
}
END_TEST

static void assert_not_written(const lb_safetensors_tensor *list, int64_t count,
                               const lb_safetensors_metadata *lines, int64_t line_count, const char *reason)
{
    lb_error error = {0};
    ck_assert_int_eq(lb_safetensors_write(list, count, lines, line_count, support_path("file"), &error),
                     LB_ERROR_ARGUMENT);
    ck_assert_msg(strstr(error.message, support_path("file")) && strstr(error.message, reason), "%s",
                  error.message);
    ck_assert_uint_eq(support_file_count(), 0);
}

START_TEST(test_write_impossible_arguments_fail_and_write_nothing)
{
    assert_not_written((lb_safetensors_tensor[]){{.name = "a", .data = floats},
                                                 {.name = "b", .data = floats},
                                                 {.name = "a", .data = floats}},
                       3, NULL, 0, "two arrays are named 'a'");
    assert_not_written(&(lb_safetensors_tensor){.name = "__metadata__", .data = floats}, 1, NULL, 0,
                       "__metadata__");
    assert_not_written(&(lb_safetensors_tensor){.name = "\xff", .data = floats}, 1, NULL, 0, "UTF-8");
    assert_not_written(&(lb_safetensors_tensor){.name = "a", .shape = {2, {2, -3}}}, 1, NULL, 0, "[2,-3]");
    assert_not_written(&(lb_safetensors_tensor){.name = "a", .dtype = (lb_dtype)99}, 1, NULL, 0,
                       "'a' has dtype 99, which there is not");
    assert_not_written(&(lb_safetensors_tensor){.name = "a", .dtype = (lb_dtype)-1}, 1, NULL, 0,
                       "'a' has dtype -1, which there is not");
    assert_not_written(NULL, 0, (lb_safetensors_metadata[]){{"k", "1"}, {"k", "2"}}, 2, "'k' occurs twice");
    assert_not_written(NULL, 0, &(lb_safetensors_metadata){"k", "\xc3"}, 1, "UTF-8");
    assert_not_written(NULL, 0, &(lb_safetensors_metadata){"\xed\xa0\x80", ""}, 1, "UTF-8");
    assert_not_written(NULL, 0, &(lb_safetensors_metadata){"lookback.crc32", ""}, 1, "checksum");
    assert_not_written(NULL, 0, &(lb_safetensors_metadata){"lookback.format", ""}, 1, "checksum");
    assert_not_written(NULL, -1, NULL, 0, "found -1 arrays");
}
END_TEST

START_TEST(test_write_missing_folder_fails)
{
    lb_error error = {0};
    ck_assert_int_eq(lb_safetensors_write(NULL, 0, NULL, 0, support_path("no/file"), &error), LB_ERROR_WRITE);
    ck_assert_ptr_nonnull(strstr(error.message, support_path("no/file")));
}
END_TEST

START_TEST(test_open_file_of_others_reads_every_dtype)
{
    static const char *const names[] = {"u8", "f16", "bf16", "f32", "i32", "f64", "i64"};
    lb_safetensors *file = open_file(OTHERS);
    ck_assert_int_eq(lb_safetensors_count(file), 11);
    ck_assert_str_eq(lb_safetensors_at(file, 0)->name, "u8");
    ck_assert_str_eq(lb_safetensors_at(file, 1)->name, "bool");
    ck_assert_ptr_null(lb_safetensors_at(file, lb_safetensors_count(file)));
    ck_assert_str_eq(lb_safetensors_metadata_value(file, "format"), "pt");
    ck_assert_str_eq(lb_safetensors_metadata_value(file, "caf\xc3\xa9"),
                     "\xe2\x82\xac \"quoted\"\n\xf0\x9f\x98\x80");
    const lb_real expected[] = {0, 1, 2, 100};
    lb_real out[4];
    for (size_t i = 0; SUPPORT_ROW(i, names); i++) {
        memset(out, -1, sizeof out);
        ck_assert_int_eq(lb_safetensors_read(file, names[i], LB_SHAPE(2, 2), out, NULL), LB_OK);
        ck_assert_msg(memcmp(out, expected, sizeof out) == 0, "%s: %g %g %g %g", names[i], (double)out[0],
                      (double)out[1], (double)out[2], (double)out[3]);
    }
    ck_assert_int_eq(lb_safetensors_read(file, "scalar", (lb_shape){0}, out, NULL), LB_OK);
    ck_assert(out[0] == (lb_real)2.5);
    ck_assert_int_eq(lb_safetensors_read(file, "empty", LB_SHAPE(0, 3), out, NULL), LB_OK);
    lb_safetensors_close(file);
}
END_TEST

START_TEST(test_read_lb_real_keeps_bits_and_rounds_the_other_precision)
{
    write_sample(support_path("file"));
    lb_safetensors *file = open_file(support_path("file"));
    lb_real from_floats[6], from_doubles[2];
    ck_assert_int_eq(lb_safetensors_read(file, "layer.weight", LB_SHAPE(2, 3), from_floats, NULL), LB_OK);
    for (int i = 0; SUPPORT_ROW(i, floats); i++) {
        ck_assert((float)from_floats[i] == floats[i]);
        ck_assert(!signbit(from_floats[i]) == !signbit(floats[i]));
    }
    ck_assert_int_eq(lb_safetensors_read(file, "moment", LB_SHAPE(1, 2, 1), from_doubles, NULL), LB_OK);
    ck_assert(from_doubles[0] == (lb_real)0.1 && from_doubles[1] == (lb_real)-1e300);
    lb_safetensors_close(file);
}
END_TEST

START_TEST(test_read_wrong_name_or_shape_names_both_and_spares_the_output)
{
    lb_safetensors *file = open_file(OTHERS);
    lb_real out[4] = {5, 5, 5, 5};
    lb_error missing = {0}, shape = {0};
    ck_assert_int_eq(lb_safetensors_read(file, "f3", LB_SHAPE(2, 2), out, &missing), LB_ERROR_FORMAT);
    ck_assert_str_eq(missing.message, OTHERS ": array 'f3' not found");
    ck_assert_int_eq(lb_safetensors_read(file, "f32", LB_SHAPE(4), out, &shape), LB_ERROR_SHAPE);
    ck_assert_str_eq(shape.message, OTHERS ": 'f32' has shape [2,2], expected [4]");
    ck_assert(out[0] == 5 && out[3] == 5);
    lb_safetensors_close(file);
}
END_TEST

START_TEST(test_open_missing_file_fails)
{
    lb_error missing = {0}, folder = {0};
    ck_assert_ptr_null(lb_safetensors_open(support_path("missing"), &missing));
    ck_assert_int_eq(missing.status, LB_ERROR_OPEN);
    ck_assert_ptr_null(lb_safetensors_open(support_tempdir(), &folder));
    ck_assert_int_eq(folder.status, LB_ERROR_OPEN);
    ck_assert_ptr_null(lb_safetensors_open(support_path("missing"), NULL));
    lb_safetensors_close(NULL);
}
END_TEST

START_TEST(test_any_call_failing_allocation_is_an_error_and_leaks_nothing)
{
    support_watch_allocations();
    const char *path = support_path("file");
    write_sample(path);
    long in_write = support_allocation_count();
    lb_safetensors_close(open_file(path));
    long in_open = support_allocation_count() - in_write;
    ck_assert_int_gt(in_write, 4);
    ck_assert_int_gt(in_open, 4);
    ck_assert_int_eq(support_live_allocations(), 0);
    for (long n = 1; n <= in_write; n++) {
        support_fail_allocation(n);
        ck_assert_int_eq(lb_safetensors_write(tensors, TENSORS, metadata, METADATA, path, NULL),
                         LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
    for (long n = 1; n <= in_open; n++) {
        lb_error error = {0};
        support_fail_allocation(n);
        ck_assert_ptr_null(lb_safetensors_open(path, &error));
        ck_assert_int_eq(error.status, LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
}
END_TEST
