/* A save survives a power cut at any moment. The operations of a save are recorded; then every state in which a cut may
 * leave the folder is made, and the file has to have its old or its new content, whole. */
#include "base/alloc.h"
#include "io/file.h"
#include "io/path.h"
#include "proof/crash_state.h"
#include "proof/small_model.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 20000, MOST_BITS = 6 };

#define NEW_FOLDER "a/new"

typedef enum save_kind {
    SAVE_BYTES,
    SAVE_MODEL,
    SAVE_CHECKPOINT,
    SAVE_ASIDE,  /* after lb_set_aside */
    SAVE_FOLDER, /* after lb_folder_make */
    SAVE_KINDS
} save_kind;

static const char *const kind_names[SAVE_KINDS] = {
    "files", "models", "checkpoints", "models with an earlier one set aside", "models in a new folder"};

/* One save: what is there before, and what goes wrong. */
typedef struct scenario {
    uint64_t seed;
    save_kind kind;
    bool exists, linked; /* an old file; a symbolic link to another folder, where the file is */
    mode_t mode;         /* of the old file */
    proof_fault fault;
    const char *file; /* below the root */
} scenario;

typedef struct bytes {
    char *data; /* NULL: no file */
    size_t count;
} bytes;

typedef struct expected {
    bytes old, new;
    mode_t old_mode, new_mode;
    bool saved; /* the save returned LB_OK */
} expected;

static const proof *campaign;
static char live[SUPPORT_PATH], state[SUPPORT_PATH];

static char *join(char path[SUPPORT_PATH], const char *root, const char *name)
{
    if (snprintf(path, SUPPORT_PATH, "%s/%s", root, name) >= SUPPORT_PATH) abort();
    return path;
}

/* Empties a folder and returns the number of unfinished files in it. */
static int empty(const char *root, const char *name)
{
    char folder[SUPPORT_PATH], path[SUPPORT_PATH];
    int count = 0;
    DIR *entries = opendir(join(folder, root, name));
    if (!entries) abort();
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            count += unlink(join(path, folder, entry->d_name)) == 0 && strstr(entry->d_name, ".tmp");
    closedir(entries);
    return count;
}

static void begin_folder(const char *root, const scenario *s)
{
    char path[SUPPORT_PATH];
    if (access(join(path, root, NEW_FOLDER), F_OK) == 0) {
        empty(root, NEW_FOLDER);
        if (rmdir(path) != 0) abort();
    }
    empty(root, "a");
    empty(root, "b");
    if (s->linked && symlink("../b/model.safetensors", join(path, root, "a/model.safetensors")) != 0) abort();
}

static bytes read_whole(const char *root, const char *name)
{
    char path[SUPPORT_PATH];
    bytes read = {NULL, 0};
    if (access(join(path, root, name), F_OK) == 0) read.data = support_read_file(path, &read.count);
    return read;
}

static lb_status make_folder(const char *root)
{
    char path[SUPPORT_PATH];
    return lb_folder_make(join(path, root, NEW_FOLDER), NULL);
}

/* The content number `which` of a scenario, through the public function that writes it. */
static lb_status save(const scenario *s, const char *root, unsigned which)
{
    char path[SUPPORT_PATH];
    static unsigned char content[MOST_BYTES];
    join(path, root, s->kind == SAVE_FOLDER ? s->file : "a/model.safetensors");
    if (s->kind == SAVE_FOLDER && which == 2 && make_folder(root) != LB_OK) return LB_ERROR_WRITE;
    if (s->kind != SAVE_BYTES)
        return proof_save_model(path, s->kind == SAVE_CHECKPOINT ? PROOF_CHECKPOINT : PROOF_PAIRS,
                                s->seed + which, NULL);
    proof_dice dice = proof_dice_new(s->seed + which, "content");
    size_t count = proof_once_in(&dice, 8) ? 0 : (size_t)proof_below(&dice, MOST_BYTES);
    for (size_t i = 0; i < count; i++) content[i] = (unsigned char)proof_below(&dice, 256);
    return lb_file_write_atomic(path, content, count, NULL);
}

static mode_t mode_of(const char *root, const char *name)
{
    char path[SUPPORT_PATH];
    struct stat info;
    return stat(join(path, root, name), &info) == 0 ? info.st_mode & 07777 : 0;
}

static void make_old(const scenario *s, const char *root)
{
    char path[SUPPORT_PATH];
    join(path, root, s->file);
    if (s->linked) support_write_file(path, "", 0); /* a link to nothing cannot be saved to */
    if (save(s, root, 0) != LB_OK || chmod(path, s->mode) != 0) abort();
}

/* Runs the save and fills in the log and what may be there after a cut. */
static expected record(const scenario *s, proof_log *log)
{
    char path[SUPPORT_PATH];
    begin_folder(live, s);
    expected e = {.new_mode = s->mode};
    if (s->exists) make_old(s, live);
    e.old = read_whole(live, s->file);
    e.old_mode = mode_of(live, s->file);
    proof_record(log, live, s->fault);
    if (s->exists) proof_record_file(log, s->file);
    char *kept = NULL;
    lb_status before = LB_OK;
    if (s->kind == SAVE_ASIDE) before = lb_set_aside(join(path, live, "a/model.safetensors"), &kept, NULL);
    if (s->kind == SAVE_FOLDER) before = make_folder(live);
    e.saved = before == LB_OK && save(s, live, 1) == LB_OK;
    proof_record_stop();
    lb_release(kept);
    /* What the save would have written, also if it could not. */
    if (!e.saved && ((s->kind == SAVE_FOLDER && make_folder(live)) || save(s, live, 1))) abort();
    e.new = read_whole(live, s->file);
    if (!s->exists) e.new_mode = mode_of(live, s->file);
    return e;
}

