/* The operating system in our own words, for the library: files, folders, locks, memory, clocks, processors, locales.
 * program.h has what only programs need. Nothing else asks the system, and nothing here says which one it is; the
 * implementations are in posix/ and windows/. Paths are UTF-8. A function that fails returns false, -1, NULL or no
 * handle, with the reason in errno. */
#ifndef LB_OS_H
#define LB_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- Open files, folders, pipes and devices. ---- */

/** Zero: none. */
typedef struct lb_os_handle {
    intptr_t number;
} lb_os_handle;

static inline bool lb_os_is_open(lb_os_handle handle)
{
    return handle.number != 0;
}

/** For the implementations: the descriptor of the C library behind a handle, which is one less, so that zero is none,
 *  while standard input is -1, so that nobody closes it; and as many bytes as one call reads or writes. */
static inline int lb_os_descriptor(lb_os_handle handle)
{
    return handle.number < 0 ? 0 : (int)handle.number - 1;
}

static inline lb_os_handle lb_os_handle_of(int descriptor)
{
    return (lb_os_handle){(intptr_t)descriptor + 1};
}

static inline unsigned lb_os_at_once(size_t count)
{
    enum { MOST = 1 << 30 };
    return count < MOST ? (unsigned)count : MOST;
}

/** How a file is opened: a sum of these. */
enum {
    LB_OS_READ = 1,
    LB_OS_WRITE = 2,
    LB_OS_APPEND = 4,   /* what is written comes at its end */
    LB_OS_CREATE = 8,   /* where there is none, with all permissions that the user grants new files */
    LB_OS_NEW = 16,     /* the same; EEXIST where there is one */
    LB_OS_NO_LINK = 32, /* a link in its place is an error */
    LB_OS_NO_WAIT = 64  /* not for the other end of a pipe either */
};

/** Programs that this process starts do not get the handle. Memory: close it. */
lb_os_handle lb_os_open(const char *path, int how);

/** Standard input, which is never closed, and another handle of the same open file, with the same place in it. */
lb_os_handle lb_os_input(void);
lb_os_handle lb_os_again(lb_os_handle handle);

/** Closes it; false: what was written may be lost. lb_os_drop takes no handle, too, forgets it, and keeps errno. */
bool lb_os_close(lb_os_handle handle);
void lb_os_drop(lb_os_handle *handle);

/** Waits for bytes, and reads up to `room` of them. Returns how many; 0 at the end. lb_os_has_arrived tells whether
 *  this would not wait. */
int64_t lb_os_read(lb_os_handle handle, void *bytes, size_t room);
bool lb_os_has_arrived(lb_os_handle handle);

/** Reads `count` bytes, and returns how many: fewer only at the end. lb_os_read_at does so at another place than that
 *  of the handle, which stays. */
int64_t lb_os_read_all(lb_os_handle handle, void *bytes, size_t count);
int64_t lb_os_read_at(lb_os_handle handle, int64_t place, void *bytes, size_t count);

/** Writes all bytes, in as few calls of the system as it allows. After an error, a part may have been written. */
bool lb_os_write_all(lb_os_handle handle, const void *bytes, size_t count);

/** The place of the next read or write. A pipe has none. */
int64_t lb_os_place(lb_os_handle handle);
bool lb_os_go(lb_os_handle handle, int64_t place);

/** Cuts a file to its first bytes. */
bool lb_os_cut(lb_os_handle handle, int64_t bytes);

/** Waits until the content of a file is on the disk. */
bool lb_os_sync(lb_os_handle handle);

/** Locks a file against other handles of it, until this one is closed or the process ends in whatever way, without
 *  waiting. A file system may have no locks. */
typedef enum lb_os_lock_result { LB_OS_LOCKED, LB_OS_LOCKED_BY_OTHERS, LB_OS_NO_LOCKS } lb_os_lock_result;
lb_os_lock_result lb_os_lock(lb_os_handle handle);

/* ---- What files are. ---- */

typedef struct lb_os_info {
    enum { LB_OS_IS_OTHER, LB_OS_IS_FILE, LB_OS_IS_FOLDER, LB_OS_IS_LINK } kind;
    int64_t bytes;
    uint64_t disk, number; /* which together no other file has */
} lb_os_info;

/** What an open file is, and what is at a path, where a link is followed or not. It is zero after an error. */
bool lb_os_info_of(lb_os_handle handle, lb_os_info *info);
bool lb_os_info_at(const char *path, bool follows, lb_os_info *info);

