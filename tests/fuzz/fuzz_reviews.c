/* A file of reviews, one per line, and the words of each. */
#include "fuzz.h"
#include "reviews/reviews.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lb_error error = {0};
    review_list reviews = {0};
    lb_status status = reviews_read(fuzz_file(data, size), 0, &reviews, &error);
    fuzz_require_told(status == LB_OK, &error);
    for (size_t i = 0; !status && i < reviews.count; i++) {
        review_words words;
        fuzz_require(reviews_words(reviews.text[i], &words, &error) == LB_OK && words.count > 0,
                     "a review has words");
        reviews_words_free(&words);
    }
    reviews_free(&reviews);
    return 0;
}
