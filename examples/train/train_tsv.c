/* Trains a model on the pairs of a TSV file and saves it: train_tsv FILE FOLDER [STEPS]. If it is stopped, the same
 * command resumes. */
#include <lookback/lookback.h>
#include <stdio.h>
#include <stdlib.h>

static lb_status show(void *context, const lb_event *event, lb_error *error)
{
    (void)error;
    if (event->kind != LB_EVENT_POINT) return LB_OK;
    const lb_train_point *last = &event->history->points[event->history->count - 1];
    fprintf(context, "step %lld of %lld: loss %.3f, exact match %.3f\n", (long long)last->step,
            (long long)event->run->steps, last->loss, last->dev.exact_match);
    return LB_OK;
}

int main(int argc, char **argv)
{
    lb_error error = {0};
    lb_training_result result;
    lb_training_config config = {
        .train = argc > 1 ? argv[1] : NULL,
        .out = argc > 2 ? argv[2] : "out",
        .steps = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0,
        .context = stdout,
        .tell = show,
    };
    if (lb_translator_train(config, &result, &error))
        fprintf(stderr, "%s\n", error.message);
    else
        printf("exact match %.4f on %lld pairs\n", result.dev.exact_match, (long long)result.pairs);
    return lb_status_exit(error.status);
}
