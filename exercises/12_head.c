/* Exercise 12: what does a head do? Read docs/lessons/12_head.md first, then work here. `./run check 12` checks both
 * parts, and `git checkout exercises/12_head.c` brings this file back as it was. */
#include "exercises.h"

/* Yours to write: the QK circuit, the score of each symbol of the list after each symbol that was written last.
 *
 *   last [rows, width], seen [columns, width], w_q and w_k [width, width] -> score [rows, columns]
 *
 * Row a of `last` is the vector x of a symbol, and its query is W_q x: number i of it is the sum over j of
 * w_q[i * width + j] x[j]. The keys are made of `seen` by W_k in the same way. A score is the dot product of query and
 * key over the root of the width. */
void pair_scores(const double *last, const double *seen, const double *w_q, const double *w_k, int rows,
                 int columns, int width, double *score)
{
}

/* To mend: erasure, how much each step of an output needs the symbol that was erased.
 *
 *   whole [steps, symbols], erased [steps, symbols], symbol [steps] -> lost [steps]
 *
 * Both runs give the log-probability of every symbol in every step. Output t is symbol[t]; lost[t] is what its
 * log-probability loses by the erasure. */
void lost_by_erasure(const double *whole, const double *erased, const int *symbol, int steps, int symbols,
                     double *lost)
{
    for (int t = 0; t < steps; t++) {
        int before = 0, after = 0;
        for (int k = 1; k < symbols; k++) {
            if (whole[t * symbols + k] > whole[t * symbols + before]) before = k;
            if (erased[t * symbols + k] > erased[t * symbols + after]) after = k;
        }
        lost[t] = whole[t * symbols + before] - erased[t * symbols + after];
    }
}
