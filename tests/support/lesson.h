/* The lessons: programs in examples/, pages in docs/lessons/, pictures in docs/images/lessons/, and in
 * tests/fixtures/lessons/ the output of PyTorch for the same steps. */
#ifndef SUPPORT_LESSON_H
#define SUPPORT_LESSON_H

#include <stdbool.h>

enum { SUPPORT_LESSONS = 128, SUPPORT_LESSON_NAME = 96, SUPPORT_LINES = 512 };

typedef struct support_names {
    int count;
    char name[SUPPORT_LESSONS][SUPPORT_LESSON_NAME]; /* in order */
} support_names;

/* The files of a folder that begin with two digits and a '_' and end in `suffix`, without that suffix. A folder that is
 * not there has none. */
support_names support_lesson_files(const char *folder, const char *suffix);

bool support_names_hold(const support_names *names, const char *name);

/* A text cut into its lines, without the blanks around them; the text is changed. */
typedef struct support_lines {
    int count;
    char *line[SUPPORT_LINES];
} support_lines;

support_lines support_cut_lines(char *text);

/* The first line at which all of `block` follows in `text`, by `same`; -1 if there is none. */
int support_find_lines(const support_lines *block, const support_lines *text,
                       bool (*same)(const char *, const char *));

/* How many blocks of the page NAME.md open with the line `fence`; each of them must be lines of `source`. */
int support_count_blocks(const char *name, const support_lines *page, const char *fence,
                         const support_lines *source, bool (*same)(const char *, const char *));

/* Do two lines say the same? Words are compared one by one, whatever lies between them. A number with decimals may
 * differ by 1.5 units of the last digit, and has as many digits. In a line that says "measured" a number may be any. */
bool support_same_line(const char *expected, const char *found);

#endif
