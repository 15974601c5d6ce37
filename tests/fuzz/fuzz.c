/* memfd_create */
#define _GNU_SOURCE
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void fuzz_fail(const char *promise)
{
    fprintf(stderr, "fuzz: does not hold: %s\n", promise);
    abort();
}

static bool write_all(int file, const char *from, size_t size)
{
    while (size > 0) {
        ssize_t done = write(file, from, size);
        if (done <= 0) return false;
        from += done;
        size -= (size_t)done;
    }
    return true;
}

const char *fuzz_file(const void *data, size_t size)
{
    static int file = -1;
    static char path[sizeof "/proc/self/fd/" + 16];
    if (file < 0) {
        file = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    fuzz_require(file >= 0 && ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0 &&
                     write_all(file, data, size),
                 "a file in memory can be written");
    return path;
}

enum { PATH = 64, FILES = 4 };

static char folder[] = "/tmp/fuzz-XXXXXX", written[FILES][PATH];
static int written_count;

static void remove_folder(void)
{
    for (int i = 0; i < written_count; i++) unlink(written[i]);
    rmdir(folder);
}

static int find_written(const char *path)
{
    for (int i = 0; i < written_count; i++)
        if (strcmp(written[i], path) == 0) return i;
    return -1;
}

const char *fuzz_folder(const char *name, const void *data, size_t size)
{
    char path[PATH];
    static bool made;
    if (!made) made = mkdtemp(folder) != NULL && atexit(remove_folder) == 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (find_written(path) < 0 && written_count < FILES) memcpy(written[written_count++], path, PATH);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fuzz_require(made && file >= 0 && find_written(path) >= 0 && write_all(file, data, size),
                 "a file in a folder can be written");
    close(file);
    return folder;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    fuzz_require(text != NULL, "there is memory for a copy");
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

uint8_t fuzz_byte(const uint8_t **data, size_t *size)
{
    if (*size == 0) return 0;
    (*size)--;
    return *(*data)++;
}

void fuzz_require_told(bool opened, const lb_error *error)
{
    fuzz_require(opened == (error->status == LB_OK), "an error is reported exactly if there is no result");
    fuzz_require(opened || *error->message, "an error has a message");
}
