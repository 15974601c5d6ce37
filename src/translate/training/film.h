/* The film of a training: what the model writes for a few held-out pairs at each evaluation, and where it looks. */
#ifndef LB_FILM_H
#define LB_FILM_H

#include "base/buffer.h"
#include "translate/training/batches.h"

/** A film while it is made: the file `path`, a line of JSON for each evaluation and pair. Zero with a path is a film
 *  that has not begun.
 *      {"step":250,"pair":7,"source":[...],"expected":[...],"output":[...],"finished":true,"weights":"base64"}
 *  The symbols are those that the model reads and writes. `weights` has a byte for each step of the output and symbol
 *  of the source, round(255 weight): the mean over the heads of the last layer; "" without attention. */
typedef struct lb_film {
    const char *path;
    lb_tape *tape;     /* of its own: the training's is not disturbed */
    lb_buffer pending; /* lines that are not in the file yet */
    size_t size;       /* bytes of the file that belong to the film */
    bool begun;
} lb_film;

/** Adds the frames of an evaluation, which is the last of `history`, with the weights that the model has now. The first
 *  one begins a new file, or continues an existing one after the evaluations of `history` before it; later frames in
 *  that file were made by a run that was killed, and are dropped. With no `pairs`, the first one removes the file.
 *  Model:  as it will be in its file.
 *  Errors: LB_ERROR_WRITE: the frames are kept, and written with the next ones; LB_ERROR_MEMORY; those of decoding. */
LB_MUST_USE lb_status lb_film_add(lb_film *film, lb_producer *producer, const lb_text_model *model, int pairs,
                                  const lb_train_history *history, lb_error *error);

/** Writes what could not be written before. Errors: LB_ERROR_WRITE. */
LB_MUST_USE lb_status lb_film_save(lb_film *film, lb_error *error);

/** Frees the memory, but not the path. */
void lb_film_free(lb_film *film);

#endif
