#include "reviews/reviews.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "data/text/symbols.h"
#include "io/file.h"
#include "io/lines.h"
#include "reviews/text_files.h"

#include <errno.h>
#include <string.h>

static lb_status too_long(const char *name, long long line, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_FORMAT, "%s:%lld: expected a review of at most %d bytes", name, line,
                        REVIEWS_LONGEST);
}

/* Checks text that begins at line `first` of a file. */
static lb_status check(const char *text, size_t length, const char *name, long long first, lb_error *error)
{
    size_t valid = lb_utf8_prefix(text, length);
    const char *zero = memchr(text, '\0', valid), *fault = zero ? zero : text + valid;
    if (fault == text + length) return LB_OK;
    long long line = first;
    for (const char *c = text; c < fault; c++) line += *c == '\n';
    const lb_file_kind *kind = line == 1 ? lb_file_kind_find(text, length) : NULL;
    char told[LB_FILE_KIND_TEXT];
    if (kind)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s:1: %s", name,
                            lb_file_kind_print(kind, name, "text in UTF-8", true, told));
    if (zero)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s:%lld: found a zero byte, expected text", name, line);
    return lb_error_set(error, LB_ERROR_FORMAT, "%s:%lld: found byte 0x%02X, expected UTF-8", name, line,
                        (unsigned)(unsigned char)*fault);
}

/* The length of the byte order mark at the start of the text, if any. */
static size_t byte_order_mark(const char *text, size_t length)
{
    static const char mark[] = {'\xEF', '\xBB', '\xBF'};
    return length >= sizeof mark && memcmp(text, mark, sizeof mark) == 0 ? sizeof mark : 0;
}

/* Removes the end of the last line, and a byte order mark. */
static void trim(char *text, size_t length)
{
    size_t mark = byte_order_mark(text, length);
    while (length > mark && (text[length - 1] == '\n' || text[length - 1] == '\r')) length--;
    memmove(text, text + mark, length - mark);
    text[length - mark] = '\0';
}

/* A file that is one review. */
static lb_status read_file(const char *path, lb_strings *reviews, lb_error *error)
{
    void *bytes;
    size_t length;
    lb_status status = lb_file_read(path, REVIEWS_LONGEST, &bytes, &length, error);
    if (status) return status == LB_ERROR_FORMAT ? too_long(path, 1, error) : status;
    char *text = bytes;
    status = check(text, length, path, 1, error);
    if (!status) {
        trim(text, length);
        if (lb_words_none(text))
            status = lb_error_set(error, LB_ERROR_FORMAT, "%s: found no words, expected a review", path);
    }
    if (!status) return lb_strings_add(reviews, text, error);
    lb_release(text);
    return status;
}

static lb_status read_folder(const char *folder, size_t most, lb_strings *reviews, lb_error *error)
{
    lb_strings paths;
    lb_status status = reviews_find_files(folder, &paths, error);
    for (size_t i = 0; i < paths.count && i < most && !status; i++)
        status = read_file(paths.text[i], reviews, error);
    lb_strings_free(&paths);
    return status;
}

/* A line that is one review, or none. */
static lb_status take_line(const char *name, lb_line line, lb_strings *reviews, lb_error *error)
{
    size_t mark = line.number == 1 ? byte_order_mark(line.text, line.length) : 0;
    if (line.length > REVIEWS_LONGEST) return too_long(name, (long long)line.number, error);
    lb_status status = check(line.text, line.length, name, (long long)line.number, error);
    if (status) return status;
    size_t length = line.length - mark;
    char *text = lb_alloc(length + 1);
    if (!text) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", name);
    memcpy(text, line.text + mark, length);
    text[length] = '\0';
    if (!lb_words_none(text)) return lb_strings_add(reviews, text, error);
    lb_release(text);
    return LB_OK;
}

static lb_status read_lines(lb_os_handle file, const char *name, size_t most, lb_strings *reviews,
                            lb_error *error)
{
    lb_lines lines;
    lb_status status = lb_lines_open(&lines, file, name, REVIEWS_LONGEST, error);
    lb_lines_keep(&lines, false);
    bool more = true;
    while (more && !status && reviews->count < most) {
        lb_line line;
        lb_lines_result result = lb_lines_next(&lines, true, &line, error);
        more = result == LB_LINES_ONE;
        if (more) status = take_line(name, line, reviews, error);
        if (result == LB_LINES_FAILED) status = error ? error->status : LB_ERROR_OPEN;
    }
    lb_lines_close(&lines);
    if (!status && reviews->count == 0)
        status = lb_error_set(error, LB_ERROR_FORMAT, "%s: found no reviews, expected one per line", name);
    return status;
}

static lb_status cannot_read(const char *path, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_OPEN, "%s: cannot read: %s", path, strerror(errno));
}

static lb_status read_path(const char *path, size_t most, lb_strings *reviews, lb_error *error)
{
    lb_os_info info;
    if (most == 0) most = SIZE_MAX;
    if (strcmp(path, "-") == 0) return read_lines(lb_os_input(), "standard input", most, reviews, error);
    if (!lb_os_info_at(path, true, &info)) return cannot_read(path, error);
    if (info.kind == LB_OS_IS_FOLDER) return read_folder(path, most, reviews, error);
    lb_os_handle file = lb_os_open(path, LB_OS_READ);
    if (!lb_os_is_open(file)) return cannot_read(path, error);
    lb_status status = read_lines(file, path, most, reviews, error);
    lb_os_drop(&file);
    return status;
}

lb_status reviews_read(const char *path, size_t most, review_list *reviews, lb_error *error)
{
    lb_strings found = {0};
    lb_status status = read_path(path, most, &found, error);
    *reviews = (review_list){found.count, found.text};
    return status;
}

void reviews_free(review_list *reviews)
{
    lb_strings_free(&(lb_strings){.count = reviews->count, .text = reviews->text});
    *reviews = (review_list){0};
}

lb_status reviews_words(const char *text, review_words *words, lb_error *error)
{
    size_t length = strlen(text);
    lb_words found = {0};
    *words = (review_words){0};
    if (!lb_utf8_valid(text, length)) return lb_error_set(error, LB_ERROR_FORMAT, "expected text in UTF-8");
    char *lower = lb_alloc(LB_LOWER_CASE_ROOM(length) + 1);
    if (!lower) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the words of a text");
    lower[lb_lower_case(text, length, lower)] = '\0';
    lb_status status = lb_words_split(lower, &found, error);
    *words = (review_words){found.count, found.word, found.letters};
    lb_release(lower);
    return status;
}

void reviews_words_free(review_words *words)
{
    lb_words_free(&(lb_words){words->count, words->word, words->letters});
    *words = (review_words){0};
}
