/* ./run alone in a checkout, with a CMake that only reports its arguments, and with no package missing. */
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const CACHE = "build/release/CMakeCache.txt";

static support_result result;

static void write_text(const char *name, const char *text)
{
    const char *path = support_path(name);
    support_write_file(path, text, strlen(text));
    ck_assert_int_eq(chmod(path, 0755), 0);
}

static void make_checkout(void)
{
    static const char *const folders[] = {"tools", "build", "build/release"};
    for (int i = 0; SUPPORT_ROW(i, folders); i++) ck_assert_int_eq(mkdir(support_path(folders[i]), 0777), 0);
    size_t length;
    char *script = support_read_file(SOURCE_DIR "/run", &length);
    write_text("run", script);
    free(script);
    write_text("tools/cmake", "#!/bin/sh\necho \"$@\" >>calls\n");
    write_text("tools/dpkg-query", "#!/bin/sh\necho installed all\n");
}

/* The build folder after configuring in the checkout `home`. */
static void configure(const char *home)
{
    char text[SUPPORT_PATH + 64];
    snprintf(text, sizeof text, "CMAKE_BUILD_TYPE:STRING=Release\nCMAKE_HOME_DIRECTORY:INTERNAL=%s\n", home);
    write_text(CACHE, text);
}

static int columns; /* of the terminal that standard error is; 0: it is a pipe */

/* ./run COMMAND [ARGUMENT] */
static void call(const char *command, const char *argument)
{
    char tools[2 * SUPPORT_PATH];
    snprintf(tools, sizeof tools, "PATH=%s/tools:/usr/bin:/bin", support_tempdir());
    support_result_free(&result);
    const support_command how = {.argv = (const char *[]){"/bin/sh", "./run", command, argument, NULL},
                                 .environment = (const char *[]){tools, NULL},
                                 .directory = support_tempdir(),
                                 .terminal_columns = columns};
    ck_assert(support_run_command(&how, &result));
}

/* The standard error of ./run COMMAND. */
static const char *run(const char *command)
{
    call(command, NULL);
    ck_assert_msg(result.status == 0, "%s", result.error);
    return result.error;
}

static bool exists(const char *name)
{
    return access(support_path(name), F_OK) == 0;
}

START_TEST(test_run_build_folder_of_this_checkout_is_kept)
{
    make_checkout();
    configure(support_tempdir());
    ck_assert_str_eq(run("build"), "");
    ck_assert(exists(CACHE));
}
END_TEST

START_LOOP_TEST(test_run_build_folder_of_a_moved_checkout_is_made_anew, 2)
{
    static const char *const others[] = {"/no/such/checkout", "/usr"};
    char said[SUPPORT_PATH];
    make_checkout();
    configure(others[_i]);
    snprintf(said, sizeof said, "run: build/release belongs to %s: creating it again\n", others[_i]);
    ck_assert_ptr_nonnull(strstr(run("build"), said));
    ck_assert(!exists(CACHE));
}
END_TEST

START_TEST(test_run_build_asks_for_the_programs_alone)
{
    size_t length;
    make_checkout();
    run("build");
    char *calls = support_read_file(support_path("calls"), &length);
    ck_assert_str_eq(calls, "--preset release\n--build --preset release --target programs\n");
    free(calls);
}
END_TEST

/* A CMake that builds in so many steps, as ninja counts them, and then ends with a status. */
static void make_build(int steps, int status)
{
    char text[256];
    make_checkout();
    snprintf(
        text, sizeof text,
        "#!/bin/sh\ncase $* in\n--build*)\n    for i in $(seq %d); do echo \"[$i/%d] Building x\"; done\n"
        "    exit %d\n    ;;\nesac\n",
        steps, steps, status);
    write_text("tools/cmake", text);
}

START_TEST(test_run_build_counts_what_is_long_at_each_quarter)
{
    make_build(40, 0);
    ck_assert_str_eq(run("build"), "run: building build/release: 10 of 40 steps\n"
                                   "run: building build/release: 20 of 40 steps\n"
                                   "run: building build/release: 30 of 40 steps\n"
                                   "run: building build/release: 40 of 40 steps\n");
}
END_TEST

START_TEST(test_run_build_counts_on_one_line_of_a_terminal)
{
    make_build(2, 0);
    columns = 80;
    ck_assert_str_eq(run("build"), "\rrun: building build/release: 1 of 2 steps\033[K"
                                   "\rrun: building build/release: 2 of 2 steps\033[K\r\033[K");
}
END_TEST

START_TEST(test_run_build_that_fails_says_what_to_do_and_where_its_log_is)
{
    size_t length;
    make_checkout();
    write_text("tools/cmake", "#!/bin/sh\ncase $* in\n--build*)\n    echo '[1/2] Building x'\n    seq 50\n"
                              "    echo '[2/2] Building y'\n    exit 3\n    ;;\nesac\n");
    call("build", NULL);
    ck_assert_int_eq(result.status, 1);
    ck_assert_int_eq(strncmp(result.error, "11\n12\n", 6), 0); /* the last 40 lines */
    ck_assert_msg(
        strstr(result.error,
               "\n50\nrun: building build/release failed: mend what the lines above say, then repeat "
               "the command; the whole log is build/release.log (cmake --build --preset release "
               "--target programs)\n") != NULL,
        "%s", result.error);
    char *log = support_read_file(support_path("build/release.log"), &length);
    ck_assert_int_eq(strncmp(log, "[1/2] Building x\n1\n2\n", 21), 0);
    free(log);
}
END_TEST

