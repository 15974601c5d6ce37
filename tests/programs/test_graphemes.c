/* Symbols of several code points, and symbols that cannot be seen. It takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLAG_DE "\U0001f1e9\U0001f1ea"
#define FLAG_FR "\U0001f1eb\U0001f1f7"
#define FLAG_DJ "\U0001f1e9\U0001f1ef" /* half of it is half of another */

static void expect_text(const char *output, const char *text)
{
    ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
    ck_assert_msg(strstr(output, text) != NULL, "%s: %s", text, output);
}

/* Reversed words of flags: a model of code points would write halves of others. */
static void write_flags(void)
{
    static const char *const flags[] = {FLAG_DE, FLAG_FR, FLAG_DJ};
    static char text[1 << 14];
    size_t used = 0;
    for (int i = 0; i < 81; i++) {
        const char *a = flags[i % 3], *b = flags[i / 3 % 3], *c = flags[i / 9 % 3];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s\t%s%s%s\n", a, b, c, c, b, a);
    }
    support_write_text("flags.tsv", text);
}

START_TEST(test_graphemes_are_symbols_of_the_model)
{
    write_flags();
    support_shell(
        "train flags.tsv --set symbols=graphemes --no-hold-out --hidden 16 --embed 8 --dropout 0 --lr 0.02 "
        "--warm-up 10 "
        "--steps 200 --evaluate-every 100 --threads 1");
    expect_text(support_ran.error, "  source: 3 to 3 symbols, median 3; 3 different\n");
    support_shell("evaluate out flags.tsv --json");
    expect_text(support_ran.output, "\"exact_match\":{\"value\":100,");
    support_shell("predict out flags.tsv --source-column 1 --jsonl | head -n 2 | tail -n 1");
    expect_text(support_ran.output, "\"symbols\":[{\"symbol\":\"" FLAG_DE "\",");
    support_shell(
        "train flags.tsv --from out --out on --steps 2 --evaluate-every 2 --no-hold-out --lr 0.001");
    expect_text(support_ran.error, "  source: 3 to 3 symbols, median 3; 3 different\n");
    support_shell("train flags.tsv --from out --out on --set symbols=characters --steps 2 --no-hold-out");
    ck_assert_int_eq(support_ran.status, 2);
    ck_assert_ptr_nonnull(strstr(support_ran.error, "cannot start from out: it has --set symbols=graphemes"));
    support_shell("train flags.tsv --set symbols=letters --out other");
    ck_assert_int_eq(support_ran.status, 2);
    support_shell("data flags.tsv --symbols graphemes");
    expect_text(support_ran.output, "source symbols, most frequent: \"" FLAG_DE "\" ");
}
END_TEST

START_TEST(test_invisible_symbols_are_printed_by_number)
{
    support_write_text("pairs.tsv", "a\tx\u00a0y\nb\tx\u2028\n");
    support_write_text("outputs.tsv", "a\tx y\nb\tx\u200b\n");
    support_shell("evaluate --predictions outputs.tsv pairs.tsv");
    expect_text(support_ran.output, "       1  U+00A0 ->  \n");
    expect_text(support_ran.output, "       1  U+2028 -> U+200B\n");
    support_write_text("dev.tsv", "a\u00a0\tx\n");
    support_shell("data pairs.tsv --dev dev.tsv");
    expect_text(support_ran.output, "  1 source symbol never seen in training, 1 time: \"U+00A0\" 1\n");
}
END_TEST
