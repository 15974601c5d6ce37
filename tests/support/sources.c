#include "support/sources.h"

#include "support/tempdir.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int support_walk_sources(const char *root, const char *folder, void (*check)(const char *file, char *text))
{
    char path[SUPPORT_PATH], child[SUPPORT_PATH];
    int files = 0;
    ck_assert_int_lt(snprintf(path, sizeof path, "%s%s", root, folder), SUPPORT_PATH);
    DIR *dir = opendir(path);
    ck_assert_msg(dir != NULL, "no folder %s", path);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        struct stat info;
        const char *end = strrchr(entry->d_name, '.');
        if (*entry->d_name == '.') continue;
        ck_assert_int_lt(snprintf(child, sizeof child, "%s%s", folder, entry->d_name), SUPPORT_PATH - 1);
        ck_assert_int_lt(snprintf(path, sizeof path, "%s%s", root, child), SUPPORT_PATH);
        ck_assert_int_eq(stat(path, &info), 0);
        if (S_ISDIR(info.st_mode)) {
            strcat(child, "/");
            files += support_walk_sources(root, child, check);
        } else if (end && (strcmp(end, ".c") == 0 || strcmp(end, ".h") == 0)) {
            size_t count;
            char *text = support_read_file(path, &count);
            check(child, text);
            free(text);
            files++;
        }
    }
    closedir(dir);
    return files;
}
