/* Reviews, or other texts each of which stands for itself. */
#ifndef LB_REVIEWS_H
#define LB_REVIEWS_H

#include "data/strings.h"

/** Bytes that a review may have. */
enum { LB_REVIEW_LONGEST = 1 << 20 };

/** Reads the first `most` reviews of `path`; 0: all.
 *  Path:   a folder with a file for each, of the kind and in the order that lb_text_files_find says; a file with a line
 *          for each, where lines without a word do not count; or "-", standard input, the same.
 *  Text:   valid UTF-8 with at least one word. A byte order mark at the beginning of a file and the ends of lines, "\n" or
 *          "\r\n", are not part of it.
 *  Memory: `reviews` is to be freed by lb_strings_free, also after an error.
 *  Errors: LB_ERROR_OPEN if there is no such file or it cannot be read; LB_ERROR_FORMAT, with file and line, if it is not
 *          UTF-8, has a zero byte, is too long, or if there is no review; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_reviews_read(const char *path, size_t most, lb_strings *reviews, lb_error *error);

#endif
