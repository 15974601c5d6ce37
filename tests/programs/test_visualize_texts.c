/* visualize with models of texts: pictures of their attention, and one clear line for what cannot be drawn. */
#include "support/pair_model.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VISUALIZE BIN_DIR "/visualize"

/* Made once, in main; `folder` holds the first as model.safetensors. */
static const char *folder, *model, *plain, *beginner;

static support_result result;

static void run(const char *const *argv)
{
    support_run_in_tempdir(argv, NULL, &result);
    ck_assert_str_eq(result.output, "");
}

#define RUN(...) run((const char *const[]){VISUALIZE, __VA_ARGS__, NULL})

static void expect(int status, const char *error)
{
    ck_assert_str_eq(result.error, error);
    ck_assert_int_eq(result.status, status);
}

START_TEST(test_visualize_text_is_drawn_with_its_symbols)
{
    RUN("--model", folder, "--input", "b\xc3\xa9", "-o", "text.png");
    expect(0, "visualize: wrote text.png (4 x 3)\n");
    ck_assert_int_eq(access(support_path("text.png"), F_OK), 0);
    RUN(model, "--input", "\xed\x95\x9c", "-o",
        "text.png"); /* a syllable of three letters in no font of ours */
    ck_assert_int_eq(result.status, 0);
}
END_TEST

START_TEST(test_visualize_model_may_be_named_in_three_ways)
{
    size_t size, other_size;
    RUN("--model", folder, "--input", "bad", "-o", "a.png");
    ck_assert_int_eq(result.status, 0);
    char *a = support_read_file(support_path("a.png"), &size);
    RUN(model, "--input", "bad", "-o", "b.png");
    ck_assert_int_eq(result.status, 0);
    char *b = support_read_file(support_path("b.png"), &other_size);
    ck_assert(size == other_size && memcmp(a, b, size) == 0);
    free(a);
    free(b);
    RUN("--model", folder, model, "--compare", model, "--input", "bad");
    expect(0, "visualize: wrote attention.png (4 x 3, 3 models)\n");
}
END_TEST

START_TEST(test_visualize_symbols_that_the_model_does_not_know_are_told)
{
    RUN(model, "--input", "bxay");
    ck_assert_int_eq(result.status, 0);
    const char *const said = "visualize: --input: the model does not know \"x\", \"y\"\n";
    ck_assert_msg(strncmp(result.error, said, strlen(said)) == 0, "%s", result.error);
}
END_TEST

START_TEST(test_visualize_what_is_no_text_is_status_65)
{
    RUN(model, "--input", "");
    expect(65, "visualize: --input: found an empty text\n");
    RUN(model, "--input", "a\xff");
    expect(65, "visualize: --input: found 0xFF at byte 2, expected UTF-8\n");
    char many[1002] = "";
    memset(many, 'a', sizeof many - 1);
    RUN(model, "--input", many);
    expect(65, "visualize: --input: found a text of 1001 symbols, expected at most 1000\n");
    RUN(plain, "--input", "a");
    ck_assert_int_eq(result.status, 65);
    ck_assert_ptr_nonnull(strstr(result.error, ": the model has no attention to draw\n"));
}
END_TEST

START_TEST(test_visualize_scores_are_a_second_picture)
{
    size_t count;
    RUN(model, "--input", "bad", "-o", "a.png", "--scores", "b.svg");
    expect(0, "visualize: wrote b.svg (4 x 5)\nvisualize: wrote a.png (4 x 3)\n");
    char *bytes = support_read_file(support_path("b.svg"), &count), *svg = malloc(count + 1);
    ck_assert(bytes && svg);
    memcpy(svg, bytes, count);
    svg[count] = '\0';
    free(bytes);
    const char *cell = strstr(svg, ">t\xca\x83</text>"); /* in a cell, then as the name of a row */
    ck_assert_ptr_nonnull(cell);
    ck_assert_ptr_nonnull(strstr(cell + 1, ">t\xca\x83</text>"));
    ck_assert_ptr_nonnull(strstr(svg, ">&lt;eos&gt;</text>"));
    ck_assert_ptr_nonnull(strstr(svg, ">probability</text>"));
    free(svg);
    RUN(model, "--input", "bad", "--scores", "b.jpg");
    expect(2, "visualize: --scores: expected a name that ends in .png, .svg or .pdf, found \"b.jpg\"\n");
    RUN(model, model, "--input", "bad", "--scores", "b.png");
    expect(2, "visualize: --scores needs exactly one MODEL; see visualize --help\n");
}
END_TEST

