#include "base/bytes.h"
#include "support/suite.h"

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
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
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
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!lb_base64_decode(bad[i], strlen(bad[i]), bytes, &count), "%s", bad[i]);
    ck_assert(!lb_base64_decode("Zm8\0", 4, bytes, &count));
    for (size_t length = 5; length < 8; length++)
        ck_assert(!lb_base64_decode("Zm9vYmFy", length, bytes, &count));
}
END_TEST
