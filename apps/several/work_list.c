#include "several/work_list.h"

#include "base/alloc.h"
#include "io/own_file.h"
#include "io/path.h"
#include "train/group.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The file begins with the number of trainings. */
typedef uint64_t header;

/* A training has a number in the file: 0 until it is begun, then 1 and the number of ranks that have failed at it. At its
 * end, -1 and minus the rank that has finished it. Whoever trains it has locked these bytes. */
typedef int32_t state;

struct app_work_list {
    const lb_group *group;
    char *path;
    int file; /* -1 without other ranks */
    size_t count;
    state *states;       /* [count] as last read */
    bool *ours, *failed; /* [count] taken by this rank now; this rank has failed at it */
};

static lb_status cannot(const app_work_list *l, const char *what, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_WRITE, "%s: cannot %s: %s", l->path, what, strerror(errno));
}

static off_t place(size_t training)
{
    return (off_t)(sizeof(header) + training * sizeof(state));
}

/* Locks or unlocks the bytes of a training. */
static lb_status set_lock(const app_work_list *l, size_t training, short type, bool *locked, lb_error *error)
{
    struct flock lock = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = place(training), .l_len = sizeof(state)};
    *locked = l->file < 0 || fcntl(l->file, F_SETLK, &lock) == 0;
    return *locked || errno == EAGAIN || errno == EACCES ? LB_OK : cannot(l, "lock", error);
}

/* A count that is short has set no errno. */
static lb_status read_at(const app_work_list *l, off_t offset, void *bytes, size_t count, lb_error *error)
{
    errno = EIO;
    return pread(l->file, bytes, count, offset) == (ssize_t)count ? LB_OK : cannot(l, "read", error);
}

static lb_status write_at(const app_work_list *l, off_t offset, const void *bytes, size_t count,
                          lb_error *error)
{
    errno = EIO;
    return pwrite(l->file, bytes, count, offset) == (ssize_t)count ? LB_OK : cannot(l, "write", error);
}

static lb_status read_states(app_work_list *l, size_t first, size_t count, lb_error *error)
{
    if (l->file < 0) return LB_OK;
    return read_at(l, place(first), l->states + first, count * sizeof *l->states, error);
}

static lb_status set_state(app_work_list *l, size_t training, state value, lb_error *error)
{
    l->states[training] = value;
    return l->file < 0 ? LB_OK : write_at(l, place(training), &value, sizeof value, error);
}

/* The file of the first rank: nobody has begun anything. */
static lb_status create(app_work_list *l, lb_error *error)
{
    header count = l->count;
    l->file = lb_own_open(l->path, O_RDWR | O_CREAT | O_TRUNC, error);
    if (l->file < 0) return LB_ERROR_WRITE;
    if (ftruncate(l->file, place(l->count)) != 0) return cannot(l, "write", error);
    return write_at(l, 0, &count, sizeof count, error);
}

static lb_status join(app_work_list *l, lb_error *error)
{
    header count;
    l->file = lb_own_open(l->path, O_RDWR, error);
    if (l->file < 0) return LB_ERROR_WRITE;
    lb_status status = read_at(l, 0, &count, sizeof count, error);
    if (status) return status;
    if (count != l->count)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "found %zu trainings, expected %zu as in rank 0",
                            l->count, (size_t)count);
    return LB_OK;
}

/* The others read the file when the first rank has written it, and nobody begins before all agree: the build decides the
 * last bits of all models. */
static lb_status share(app_work_list *l, lb_error *error)
{
    bool leads = lb_group_leads(l->group);
    lb_status status = lb_group_agree_on_build(l->group, error);
    if (!status && leads) status = create(l, error);
    if (!status) status = lb_group_meet(l->group, error);
    if (!status && !leads) status = join(l, error);
    return status ? status : lb_group_meet(l->group, error);
}