static char *read_picture(const char *name)
{
    size_t count;
    char *bytes = support_read_file(support_path(name), &count), *text = malloc(count + 1);
    ck_assert(bytes && text);
    memcpy(text, bytes, count);
    text[count] = '\0';
    free(bytes);
    return text;
}

START_TEST(test_visualize_by_erasure_gradient_and_patching_say_what_they_show)
{
    RUN(model, "--input", "bad", "--by", "erasure", "-o", "e.svg");
    expect(0, "visualize: wrote e.svg (4 x 3)\n");
    RUN(model, "--input", "bad", "--by", "gradient", "-o", "g.svg");
    expect(0, "visualize: wrote g.svg (4 x 3)\n");
    RUN(model, "--input", "bad", "--patch", "cab", "-o", "p.svg");
    expect(0, "visualize: wrote p.svg (6 x 4)\n"); /* the whole, and five points */
    char *erasure = read_picture("e.svg"), *gradient = read_picture("g.svg"), *patch = read_picture("p.svg");
    ck_assert_ptr_nonnull(strstr(erasure, ">log-probability lost</text>"));
    ck_assert_ptr_nonnull(strstr(gradient, ">gradient times input</text>"));
    ck_assert_ptr_nonnull(strstr(patch, ">log-probability returned</text>"));
    ck_assert_ptr_nonnull(strstr(patch, ">cross.context 0.0</text>"));
    ck_assert_ptr_nonnull(strstr(patch, ">decoder.initial 0</text>"));
    free(erasure);
    free(gradient);
    free(patch);
    RUN(plain, "--input", "bad", "--by", "erasure", "-o", "e.svg"); /* without attention */
    ck_assert_int_eq(result.status, 0);
}
END_TEST

START_TEST(test_visualize_by_and_patch_refuse_what_they_have_none_of)
{
    RUN(model, "--input", "b", "--by", "erasure");
    expect(65, "visualize: --input: found a text of one symbol, expected more for erasure\n");
    RUN(model, "--input", "bad", "--patch", "ba");
    expect(65, "visualize: --input: text 0 to patch: found 2 symbols, expected 3, as the text has\n");
    RUN(model, "--input", "bad", "--patch", "bad", "--by", "erasure");
    expect(2, "visualize: --patch: expected neither --by nor --words with it; see visualize --help\n");
    RUN(model, "--input", "bad", "--by", "erasure", "--head", "0");
    expect(2, "visualize: --layer, --head and --all-heads belong to attention, not to --by or --patch; see "
              "visualize --help\n");
    RUN(model, model, "--input", "bad", "--patch", "dab");
    expect(2, "visualize: --patch needs exactly one MODEL; see visualize --help\n");
    RUN("--matrix", "x.npy", "--by", "gradient");
    expect(2, "visualize: --by and --patch belong to a MODEL, not to --matrix; see visualize --help\n");
}
END_TEST

int main(void)
{
    if (mkdir(folder = support_path("out"), 0777) != 0) return EXIT_FAILURE;
    model = support_train_pair_model("out/model.safetensors", 600, LB_ATTENTION_ADDITIVE);
    plain = support_train_pair_model("plain.safetensors", 0, LB_ATTENTION_NONE);
    beginner = support_train_pair_model("beginner.safetensors", 0, LB_ATTENTION_ADDITIVE);
    return support_run_tests();
}
