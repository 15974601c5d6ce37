/* The processors that a quota grants. */
#include "os/os.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* Writes a file below the folder of the test, whose folders are made. */
static void write_file(const char *name, const char *text)
{
    const char *path = support_path(name);
    for (char *slash = strchr(path + strlen(support_tempdir()) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    support_write_file(path, text, strlen(text));
}

static double granted(void)
{
    return lb_os_granted_processors(support_path("cgroup"), support_path("sys"));
}

START_TEST(test_quota_of_a_group_and_of_those_above)
{
    ck_assert(isinf(granted()));
    write_file("cgroup", "0::/user/job\n");
    ck_assert(isinf(granted()));
    write_file("sys/user/job/cpu.max", "max 100000\n");
    ck_assert(isinf(granted()));
    write_file("sys/user/job/cpu.max", "350000 100000\n");
    ck_assert_double_eq(granted(), 3.5);
    write_file("sys/user/cpu.max", "150000 100000\n");
    ck_assert_double_eq(granted(), 1.5);
    write_file("sys/cpu.max", "400000 100000\n");
    ck_assert_double_eq(granted(), 1.5);
}
END_TEST

START_TEST(test_quota_of_version_1)
{
    write_file("cgroup", "12:memory:/other\n9:cpuset:/wide\n4:cpu,cpuacct:/job\n1:name=systemd:/\n0::/job\n");
    write_file("sys/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
    write_file("sys/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    write_file("sys/cpuset/wide/cpu.cfs_quota_us", "100000\n");
    write_file("sys/cpuset/wide/cpu.cfs_period_us", "100000\n");
    ck_assert(isinf(granted()));
    write_file("sys/cpu,cpuacct/job/cpu.cfs_quota_us", "25000\n");
    ck_assert_double_eq(granted(), 0.25);
}
END_TEST

START_TEST(test_files_of_strangers_are_no_quota)
{
    static const char *const groups[] = {"", "\n", "0\n", "0:\n", "0::\n", "cpu\n", "::::\n", "1:cpu,:x\n"};
    static const char *const limits[] = {"",         "x",         "0 0",        "100000",
                                         "100000 0", "-5 100000", "nan 100000", "1 x"};
    for (size_t i = 0; SUPPORT_ROW(i, groups); i++) {
        write_file("cgroup", groups[i]);
        ck_assert_msg(isinf(granted()), "%s", groups[i]);
    }
    write_file("cgroup", "0::/job");
    for (size_t i = 0; SUPPORT_ROW(i, limits); i++) {
        write_file("sys/job/cpu.max", limits[i]);
        ck_assert_msg(isinf(granted()), "%s", limits[i]);
    }
}
END_TEST
