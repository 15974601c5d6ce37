#include "support/model_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void support_make_model(support_train_fn *train_and_save, const char *path, int steps, int kind)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        lb_error error = {0};
        lb_set_threads(1); /* with such a small model, several would only wait for each other */
        if (train_and_save(path, steps, kind, &error)) fprintf(stderr, "%s: %s\n", path, error.message);
        _exit(error.status ? 1 : 0);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) {
        fprintf(stderr, "%s: no model could be trained\n", path);
        exit(EXIT_FAILURE);
    }
}
