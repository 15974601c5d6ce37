#include "support/small_training.h"

#include "support/pair_program.h"
#include "support/suite.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *support_small_train_file, *support_small_dev_file;

void support_small_files(void)
{
    support_write_pairs("train.tsv", SUPPORT_SMALL_PAIRS, 1);
    support_write_pairs("dev.tsv", 60, 2);
    support_small_train_file = support_path("train.tsv");
    support_small_dev_file = support_path("dev.tsv");
}

lb_training_config support_small_config(const char *name)
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
                                .out = support_path(name)};
}

lb_training_result support_small_train(const lb_training_config *config)
{
    lb_error error = {0};
    lb_training_result result = {0};
    ck_assert_msg(lb_translator_train(*config, &result, &error) == LB_OK, "%s", error.message);
    return result;
}

static lb_status die_at_step(void *context, const lb_event *event, lb_error *failure)
{
    (void)failure;
    if (event->kind == LB_EVENT_STEPPED && event->step.step == *(const int *)context) _exit(7);
    return LB_OK;
}

void support_small_dies(lb_training_config config, int step)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        config.context = &step;
        config.tell = die_at_step;
        _exit(lb_translator_train(config, NULL, NULL) ? 1 : 0);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

lb_translator *support_open_model(const char *path)
{
    lb_error error = {0};
    lb_translator *translator = lb_translator_open(path, &error);
    ck_assert_msg(translator != NULL, "%s", error.message);
    return translator;
}

void support_small_refused(const lb_training_config *config, lb_status status, const char *why)
{
    lb_error error = {0};
    ck_assert_msg(lb_translator_train(*config, NULL, &error) == status, "%s", error.message);
    ck_assert_int_eq(error.status, status);
    ck_assert_msg(strstr(error.message, why) != NULL, "\"%s\" does not say \"%s\"", error.message, why);
}
