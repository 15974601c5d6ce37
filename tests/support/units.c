/* The main function of a test program: it runs the one unit that its argument names. */
#include "support/units.h"

#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    for (const support_unit *unit = support_units; argc == 2 && unit->name; unit++)
        if (strcmp(unit->name, argv[1]) == 0) return support_run_unit(unit->name, unit->run);
    fprintf(stderr, "usage: %s UNIT\n", argc ? argv[0] : "tests");
    for (const support_unit *unit = support_units; unit->name; unit++) fprintf(stderr, "  %s\n", unit->name);
    return EXIT_FAILURE;
}
