/* The states in which a power cut may leave a folder: what POSIX allows for what was not synced. As in ALICE (Pillai
 * and others, "All File Systems Are Not Created Equal", OSDI 2014), the content of a file is certain up to its last
 * fsync, and the names in a folder up to the last fsync of the folder: of later ones, any subset may be there. */
#ifndef PROOF_CRASH_STATE_H
#define PROOF_CRASH_STATE_H

#include "proof/campaign.h"
#include "proof/recorder.h"

/** What became of writes that were not synced. */
typedef enum proof_unsynced {
    PROOF_NOTHING,
    PROOF_PREFIX,
    PROOF_ZEROS,   /* the length, but not the content */
    PROOF_GARBAGE, /* the length, with whatever the disk had there */
    PROOF_SECTORS, /* some sectors of it */
    PROOF_ALL,
    PROOF_UNSYNCED_KINDS
} proof_unsynced;

/** A moment, and what became of the operations before it. */
typedef struct proof_cut {
    int ops;          /* operations before it */
    unsigned applied; /* a bit for each operation on names that was not synced, in their order */
    proof_unsynced data;
} proof_cut;

/** The number of operations on names that are not synced after `ops` operations. */
int proof_unsynced_names(const proof_log *log, int ops);

/** Writes the state into the folder `root`, whose own folders exist. Returns whether a file in it has writes that were
 *  not synced: otherwise `data` does not matter. */
bool proof_write_state(const proof_log *log, proof_cut cut, const char *root, proof_dice *dice);

/** The name of `data` in messages. */
const char *proof_unsynced_name(proof_unsynced data);

#endif
