/* Joins and leaves the ranks of mpirun, and lets one of them report an error; sets how threads wait. */
#include "base/group.h"
#include "base/threads.h"
#include "console/console.h"

#include <lookback/mpi.h>

#include <stdlib.h>
#include <string.h>

/* Open MPI sets the first, MPICH and others with PMI the second: how many processes there are. PMIx, as srun uses it,
 * sets the third. */
static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
enum { SIZES = 2, SIGNS };

/* Seconds until a rank that has failed believes that the others have not. LOOKBACK_MPI_PATIENCE changes the first. */
static double patience = 2;
static const double PATIENCE_WITH_SAVING = 60;

/* The functions of lookback_mpi, which is loaded only here: the program starts where there is no MPI. */
static struct {
    lb_mpi *(*open)(lb_error *error);
    const lb_group *(*group)(const lb_mpi *mpi);
    void (*set_patience)(lb_mpi *mpi, double seconds);
    int (*share)(const lb_mpi *mpi, int processors);
    bool (*ends)(const lb_mpi *mpi, double seconds);
    void (*abort)(const lb_mpi *mpi, int status);
    void (*close)(lb_mpi *mpi);
} library;

static lb_mpi *ranks;

/* What a rank that fails has found out about the others: do all end, so that the first reports it, or is it alone? */
static enum { UNKNOWN, ALL_END, ALONE } others;

static bool is_started_by_mpirun(void)
{
    for (int i = 0; i < SIGNS; i++)
        if (getenv(signs[i])) return true;
    return false;
}

/* How many processes mpirun has started; 0: it does not say. */
static long started(void)
{
    for (int i = 0; i < SIZES; i++) {
        const char *size = getenv(signs[i]);
        if (size) return strtol(size, NULL, 10);
    }
    return 0;
}

/* Opens lookback_mpi: the one that the user has built for another MPI, the one beside this program, wherever that is
 * installed, or one that the loader finds. Returns NULL, or why it cannot. */
static const char *open_library(void)
{
    static const char *const names[] = {"lb_mpi_open", "lb_mpi_group", "lb_mpi_set_patience", "lb_mpi_share",
                                        "lb_mpi_ends", "lb_mpi_abort", "lb_mpi_close"};
    enum { COUNT = sizeof names / sizeof *names };
    _Static_assert(sizeof library == COUNT * sizeof library.open, "a name for each function");
    char path[LB_OS_PATH + sizeof APP_MPI_LIBRARY];
    const char *chosen = getenv("LOOKBACK_MPI_LIBRARY");
    if (chosen) return lb_os_load(chosen, names, COUNT, &library);
    if (lb_os_program_path(path)) {
        memcpy(path + (lb_os_name_of(path) - path), APP_MPI_LIBRARY, sizeof APP_MPI_LIBRARY);
        if (lb_os_exists(path) && !lb_os_load(path, names, COUNT, &library)) return NULL;
    }
    return lb_os_load(lb_os_name_of(APP_MPI_LIBRARY), names, COUNT, &library);
}

lb_status app_ranks_join(const lb_group **group, const char *command, lb_error *error)
{
    *group = NULL;
    if (!is_started_by_mpirun()) return LB_OK;
    const char *why = open_library();
    if (why) return lb_error_set(error, LB_ERROR_OPEN, "started by mpirun, but cannot load MPI: %s", why);
    ranks = library.open(error);
    if (!ranks) return error->status;
    const char *asked = getenv("LOOKBACK_MPI_PATIENCE");
    const double seconds = asked ? strtod(asked, NULL) : 0;
    if (seconds > 0) {
        patience = seconds;
        library.set_patience(ranks, seconds);
    }
    if (library.group(ranks)->size > 1)
        *group = library.group(ranks);
    else if (started() > 1)
        return lb_error_set(error, LB_ERROR_OPEN,
                            "mpirun started %ld processes that cannot reach each other: mpirun and "
                            "lookback_mpi use different MPIs",
                            started());
    return lb_group_agree(*group, "command", command, error);
}

void app_ranks_forget(void)
{
    for (int i = 0; i < SIGNS; i++) lb_os_set_variable(signs[i], NULL);
}

void app_ranks_set_threads(int threads)
{
    lb_set_threads(threads);
    if (threads == 0 && ranks && !getenv("OMP_NUM_THREADS"))
        lb_use_threads(library.share(ranks, lb_threads()));
}

/* Whether all ranks get this error, in the same step. The first may still have to save. */
static bool is_common(const lb_error *error)
{
    return error->status == LB_ERROR_INTERRUPTED || error->status == LB_ERROR_DIVERGED;
}

static bool do_all_end(bool saving)
{
    double seconds = saving && patience < PATIENCE_WITH_SAVING ? PATIENCE_WITH_SAVING : patience;
    if (others == UNKNOWN) others = library.ends(ranks, seconds) ? ALL_END : ALONE;
    return others == ALL_END;
}

/* The name of this rank, if it fails alone. Where all ranks end, "" for the first, which reports it for all, and NULL
 * for the others, which keep silent. "" without other ranks. */
static const char *reporter_of(const lb_error *error)
{
    if (!ranks) return "";
    const lb_group *group = library.group(ranks);
    bool leads = group->rank == 0;
    if (leads && is_common(error)) return "";
    if (do_all_end(is_common(error))) return leads ? "" : NULL;
    return group->name;
}

int app_fail(const lb_error *error)
{
    const char *message = error->message[0] ? error->message : lb_status_text(error->status);
    const char *rank = reporter_of(error);
    if (rank) app_warn("%s%s%s", rank, *rank ? ": " : "", message);
    const int signal = lb_os_interrupted();
    if (error->status != LB_ERROR_INTERRUPTED) return lb_status_exit(error->status);
    return LB_OS_ENDED_BY + (signal ? signal : LB_OS_CTRL_C);
}

int app_ranks_leave(int status)
{
    if (!ranks) return status;
    /* After an interruption, the others may still be saving what each of them trains alone. */
    bool leads = library.group(ranks)->rank == 0, saves = leads && app_interrupted(NULL);
    bool is_over = status == 0 || do_all_end(saves);
    if (!is_over) library.abort(ranks, status);
    library.close(ranks);
    ranks = NULL;
    return leads || others != ALL_END ? status : 0;
}

/* ---- How threads wait for each other. ---- */

/* GCC's runtime counts iterations of the waiting loop, LLVM's counts milliseconds. */
static const char *const settings[][2] = {{"GOMP_SPINCOUNT", "10000"}, {"KMP_BLOCKTIME", "0"}};

enum { SETTINGS = sizeof settings / sizeof *settings };

bool app_choose_threads(void)
{
    if (getenv("OMP_WAIT_POLICY")) return false;
    for (int i = 0; i < SETTINGS; i++)
        if (getenv(settings[i][0])) return false;
    for (int i = 0; i < SETTINGS; i++)
        if (!lb_os_set_variable(settings[i][0], settings[i][1])) return false;
    return true;
}

void app_let_threads_sleep(char **argv)
{
    if (app_choose_threads()) lb_os_restart(argv); /* if it cannot, it continues unchanged */
}
