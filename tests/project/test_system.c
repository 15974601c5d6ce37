/* The operating system is one room, src/os: nothing else includes a header of a system or calls what would need one,
 * and the headers of the room are in our own words. src/mpi is a library over the public API and MPI. */
#include "support/sources.h"
#include "support/suite.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Beginnings of names of headers. Of ISO C, they have what each system does in its own way. */
static const char *const headers[] = {"arpa/",  "dirent.h",   "dlfcn.h",  "fcntl.h",  "glob.h", "io.h",
                                      "linux/", "locale.h",   "mach/",    "netinet/", "poll.h", "process.h",
                                      "pwd.h",  "sched.h",    "signal.h", "spawn.h",  "sys/",   "termios.h",
                                      "time.h", "ucontext.h", "unistd.h", "windows.h"};

static const char *const calls[] = {"locale_t", "pthread_atfork", "clock_gettime"};

/* Types of POSIX, which the headers of the room do not show. */
static const char *const types[] = {"off_t", "ssize_t", "mode_t", "pid_t", "struct stat", "locale_t"};

/* The header of a system that a line includes, or NULL. */
static const char *system_header(const char *line)
{
    char included[64];
    if (sscanf(line, " # include <%63[^>]", included) != 1) return NULL;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (strncmp(included, headers[i], strlen(headers[i])) == 0) return headers[i];
    return NULL;
}

static const char *first_of(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(text, words[i])) return words[i];
    return NULL;
}

/* What a text has that only the room may have, or NULL. */
static const char *asks_the_system(const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *found = system_header(line);
        if (found) return found;
    }
    return first_of(text, calls, sizeof calls / sizeof *calls);
}

static bool is_of(const char *file, const char *room)
{
    return strncmp(file, room, strlen(room)) == 0;
}

static void check_source(const char *file, char *text)
{
    if (is_of(file, "os/posix/") || is_of(file, "os/windows/") || is_of(file, "mpi/")) return;
    const char *found = asks_the_system(text);
    ck_assert_msg(!found, "%s has %s: expected a function of src/os/os.h or src/os/program.h", file, found);
    if (!is_of(file, "os/")) return;
    found = first_of(text, types, sizeof types / sizeof *types);
    ck_assert_msg(!found, "%s has %s: expected a type of our own", file, found);
}

START_TEST(test_system_is_asked_by_its_room_alone)
{
    ck_assert_int_gt(support_walk_sources(SOURCE_DIR "/src/", "", check_source), 0);
    ck_assert_int_gt(support_walk_sources(SOURCE_DIR "/apps/", "", check_source), 0);
}
END_TEST

START_TEST(test_asks_the_system_is_found_and_what_is_alike_is_not)
{
    static const char *const planted[][2] = {{"#include <math.h>\n#include <unistd.h>\n", "unistd.h"},
                                             {"#ifdef A\n#    include <sys/mman.h>\n#endif\n", "sys/"},
                                             {"# include <fcntl.h>", "fcntl.h"},
                                             {"#include <time.h>\n", "time.h"},
                                             {"static locale_t plain;\n", "locale_t"},
                                             {"(void)pthread_atfork(a, 0, 0);\n", "pthread_atfork"},
                                             {"return clock_gettime(a, &b);\n", "clock_gettime"}};
    for (size_t i = 0; SUPPORT_ROW(i, planted); i++)
        ck_assert_str_eq(asks_the_system(planted[i][0]), planted[i][1]);
    ck_assert_ptr_null(asks_the_system("#include <stdio.h>\n#include \"io/file.h\"\n#include <systems.h>\n"));
    ck_assert_str_eq(first_of("int64_t a;\nstruct stat b;", types, sizeof types / sizeof *types),
                     "struct stat");
}
END_TEST
