/* Checks the answer that the last argument names. Flags come before it. */
#include "answers.h"

#include <stdio.h>
#include <string.h>

answer *answers;
const check_exercise *chosen_exercise;

int main(int argc, char **argv)
{
    for (const answer *each = answers; each && argc > 1; each = each->next)
        if (strcmp(each->name, argv[argc - 1]) == 0) {
            each->choose();
            return check_main(argc - 1, argv);
        }
    fprintf(stderr, "usage: exercise_answers [FLAG]... ANSWER, such as solved_3_03_masking\n");
    return 2;
}
