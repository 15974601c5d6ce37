/* Gives a target of fuzzing its corpus, in any build and without libFuzzer: `replay NAME FOLDER`. What was found
 * once stays mended, in every build. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int target_fn(const uint8_t *data, size_t size);

/* FUZZ_TARGETS, from CMake, is X(NAME) for each fuzz_NAME.c, whose function is called replay_NAME here. */
#define X(name) target_fn replay_##name;
FUZZ_TARGETS
#undef X

static const struct target {
    const char *name;
    target_fn *run;
} targets[] = {
#define X(name) {#name, replay_##name},
    FUZZ_TARGETS
#undef X
};

enum { TARGETS = sizeof targets / sizeof *targets, PATH = 4096, MOST = 1 << 20 };

static int run_file(const struct target *target, const char *path)
{
    static uint8_t bytes[MOST];
    FILE *file = fopen(path, "rb");
    if (!file) return 1;
    size_t size = fread(bytes, 1, MOST, file);
    int failed = ferror(file);
    fclose(file);
    if (failed) return 1;
    /* In memory of its own, so that a byte read too many is seen. */
    uint8_t *input = malloc(size ? size : 1);
    if (!input) return 1;
    memcpy(input, bytes, size);
    int status = target->run(input, size);
    free(input);
    return status;
}

/* The number of files; -1 if one cannot be read. */
static int run_folder(const struct target *target, const char *folder)
{
    int count = 0;
    DIR *open = opendir(folder);
    if (!open) return -1;
    for (struct dirent *entry = readdir(open); entry && count >= 0; entry = readdir(open)) {
        char path[PATH];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        fprintf(stderr, "%s\n", path); /* the last one is what a crash comes from */
        count = run_file(target, path) ? -1 : count + 1;
    }
    closedir(open);
    return count;
}

int main(int argc, char **argv)
{
    const struct target *target = NULL;
    for (int i = 0; i < TARGETS && argc == 3; i++)
        if (strcmp(targets[i].name, argv[1]) == 0) target = &targets[i];
    int count = target ? run_folder(target, argv[2]) : -1;
    if (count > 0) return EXIT_SUCCESS;
    fprintf(stderr, "found no target, or no readable corpus\n");
    return EXIT_FAILURE;
}
