/* evaluate: BLEU and chrF2 of texts. The values are of sentences in tests/data/text/make_translations.py. */
#include "lookback/base.h"
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <string.h>

static support_result result;

/* Runs evaluate in the test's folder. */
#define RUN(...) SUPPORT_RUN(&result, NULL, BIN_DIR "/lookback", "evaluate", __VA_ARGS__)

static void expect_line(const char *line)
{
    ck_assert_int_eq(result.status, 0);
    ck_assert_msg(strstr(result.output, line) != NULL, "expected %s, found %s", line, result.output);
}

static void expect_none(const char *text)
{
    ck_assert_int_eq(result.status, 0);
    ck_assert_msg(strstr(result.output, text) == NULL, "expected no %s, found %s", text, result.output);
}

static const char references[] = "eins\tAn old man walks his dog through the park.\n"
                                 "zwei\tTwo girls play football at the beach.\n"
                                 "drei\tA woman is singing on a stage.\n";

static const char outputs[] = "eins\tThe old man walks his dog in the park.\n"
                              "zwei\tTwo girls are playing football on the beach.\n"
                              "drei\tA woman sings.\n";

START_TEST(test_evaluate_texts_have_bleu_and_chrf_with_a_signature)
{
    support_write_text("pairs.tsv", references);
    support_write_text("said.tsv", outputs);
    RUN("--predictions=said.tsv", "pairs.tsv");
    expect_line("\nBLEU of characters ");
    expect_line("\nBLEU                   30.98    95 % interval ");
    expect_line("\nchrF2                  55.88    95 % interval ");
    expect_line("\nsignature           nrefs:1|case:mixed|tok:13a|smooth:exp|version:");
    expect_line(lb_version());
    /* The units of the model do not matter: a text is what a reader sees. */
    RUN("--predictions=said.tsv", "pairs.tsv", "--target-separator= ");
    expect_line("\nBLEU of symbols ");
    expect_line("\nBLEU                   30.98  ");
    expect_line("\nchrF2                  55.88  ");
    RUN("--predictions=said.tsv", "pairs.tsv", "--lower");
    expect_line("\nBLEU                   30.98  ");
    expect_line("\nchrF2                  56.27  ");
    expect_line("|case:lc|");
}
END_TEST

START_TEST(test_evaluate_texts_as_json_adds_fields_and_keeps_the_others)
{
    support_write_text("pairs.tsv", references);
    support_write_text("said.tsv", outputs);
    RUN("--predictions=said.tsv", "pairs.tsv", "--json");
    expect_line("\"bleu\":{\"value\":");
    expect_line("\"bleu_13a\":{\"value\":30.9835679,\"low\":");
    expect_line("\"chrf2\":{\"value\":55.883285,\"low\":");
    expect_line("\"bleu_of\":\"characters\",\"signature\":\"nrefs:1|case:mixed|tok:13a|smooth:exp|version:");
    expect_line("\",\"confusions\":");
}
END_TEST

/* The corpus "several references", two lines of it without its last ones. */
START_TEST(test_evaluate_several_targets_of_a_source_are_references)
{
    support_write_text(
        "pairs.tsv",
        "a\tA man walks his dog.\na\tSomebody is walking a dog in the park.\na\tA dog is walked.\n"
        "b\tChildren are laughing loudly at him.\nb\tThe kids laugh.\n"
        "c\tRain.\nc\tIt is raining, as it has been for days\n"
        "d\tof the and the\nd\tof of or\nd\tthe the the\n");
    support_write_text("said.tsv", "a\tA man is walking a dog.\na\t\na\t\nb\tThe children laugh.\nb\t\n"
                                   "c\tIt rains\nc\t\nd\tof of of the the\nd\t\nd\t\n");
    RUN("--predictions=said.tsv", "pairs.tsv", "--any-target");
    expect_line("\nBLEU                   35.17  ");
    expect_line("\nchrF2                  41.73  ");
    expect_line(" nrefs:var|");
    RUN("--predictions=said.tsv", "pairs.tsv");
    expect_line(" nrefs:1|");
    support_write_text("pairs.tsv", "a\tone word\na\tone words\nb\tanother one\nb\tothers\n");
    RUN("--predictions=pairs.tsv", "pairs.tsv", "--any-target");
    expect_line(" nrefs:2|");
}
END_TEST

/* As the case before, with a file for each reference; and a pair of each answer of a line has one prediction. */
START_TEST(test_evaluate_several_files_of_targets_are_references)
{
    support_write_text("src", "a\nb\n");
    support_write_text("one", "A man walks his dog.\nThe kids laugh at me.\n");
    support_write_text("two", "A dog is walked by him.\nChildren laugh at me.\n");
    support_write_text("said.tsv", "a\tA man walks his dog.\nb\tChildren laugh at me.\n");
    RUN("--predictions=said.tsv", "src", "--targets=one", "--targets=two");
    expect_line("pairs                      4\nsources                    2\nexact match           100.00 %");
    expect_line(" nrefs:2|");
    RUN("--predictions=said.tsv", "src", "--targets=one");
    expect_line("pairs                      2\nexact match            50.00 %");
    support_write_text("two", "A dog is walked by him.\n");
    RUN("--predictions=said.tsv", "src", "--targets=one", "--targets=two");
    ck_assert_int_eq(result.status, 65);
    ck_assert_ptr_nonnull(
        strstr(result.error, "two:1: found the last target, expected as many lines as in src"));
}
END_TEST

START_TEST(test_evaluate_bleu_without_four_words_is_not_defined)
{
    support_write_text("pairs.tsv", "a\tdrie een acht\nb\tvier nul\n");
    RUN("--predictions=pairs.tsv", "pairs.tsv");
    expect_line("\nBLEU                       -\nchrF2                 100.00\n");
    RUN("--predictions=pairs.tsv", "pairs.tsv", "--json");
    expect_line("\"bleu_13a\":{\"value\":null,\"low\":null,\"high\":null,"
                "\"why_null\":\"no output has four words\"}");
}
END_TEST

/* Marks may be apart from their letters in one of the files, as they are inside a model. */
START_TEST(test_evaluate_texts_are_compared_in_composed_form)
{
    support_write_text("pairs.tsv", "a\tFu\u0308nf Ka\u0308fer krabbeln heute\n");
    support_write_text("said.tsv", "a\tF\u00fcnf K\u00e4fer krabbeln\n");
    RUN("--predictions=said.tsv", "pairs.tsv", "--json");
    expect_line("\"chrf2\":{\"value\":78.");
    char decomposed[4096];
    strcpy(decomposed, strstr(result.output, "\"chrf2\""));
    support_write_text("pairs.tsv", "a\tF\u00fcnf K\u00e4fer krabbeln heute\n");
    RUN("--predictions=said.tsv", "pairs.tsv", "--json");
    ck_assert_str_eq(strstr(result.output, "\"chrf2\""), decomposed);
}
END_TEST

START_TEST(test_evaluate_lists_of_numbers_and_single_words_have_no_bleu_of_words)
{
    static const char *const files[] = {"a\t1 22 333\nb\t-4 5,0 6.1\n", "a\tword\nb\tother-word,\n"};
    for (size_t i = 0; SUPPORT_ROW(i, files); i++) {
        support_write_text("pairs.tsv", files[i]);
        RUN("--predictions=pairs.tsv", "pairs.tsv");
        expect_none("\nBLEU  ");
        expect_none("chrF2");
        expect_none("signature");
        RUN("--predictions=pairs.tsv", "pairs.tsv", "--json", "--lower");
        expect_none("bleu_13a");
        expect_none("chrf2");
        expect_none("signature");
    }
}
END_TEST
