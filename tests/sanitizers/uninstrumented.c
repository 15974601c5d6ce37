/* For the memory sanitizer: what the functions of utf8proc write, which are not instrumented. */
#include <sanitizer/msan_interface.h>
#include <utf8proc.h>

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): names that the linker makes
utf8proc_ssize_t __real_utf8proc_iterate(const utf8proc_uint8_t *text, utf8proc_ssize_t length,
                                         utf8proc_int32_t *character);
utf8proc_ssize_t __real_utf8proc_decompose(const utf8proc_uint8_t *text, utf8proc_ssize_t length,
                                           utf8proc_int32_t *buffer, utf8proc_ssize_t room,
                                           utf8proc_option_t options);
utf8proc_ssize_t __real_utf8proc_reencode(utf8proc_int32_t *buffer, utf8proc_ssize_t length,
                                          utf8proc_option_t options);
utf8proc_ssize_t __real_utf8proc_encode_char(utf8proc_int32_t character, utf8proc_uint8_t *text);

utf8proc_ssize_t __wrap_utf8proc_iterate(const utf8proc_uint8_t *text, utf8proc_ssize_t length,
                                         utf8proc_int32_t *character);
utf8proc_ssize_t __wrap_utf8proc_decompose(const utf8proc_uint8_t *text, utf8proc_ssize_t length,
                                           utf8proc_int32_t *buffer, utf8proc_ssize_t room,
                                           utf8proc_option_t options);
utf8proc_ssize_t __wrap_utf8proc_reencode(utf8proc_int32_t *buffer, utf8proc_ssize_t length,
                                          utf8proc_option_t options);
utf8proc_ssize_t __wrap_utf8proc_encode_char(utf8proc_int32_t character, utf8proc_uint8_t *text);

utf8proc_ssize_t __wrap_utf8proc_iterate(const utf8proc_uint8_t *text, utf8proc_ssize_t length,
                                         utf8proc_int32_t *character)
{
    utf8proc_ssize_t bytes = __real_utf8proc_iterate(text, length, character);
    __msan_unpoison(character, sizeof *character);
    return bytes;
}

utf8proc_ssize_t __wrap_utf8proc_decompose(const utf8proc_uint8_t *text, utf8proc_ssize_t length,
                                           utf8proc_int32_t *buffer, utf8proc_ssize_t room,
                                           utf8proc_option_t options)
{
    utf8proc_ssize_t count = __real_utf8proc_decompose(text, length, buffer, room, options);
    utf8proc_ssize_t written = count < room ? count : room;
    if (written > 0) __msan_unpoison(buffer, (size_t)written * sizeof *buffer);
    return count;
}

/* Writes the text and its end over the characters. */
utf8proc_ssize_t __wrap_utf8proc_reencode(utf8proc_int32_t *buffer, utf8proc_ssize_t length,
                                          utf8proc_option_t options)
{
    utf8proc_ssize_t bytes = __real_utf8proc_reencode(buffer, length, options);
    if (bytes >= 0) __msan_unpoison(buffer, (size_t)bytes + 1);
    return bytes;
}

utf8proc_ssize_t __wrap_utf8proc_encode_char(utf8proc_int32_t character, utf8proc_uint8_t *text)
{
    utf8proc_ssize_t bytes = __real_utf8proc_encode_char(character, text);
    __msan_unpoison(text, (size_t)bytes);
    return bytes;
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
