/* Bytes as base64, and their hashes. */
#include "base/bytes.h"
#include "support/suite.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

START_TEST(test_base64_of_the_standard)
{
    /* RFC 4648, section 10. */
    static const char *const known[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"},
                                           {"\xFB\xFF\xBF", "+/+/"}};
    for (size_t i = 0; SUPPORT_ROW(i, known); i++) {
        char text[16] = "";
        unsigned char bytes[16];
        size_t count = strlen(known[i][0]), back;
        lb_base64_encode((const unsigned char *)known[i][0], count, text);
        ck_assert_str_eq(text, known[i][1]);
        ck_assert_uint_eq(lb_base64_length(count), strlen(text));
        ck_assert(lb_base64_decode(text, strlen(text), bytes, &back));
        ck_assert_uint_eq(back, count);
        ck_assert_mem_eq(bytes, known[i][0], count);
    }
}
END_TEST

START_TEST(test_base64_of_all_bytes_comes_back)
{
    unsigned char bytes[256], back[258];
    char text[400];
    size_t found;
    for (int i = 0; i < 256; i++) bytes[i] = (unsigned char)i;
    for (size_t count = 250; count <= 256; count++) {
        lb_base64_encode(bytes, count, text);
        ck_assert(lb_base64_decode(text, lb_base64_length(count), back, &found));
        ck_assert_uint_eq(found, count);
        ck_assert_mem_eq(back, bytes, count);
    }
}
END_TEST

START_TEST(test_base64_decode_of_anything_else_is_refused)
{
    static const char *const bad[] = {
        "Zg", "Zg=", "Zg===", "=Zg=", "Z===", "Zh==", "Zm9=", "Zm 8", "Zm-8", "Zg==Zg==", "Zm8\x80", "===="};
    unsigned char bytes[16];
    size_t count;
    for (size_t i = 0; SUPPORT_ROW(i, bad); i++)
        ck_assert_msg(!lb_base64_decode(bad[i], strlen(bad[i]), bytes, &count), "%s", bad[i]);
    ck_assert(!lb_base64_decode("Zm8\0", 4, bytes, &count));
    for (size_t length = 5; length < 8; length++)
        ck_assert(!lb_base64_decode("Zm9vYmFy", length, bytes, &count));
}
END_TEST

enum { MOST = 100, MANY = 20000, BITS = 64 };

START_TEST(test_hash_is_fnv_1a)
{
    ck_assert_uint_eq(lb_hash(LB_HASH, "", 0), UINT64_C(0xcbf29ce484222325));
    ck_assert_uint_eq(lb_hash(LB_HASH, "a", 1), UINT64_C(0xaf63dc4c8601ec8c));
    ck_assert_uint_eq(lb_hash(LB_HASH, "foobar", 6), UINT64_C(0x85944171f73967e8));
}
END_TEST

START_TEST(test_hash_long_changes_with_each_bit_the_length_and_the_start)
{
    unsigned char bytes[MOST] = {0};
    for (size_t count = 0; count <= MOST; count++) {
        uint64_t hash = lb_hash_long(LB_HASH, bytes, count);
        ck_assert_uint_eq(hash, lb_hash_long(LB_HASH, bytes, count));
        ck_assert_uint_ne(hash, lb_hash_long(LB_HASH + 1, bytes, count));
        if (count < MOST) ck_assert_uint_ne(hash, lb_hash_long(LB_HASH, bytes, count + 1));
        for (size_t bit = 0; bit < 8 * count; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            SUPPORT_CHECK(lb_hash_long(LB_HASH, bytes, count) != hash, "%zu bytes, bit %zu", count, bit);
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    }
}
END_TEST

/* Files have it: an index that another version has written shall be known again. */
START_TEST(test_hash_long_is_what_it_was)
{
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) return;
    unsigned char bytes[MOST];
    for (int i = 0; i < MOST; i++) bytes[i] = (unsigned char)i;
    ck_assert_uint_eq(lb_hash_long(LB_HASH, "", 0), UINT64_C(0xc7e9e0b863fb17df));
    ck_assert_uint_eq(lb_hash_long(LB_HASH, "foobar", 6), UINT64_C(0x8a2903cd8cd2c69a));
    ck_assert_uint_eq(lb_hash_long(LB_HASH, bytes, MOST), UINT64_C(0x3ce8318ab2baab1d));
}
END_TEST

START_TEST(test_hash_long_of_empty_bytes_needs_none)
{
    ck_assert_uint_eq(lb_hash_long(1, NULL, 0), lb_hash_long(1, "x", 0));
}
END_TEST

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Two bits in any places, which simple mixing lets meet: all hashes differ, and each bit of them is set in half. */
START_TEST(test_hash_long_of_contents_with_two_bits_set_spreads)
{
    static uint64_t hash[MANY];
    int count = 0, set[BITS] = {0};
    for (int i = 0; i < 8 * MOST && count < MANY; i++)
        for (int j = 0; j < i && count < MANY; j++) {
            unsigned char bytes[MOST] = {0};
            bytes[i / 8] = (unsigned char)(bytes[i / 8] | 1 << i % 8);
            bytes[j / 8] = (unsigned char)(bytes[j / 8] | 1 << j % 8);
            hash[count++] = lb_hash_long(LB_HASH, bytes, MOST);
        }
    for (int i = 0; i < count; i++)
        for (int bit = 0; bit < BITS; bit++) set[bit] += (int)(hash[i] >> bit & 1);
    for (int bit = 0; SUPPORT_ROW(bit, set); bit++) {
        ck_assert_int_gt(set[bit], count * 47 / 100);
        ck_assert_int_lt(set[bit], count * 53 / 100);
    }
    qsort(hash, (size_t)count, sizeof *hash, compare);
    for (int i = 1; i < count; i++) SUPPORT_CHECK(hash[i] != hash[i - 1], "%d", i);
}
END_TEST
