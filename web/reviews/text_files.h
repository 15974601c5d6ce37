/* The texts in a folder. */
#ifndef LB_TEXT_FILES_H
#define LB_TEXT_FILES_H

#include "base/buffer.h"

/** Finds the .txt files in train/pos and train/neg of the folder, as in aclImdb; if there are none, in its pos and neg;
 *  if there are none either, in the folder itself. `paths` receives their paths.
 *  Order:  by the number at the start of the name, names without one last; then by name; then by path. It does not
 *          depend on the file system.
 *  Memory: free `paths` with lb_strings_free, also after an error.
 *  Errors: LB_ERROR_OPEN with the folder that cannot be read; LB_ERROR_FORMAT if there are no such files;
 *          LB_ERROR_MEMORY. */
LB_MUST_USE lb_status reviews_find_files(const char *folder, lb_strings *paths, lb_error *error);

#endif
