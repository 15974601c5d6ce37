#include "reviews/text_files.h"

#include "base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* "folder/name", to be released; NULL if there is no memory. */
static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = lb_alloc(size);
    if (path) snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Hidden files are skipped: some systems create one next to each file. */
static bool has_text_name(const char *name)
{
    const char *end = strrchr(name, '.');
    return *name != '.' && end && strcmp(end, ".txt") == 0;
}

/* Adds the files of a folder. A folder that does not exist has none. */
static lb_status add_folder(const char *folder, lb_strings *paths, lb_error *error)
{
    DIR *open_folder = opendir(folder);
    if (!open_folder && (errno == ENOENT || errno == ENOTDIR)) return LB_OK;
    if (!open_folder)
        return lb_error_set(error, LB_ERROR_OPEN, "%s: cannot read: %s", folder, strerror(errno));
    lb_status status = LB_OK;
    for (struct dirent *entry; !status && (entry = readdir(open_folder)) != NULL;) {
        if (!has_text_name(entry->d_name)) continue;
        char *path = join(folder, entry->d_name);
        if (path && !is_file(path))
            lb_release(path);
        else
            status = lb_strings_add(paths, path, error);
    }
    closedir(open_folder);
    return status;
}

static lb_status add_inner_folder(const char *folder, const char *inner, lb_strings *paths, lb_error *error)
{
    char *path = join(folder, inner);
    if (!path) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", folder);
    lb_status status = add_folder(path, paths, error);
    lb_release(path);
    return status;
}

static const char *name_of(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* Compares the numbers at the start of two names, however long they are. */
static int compare_numbers(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    size_t digits_a = strspn(a, digits), digits_b = strspn(b, digits);
    if (digits_a == 0 || digits_b == 0) return (digits_a == 0) - (digits_b == 0);
    size_t zeros_a = strspn(a, "0"), zeros_b = strspn(b, "0");
    digits_a -= zeros_a;
    digits_b -= zeros_b;
    if (digits_a != digits_b) return digits_a < digits_b ? -1 : 1;
    return strncmp(a + zeros_a, b + zeros_b, digits_a);
}

static int compare(const void *a, const void *b)
{
    const char *path_a = *(char *const *)a, *path_b = *(char *const *)b;
    const char *name_a = name_of(path_a), *name_b = name_of(path_b);
    int order = compare_numbers(name_a, name_b);
    if (order == 0) order = strcmp(name_a, name_b);
    return order ? order : strcmp(path_a, path_b);
}

lb_status reviews_find_files(const char *folder, lb_strings *paths, lb_error *error)
{
    static const char *const places[][2] = {{"train/pos", "train/neg"}, {"pos", "neg"}};
    lb_status status = LB_OK;
    *paths = (lb_strings){0};
    for (size_t i = 0; i < sizeof places / sizeof *places && paths->count == 0 && !status; i++) {
        status = add_inner_folder(folder, places[i][0], paths, error);
        if (!status) status = add_inner_folder(folder, places[i][1], paths, error);
    }
    if (paths->count == 0 && !status) status = add_folder(folder, paths, error);
    if (status) return status;
    if (paths->count == 0)
        return lb_error_set(
            error, LB_ERROR_FORMAT,
            "%s: found no reviews, expected .txt files in train/pos and train/neg, in pos and "
            "neg, or in the folder itself",
            folder);
    qsort(paths->text, paths->count, sizeof *paths->text, compare);
    return LB_OK;
}
