/* A program of one's own on several ranks: it knows lookback_mpi, but not MPI. */
#include <lookback/mpi.h>
#include <lookback/translate.h>

#include <stdio.h>

int main(void)
{
    lb_error error = {0};
    lb_training_result result;
    const lb_sort_task task = {.max_value = 9, .min_length = 1, .max_length = 3};
    lb_mpi *mpi = lb_mpi_open(&error);
    if (!mpi) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    const lb_group *group = lb_mpi_group(mpi);
    lb_set_threads(lb_mpi_share(mpi, lb_threads()));
    lb_training_config config = {
        .sort = &task, .hidden = 16, .steps = 100, .seed = 1, .out = "out", .fresh = true, .group = group};
    lb_status status = lb_translator_train(config, &result, &error);
    if (status) {
        fprintf(stderr, "%s: %s\n", group->name, error.message);
        if (!lb_mpi_ends(mpi, 5)) lb_mpi_abort(mpi, lb_status_exit(status));
    } else if (group->rank == 0) {
        printf("%d ranks: exact match %.2f on %lld lists\n", group->size, result.dev.exact_match,
               (long long)result.pairs);
    }
    lb_mpi_close(mpi);
    return lb_status_exit(status);
}