/** Whether two are of one file. */
static inline bool lb_os_is_one(const lb_os_info *a, const lb_os_info *b)
{
    return a->disk == b->disk && a->number == b->number;
}

/** Whether there is something at the path, which the user may read (LB_OS_READ), or in which, a folder, they may create
 *  and remove files (LB_OS_WRITE). */
bool lb_os_may(const char *path, int how);

static inline bool lb_os_exists(const char *path)
{
    return lb_os_may(path, 0);
}

/* ---- Names of files. ---- */

/** What may stand between the parts of a path; and the last part, behind its folders. */
extern const char lb_os_separators[];

static inline const char *lb_os_name_of(const char *path)
{
    const char *name = path;
    for (; *path; path++)
        if (strchr(lb_os_separators, *path)) name = path + 1;
    return name;
}

/** The room for the longest path, and the path to which all links in another lead. */
enum { LB_OS_PATH = 4096 };
bool lb_os_resolve(const char *path, char target[LB_OS_PATH]);

bool lb_os_make_folder(const char *path);

/** Renames a file, at once; one that has the name already is replaced. */
bool lb_os_rename(const char *from, const char *to);

/** Gives a file, to which a link may lead, another name as well. EEXIST: somebody has it. */
bool lb_os_link(const char *path, const char *name);

/** Removes a file or an empty folder. */
bool lb_os_remove(const char *path);

/** The folder for files that nobody keeps; and one in it without a name, to be written and read. */
const char *lb_os_temp_folder(void);
lb_os_handle lb_os_temp_file(void);

/* ---- new_file.c: the new content of a file while it is written, without a name or with one of its own. ---- */

enum { LB_OS_NEW_SUFFIX = 64 };

/** Opens one for the file `path`, with the permissions of that file, if there is one. Removes what killed writers of
 *  `path` left behind: PATH.tmp with digits, the letters a to f and hyphens after it.
 *  Name: `name`, `size` bytes, at least strlen(path) + LB_OS_NEW_SUFFIX; "" if it has none yet. */
lb_os_handle lb_os_new_open(const char *path, char *name, size_t size);

/** Gives it its name, if it has none yet, from which lb_os_rename puts it in place. Where that or this fails, the name,
 *  if it has one, is to be removed. */
bool lb_os_new_name(lb_os_handle file, const char *path, char *name, size_t size);

/** Makes the name `path`, which is new in its folder, survive a power failure. Where a folder cannot be read or synced,
 *  this cannot be helped. */
bool lb_os_sync_name(const char *path);

/** Memory in a file without a name in the folder of `path`, for which the disk has room: the system writes it there
 *  when memory gets scarce. All is zero. NULL: there can be no such file. */
void *lb_os_map_beside(const char *path, size_t bytes);
void lb_os_unmap(void *memory, size_t bytes);

/* ---- Memory, clocks, processors and locales. ---- */

enum { LB_OS_LARGE_PAGE = 2 << 20 };

/** Memory in large pages, to be given to free; NULL: there are none. And a hint that other memory be in such. */
void *lb_os_large_memory(size_t bytes);
void lb_os_prefer_large_pages(void *memory, size_t bytes);

/** Nanoseconds since some moment, by a clock that nobody sets. A clock that fails stands still at 0. May be called by a
 *  handler of signals. */
int64_t lb_os_clock(void);

/** Sleeps so long; 0: lets other threads run first. */
void lb_os_pause(int milliseconds);

/** The number of this process. */
int64_t lb_os_process(void);

/** Calls `call` before each copy of this process is made. */
void lb_os_before_fork(void (*call)(void));

/** The processors that a quota of control groups grants, such as 1.5; INFINITY without a quota. `groups` is a file like
 *  /proc/self/cgroup, `mounted` a folder like /sys/fs/cgroup; NULL: those of this process. The limits of all groups
 *  above apply, too.
 *  Source: the kernel's documents cgroup-v2 (cpu.max) and scheduler/sched-bwc (version 1). */
double lb_os_granted_processors(const char *groups, const char *mounted);

/** The locale C for this thread, until lb_os_locale_leave returns to that of the host. */
typedef struct lb_os_locale {
    void *plain, *host; /* `plain` is NULL without memory for it: the locale is then the host's */
} lb_os_locale;
lb_os_locale lb_os_locale_enter(void);
void lb_os_locale_leave(lb_os_locale locale);

#endif
