#include "support/pair_program.h"

#include "support/suite.h"
#include "support/tempdir.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS = 96, LETTERS = 8, LONGEST = 4, LINE = 16 };

support_result support_ran;

void support_write_text(const char *name, const char *text)
{
    support_write_file(support_path(name), text, strlen(text));
}

void support_write_pairs(const char *name, int count, unsigned seed)
{
    char *text = malloc((size_t)count * LINE);
    size_t used = 0;
    ck_assert_ptr_nonnull(text);
    for (int i = 0; i < count; i++) {
        char word[LONGEST];
        int length = 0;
        for (uint32_t bits = (uint32_t)i * 2654435761u + seed * 40503u; length < LONGEST; bits /= LETTERS) {
            word[length++] = (char)('a' + bits % LETTERS);
            if (length > 1 && bits % 3 == 0) break;
        }
        memcpy(text + used, word, (size_t)length);
        used += (size_t)length;
        for (int k = length - 1; k >= 0; k--) {
            text[used++] = k == length - 1 ? '\t' : ' ';
            text[used++] = word[k];
        }
        text[used++] = '\n';
    }
    support_write_file(support_path(name), text, used);
    free(text);
}

static support_command command_with(const char *argv[ARGUMENTS], const char *command,
                                    const char *const *arguments)
{
    argv[0] = BIN_DIR "/lookback";
    argv[1] = command;
    for (int i = 0; arguments[i]; i++) {
        ck_assert_int_lt(i + 3, ARGUMENTS);
        argv[i + 2] = arguments[i];
    }
    return (support_command){.argv = argv, .directory = support_tempdir()};
}

static void run_until(const char *command, const char *const *arguments, const char *stop)
{
    const char *argv[ARGUMENTS] = {NULL};
    support_command planned = command_with(argv, command, arguments);
    planned.stop = stop;
    support_run_as(&planned, &support_ran);
}

void support_run_lookback(const char *command, const char *const *arguments)
{
    run_until(command, arguments, NULL);
}

void support_train_pairs(const char *const *arguments, const char *stop)
{
    run_until("train", arguments, stop);
}

int support_train_killed_pairs(const char *const *arguments)
{
    const char *argv[ARGUMENTS] = {NULL};
    return support_kill_until_done(command_with(argv, "train", arguments), &support_ran);
}

void support_shell(const char *format, ...)
{
    char command[2048] = BIN_DIR "/lookback ";
    const size_t used = strlen(command);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command + used, sizeof command - used, format, arguments);
    va_end(arguments);
    SUPPORT_RUN(&support_ran, NULL, "/bin/sh", "-c", command);
}

void support_assert_trained(void)
{
    ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
}

void support_assert_refused(int status, const char *text)
{
    const support_result *result = &support_ran;
    ck_assert_msg(result->status == status, "status %d, not %d: %s", result->status, status, result->error);
    ck_assert_msg(strstr(result->error, text) != NULL, "\"%s\" does not say \"%s\"", result->error, text);
    ck_assert_str_eq(result->output, "");
}

char *support_content(const char *name, size_t *count)
{
    return support_read_file(support_path(name), count);
}

char *support_text(const char *name)
{
    size_t count;
    return support_content(name, &count);
}

bool support_exists(const char *name)
{
    return access(support_path(name), F_OK) == 0;
}

int support_line_count(const char *name)
{
    size_t count;
    char *text = support_content(name, &count);
    int lines = 0;
    for (size_t i = 0; i < count; i++) lines += text[i] == '\n';
    free(text);
    return lines;
}

char *support_weights(const char *name, size_t *count)
{
    size_t all;
    uint64_t header;
    char *bytes = support_content(name, &all);
    memcpy(&header, bytes, sizeof header);
    *count = all - sizeof header - (size_t)header;
    memmove(bytes, bytes + sizeof header + header, *count);
    return bytes;
}

void support_assert_same_weights(const char *a, const char *b)
{
    size_t count_a, count_b;
    char *bytes_a = support_weights(a, &count_a), *bytes_b = support_weights(b, &count_b);
    ck_assert_uint_eq(count_a, count_b);
    ck_assert_uint_gt(count_a, 1000);
    ck_assert_msg(memcmp(bytes_a, bytes_b, count_a) == 0, "weights of %s and %s differ", a, b);
    free(bytes_a);
    free(bytes_b);
}

void support_assert_content(const char *name, char *expected, size_t count)
{
    size_t found;
    char *bytes = support_content(name, &found);
    ck_assert_uint_eq(found, count);
    ck_assert_msg(memcmp(bytes, expected, count) == 0, "%s has changed", name);
    free(bytes);
    free(expected);
}

void support_assert_same_files(const char *a, const char *b)
{
    size_t count;
    char *content = support_content(a, &count);
    support_assert_content(b, content, count);
}
