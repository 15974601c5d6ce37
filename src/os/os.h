/* The operating system in our own words, for the library: files, folders, locks, memory, clocks, processors, locales.
 * program.h has what only programs need. Nothing else asks the system, and nothing here says which one it is; the
 * implementations are in posix/ and windows/. Texts are UTF-8.
 *
 * Who returns false, a negative number or no handle leaves the reason in errno, if nothing else is said. */
#ifndef LB_OS_H
#define LB_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- Open files. ---- */

/** An open file, folder, pipe or device. Zero: none. */
typedef struct lb_os_handle {
    intptr_t number;
} lb_os_handle;

static inline bool lb_os_is_open(lb_os_handle handle)
{
    return handle.number != 0;
}

static inline bool lb_os_is_same(lb_os_handle a, lb_os_handle b)
{
    return a.number == b.number;
}

/** How a file is opened: a sum of these. */
enum {
    LB_OS_READ = 1,
    LB_OS_WRITE = 2,
    LB_OS_APPEND = 4,   /* what is written comes at its end */
    LB_OS_CREATE = 8,   /* where there is none, with all permissions that the user grants new files */
    LB_OS_NEW = 16,     /* the same; EEXIST where there is one */
    LB_OS_NO_LINK = 32, /* a link in its place is an error */
    LB_OS_NO_WAIT = 64, /* not for the other end of a pipe either */
    LB_OS_FOLDER = 128  /* only a folder */
};

/** Programs that this process starts do not get the handle. Memory: close it. */
lb_os_handle lb_os_open(const char *path, int how);

/** Closes it. False: what was written may be lost. */
bool lb_os_close(lb_os_handle handle);

/** Closes it, if it is open, and forgets it. Keeps errno. */
void lb_os_drop(lb_os_handle *handle);

/** Standard input, which stays open. */
lb_os_handle lb_os_input(void);

/** Another handle of the same open file, with the same place in it. */
lb_os_handle lb_os_again(lb_os_handle handle);

/** Waits until something arrives, and reads up to `room` bytes. Returns how many; 0 at the end. */
int64_t lb_os_read(lb_os_handle handle, void *bytes, size_t room);

/** Reads `count` bytes, and `*held` is how many: fewer only at the end. */
bool lb_os_read_all(lb_os_handle handle, void *bytes, size_t count, size_t *held);

/** Reads `count` bytes from `place` on, which does not change the place of the handle. Returns how many: fewer only at
 *  the end. */
int64_t lb_os_read_at(lb_os_handle handle, int64_t place, void *bytes, size_t count);

/** Whether a read would not wait. */
bool lb_os_has_arrived(lb_os_handle handle);

/** Writes all bytes, in as few calls of the system as it allows. After an error, a part may have been written. */
bool lb_os_write_all(lb_os_handle handle, const void *bytes, size_t count);

/** The place in the file where the next read or write begins; -1 where there is none, as in a pipe. */
int64_t lb_os_place(lb_os_handle handle);
bool lb_os_go(lb_os_handle handle, int64_t place);

/** Cuts the file to its first `bytes` bytes. */
bool lb_os_cut(lb_os_handle handle, int64_t bytes);

/** Waits until the content is on the disk. */
bool lb_os_sync(lb_os_handle handle);

/** The same for the names in a folder. Where a file system cannot do this, it is no error. */
bool lb_os_sync_folder(lb_os_handle folder);

/** Locks the file against other handles of it, until this one is closed or the process ends in whatever way. Does not
 *  wait. */
typedef enum lb_os_lock_result {
    LB_OS_LOCKED,
    LB_OS_LOCKED_BY_OTHERS,
    LB_OS_NO_LOCKS /* on this file system */
} lb_os_lock_result;

lb_os_lock_result lb_os_lock(lb_os_handle handle);

/* ---- What files are. ---- */

typedef enum lb_os_kind { LB_OS_OTHER, LB_OS_IS_FILE, LB_OS_IS_FOLDER, LB_OS_IS_LINK } lb_os_kind;

typedef struct lb_os_info {
    lb_os_kind kind;
    int permissions;
    int64_t bytes;
    uint64_t disk, number; /* which together no other file has */
} lb_os_info;

/** What an open file is, what is at a path, and what is there if a link is not followed. After an error, `*info` is
 *  zero. */
bool lb_os_info_of(lb_os_handle handle, lb_os_info *info);
bool lb_os_info_at(const char *path, lb_os_info *info);
bool lb_os_info_of_name(const char *path, lb_os_info *info);

