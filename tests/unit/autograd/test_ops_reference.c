/* docs/ops.md matches the sources. */
#include "support/op_trials.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

START_TEST(test_ops_reference_is_current)
{
    size_t generated_size, kept_size;
    char *generated = support_read_file(GENERATED_DIR "/ops.md", &generated_size);
    char *kept = support_read_file(SOURCE_DIR "/docs/ops.md", &kept_size);
    ck_assert_uint_gt(generated_size, 5000);
    ck_assert_msg(
        strcmp(generated, kept) == 0,
        "docs/ops.md is not what src/autograd/ops says. To refresh it:\n    cp %s/ops.md %s/docs/ops.md",
        GENERATED_DIR, SOURCE_DIR);
    free(generated);
    free(kept);
}
END_TEST

START_TEST(test_ops_reference_shows_each_op_with_its_operands_formula_and_derivative)
{
    size_t size;
    int count, ops = 0, rows = 0;
    char *text = support_read_file(GENERATED_DIR "/ops.md", &size);
    const support_trial *trials = support_trials(&count);
    for (const support_trial *t = trials; t < trials + count; t++) {
        const lb_op *op = t->op;
        char row[1024];
        if (t > trials && t->proof == t[-1].proof) continue;
        snprintf(row, sizeof row, "\n| `%s` | `%s` | `%s` | `%s` |\n", op->name, op->operands, op->formula,
                 op->derivative);
        ck_assert_msg(strstr(text, row), "the page lacks %s", row);
        ops++;
    }
    for (const char *at = text; (at = strstr(at, "\n| `")) != NULL; at++) rows++;
    ck_assert_msg(rows == ops, "%d ops have a descriptor in src/autograd/ops, %d have cases", rows, ops);
    free(text);
}
END_TEST
