#include "support/ranks.h"

#include "support/tempdir.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

support_result support_ranks_result;

const char *const support_ranks_permission[] = {"OMPI_ALLOW_RUN_AS_ROOT=1",
                                                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                                                "OMPI_MCA_rmaps_base_oversubscribe=1",
                                                "OMPI_MCA_btl_vader_single_copy_mechanism=none",
                                                "OMP_NUM_THREADS",
                                                NULL};

const char *support_mpirun(void)
{
    const char *chosen = getenv("LOOKBACK_MPIRUN");
    return chosen ? chosen : "mpirun";
}

bool support_has_program(const char *name)
{
    const char *argv[] = {"/bin/sh", "-c", "command -v \"$0\"", name, NULL};
    support_result_free(&support_ranks_result);
    return support_run(argv, NULL, &support_ranks_result) && support_ranks_result.status == 0;
}

const char *support_no_ranks(void)
{
    if (!HAS_MPI) return "built without MPI";
    return support_has_program(support_mpirun()) ? NULL : "no mpirun";
}

void support_run_ranks(int ranks, const char *program, support_command how, const char *const *arguments)
{
    char count[16];
    const char *argv[64] = {"/usr/bin/env", support_mpirun(), "-n", count, program};
    snprintf(count, sizeof count, "%d", ranks);
    const char **at = argv + 5;
    if (ranks == 0) {
        argv[0] = program;
        at = argv + 1;
    }
    while (*arguments) *at++ = *arguments++;
    *at = NULL;
    how.argv = argv;
    how.directory = support_tempdir();
    how.environment = support_ranks_permission;
    support_result_free(&support_ranks_result);
    ck_assert(support_run_command(&how, &support_ranks_result));
    ck_assert(!support_ranks_result.timed_out);
}

void support_write_script_of_rank(int rank, const char *commands)
{
    char path[SUPPORT_PATH], text[1024];
    snprintf(text, sizeof text,
             "#!/bin/sh\nif [ \"${OMPI_COMM_WORLD_RANK-$PMI_RANK}\" = %d ]; then\n%s\nfi\nexec " BIN_DIR
             "/lookback \"$@\"\n",
             rank, commands);
    support_write_file(support_path(path, "script"), text, strlen(text));
    ck_assert_int_eq(chmod(path, 0755), 0);
}

void support_write_rank_script(const char *commands)
{
    support_write_script_of_rank(1, commands);
}

void support_assert_ranks_done(void)
{
    ck_assert_msg(support_ranks_result.status == 0, "status %d: %s", support_ranks_result.status,
                  support_ranks_result.error);
}

int support_occurrences(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) count++;
    return count;
}

void support_assert_said_once(const char *text)
{
    const char *said = support_ranks_result.error;
    ck_assert_msg(strstr(said, text) != NULL, "\"%s\" does not say \"%s\"", said, text);
    ck_assert_msg(support_occurrences(said, text) == 1, "more than once: %s", said);
}

/* MPICH kills the rank that aborts, too, which may be before that has ended with its own status. */
static bool killed_while_aborting(void)
{
    return support_ranks_result.status == SIGKILL &&
           strstr(support_ranks_result.error, "application called MPI_Abort");
}

void support_assert_ranks_status(int status)
{
    bool as_expected = support_ranks_result.status == status || (status != 0 && killed_while_aborting());
    ck_assert_msg(as_expected, "status %d: %s", support_ranks_result.status, support_ranks_result.error);
}

void support_assert_one_message(int status, const char *text)
{
    support_assert_ranks_status(status);
    support_assert_said_once(text);
}
