/* The program with the portable kernels of the instruction set that PORTABLE_SET names, which it chooses before it
 * begins: --isa portable takes the fastest. Exit status 77 if this processor does not have the set. For
 * tests/package/portable.sh. */
#include "base/format.h"
#include "base/instruction_set.h"

#include <stdlib.h>

__attribute__((constructor)) static void choose(void)
{
    const char *name = getenv("PORTABLE_SET");
    const int set = lb_choice_find(lb_instruction_set_names, name ? name : "");
    if (set < LB_SET_BASE || set > (int)lb_instruction_set_widest()) exit(77);
    atomic_store(&lb_instruction_set_in_force, set - LB_SET_BASE + LB_SET_PORTABLE);
}
