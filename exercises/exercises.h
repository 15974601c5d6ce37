/* The functions of all exercises, which the checks call. What each one does is in its own file. */
#ifndef EXERCISES_H
#define EXERCISES_H

#include <lookback/lookback.h>

/* 1. The dot product and softmax */
void attend_one(const double *query, const double *key, const double *value, int keys, int width, int depth,
                double *output);
void softmax_rows(double *score, int queries, int keys);

/* 2. Changing a query */
void weight_changes(const double *weight, const double *step, const double *key, int keys, int width,
                    double *change);
lb_tensor *lines_of(lb_tensor *weights);

/* 3. Masking */
void masked_softmax(const double *score, const int *mask, int keys, double *weight);
lb_tensor *attend_padded(lb_tensor *query, lb_tensor *key, lb_tensor *value, const int32_t *lengths);

/* 4. To scale or not */
double keys_in_view(const double *weight, int keys);
lb_tensor *attend_scaled(lb_tensor *query, lb_tensor *key, lb_tensor *value);

/* 5. Several heads */
lb_tensor *attend_in_heads(lb_tensor *query, lb_tensor *key, lb_tensor *value, int heads);
lb_tensor *split_heads(lb_tensor *x, int heads);

/* 6. Three scores */
double additive_score(const double *query, const double *key, const double *w_q, const double *w_k,
                      const double *v, int size, int width);
lb_tensor *general_scores(lb_tensor *query, lb_tensor *key, lb_tensor *weight);

/* 7. Translation */
void align(const double *weight, int heads, int targets, int sources, int *looks_at);
lb_tensor *attend_across(lb_tensor *target, lb_tensor *source);

/* 8. Text */
int encode(const char *const *word, int words, const char *const *vocabulary, int size, int *id, int length);
void mean_of_words(const double *vector, const int *words, int reviews, int length, int width, double *mean);

/* 9. The bottleneck */
void last_states(const double *state, const int *lengths, int batch, int time, int hidden, double *last);
lb_status descend(lb_params *params, lb_tensor *loss, lb_real rate, lb_error *error);

/* 10. A transformer that sorts */
void encode_position(int position, int width, double *encoding);
void teach(const int *token, int count, int *input, int *answer);

/* 11. A trained alignment */
double aligned_share(const double *weight, const int *origin, const int *spanish, const int *english,
                     int batch, int rows, int columns);
void rows_of_words(const double *weight, int words, int sources, double *looked);

/* 12. What does a head do? */
void pair_scores(const double *last, const double *seen, const double *w_q, const double *w_k, int rows,
                 int columns, int width, double *score);
void lost_by_erasure(const double *whole, const double *erased, const int *symbol, int steps, int symbols,
                     double *lost);

#endif
