/* Dictionaries of words and their sounds. */
#ifndef LB_SOUNDS_H
#define LB_SOUNDS_H

#include "data/formats/sample.h"

/** Whether all lines, divided as cmudict, have only phones of CMUdict behind the word. */
bool lb_is_cmudict(lb_first_lines *sample);

/** Whether all lines, divided as lexiconp, have a word, a probability, and short symbols with blanks between them. */
bool lb_is_lexiconp(lb_first_lines *sample);

#endif
