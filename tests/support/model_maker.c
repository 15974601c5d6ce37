#include "support/model_maker.h"

#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER TEST_OUTPUT "/models"

/* Whether the file was written after this program, and with it the library, was linked. */
static bool is_current(const char *path)
{
    char program[SUPPORT_PATH] = ""; /* its name, because valgrind stands in for the link itself */
    struct stat made, linked;
    if (readlink("/proc/self/exe", program, sizeof program - 1) <= 0 || stat(program, &linked) != 0 ||
        stat(path, &made) != 0)
        return false;
    return made.st_mtim.tv_sec > linked.st_mtim.tv_sec ||
           (made.st_mtim.tv_sec == linked.st_mtim.tv_sec && made.st_mtim.tv_nsec > linked.st_mtim.tv_nsec);
}

static void make(support_train_fn *train_and_save, const char *path, int steps, int kind)
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

const char *support_make_model(const char *of, support_train_fn *train_and_save, const char *name, int steps,
                               int kind)
{
    char shared[SUPPORT_PATH];
    snprintf(shared, sizeof shared, FOLDER "/%s-%d-%d.safetensors", of, kind, steps);
    mkdir(FOLDER, 0777);
    if (!is_current(shared)) make(train_and_save, shared, steps, kind);
    size_t count;
    char *bytes = support_read_file(shared, &count);
    support_write_file(support_path(name), bytes, count);
    free(bytes);
    return support_path(name);
}
