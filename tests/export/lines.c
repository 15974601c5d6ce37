/* Translates lines with an exported model: those of standard input, or of the file LINES_FROM, for a board without
 * one. */
#include "g2p.h"

#include <stdio.h>
#include <string.h>

static float work[G2P_WORK / sizeof(float)];

int main(void)
{
    static char line[4096], out[G2P_ROOM];
#ifdef LINES_FROM
    FILE *in = fopen(LINES_FROM, "r");
    if (!in) return 1;
#else
    FILE *in = stdin;
#endif
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        int bytes = g2p_translate(line, out, sizeof out, work);
        if (bytes < 0)
            printf("error %d\n", bytes);
        else
            printf("%s\n", out);
    }
    return 0;
}