/** Whether two are of one file. */
static inline bool lb_os_is_one(const lb_os_info *a, const lb_os_info *b)
{
    return a->disk == b->disk && a->number == b->number;
}

static inline bool lb_os_exists(const char *path)
{
    lb_os_info info;
    return lb_os_info_at(path, &info);
}

/** Gives an open file the permissions of another. */
bool lb_os_permit(lb_os_handle handle, int permissions);

/** Whether the user may read the file, and may create and remove files in the folder. */
bool lb_os_may_read(const char *path);
bool lb_os_may_write_in(const char *folder);

/* ---- Names of files, in names.c. ---- */

enum { LB_OS_PATH = 4096 }; /* the room for the longest path */

/** What may stand between the parts of a path. */
extern const char lb_os_separators[];

/** The last part of a path, behind its folders. */
static inline const char *lb_os_name_of(const char *path)
{
    const char *name = path;
    for (; *path; path++)
        if (strchr(lb_os_separators, *path)) name = path + 1;
    return name;
}

/** Writes the path to which all links in `path` lead into `target`. */
bool lb_os_resolve(const char *path, char target[LB_OS_PATH]);

bool lb_os_make_folder(const char *path);

/** Renames a file, at once; one that has the name already is replaced. */
bool lb_os_rename(const char *from, const char *to);

/** Gives a file, of which a link may tell, another name as well. EEXIST: somebody has it. */
bool lb_os_link(const char *path, const char *name);

bool lb_os_remove(const char *path);

/** Removes an empty folder. */
bool lb_os_remove_folder(const char *folder);

/** Calls visit(context, name) for each name in the open folder. */
void lb_os_list(lb_os_handle folder, void (*visit)(void *context, const char *name), void *context);

/** Removes the file of this name in the open folder, if nobody holds its lock. Where there are no locks, it has to be
 *  the user's own, and older than so many seconds. */
void lb_os_remove_abandoned(lb_os_handle folder, const char *name, int64_t seconds);

/** Opens a new file without a name in the open folder, to be written. No handle: the file system has none to which
 *  lb_os_give_name could give one. */
lb_os_handle lb_os_nameless(lb_os_handle folder);

/** Locks it, and gives it a name. EEXIST: somebody has it. */
bool lb_os_give_name(lb_os_handle handle, const char *name);

/** The folder for files that nobody keeps. */
const char *lb_os_temp_folder(void);

/** A file in that folder, to be written and read, which nobody finds, and which goes with its handle. */
lb_os_handle lb_os_temp_file(void);

/* ---- Memory, clocks, processors and locales, in machine.c. ---- */

enum { LB_OS_LARGE_PAGE = 2 << 20 };

/** Memory in large pages, where the system has them, to be given to free; NULL: there is none. */
void *lb_os_large_memory(size_t bytes);

/** Asks for large pages in place of small ones. */
void lb_os_prefer_large_pages(void *memory, size_t bytes);

/** Memory in a file without a name in the folder, for which the disk has room: the system writes it there when memory
 *  gets scarce. All is zero. NULL: there can be no such file. */
void *lb_os_map_nameless(const char *folder, size_t bytes);
void lb_os_unmap(void *memory, size_t bytes);

/** Nanoseconds since some moment, by a clock that nobody sets. A clock that fails stands still at 0.
 *  May be called by a handler of signals. */
int64_t lb_os_clock(void);

/** Nanoseconds since 1970; 0 without a clock. */
int64_t lb_os_time(void);

/** Lets other threads run first. */
void lb_os_yield(void);

/** The number of this process. */
int64_t lb_os_process(void);

/** The processors that a quota of control groups grants, such as 1.5; INFINITY without a quota.
 *  `groups` is a file like /proc/self/cgroup, `mounted` a folder like /sys/fs/cgroup; NULL: those of this process.
 *  The limits of all groups above apply, too.
 *  Source: the kernel's documents cgroup-v2 (cpu.max) and scheduler/sched-bwc (version 1). */
double lb_os_granted_processors(const char *groups, const char *mounted);

/** Calls `call` before each copy of this process is made. */
void lb_os_before_fork(void (*call)(void));

/** The locale C for this thread, and the one to return to. */
typedef struct lb_os_locale {
    void *plain, *host; /* `plain` is NULL without memory for it: the locale is then the host's */
} lb_os_locale;

/** Begins to use the locale C in this thread, until lb_os_locale_leave. */
lb_os_locale lb_os_locale_enter(void);

/** Returns to the locale of the host. */
void lb_os_locale_leave(lb_os_locale locale);

#endif
