#include "support/ranks.h"

#include "support/stop.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

support_result support_ranks_result;

const char *const support_ranks_permission[] = {
    "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1",
    /* the same from Open MPI 5 on, which complains of networks */
    "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe", "OMPI_MCA_btl=^tcp",
    "OMPI_MCA_btl_vader_single_copy_mechanism=none", "OMP_NUM_THREADS", NULL};

/* mpirun of Open MPI 4.1.4 may lose the help message of a rank that aborts, says this, and then waits for ever
 * (https://github.com/open-mpi/ompi/issues/8356). All else has been said by then. */
static const char STUCK[] = "util/show_help.c";

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

void support_set_patience(const char *seconds)
{
    setenv("LOOKBACK_MPI_PATIENCE", seconds, 1);
}

void support_run_ranks(int ranks, const char *program, const char *input_path, const char *const *arguments)
{
    char count[16];
    const char *argv[64] = {"/bin/sh", "-c", "echo $$ >pid-mpirun; exec \"$@\"", "sh", support_mpirun(),
                            "-n",      count};
    const char **at = argv + (ranks ? 7 : 0);
    snprintf(count, sizeof count, "%d", ranks);
    *at++ = program;
    while (*arguments) *at++ = *arguments++;
    *at = NULL;
    const support_command how = {.argv = argv,
                                 .directory = support_tempdir(),
                                 .environment = support_ranks_permission,
                                 .input_path = input_path,
                                 .stuck = STUCK};
    setenv("LOOKBACK_MPI_PATIENCE", "800",
           0); /* less than support_hang_seconds: who waits in vain, says so */
    support_run_as(&how, &support_ranks_result);
}

static void write_script(const char *commands)
{
    char text[2048];
    int length =
        snprintf(text, sizeof text,
                 "#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK-$PMI_RANK}\n%s\nexec " BIN_DIR "/lookback \"$@\"\n",
                 commands);
    ck_assert_int_lt(length, (int)sizeof text);
    support_write_file(support_path("script"), text, (size_t)length);
    ck_assert_int_eq(chmod(support_path("script"), 0755), 0);
}

void support_write_script_of_rank(int rank, const char *commands)
{
    char text[1024];
    snprintf(text, sizeof text, "if [ \"$rank\" = %d ]; then\n%s\nfi", rank, commands);
    write_script(text);
}

static void stop_as_planned(const char *plan, char text[512])
{
    snprintf(text, 512, plan ? "export LD_PRELOAD=" SUPPORT_STOP_LIBRARY " SUPPORT_STOP='%s'" : ":", plan);
}

void support_write_stops(const char *first, const char *others)
{
    char text[1536], of_first[512], of_others[512];
    stop_as_planned(first, of_first);
    stop_as_planned(others, of_others);
    snprintf(text, sizeof text, "echo $$ >\"pid-$rank\"\nif [ \"$rank\" = 0 ]; then\n%s\nelse\n%s\nfi",
             of_first, of_others);
    write_script(text);
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

/* mpirun of Open MPI 4.1.4 may crash on its way out after a rank aborted, when all has been said, or be stuck. */
static bool mpirun_crashed_at_its_end(void)
{
    int status = support_ranks_result.status;
    const char *said = support_ranks_result.error;
    return (status == 128 + SIGSEGV && strstr(said, "(orte_finalize+")) ||
           (status == 128 + SIGKILL && strstr(said, STUCK));
}

/* mpirun of MPICH 4.2 ends with 0 now and then when a rank was killed. */
void support_assert_ranks_failed(void)
{
    ck_assert_msg(support_ranks_result.status != 0 || strstr(support_mpirun(), "mpich"), "status 0: %s",
                  support_ranks_result.error);
}

void support_assert_ranks_status(int status)
{
    bool as_expected = support_ranks_result.status == status ||
                       (status != 0 && (killed_while_aborting() || mpirun_crashed_at_its_end()));
    ck_assert_msg(as_expected, "status %d: %s", support_ranks_result.status, support_ranks_result.error);
}

void support_assert_one_message(int status, const char *text)
{
    support_assert_ranks_status(status);
    support_assert_said_once(text);
}
