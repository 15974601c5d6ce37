/* Truncated, bit-flipped, mutated and made-up files: each is rejected with a reason, none crashes the reader. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/safetensors.h"
#include "lookback/io.h"
#include "support/stop.h"
#include "support/suite.h"
#include "support/tempdir.h"

#define OTHERS TEST_DATA "/io/others.safetensors"

static const float numbers[] = {1.5f, -2.0f, 3.25f, 1e10f, 0, 7};

static lb_status write_sample(const char *path, const float *data)
{
    const lb_safetensors_tensor tensors[] = {{"w", LB_DTYPE_F32, {2, {2, 2}}, data},
                                             {"b", LB_DTYPE_F64, {1, {1}}, data}};
    return lb_safetensors_write(tensors, 2, &(lb_safetensors_metadata){"config", "{}"}, 1, path, NULL);
}

/* Opens a file with these bytes. There must be an error exactly if there is no result. */
static lb_status try_bytes(const char *path, const void *bytes, size_t count)
{
    lb_error error = {0};
    support_write_file(path, bytes, count);
    lb_safetensors *file = lb_safetensors_open(path, &error);
    if (!file) {
        ck_assert_int_ne(error.status, LB_OK);
        ck_assert_int_eq(strncmp(error.message, path, strlen(path)), 0);
        return error.status;
    }
    ck_assert_int_eq(error.status, LB_OK);
    /* Whatever was accepted must be safe to use. */
    for (int64_t i = 0; i < lb_safetensors_count(file); i++) {
        const lb_safetensors_tensor *tensor = lb_safetensors_at(file, i);
        lb_real *out = malloc((size_t)lb_shape_count(tensor->shape) * sizeof *out + 1);
        ck_assert_ptr_eq(lb_safetensors_find(file, tensor->name), tensor);
        ck_assert_int_eq(lb_safetensors_read(file, tensor->name, tensor->shape, out, NULL), LB_OK);
        free(out);
    }
    lb_safetensors_close(file);
    return LB_OK;
}

static void assert_every_truncation_fails(const char *source)
{
    size_t size;
    char *content = support_read_file(source, &size);
    ck_assert_int_eq(try_bytes(support_path("cut"), content, size), LB_OK);
    for (size_t length = 0; length < size; length++)
        ck_assert_msg(try_bytes(support_path("cut"), content, length) == LB_ERROR_FORMAT,
                      "cut to %zu of %zu bytes", length, size);
    free(content);
}

START_TEST(test_open_file_cut_anywhere_fails)
{
    ck_assert_int_eq(write_sample(support_path("sample"), numbers), LB_OK);
    assert_every_truncation_fails(support_path("sample"));
    assert_every_truncation_fails(OTHERS);
}
END_TEST

START_TEST(test_open_checksummed_file_with_any_bit_flipped_fails)
{
    size_t size;
    const char *path = support_path("file");
    ck_assert_int_eq(write_sample(path, numbers), LB_OK);
    char *content = support_read_file(path, &size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        content[bit / 8] ^= (char)(1 << bit % 8);
        ck_assert_msg(try_bytes(path, content, size) == LB_ERROR_FORMAT, "bit %zu of byte %zu", bit % 8,
                      bit / 8);
        content[bit / 8] ^= (char)(1 << bit % 8);
    }
    ck_assert_int_eq(try_bytes(path, content, size), LB_OK);
    free(content);
}
END_TEST

START_TEST(test_open_longer_file_fails)
{
    size_t size;
    char *content = support_read_file(OTHERS, &size);
    ck_assert_int_eq(try_bytes(support_path("file"), content, size + 1), LB_ERROR_FORMAT);
    free(content);
}
END_TEST

/* Files from other programs have no checksum: many mutants are valid, but none may crash the reader. */
START_TEST(test_open_mutated_file_never_crashes)
{
    enum { MUTANTS = 5000, MOST_CHANGES = 4 };
    static const char likely[] = "{}[]\",:0123456789-.eE\\u \xff";
    size_t size, refused = 0;
    char *content = support_read_file(OTHERS, &size), *mutant = malloc(size);
    for (uint32_t m = 0; m < MUTANTS; m++) {
        lb_rng rng = {.seed = 1, .stream = lb_rng_stream("mutants"), .step = m};
        memcpy(mutant, content, size);
        uint64_t changes = 1 + lb_rng_below(rng, 0, MOST_CHANGES);
        for (uint64_t c = 0; c < changes; c++) {
            lb_rng_block bits = lb_rng_bits(rng, 1 + c);
            char value = bits.word[1] % 2 ? likely[bits.word[2] % (sizeof likely - 1)] : (char)bits.word[2];
            mutant[bits.word[0] % size] = value;
        }
        if (try_bytes(support_path("mutant"), mutant, size)) refused++;
    }
    ck_assert_uint_gt(refused, MUTANTS / 4);
    ck_assert_uint_lt(refused, MUTANTS);
    free(mutant);
    free(content);
}
END_TEST

