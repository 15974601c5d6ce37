/* Reviews, or other independent texts, and their words: what lesson 8 reads, and its page. It is built with the
 * library; the lesson needs no header of it but this one. */
#ifndef REVIEWS_H
#define REVIEWS_H

#include <lookback/base.h>

/** The maximum length of a review in bytes. */
enum { REVIEWS_LONGEST = 1 << 20 };

/** Texts in UTF-8. */
typedef struct review_list {
    size_t count;
    char **text; /* [count] */
} review_list;

/** The words of a text, in order. */
typedef struct review_words {
    size_t count;
    const char **word; /* [count] UTF-8 strings */
    char *letters;     /* their memory */
} review_words;

/** Reads the first `most` reviews of `path`; 0: all.
 *  Path:   a folder with one .txt file per review, in train/pos and train/neg, in pos and neg, or in the folder itself;
 *          a file with one review per line, where lines without a word are skipped; or "-" for such lines on standard
 *          input.
 *  Text:   valid UTF-8 with at least one word. A byte order mark at the start of a file and the line ends "\n" and
 *          "\r\n" are not part of it.
 *  Memory: free `reviews` with reviews_free, also after an error.
 *  Errors: LB_ERROR_OPEN if the file does not exist or cannot be read; LB_ERROR_FORMAT, with file and line, if a review
 *          is not UTF-8, has a zero byte or is too long, or if there are no reviews; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status reviews_read(const char *path, size_t most, review_list *reviews, lb_error *error);

/** Splits a UTF-8 text into lower-case words, like text.lower().split() in Python.
 *  Memory: free it with reviews_words_free, also after an error.
 *  Errors: LB_ERROR_FORMAT if the text is not UTF-8; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status reviews_words(const char *text, review_words *words, lb_error *error);

/** Frees what reviews_read and reviews_words have filled in. A list of zeros is allowed. */
void reviews_free(review_list *reviews);
void reviews_words_free(review_words *words);

#endif
