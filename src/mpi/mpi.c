/* Joins the processes of MPI to a group, for training in parallel. */
#define _GNU_SOURCE /* sched_getaffinity */

#include "lookback/mpi.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    MOST_BYTES = 1 << 30, /* of one message: MPI counts with int */
    LOOKS = 1024          /* at a message that is under way, before the clock is read */
};

/* Seconds of looking without a pause: a message that takes longer comes from a rank that is not ready. The processor is
 * then better used by the threads that compute. */
static const double EAGER = 2e-4;
static const struct timespec PAUSE = {.tv_nsec = 20000};

/* Before all is aborted: mpirun of Open MPI 5 drops what it has not yet read of the error that this rank reports. */
static const struct timespec LAST_PAUSE = {.tv_nsec = 200000000};

/* Seconds to wait for another rank. Reading files and saving can take a while on a busy file system. */
static const double PATIENCE = 300;

/* What a message is: bytes of the group, a question whether a rank waits, or the answer to it. */
enum { BYTES, QUESTION, ANSWER };

/* Seconds to wait for an answer, and how much later than the first rank another one gives up: that one has ended all by
 * then. */
static const double ANSWER_TIME = 5, TURN = 60;

typedef char rank_name[sizeof((lb_group *)0)->name];

struct lb_mpi {
    lb_group group;
    rank_name *names; /* [group.size] */
    double patience;  /* seconds to wait for an answer */
    MPI_Comm all;     /* a communicator of our own: messages of the program cannot be mistaken for ours */
    bool began;
    int twins; /* ranks of this node with the same CPU set, this one included */
};

static lb_status check_call(const char *what, int code, lb_error *error)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code == MPI_SUCCESS) return LB_OK;
    MPI_Error_string(code, text, &length);
    return lb_error_set(error, LB_ERROR_ARGUMENT, "MPI: %s: %s", what, text);
}

static int part_of(size_t bytes)
{
    return bytes < MOST_BYTES ? (int)bytes : MOST_BYTES;
}

/* Answers the ranks that ask whether this one waits. */
static void answer_questions(const lb_mpi *mpi)
{
    int asked = 0;
    MPI_Status question;
    if (MPI_Iprobe(MPI_ANY_SOURCE, QUESTION, mpi->all, &asked, &question) != MPI_SUCCESS || !asked) return;
    MPI_Recv(NULL, 0, MPI_BYTE, question.MPI_SOURCE, QUESTION, mpi->all, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_BYTE, question.MPI_SOURCE, ANSWER, mpi->all);
}

static bool is_waiting(const lb_mpi *mpi, int partner)
{
    int answered = 0;
    double end = MPI_Wtime() + ANSWER_TIME;
    MPI_Send(NULL, 0, MPI_BYTE, partner, QUESTION, mpi->all);
    while (!answered && MPI_Wtime() < end) {
        answer_questions(mpi);
        nanosleep(&PAUSE, NULL);
        MPI_Iprobe(partner, ANSWER, mpi->all, &answered, MPI_STATUS_IGNORE);
    }
    if (answered) MPI_Recv(NULL, 0, MPI_BYTE, partner, ANSWER, mpi->all, MPI_STATUS_IGNORE);
    return answered != 0;
}

/* The seconds to wait for a partner. Several ranks may wait for the one that hangs; the nearest in the tree of sums
 * gives up first. */
static double patience_with(const lb_mpi *mpi, int partner)
{
    double patience = mpi->patience;
    for (int distance = partner ^ mpi->group.rank; distance > 1; distance /= 2) patience += TURN;
    return patience;
}

/* A rank that hangs must not make the others hang forever. One that itself waits does not hang: another
 * one does. */
static lb_status wait_for(const lb_mpi *mpi, int partner, MPI_Request request[2], lb_error *error)
{
    double start = 0, now = 0;
    bool hangs = false;
    for (int64_t look = 1;; look++) {
        int done = 0;
        MPI_Status found[2];
        lb_status status = check_call("exchange", MPI_Testall(2, request, &done, found), error);
        if (status || done) return status;
        if (hangs)
            return lb_error_set(error, LB_ERROR_BUSY, "%s has not answered for %g s", mpi->names[partner],
                                mpi->patience);
        if (now > start + EAGER) {
            answer_questions(mpi);
            nanosleep(&PAUSE, NULL);
        } else if (look % LOOKS != 0) {
            continue;
        }
        now = MPI_Wtime();
        if (start == 0) start = now;
        if (now < start + patience_with(mpi, partner)) continue;
        hangs = !is_waiting(mpi, partner); /* unless the message has come meanwhile */
        start = now;
    }
}

