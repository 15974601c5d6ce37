/* The lessons: programs in examples/, pages in docs/lessons/, pictures in docs/images/lessons/, and in
 * tests/data/fixtures/lessons/ the output of PyTorch for the same steps. */
#ifndef SUPPORT_LESSON_H
#define SUPPORT_LESSON_H

#include <stdbool.h>

enum { SUPPORT_LESSONS = 128, SUPPORT_LESSON_NAME = 96, SUPPORT_LINES = 512 };

typedef struct support_names {
    int count;
    char name[SUPPORT_LESSONS][SUPPORT_LESSON_NAME]; /* in order */
} support_names;

/* The files of a folder that begin with two digits and a '_' and end in `suffix`, without that suffix. A missing folder
 * has none. */
support_names support_lesson_files(const char *folder, const char *suffix);

bool support_names_hold(const support_names *names, const char *name);

/* Splits a text into lines, without the blanks around them; changes the text. */
typedef struct support_lines {
    int count;
    char *line[SUPPORT_LINES];
} support_lines;

support_lines support_cut_lines(char *text);

/* The first line of `text` at which the lines of `block` begin, compared by `same`; -1 if there is none. */
int support_find_lines(const support_lines *block, const support_lines *text,
                       bool (*same)(const char *, const char *));

/* The number of blocks of the page NAME.md that open with the line `fence`; each must occur in `source`. */
int support_count_blocks(const char *name, const support_lines *page, const char *fence,
                         const support_lines *source, bool (*same)(const char *, const char *));

/* Whether two lines match. Compares words, ignoring the blanks between them. A number with decimals must have as many
 * digits, and may differ by 1.5 units of the last one. In a line with the word "measured", any number matches. */
bool support_same_line(const char *expected, const char *found);

#endif
