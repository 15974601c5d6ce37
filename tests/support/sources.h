/* The C files below a folder. */
#ifndef SUPPORT_SOURCES_H
#define SUPPORT_SOURCES_H

/** Calls `check` for each C file of root/folder, with its path in root and its text, which it may change. Returns their
 *  number. Both end with a slash, unless the folder is "". */
int support_walk_sources(const char *root, const char *folder, void (*check)(const char *file, char *text));

/** Makes blanks of comments, strings and characters, in place. */
void support_keep_code(char *text);

#endif
