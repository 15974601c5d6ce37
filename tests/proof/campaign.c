#include "proof/campaign.h"

#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PRINTED = 20, WRONG_OPTION = 2 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void refuse(const char *name, const char *option, const char *value)
{
    fprintf(stderr, "%s: invalid %s: '%s'\nusage: %s [--seconds S] [--seed N] [--folder DIR]\n", name, option,
            value, name);
    exit(WRONG_OPTION);
}

static void read_options(proof *p, int argc, char **argv)
{
    static const struct option options[] = {
        {"seconds", required_argument, NULL, 't'},
        {"seed", required_argument, NULL, 's'},
        {"folder", required_argument, NULL, 'f'},
        {NULL, 0, NULL, 0},
    };
    char *end = NULL;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 't') {
            p->seconds = strtod(optarg, &end);
            if (end == optarg || *end || !(p->seconds >= 0)) refuse(p->name, "--seconds", optarg);
        } else if (option == 's') {
            p->seed = strtoull(optarg, &end, 10);
            if (end == optarg || *end) refuse(p->name, "--seed", optarg);
        } else if (option != 'f' || setenv("TMPDIR", optarg, 1) != 0) {
            refuse(p->name, "option", argv[optind - 1]);
        }
    }
    if (optind < argc) refuse(p->name, "argument", argv[optind]);
}

proof proof_begin(const char *name, int argc, char **argv)
{
    proof p = {.name = name, .seconds = 10, .seed = 1};
    read_options(&p, argc, argv);
    p.begun = now();
    p.shared = mmap(NULL, sizeof *p.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    /* The resolved path, because names of files are compared. */
    char *folder = realpath(support_tempdir(), NULL);
    if (p.shared == MAP_FAILED || !folder || strlen(folder) >= sizeof p.folder) {
        perror(name);
        exit(EXIT_FAILURE);
    }
    strcpy(p.folder, folder);
    free(folder);
    return p;
}

int proof_end(const proof *p)
{
    long failures = 0;
    for (int k = 0; k < PROOF_KINDS && (k == 0 || *p->shared->count[k].of); k++) {
        const proof_count *count = &p->shared->count[k];
        printf("%s%s%s: %ld trials, %ld failures\n", p->name, *count->of ? " of " : "", count->of,
               count->trials, count->failures);
        failures += count->failures;
    }
    munmap(p->shared, sizeof *p->shared);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

double proof_elapsed(const proof *p)
{
    return now() - p->begun;
}

bool proof_has_time(const proof *p)
{
    return proof_elapsed(p) < p->seconds;
}

proof_count *proof_kind(const proof *p, const char *of)
{
    int k = 0;
    proof_count *count = p->shared->count;
    while (k < PROOF_KINDS - 1 && *count[k].of && strcmp(count[k].of, of) != 0) k++;
    snprintf(count[k].of, sizeof count[k].of, "%s", of);
    return &count[k];
}

void proof_fail(const proof *p, proof_count *count, uint64_t seed, const char *format, ...)
{
    va_list values;
    count->failures++;
    if (p->shared->printed++ >= MOST_PRINTED) return;
    printf("FAILURE: ");
    va_start(values, format);
    vprintf(format, values);
    va_end(values);
    printf("; repeat with: %s --seed %llu --seconds 0\n", p->name, (unsigned long long)seed);
    fflush(stdout);
}

int proof_in_child(void (*work)(void *context), void *context)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        work(context);
        fflush(NULL);
        _exit(0);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) < 0) return SIGABRT;
    if (WIFSIGNALED(status)) return WTERMSIG(status);
    return WEXITSTATUS(status) ? SIGABRT : 0;
}

proof_dice proof_dice_new(uint64_t seed, const char *stream)
{
    return (proof_dice){{.seed = seed, .stream = lb_rng_stream(stream)}, 0};
}

uint64_t proof_below(proof_dice *dice, uint64_t count)
{
    return count ? lb_rng_below(dice->rng, dice->at++, count) : 0;
}

bool proof_once_in(proof_dice *dice, uint64_t times)
{
    return proof_below(dice, times) == 0;
}
