/* Exercise 7: translation. Read docs/lessons/07_translation.md first, then work here. `./run check 7` checks both
 * parts, and `git checkout exercises/07_translation.c` brings this file back as it was. */
#include "exercises.h"

#include <math.h>

/* Yours to write: which source word each target word looks at, according to several heads.
 *
 *   weight [heads, targets, sources] -> looks_at [targets]
 *
 * Heads disagree, so first take the mean of their weights. Target word i looks at the source word with the largest
 * mean; of equal ones, at the first. The array is flat: the weight of head h for target i and source j is
 * weight[(h * targets + i) * sources + j]. */
void align(const double *weight, int heads, int targets, int sources, int *looks_at)
{
}

/* To mend: cross-attention. Each target word gets a mean of source words.
 *
 *   target [batch, targets, width], source [batch, sources, width] -> output [batch, targets, width] */
lb_tensor *attend_across(lb_tensor *target, lb_tensor *source)
{
    lb_real scale = 1 / sqrtf((float)lb_dim(source, 2));
    return lb_attend_dot(target, source, target, NULL, NULL, 1, scale, 0);
}
