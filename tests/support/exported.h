/* A model as a C file, written by lookback export and compiled, in the folder of the test. */
#ifndef SUPPORT_EXPORTED_H
#define SUPPORT_EXPORTED_H

#include <stddef.h>

/* What an exported file is compiled with. */
extern const char *const support_compiler;
#define SUPPORT_WARNINGS "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"

/* Writes texts.txt: texts of 1 to 8 of these symbols. */
void support_write_texts(const char *const *symbols, size_t count);

/* Exports the model as g2p.c, with options up to NULL, and compiles it, with the flag, as the program of that file in
 * tests/export/. */
void support_compile_exported(const char *model, const char *const *options, const char *program,
                              const char *flag);

/* In how many lines of texts.txt the outputs of the exported model and of predict differ. Many texts must have outputs
 * of their own. */
int support_compare_exported(const char *model, const char *beam, const char *type);

#endif