static bool equal(bytes a, bytes b)
{
    return a.data && b.data && a.count == b.count && memcmp(a.data, b.data, a.count) == 0;
}

/* What is wrong with the state; NULL: nothing. `over`: the cut came after the save had returned. */
static const char *find_fault(const scenario *s, const expected *e, bool over)
{
    bytes now = read_whole(state, s->file);
    mode_t mode = mode_of(state, s->file);
    bool is_old = (!now.data && !e->old.data) || equal(now, e->old), is_new = equal(now, e->new);
    /* Where there are no links, a model that is set aside is renamed. */
    bool may_rename = s->kind == SAVE_ASIDE && s->fault.at, renamed = may_rename && !now.data;
    const char *fault = NULL;
    if (!is_old && !is_new && !renamed)
        fault = now.data ? "the file is neither the old nor the new one" : "the old file is gone";
    else if (over && e->saved && !is_new)
        fault = "the save had returned, but the file is not the new one";
    else if (now.data && !may_rename && mode != (is_new ? e->new_mode : e->old_mode) &&
             !equal(e->old, e->new))
        fault = "the file has other permissions";
    free(now.data);
    if (fault || s->kind != SAVE_ASIDE || !s->exists || is_old) return fault;
    bytes kept = read_whole(state, "a/model.old-1.safetensors");
    if (!equal(kept, e->old)) fault = "the model that was set aside is gone";
    free(kept.data);
    return fault;
}

/* The next save has to work, and to remove what the cut left behind. */
static const char *find_fault_of_next(const scenario *s)
{
    const char *fault = NULL;
    if (save(s, state, 2) != LB_OK) return "the next save fails";
    bytes now = read_whole(state, s->file);
    if (!now.data) fault = "the next save leaves no file";
    free(now.data);
    int leftovers = empty(state, s->kind == SAVE_FOLDER ? NEW_FOLDER : "a") + empty(state, "b");
    return !fault && leftovers ? "the next save leaves what the cut left behind" : fault;
}

static void check_state(const scenario *s, const proof_log *log, const expected *e, proof_cut cut,
                        proof_dice *dice, bool *data_matters)
{
    proof_count *count = proof_kind(campaign, kind_names[s->kind]);
    begin_folder(state, s);
    *data_matters = proof_write_state(log, cut, state, dice);
    const char *fault = find_fault(s, e, cut.ops == log->ops);
    if (!fault && proof_once_in(dice, 4)) fault = find_fault_of_next(s);
    count->trials++;
    if (fault)
        proof_fail(campaign, count, s->seed,
                   "%s: power cut after operation %d of %d, applied names %x, unsynced data: %s", fault,
                   cut.ops, log->ops, cut.applied, proof_unsynced_name(cut.data));
}

/* All states of one save. */
static void check_scenario(const scenario *s)
{
    static proof_log log;
    expected e = record(s, &log);
    if (log.overflowed) abort();
    proof_dice dice = proof_dice_new(s->seed, "states");
    for (int ops = 0; ops <= log.ops; ops++) {
        int bits = proof_unsynced_names(&log, ops);
        if (bits > MOST_BITS) abort();
        for (unsigned applied = 0; applied < 1u << bits; applied++) {
            bool matters = true;
            for (int d = 0; d < PROOF_UNSYNCED_KINDS && matters; d++)
                check_state(s, &log, &e, (proof_cut){ops, applied, (proof_unsynced)d}, &dice, &matters);
        }
    }
    proof_log_free(&log);
    free(e.old.data);
    free(e.new.data);
}

static scenario make_scenario(uint64_t seed)
{
    static const mode_t modes[] = {0644, 0600, 0640, 0444};
    static const int reasons[] = {0, EIO, ENOSPC, EINTR};
    proof_dice dice = proof_dice_new(seed, "scenario");
    scenario s = {.seed = seed, .kind = (save_kind)proof_below(&dice, SAVE_KINDS)};
    s.linked = proof_once_in(&dice, 4);
    s.exists = s.linked || !proof_once_in(&dice, 3);
    if (s.kind == SAVE_FOLDER) s.linked = s.exists = false;
    s.mode = modes[proof_below(&dice, 4)];
    s.file = s.kind == SAVE_FOLDER ? NEW_FOLDER "/model.safetensors"
             : s.linked            ? "b/model.safetensors"
                                   : "a/model.safetensors";
    s.fault.no_names = proof_once_in(&dice, 3);
    if (proof_once_in(&dice, 3)) {
        s.fault.at = 1 + (int)proof_below(&dice, 30);
        s.fault.reason = reasons[proof_below(&dice, 4)];
    }
    return s;
}

int main(int argc, char **argv)
{
    static const char *const folders[] = {"", "a", "b"};
    proof p = proof_begin("proof_power_cut", argc, argv);
    campaign = &p;
    join(live, p.folder, "live");
    join(state, p.folder, "state");
    for (int i = 0; i < 3; i++) {
        char path[SUPPORT_PATH];
        if (mkdir(join(path, live, folders[i]), 0700) || mkdir(join(path, state, folders[i]), 0700)) abort();
    }
    uint64_t seed = p.seed;
    do {
        scenario s = make_scenario(seed++);
        check_scenario(&s);
    } while (proof_has_time(&p));
    return proof_end(&p);
}
