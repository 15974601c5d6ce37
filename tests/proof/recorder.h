/* Records what a save asks of the file system: the linker redirects its system calls here (tests/proof/CMakeLists.txt).
 * They are carried out as well, except for fsync: a power cut is only played. */
#ifndef PROOF_RECORDER_H
#define PROOF_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { PROOF_NAME = 192, PROOF_OPS = 256, PROOF_FILES = 32 };

typedef enum proof_op_kind {
    PROOF_WRITE,
    PROOF_TRUNCATE,
    PROOF_MODE,
    PROOF_SYNC_FILE,
    PROOF_LINK,   /* also the creation of a file that has a name */
    PROOF_FOLDER, /* a new one */
    PROOF_RENAME,
    PROOF_UNLINK,
    PROOF_SYNC_FOLDER
} proof_op_kind;

/** One operation. Names are relative to the folder of the recording. */
typedef struct proof_op {
    proof_op_kind kind;
    int file;                                /* of `name`, before a PROOF_UNLINK; -1 for folders */
    char name[PROOF_NAME], from[PROOF_NAME]; /* what the operation is about; the old name of a renamed file */
    unsigned char *bytes;                    /* of a write */
    size_t offset, count;                    /* of a write; offset: the length after PROOF_TRUNCATE */
    mode_t mode;
} proof_op;

/** A file as it was before the first operation; without content if an operation creates it. */
typedef struct proof_file {
    char name[PROOF_NAME]; /* "" if it had none */
    unsigned char *bytes;
    size_t count;
    mode_t mode;
} proof_file;

typedef struct proof_log {
    char root[PROOF_NAME];
    proof_file file[PROOF_FILES];
    int files;
    proof_op op[PROOF_OPS];
    int ops;
    bool overflowed; /* there were more operations than fit */
} proof_log;

/** What goes wrong during a recording. */
typedef struct proof_fault {
    int at;        /* the operation that fails, counted from 1; 0: none */
    int reason;    /* errno; 0: a write of a part */
    bool no_names; /* the file system has no files without names */
} proof_fault;

/** Starts to record operations below `root`, a resolved path. Its files so far have to be added with
 *  proof_record_file. */
void proof_record(proof_log *log, const char *root, proof_fault planned);

/** A file that exists, with its content. */
void proof_record_file(proof_log *log, const char *name);

void proof_record_stop(void);

/** The file that has this name after the first `ops` operations; -1: none. */
int proof_log_find(const proof_log *log, int ops, const char *name);

/** Frees the contents. */
void proof_log_free(proof_log *log);

#endif
