/* The features of sources, in a column of their own. */
#ifndef LB_FEATURES_H
#define LB_FEATURES_H

#include "data/formats/sample.h"

/** Finds a column of features in lines of three. Bundles such as "V;PST" are some, and so is "pos=V,tense=PST" if its
 *  keys and values recur: `found->unused` is a column of the same shape where they do not.
 *  Errors: without memory, the fields of the sample have failed. */
void lb_features_find(lb_first_lines *sample, lb_recognised *found);

/** Finds a column of features in lines of so many, beside those of source and target. Errors: as lb_features_find. */
void lb_features_find_beside(lb_first_lines *sample, int columns, lb_recognised *found);

/** What divides the features of a column: "|", ";" or ","; ";" if nothing does. Errors: as lb_features_find. */
const char *lb_features_between(lb_first_lines *sample, int32_t column);

#endif
