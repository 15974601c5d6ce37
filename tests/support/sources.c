#include "support/sources.h"

#include "support/suite.h"
#include "support/tempdir.h"

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

/* The end of the comment, string or character that begins here, or the same place. */
static char *end_of_text(char *c)
{
    char quote = *c;
    if (strncmp(c, "//", 2) == 0) return c + strcspn(c, "\n");
    if (strncmp(c, "/*", 2) == 0) return strstr(c, "*/") + 2;
    if (quote != '"' && quote != '\'') return c;
    for (c++; *c != quote; c++) c += *c == '\\';
    return c + 1;
}

void support_keep_code(char *text)
{
    for (char *c = text; *c; c++) {
        char *end = end_of_text(c);
        for (; c < end; c++)
            if (*c != '\n') *c = ' ';
        if (!*c) return;
    }
}
