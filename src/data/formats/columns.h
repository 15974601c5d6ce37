/* Which column of a file is which, by its names and its first lines. */
#ifndef LB_COLUMNS_H
#define LB_COLUMNS_H

#include "data/formats/sample.h"

/** Whether sources have features. */
bool lb_pair_format_has_features(const lb_pair_format *format);

/** The columns with their defaults filled in; `features` is whether sources have any. */
lb_pair_columns lb_pair_columns_complete(lb_pair_columns columns, bool features);

/** Whether a word is this one, in small letters or capitals, maybe between blanks. */
bool lb_is_one_of(lb_span word, const char *const *words);

/** Whether a text is a usual name of a column of sources, targets or features. */
bool lb_is_column_name(const char *text, size_t length);

/** Whether a text is a usual name of a column of counts or weights. */
bool lb_is_weight_name(const char *text, size_t length);

/** Whether two fields of the last line that was divided are names of columns, usual ones or those of the training. */
bool lb_columns_named(const lb_first_lines *sample);

/** Whether the first line names the column of the sources, as that of a file without targets does: by the names of the
 *  training or, unless only those count, by usual ones. */
bool lb_columns_have_header(lb_first_lines *sample, bool usual);

/** Whether two names of formats are the same but for a header; "" is "tsv". */
bool lb_is_same_kind(const char *a, const char *b);

/** The length of the name of a format without "+header". */
size_t lb_kind_length(const char *name);

/** Finds the columns that `format` does not give, and leaves a header out of the sample. Errors: without memory, the
 *  fields of the sample or the names have failed. */
void lb_columns_find(lb_first_lines *sample, const lb_pair_format *format, lb_recognised *found);

#endif