/* What hangs ends sooner where nothing makes tests slow. */
START_LOOP_TEST(test_run_test_has_a_limit, 4)
{
    static const struct {
        const char *preset, *own, *limit;
    } cases[] = {
        {"release", NULL, "900"}, {"asan", NULL, "3600"}, {"s390x", NULL, "3600"}, {"release", "7", "7"}};
    char said[64];
    size_t length;
    make_checkout();
    ck_assert_int_eq(mkdir(support_path("build/s390x-sysroot"), 0777), 0);
    write_text("tools/ctest", "#!/bin/sh\necho \"limit $LOOKBACK_TEST_SECONDS, $*\" >limits\n");
    write_text("tools/mmdebstrap", "#!/bin/sh\n");
    if (cases[_i].own)
        setenv("LOOKBACK_TEST_SECONDS", cases[_i].own, 1);
    else
        unsetenv("LOOKBACK_TEST_SECONDS");
    call("test", cases[_i].preset);
    ck_assert_msg(result.status == 0, "%s", result.error);
    snprintf(said, sizeof said, "limit %s, --preset %s --timeout %s\n", cases[_i].limit, cases[_i].preset,
             cases[_i].limit);
    char *limits = support_read_file(support_path("limits"), &length);
    ck_assert_str_eq(limits, said);
    free(limits);
}
END_TEST

/* Each of 20 packages is fetched, unpacked and set up. */
START_TEST(test_run_build_counts_the_packages_that_it_installs)
{
    make_checkout();
    write_text("tools/dpkg-query", "#!/bin/sh\ncase $* in *gcc*) exit 1 ;; esac\necho installed all\n");
    write_text("tools/id", "#!/bin/sh\necho 0\n");
    write_text("tools/apt-get", "#!/bin/sh\ncase $* in *update*) exit ;; esac\n"
                                "echo '0 upgraded, 20 newly installed, 0 to remove and 3 not upgraded.'\n"
                                "for what in Get:1 Unpacking 'Setting up'; do for i in $(seq 20); do echo "
                                "\"$what $i\"; done; done\n");
    ck_assert_str_eq(run("build"), "run: installing gcc\n"
                                   "run: installing: 15 of 60 steps\nrun: installing: 30 of 60 steps\n"
                                   "run: installing: 45 of 60 steps\nrun: installing: 60 of 60 steps\n");
}
END_TEST

START_TEST(test_run_lessons_counts_them)
{
    static const char *const folders[] = {"examples", "build/release/bin"};
    make_checkout();
    for (int i = 0; SUPPORT_ROW(i, folders); i++) ck_assert_int_eq(mkdir(support_path(folders[i]), 0777), 0);
    static const char *const files[] = {"examples/01_dot.c", "examples/02_mask.c", "build/release/bin/01_dot",
                                        "build/release/bin/02_mask"};
    for (int i = 0; i < 4; i++) write_text(files[i], "#!/bin/sh\necho \"draws in $1\"\n");
    call("lessons", NULL);
    support_expect(
        &result, 0,
        "\n=== 1 of 2: 01_dot\ndraws in out/lessons\n\n=== 2 of 2: 02_mask\ndraws in out/lessons\n", "");
}
END_TEST

/* Two exercises, one of which compiles: the compiler complains about the other, or calls it right. */
static void make_exercises(void)
{
    static const char *const folders[] = {"exercises", "build/release/exercises"};
    make_checkout();
    for (int i = 0; SUPPORT_ROW(i, folders); i++) ck_assert_int_eq(mkdir(support_path(folders[i]), 0777), 0);
    write_text("exercises/01_first.c", "");
    write_text("exercises/02_second.c", "");
    write_text("tools/cmake", "#!/bin/sh\ncase $* in\n*check_02_second)\n"
                              "    echo '[1/2] Building C object'\n    echo 'FAILED: 02_second.c.o'\n"
                              "    echo 'cc -Wall -c /folder/02_second.c'\n"
                              "    echo '../02_second.c:3: error: no such thing'\n"
                              "    echo 'ninja: build stopped'\n    exit 1\n    ;;\nesac\n");
    write_text("build/release/exercises/check_01_first", "#!/bin/sh\necho \"checked $*\"\nexit 1\n");
}

START_TEST(test_run_check_of_a_number_checks_that_exercise_and_no_other)
{
    static const char *const first[] = {"1", "01"};
    make_exercises();
    for (int i = 0; i < 2; i++) {
        call("check", first[i]);
        support_expect(&result, 1, "checked \n", "");
    }
    call("check", "2");
    support_expect(&result, 1, "",
                   "../02_second.c:3: error: no such thing\nrun: exercises/02_second.c does not compile\n");
}
END_TEST

START_LOOP_TEST(test_run_check_of_no_exercise_names_what_there_is, 6)
{
    static const char *const wrong[] = {"3", "0", "x", "", "*", "-1"};
    char said[SUPPORT_PATH];
    make_exercises();
    call("check", wrong[_i]);
    snprintf(said, sizeof said, "run: no exercise '%s': expected a number from 1 to 2\n", wrong[_i]);
    support_expect(&result, 1, "", said);
}
END_TEST

START_TEST(test_run_check_alone_lists_all_exercises)
{
    make_exercises();
    call("check", NULL);
    support_expect(&result, 0,
                   "checked --brief\n 2  second              does not compile\n"
                   "./run check N shows what is wrong with exercise N\n",
                   "");
}
END_TEST

START_TEST(test_run_hook_replaces_no_hook_of_another)
{
    make_checkout();
    write_text("tools/git", "#!/bin/sh\necho hooks\n");
    for (int time = 0; time < 2; time++) {
        call("hook", NULL);
        support_expect(&result, 0, "hooks/pre-commit\n", "");
    }
    ck_assert_int_eq(access(support_path("hooks/pre-commit"), X_OK), 0);
    write_text("hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    call("hook", NULL);
    support_expect(&result, 1, "", "run: hooks/pre-commit is there already, and is not ours\n");
}
END_TEST
