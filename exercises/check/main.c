/* Checks the two parts of one exercise. A process of its own for each part: an answer may crash, or never end. */
#include "report.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SECONDS = 20,
    COLUMN = 13,
    FIRST_STATUS = 40 /* of a part that was checked: others end processes with 1, 2 ... */
};

typedef struct options {
    bool brief; /* one line, for a list of all exercises */
    int seconds;
} options;

/* The end of a part that did not report one. */
enum { CRASHED = REPORT_WRONG + 1, ENDLESS };

static int run(const check_part *part, options how)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        exit(EXIT_FAILURE);
    }
    if (child == 0) {
        alarm((unsigned)how.seconds);
        if (how.brief && !freopen("/dev/null", "w", stdout)) _exit(EXIT_FAILURE);
        part->check();
        report_verdict verdict = report_end();
        fflush(stdout);
        _exit(FIRST_STATUS + (int)verdict);
    }
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) >= FIRST_STATUS) return WEXITSTATUS(status) - FIRST_STATUS;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return ENDLESS;
    if (!how.brief && WIFSIGNALED(status))
        printf("crashed: %s. Is an index out of range?\n", strsignal(WTERMSIG(status)));
    else if (!how.brief)
        printf("crashed: it ends the program.\n");
    return CRASHED;
}

static bool read_options(int argc, char **argv, options *how)
{
    *how = (options){.seconds = SECONDS};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--brief") == 0)
            how->brief = true;
        else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            how->seconds = (int)strtol(argv[++i], NULL, 10);
        else
            return false;
    }
    return how->seconds > 0;
}

int main(int argc, char **argv)
{
    static const char *const verdicts[] = {"right", "to do", "wrong", "crashes", "does not end"};
    options how;
    if (!read_options(argc, argv, &how)) {
        fprintf(stderr, "usage: %s [--brief] [--seconds N]\n", argv[0]);
        return 2;
    }
    int right = 0;
    if (how.brief)
        printf("%2d  %-18s", exercise.number, exercise.name);
    else
        printf("Exercise %d, %s: %s\n", exercise.number, exercise.name, exercise.file);
    for (int i = 0; i < 2; i++) {
        const check_part *part = &exercise.parts[i];
        if (!how.brief) printf("\n%s %s: ", part->verb, part->function);
        int verdict = run(part, how);
        if (how.brief)
            printf("  %s: %s%*s", part->verb, verdicts[verdict],
                   i ? 0 : COLUMN - (int)strlen(verdicts[verdict]), "");
        if (!how.brief && verdict == ENDLESS) printf("does not end within %d s\n", how.seconds);
        right += verdict == REPORT_RIGHT;
    }
    printf(how.brief || right < 2 ? "\n" : "\nBoth parts are right.\n");
    return right == 2 ? EXIT_SUCCESS : EXIT_FAILURE;
}