app_work_list *app_work_list_open(const lb_group *group, const char *folder, size_t count, lb_error *error)
{
    app_work_list *l = lb_alloc_zero(sizeof *l);
    lb_status status = l ? LB_OK : LB_ERROR_MEMORY;
    if (!status) {
        *l = (app_work_list){.group = group, .file = -1, .count = count};
        l->path = lb_folder_path(folder, ".work", error);
        l->states = lb_alloc_zero(count * sizeof *l->states);
        l->ours = lb_alloc_zero(count * sizeof *l->ours);
        l->failed = lb_alloc_zero(count * sizeof *l->failed);
        if (!l->path || !l->states || !l->ours || !l->failed) status = LB_ERROR_MEMORY;
    }
    if (status) lb_error_set(error, status, "out of memory for a list of trainings");
    if (!status && group) status = share(l, error);
    if (!status) return l;
    app_work_list_close(l);
    return NULL;
}

static bool has_ended(const app_work_list *l, state s)
{
    return s < 0 || s > lb_group_size(l->group);
}

/* Takes a training, unless somebody else has it or it has ended since. */
static lb_status try_to_take(app_work_list *l, size_t training, bool *again, lb_error *error)
{
    bool locked;
    lb_status status = set_lock(l, training, F_WRLCK, &locked, error);
    if (status || !locked) return status;
    status = read_states(l, training, 1, error);
    if (status) return status;
    state s = l->states[training];
    if (has_ended(l, s)) return set_lock(l, training, F_UNLCK, &locked, error);
    l->ours[training] = true;
    *again = s > 0;
    return s > 0 ? LB_OK : set_state(l, training, 1, error);
}

/* What nobody has begun comes first. */
static lb_status try_all(app_work_list *l, bool begun, app_work *work, size_t *training, bool *again,
                         lb_error *error)
{
    lb_status status = LB_OK;
    for (size_t i = 0; i < l->count && !status; i++) {
        if (has_ended(l, l->states[i])) continue;
        *work = APP_WORK_BUSY;
        if (l->ours[i] || l->failed[i] || (l->states[i] > 0) != begun) continue;
        status = try_to_take(l, i, again, error);
        if (!l->ours[i]) continue;
        *work = APP_WORK_TAKEN;
        *training = i;
        break;
    }
    return status;
}

lb_status app_work_list_take(app_work_list *list, app_work *work, size_t *training, bool *again,
                             lb_error *error)
{
    *work = APP_WORK_OVER;
    lb_status status = read_states(list, 0, list->count, error);
    if (!status) status = try_all(list, false, work, training, again, error);
    if (!status && *work == APP_WORK_BUSY) status = try_all(list, true, work, training, again, error);
    /* The first rank removes the file when nobody needs it. */
    return status || *work != APP_WORK_OVER ? status : lb_group_meet(list->group, error);
}

lb_status app_work_list_give_back(app_work_list *list, size_t training, app_work_end end, lb_error *error)
{
    bool unlocked;
    lb_status status = LB_OK;
    if (end == APP_WORK_DONE)
        status = set_state(list, training, -1 - (list->group ? list->group->rank : 0), error);
    else if (end == APP_WORK_FAILED)
        status = set_state(list, training, list->states[training] + 1, error);
    list->ours[training] = false;
    list->failed[training] = end == APP_WORK_FAILED;
    return status ? status : set_lock(list, training, F_UNLCK, &unlocked, error);
}

bool app_work_list_has_ended(const app_work_list *list, size_t training, int *rank)
{
    state s = list->states[training];
    *rank = s < 0 ? -1 - s : -1;
    return has_ended(list, s);
}

void app_work_list_wait(void)
{
    const struct timespec pause = {.tv_nsec = 300000000};
    nanosleep(&pause, NULL);
}

void app_work_list_close(app_work_list *list)
{
    if (!list) return;
    if (list->file >= 0 && lb_group_leads(list->group)) unlink(list->path);
    if (list->file >= 0) close(list->file);
    lb_release(list->path);
    lb_release(list->states);
    lb_release(list->ours);
    lb_release(list->failed);
    lb_release(list);
}