static lb_status exchange(void *context, int partner, const void *send, size_t send_bytes, void *receive,
                          size_t receive_bytes, lb_error *error)
{
    const lb_mpi *mpi = context;
    const char *from = send;
    char *to = receive;
    do {
        int sent = part_of(send_bytes), received = part_of(receive_bytes);
        MPI_Request request[2];
        int code = MPI_Irecv(to, received, MPI_BYTE, partner, BYTES, mpi->all, &request[0]);
        lb_status status = check_call("receive", code, error);
        if (status) return status;
        status =
            check_call("send", MPI_Isend(from, sent, MPI_BYTE, partner, BYTES, mpi->all, &request[1]), error);
        if (!status) status = wait_for(mpi, partner, request, error);
        if (status) return status;
        from += sent;
        to += received;
        send_bytes -= (size_t)sent;
        receive_bytes -= (size_t)received;
    } while (send_bytes > 0 || receive_bytes > 0);
    return LB_OK;
}

/* The ranks of this node that may use the same processors, as where mpirun binds none. */
static int count_twins(MPI_Comm all)
{
    MPI_Comm node;
    int size, twins = 0;
    cpu_set_t own;
    CPU_ZERO(&own);
    sched_getaffinity(0, sizeof own, &own);
    if (MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) != MPI_SUCCESS) return 1;
    MPI_Comm_size(node, &size);
    cpu_set_t *set = lb_alloc((size_t)size * sizeof *set);
    if (set) MPI_Allgather(&own, sizeof own, MPI_BYTE, set, sizeof own, MPI_BYTE, node);
    for (int i = 0; set && i < size; i++) twins += CPU_EQUAL(&own, &set[i]) != 0;
    lb_release(set);
    MPI_Comm_free(&node);
    return twins > 0 ? twins : 1;
}

static lb_status join(lb_mpi *mpi, lb_error *error)
{
    char host[MPI_MAX_PROCESSOR_NAME] = "";
    int length, provided, has_begun;
    MPI_Initialized(&has_begun);
    int code = has_begun ? MPI_SUCCESS : MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    lb_status status = check_call("begin", code, error);
    mpi->began = !has_begun && !status;
    if (!status) status = check_call("communicator", MPI_Comm_dup(MPI_COMM_WORLD, &mpi->all), error);
    if (status) return status;
    MPI_Comm_set_errhandler(mpi->all, MPI_ERRORS_RETURN);
    mpi->group.context = mpi;
    mpi->group.exchange = exchange;
    MPI_Comm_rank(mpi->all, &mpi->group.rank);
    MPI_Comm_size(mpi->all, &mpi->group.size);
    MPI_Get_processor_name(host, &length);
    snprintf(mpi->group.name, sizeof mpi->group.name, "rank %d on %.64s", mpi->group.rank, host);
    mpi->twins = count_twins(mpi->all);
    mpi->names = lb_alloc((size_t)mpi->group.size * sizeof *mpi->names);
    if (!mpi->names) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for MPI");
    const int bytes = sizeof *mpi->names;
    return check_call("names",
                      MPI_Allgather(mpi->group.name, bytes, MPI_CHAR, mpi->names, bytes, MPI_CHAR, mpi->all),
                      error);
}

lb_mpi *lb_mpi_open(lb_error *error)
{
    lb_mpi *mpi = lb_alloc(sizeof *mpi);
    if (!mpi) {
        lb_error_set(error, LB_ERROR_MEMORY, "out of memory for MPI");
        return NULL;
    }
    *mpi = (lb_mpi){.all = MPI_COMM_NULL, .patience = PATIENCE};
    if (join(mpi, error) == LB_OK) return mpi;
    lb_mpi_close(mpi);
    return NULL;
}

const lb_group *lb_mpi_group(const lb_mpi *mpi)
{
    return &mpi->group;
}

void lb_mpi_set_patience(lb_mpi *mpi, double seconds)
{
    mpi->patience = seconds;
}

int lb_mpi_share(const lb_mpi *mpi, int processors)
{
    return processors > mpi->twins ? processors / mpi->twins : 1;
}

bool lb_mpi_ends(const lb_mpi *mpi, double seconds)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    MPI_Request request;
    int done = 0;
    double end = MPI_Wtime() + seconds;
    if (MPI_Ibarrier(mpi->all, &request) != MPI_SUCCESS) return false;
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done && MPI_Wtime() < end) {
        answer_questions(mpi);
        nanosleep(&pause, NULL);
    }
    return done != 0;
}

void lb_mpi_abort(const lb_mpi *mpi, int status)
{
    nanosleep(&LAST_PAUSE, NULL);
    (void)mpi; /* for the abort of its copy, mpirun of MPICH 4.2 sometimes has the status 0 */
    MPI_Abort(MPI_COMM_WORLD, status);
    _Exit(status); /* an MPI that does not end us has failed, too */
}

void lb_mpi_close(lb_mpi *mpi)
{
    if (!mpi) return;
    if (mpi->all != MPI_COMM_NULL) MPI_Comm_free(&mpi->all);
    if (mpi->began) MPI_Finalize();
    lb_release(mpi->names);
    lb_release(mpi);
}
