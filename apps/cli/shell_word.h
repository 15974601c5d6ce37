/* A word as a shell would read it. */
#ifndef APP_SHELL_WORD_H
#define APP_SHELL_WORD_H

#include "base/buffer.h"

/** Prints a text whose bytes that are not UTF-8 become U+FFFD: arguments may be any bytes. */
void app_print_readable(lb_buffer *text, const char *bytes);

/** Prints such a text as one word, in quotes if it needs them. */
void app_shell_word(lb_buffer *text, const char *word);

#endif