/* A header (to which blanks may be appended), how many bytes of zeros follow, and what the message must say. */
static const struct made_up {
    const char *header;
    size_t data;
    const char *reason;
} made_up[] = {
    {"", 0, "not a JSON object"},
    {"[]", 0, "not a JSON object"},
    {" {}", 0, "not a JSON object"},
    {"{\"a\":\xff}", 0, "not a JSON object"},
    {"{\"a\\u0000b\":1}", 0, "not a JSON object"},
    {"{", 0, "not valid JSON"},
    {"{}x", 0, "not valid JSON"},
    {"{\"a\":1,", 0, "not valid JSON"},
    {"{}", 1, "1 bytes at the end belong to no array"},
    {"{\"a\":1}", 0, "'a' is not an object with"},
    {"{\"a\":[]}", 0, "'a' is not an object with"},
    {"{\"a\":{}}", 0, "'a' is not an object with"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "'a' is not an object with"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":0}}", 4,
     "'a' is not an object with"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"shape\":[1],\"data_offsets\":[0,4]}}", 4,
     "'a' is not an object with"},
    {"{\"a\":{\"dtype\":4,\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "'a' is not an object with"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}}", 4, "'a' is not an object with"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,8]}}", 4, "'a' is not an object with"},
    {"{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "dtype F8_E4M3"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":1,\"data_offsets\":[0,4]}}", 4, "shape of 'a'"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4, "shape of 'a'"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,4]}}", 4, "shape of 'a'"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[\"1\"],\"data_offsets\":[0,4]}}", 4, "shape of 'a'"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}", 4, "shape of 'a'"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0,
     "shape of 'a'"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[0,9007199254740993],\"data_offsets\":[0,0]}}", 0, "shape of 'a'"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1e300],\"data_offsets\":[0,4]}}", 4, "shape of 'a'"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,8]}}", 4, "are outside the 4 bytes"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[-4,0]}}", 4, "are outside the 4 bytes"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", 4, "are outside the 4 bytes"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,3.5]}}", 4, "are outside the 4 bytes"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[null,4]}}", 4, "are outside the 4 bytes"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[9007199254740992,9007199254740996]}}", 4,
     "are outside the 4 bytes"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4,
     "4 bytes of data, expected 8 for [2] of F32"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},\"b\":{\"dtype\":\"U8\",\"shape\":[2],"
     "\"data_offsets\":[1,3]}}",
     3, "'b' overlap"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"b\":{\"dtype\":\"U8\",\"shape\":[1],"
     "\"data_offsets\":[2,3]}}",
     3, "'b' has a gap"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"a\":{\"dtype\":\"U8\",\"shape\":[1],"
     "\"data_offsets\":[1,2]}}",
     2, "two arrays are named 'a'"},
    {"{\"__metadata__\":[]}", 0, "__metadata__ is not an object"},
    {"{\"__metadata__\":{\"k\":1}}", 0, "metadata 'k' is not a string"},
    {"{\"__metadata__\":{\"k\":\"1\",\"j\":\"\",\"k\":\"2\"}}", 0, "metadata key 'k' occurs twice"},
    {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "__metadata__ occurs twice"},
    {"{\"__metadata__\":{\"lookback.format\":\"1\"}}", 0, "checksum is not where it belongs"},
    {"{\"__metadata__\":{\"lookback.crc32\":\"\"}}", 0, "checksum is not where it belongs"},
    {"{\"__metadata__\":{\"lookback.crc32\":\"0000000\"}}", 0, "checksum is not where it belongs"},
    {"{\"__metadata__\":{\"lookback.crc32\":\"00000000\"}}", 0, "expected 00000000"},
    {"{ \"__metadata__\":{\"lookback.crc32\":\"00000000\"}}", 0, "checksum is not where it belongs"},
};

static size_t join_file(char *out, uint64_t length, const char *header, size_t data)
{
    size_t count = strlen(header);
    lb_file_order(&length, 1, sizeof length);
    memcpy(out, &length, sizeof length);
    memcpy(out + sizeof length, header, count);
    memset(out + sizeof length + count, 0, data);
    return sizeof length + count + data;
}

static void assert_refused(const void *bytes, size_t count, const char *reason)
{
    lb_error error = {0};
    support_write_file(support_path("file"), bytes, count);
    ck_assert_ptr_null(lb_safetensors_open(support_path("file"), &error));
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
    ck_assert_msg(strstr(error.message, reason) != NULL, "expected '%s', got '%s'", reason, error.message);
}

