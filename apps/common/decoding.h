/* What decoding takes and gives, whatever the model was trained on. */
#ifndef APP_DECODING_H
#define APP_DECODING_H

#include <lookback/lookback.h>

/** Numbers that decoding some sources side by side may take, about. */
enum { APP_DECODING_MOST = 1 << 26 };

/** Numbers that decoding takes for each of several sources side by side, about; `longest` is the length of the longest,
 *  `limit` the tokens after which decoding gives up. */
int64_t app_decoding_reals(const lb_model *model, int64_t beam, int64_t longest, int64_t limit);

/** Checks what the command line asks of the model `path`: a beam that is not wider than its vocabulary, and attention,
 *  where that is to be written to the file `attention`, NULL for nowhere.
 *  Errors: LB_ERROR_ARGUMENT, LB_ERROR_FORMAT. */
LB_MUST_USE lb_status app_check_decoding(const lb_model *model, const char *path, int64_t beam,
                                         const char *attention, lb_error *error);

/** Writes attention weights as a NumPy file in float32, of shape [layers, heads, steps, columns].
 *  Errors: LB_ERROR_MEMORY; LB_ERROR_WRITE. */
LB_MUST_USE lb_status app_write_attention(const char *path, const lb_real *weights, lb_shape shape,
                                          lb_error *error);

#endif
