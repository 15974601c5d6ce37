/* examples/sparse: the page shows its code, its numbers and its picture. */
#include "support/lesson.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdlib.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

START_TEST(test_sparse_page_has_the_code_the_numbers_and_the_picture_of_its_program)
{
    support_result result;
    size_t length, drawn_size, shown_size;
    ck_assert(support_run((const char *const[]){BIN_DIR "/sparse_weights", support_tempdir(), NULL}, NULL,
                          &result));
    ck_assert_msg(result.status == 0, "%s", result.error);
    char *code = support_read_file(SOURCE_DIR "/examples/sparse/sparse_weights.c", &length),
         *page = support_read_file(SOURCE_DIR "/docs/sparse.md", &length);
    support_lines program = support_cut_lines(code), lines = support_cut_lines(page),
                  output = support_cut_lines(result.output);
    ck_assert_int_eq(support_count_blocks("sparse", &lines, "```c", &program, same_text), 1);
    ck_assert_int_eq(support_count_blocks("sparse", &lines, "```text", &output, support_same_line), 1);
    char *drawn = support_read_file(support_path("sparse_weights.png"), &drawn_size),
         *shown = support_read_file(SOURCE_DIR "/docs/images/sparse_weights.png", &shown_size);
    ck_assert_uint_gt(drawn_size, 5000);
    ck_assert_uint_gt(shown_size, 5000);
    free(shown);
    free(drawn);
    free(page);
    free(code);
    support_result_free(&result);
}
END_TEST
