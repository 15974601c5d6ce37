/* The answers of one program, which generated files list. */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "report.h"

typedef struct answer {
    const char *name; /* wrong_03_masking_shape, solved_3_03_masking */
    void (*choose)(void);
    struct answer *next;
} answer;

/* A list. */
extern answer *answers;

/* The check's main function, and what it checks. */
int check_main(int argc, char **argv);
extern const check_exercise *chosen_exercise;

#endif
