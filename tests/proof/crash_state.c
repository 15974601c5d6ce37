#include "proof/crash_state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SECTOR = 512, MOST_NAMES = 64, NO_FILE = -1 };

typedef struct content {
    unsigned char *bytes;
    size_t count;
    mode_t mode;
} content;

static void resize(content *c, size_t count)
{
    unsigned char *bytes = realloc(c->bytes, count + 1);
    if (!bytes) abort();
    if (count > c->count) memset(bytes + c->count, 0, count - c->count);
    c->bytes = bytes;
    c->count = count;
}

/* The file after the first `ops` operations, as programs see it. */
static content replay(const proof_log *log, int file, int ops)
{
    const proof_file *start = &log->file[file];
    content c = {.mode = start->mode};
    resize(&c, start->count);
    if (start->count) memcpy(c.bytes, start->bytes, start->count);
    for (int i = 0; i < ops; i++) {
        const proof_op *op = &log->op[i];
        if (op->file != file) continue;
        if (op->kind == PROOF_TRUNCATE) resize(&c, op->offset);
        if (op->kind == PROOF_MODE) c.mode = op->mode;
        if (op->kind != PROOF_WRITE) continue;
        if (op->offset + op->count > c.count) resize(&c, op->offset + op->count);
        memcpy(c.bytes + op->offset, op->bytes, op->count);
    }
    return c;
}

/* The number of operations up to the last fsync of the file. */
static int synced_ops(const proof_log *log, int file, int ops)
{
    while (ops > 0 && !(log->op[ops - 1].kind == PROOF_SYNC_FILE && log->op[ops - 1].file == file)) ops--;
    return ops;
}

static bool has_unsynced(const proof_log *log, int file, int ops)
{
    for (int i = synced_ops(log, file, ops); i < ops; i++)
        if (log->op[i].file == file && log->op[i].kind <= PROOF_MODE) return true;
    return false;
}

/* Turns `now` into what the disk may have, given that it certainly has `synced`. */
static void lose(content *now, const content *synced, proof_unsynced data, proof_dice *dice)
{
    size_t certain = synced->count < now->count ? synced->count : now->count;
    if (data == PROOF_PREFIX) resize(now, certain + (size_t)proof_below(dice, now->count - certain + 1));
    bool kept = false;
    for (size_t i = 0; i < now->count && data != PROOF_PREFIX && data != PROOF_ALL; i++) {
        if (i % SECTOR == 0) kept = data == PROOF_SECTORS && proof_once_in(dice, 2);
        if (kept || (i < certain && synced->bytes[i] == now->bytes[i])) continue;
        now->bytes[i] = data == PROOF_GARBAGE ? (unsigned char)proof_below(dice, 256) : 0;
    }
}

static content survived(const proof_log *log, int file, proof_cut cut, proof_dice *dice)
{
    content synced = replay(log, file, synced_ops(log, file, cut.ops));
    if (cut.data == PROOF_NOTHING) return synced;
    content now = replay(log, file, cut.ops);
    lose(&now, &synced, cut.data, dice);
    if (cut.data != PROOF_ALL && proof_once_in(dice, 2)) now.mode = synced.mode;
    free(synced.bytes);
    return now;
}

static bool in_folder(const char *name, const char *folder)
{
    size_t length = strlen(folder);
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash - name) == length && strncmp(name, folder, length) == 0 : length == 0;
}

static bool is_on_names(const proof_op *op)
{
    return op->kind == PROOF_LINK || op->kind == PROOF_FOLDER || op->kind == PROOF_RENAME ||
           op->kind == PROOF_UNLINK;
}

/* Whether operation `i`, on a name, was synced by an fsync of its folder within the first `ops` operations. */
static bool is_synced(const proof_log *log, int i, int ops)
{
    for (int later = i + 1; later < ops; later++)
        if (log->op[later].kind == PROOF_SYNC_FOLDER && in_folder(log->op[i].name, log->op[later].name))
            return true;
    return false;
}

int proof_unsynced_names(const proof_log *log, int ops)
{
    int count = 0;
    for (int i = 0; i < ops; i++) count += is_on_names(&log->op[i]) && !is_synced(log, i, ops);
    return count;
}

typedef struct names {
    const char *name[MOST_NAMES];
    int file[MOST_NAMES];
    int count;
} names;

static void set_name(names *all, const char *name, int file)
{
    int n = 0;
    while (n < all->count && strcmp(all->name[n], name) != 0) n++;
    if (n == MOST_NAMES) abort();
    if (n == all->count) all->count++;
    all->name[n] = name;
    all->file[n] = file;
}

static names names_after(const proof_log *log, proof_cut cut)
{
    names all = {.count = 0};
    int bit = 0;
    for (int f = 0; f < log->files; f++)
        if (*log->file[f].name) set_name(&all, log->file[f].name, f);
    for (int i = 0; i < cut.ops; i++) {
        const proof_op *op = &log->op[i];
        if (!is_on_names(op)) continue;
        if (!is_synced(log, i, cut.ops) && !(cut.applied >> bit++ & 1)) continue;
        if (op->kind == PROOF_RENAME) set_name(&all, op->from, NO_FILE);
        set_name(&all, op->name, op->kind == PROOF_UNLINK ? NO_FILE : op->file);
    }
    return all;
}

/* Whether an operation that is missing would have made the folder of this name. */
static bool has_folder(const proof_log *log, const names *all, const char *name)
{
    for (int i = 0; i < log->ops; i++) {
        if (log->op[i].kind != PROOF_FOLDER || !in_folder(name, log->op[i].name)) continue;
        int n = 0;
        while (n < all->count && strcmp(all->name[n], log->op[i].name) != 0) n++;
        if (n == all->count) return false;
    }
    return true;
}

bool proof_write_state(const proof_log *log, proof_cut cut, const char *root, proof_dice *dice)
{
    names all = names_after(log, cut);
    bool matters = false;
    for (int n = 0; n < all.count; n++) {
        if (all.file[n] == NO_FILE || !has_folder(log, &all, all.name[n])) continue;
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", root, all.name[n]);
        if (all.file[n] < 0) {
            if (mkdir(path, 0700) != 0) abort();
            continue;
        }
        matters = matters || has_unsynced(log, all.file[n], cut.ops);
        content c = survived(log, all.file[n], cut, dice);
        support_write_file(path, c.bytes, c.count);
        if (chmod(path, c.mode) != 0) abort();
        free(c.bytes);
    }
    return matters;
}

const char *proof_unsynced_name(proof_unsynced data)
{
    static const char *const words[PROOF_UNSYNCED_KINDS] = {"nothing", "a prefix",     "zeros",
                                                            "garbage", "some sectors", "all"};
    return words[data];
}
