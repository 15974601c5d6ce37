/* The texts in a folder. */
#ifndef LB_TEXT_FILES_H
#define LB_TEXT_FILES_H

#include "data/strings.h"

/** Finds the files named .txt that lie in the folder's train/pos and train/neg, as in aclImdb; if there are none, in
 *  its pos and neg; and if there are none there either, in the folder itself. `paths` receives their paths.
 *  Order:  by the number with which a name begins, names without one last; then by name; then by path. Not by what the
 *          file system happens to say first.
 *  Memory: `paths` is to be freed by lb_strings_free, also after an error.
 *  Errors: LB_ERROR_OPEN with the folder that cannot be read; LB_ERROR_FORMAT if there are no such files;
 *          LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_text_files_find(const char *folder, lb_strings *paths, lb_error *error);

#endif
