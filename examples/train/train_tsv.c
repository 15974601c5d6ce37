/* Trains a model on the pairs of a TSV file and saves it: train_tsv FILE FOLDER [STEPS]. If it is stopped, the same
 * command resumes. */
#include <lookback/lookback.h>
#include <stdio.h>
#include <stdlib.h>

static void show(void *context, const lb_training_run *run)
{
    const lb_train_point *last = &run->history->points[run->history->count - 1];
    fprintf(context, "step %lld of %lld: loss %.3f, exact match %.3f\n", (long long)last->step,
            (long long)run->steps, last->loss, last->dev.exact_match);
}

int main(int argc, char **argv)
{
    lb_error error = {0};
    lb_training_result result;
    lb_training_config config = {
        .train = argc > 1 ? argv[1] : NULL,
        .out = argc > 2 ? argv[2] : "out",
        .steps = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0,
        .listener = {.context = stdout, .evaluated = show},
    };
    if (lb_translator_train(config, &result, &error))
        fprintf(stderr, "%s\n", error.message);
    else
        printf("exact match %.4f on %lld pairs\n", result.dev.exact_match, (long long)result.pairs);
    return lb_status_exit(error.status);
}
