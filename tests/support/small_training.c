#include "support/small_training.h"

#include "support/pair_program.h"
#include "support/suite.h"

#include <string.h>

char support_small_train_file[SUPPORT_PATH], support_small_dev_file[SUPPORT_PATH];

void support_small_files(void)
{
    support_write_pairs("train.tsv", SUPPORT_SMALL_PAIRS, 1);
    support_write_pairs("dev.tsv", 60, 2);
    support_path(support_small_train_file, "train.tsv");
    support_path(support_small_dev_file, "dev.tsv");
}

lb_training_config support_small_config(char out[SUPPORT_PATH], const char *name)
{
    lb_set_threads(1);
    return (lb_training_config){.train = support_small_train_file,
                                .dev = support_small_dev_file,
                                .target_separator = " ",
                                .embed = 16,
                                .hidden = 32,
                                .dropout = -1,
                                .label_smoothing = -1,
                                .warm_up = 20,
                                .lr = 0.02,
                                .evaluate_every = 50,
                                .steps = SUPPORT_SMALL_STEPS,
                                .seed = 1,
                                .out = support_path(out, name)};
}

lb_training_result support_small_train(const lb_training_config *config)
{
    lb_error error = {0};
    lb_training_result result = {0};
    ck_assert_msg(lb_translator_train(*config, &result, &error) == LB_OK, "%s", error.message);
    return result;
}

void support_small_refused(const lb_training_config *config, lb_status status, const char *why)
{
    lb_error error = {0};
    ck_assert_msg(lb_translator_train(*config, NULL, &error) == status, "%s", error.message);
    ck_assert_int_eq(error.status, status);
    ck_assert_msg(strstr(error.message, why) != NULL, "\"%s\" does not say \"%s\"", error.message, why);
}