START_LOOP_TEST(test_open_made_up_header_fails_with_the_reason, sizeof made_up / sizeof *made_up)
{
    char file[1000];
    const struct made_up *bad = &made_up[_i];
    assert_refused(file, join_file(file, strlen(bad->header), bad->header, bad->data), bad->reason);
}
END_TEST

START_TEST(test_open_blanks_and_escapes_in_the_header_are_fine)
{
    static const char header[] =
        "{ \"\\\\u0000\" : {\"shape\":[ 2 ],\"data_offsets\":[0,2e0], \"dtype\":\"U8\"} }   ";
    char bytes[200];
    size_t count = join_file(bytes, sizeof header - 1, header, 2);
    ck_assert_int_eq(try_bytes(support_path("file"), bytes, count), LB_OK);
    lb_safetensors *file = lb_safetensors_open(support_path("file"), NULL);
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(lb_safetensors_find(file, "\\u0000"));
    lb_safetensors_close(file);
}
END_TEST

START_TEST(test_open_impossible_header_length_fails)
{
    static const uint64_t lengths[] = {3, 100000001, INT64_MAX, UINT64_MAX - 7, UINT64_MAX};
    char file[100];
    for (size_t i = 0; SUPPORT_ROW(i, lengths); i++)
        assert_refused(file, join_file(file, lengths[i], "{}", 0), "expected a header of");
    assert_refused(file, join_file(file, 0, "{}", 0), "not a JSON object");
    assert_refused("1234567", 7, "found text, expected a model in safetensors");
    assert_refused("\1\2\3\4\5\6\7", 7, "7 bytes, too few for");
}
END_TEST

START_TEST(test_open_nul_inside_of_the_header_fails)
{
    static const char header[] = "{\"__metadata__\":{\"a\0b\":\"\"}}";
    char file[100] = {sizeof header - 1};
    memcpy(file + 8, header, sizeof header - 1);
    assert_refused(file, 8 + sizeof header - 1, "not a JSON object");
}
END_TEST

START_TEST(test_open_header_beyond_the_limit_fails)
{
    uint64_t length = 100000001;
    lb_error error = {0};
    lb_file_order(&length, 1, sizeof length);
    const char *path = support_path("sparse");
    support_write_file(path, &length, sizeof length);
    ck_assert_int_eq(truncate(path, 8 + 100000001), 0);
    ck_assert_ptr_null(lb_safetensors_open(path, &error));
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
    ck_assert_msg(strstr(error.message, "the limit is 100000000") != NULL, "%s", error.message);
}
END_TEST

START_TEST(test_open_deeply_nested_header_fails)
{
    enum { DEPTH = 1000000 };
    char *bytes = malloc(DEPTH + 100), *header = malloc(DEPTH + 10);
    memcpy(header, "{\"a\":", 5);
    memset(header + 5, '[', DEPTH);
    header[5 + DEPTH] = '\0';
    assert_refused(bytes, join_file(bytes, 5 + DEPTH, header, 0), "not valid JSON");
    free(header);
    free(bytes);
}
END_TEST

START_TEST(test_open_many_arrays_of_one_name_fails_quickly)
{
    enum { ARRAYS = 50000 };
    static const char one[] = "\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}";
    size_t step = sizeof one; /* with a comma for the NUL */
    char *header = malloc(ARRAYS * step + 2), *bytes = malloc(ARRAYS * step + 100);
    header[0] = '{';
    for (size_t i = 0; i < ARRAYS; i++) {
        memcpy(header + 1 + i * step, one, step - 1);
        header[(i + 1) * step] = ',';
    }
    memcpy(header + ARRAYS * step, "}", 2);
    assert_refused(bytes, join_file(bytes, ARRAYS * step + 1, header, 0), "two arrays are named 'a'");
    free(bytes);
    free(header);
}
END_TEST

START_TEST(test_write_killed_at_any_call_leaves_a_file_that_opens)
{
    enum { KILLS = 50 };
    char stop[32];
    const char *path = support_path("model");
    ck_assert_int_eq(write_sample(path, numbers), LB_OK);
    for (int kills = 1; kills <= KILLS; kills++) {
        pid_t child = fork();
        if (child == 0) {
            snprintf(stop, sizeof stop, "file %d KILL", kills);
            support_stop(stop);
        }
        while (child == 0)
            for (int i = 0; i < 3; i++)
                if (write_sample(path, numbers + i)) _exit(1);
        int status;
        waitpid(child, &status, 0);
        ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        lb_safetensors *file = lb_safetensors_open(path, NULL);
        ck_assert_ptr_nonnull(file);
        lb_safetensors_close(file);
    }
}
END_TEST
