/* Sources that nobody has written: the beginning of one and the end of another. */
#ifndef LB_CROSSED_SOURCES_H
#define LB_CROSSED_SOURCES_H

#include "base/buffer.h"
#include "lookback/data.h"

/** Makes up sources for a teacher. Each crosses two of the given ones at a place before which both have the same two
 *  symbols: from "nation" and "actif", "natif" and "action". So every three symbols in a row occur in a given source,
 *  and features belong to the end. All are different, from each other and from the given ones.
 *  Given:  texts that the rule accepts.
 *  Made:   receives at most `wanted` texts; fewer, or none, if few crossings are new. Free it with lb_strings_free,
 *          also after an error.
 *  Errors: those of lb_symbols_split; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_cross_sources(const lb_symbol_rule *rule, const lb_strings *given, size_t wanted,
                                       uint64_t seed, lb_strings *made, lb_error *error);

#endif
