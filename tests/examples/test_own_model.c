/* examples/own: both of its models learn to sort, also after saving and loading, the page about them shows the code of
 * the program, and its loop goes on after a pause and leaves a model that translates. */
#include "lookback/base.h"
#include "support/lesson.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

START_TEST(test_own_model_and_attention_learn_and_come_back_from_their_files)
{
    support_result result;
    int attention, model, read = 0;
    ck_assert(
        support_run((const char *const[]){BIN_DIR "/own_model", support_tempdir(), NULL}, NULL, &result));
    ck_assert_msg(result.status == 0, "%s", result.error);
    sscanf(result.output,
           "sure: %d %% of 200 lists sorted\nsaved and loaded: the same outputs\n"
           "copier: %d %% of 200 lists sorted\nsaved and loaded: the same outputs\n%n",
           &attention, &model, &read);
    ck_assert_msg(read > 0 && result.output[read] == '\0', "%s", result.output);
    ck_assert_int_ge(attention, 85);
    ck_assert_int_ge(model, 85);
    ck_assert_uint_eq(support_file_count(), 2);
    support_result_free(&result);
}
END_TEST

START_TEST(test_own_model_without_a_folder_to_write_to_says_so)
{
    support_result result;
    ck_assert(
        support_run((const char *const[]){BIN_DIR "/own_model", "/no/such/folder", NULL}, NULL, &result));
    ck_assert_int_eq(result.status, lb_status_exit(LB_ERROR_WRITE));
    ck_assert_ptr_nonnull(strstr(result.error, "/no/such/folder/sure.safetensors"));
    support_result_free(&result);
}
END_TEST

START_TEST(test_own_loop_learns_over_a_pause_and_leaves_a_model)
{
    support_result result;
    ck_assert(
        support_run((const char *const[]){BIN_DIR "/own_loop", support_tempdir(), NULL}, NULL, &result));
    ck_assert_msg(result.status == 0, "%s", result.error);
    ck_assert_ptr_nonnull(strstr(result.output, "after the pause, 4 parameters are frozen\nstep 250  loss "));
    ck_assert_ptr_nonnull(strstr(result.output, "\nsamples of walk: "));
    ck_assert_ptr_nonnull(strstr(result.output, "\nwalk: walked\n"));
    ck_assert_uint_eq(support_file_count(), 2);
    support_result_free(&result);
}
END_TEST

static bool same_text(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

START_TEST(test_code_of_the_page_is_the_program_s)
{
    size_t length;
    char *code = support_read_file(SOURCE_DIR "/examples/own/own_model.c", &length),
         *page = support_read_file(SOURCE_DIR "/docs/extending.md", &length);
    char *library = strstr(page, "\n## An op in ten minutes\n"); /* from there on, code of the library */
    ck_assert_ptr_nonnull(library);
    *library = '\0';
    support_lines program = support_cut_lines(code), lines = support_cut_lines(page);
    ck_assert_int_gt(support_count_blocks("extending", &lines, "```c", &program, same_text), 5);
    free(page);
    free(code);
}
END_TEST
