/* Coverage: which part of each pixel a shape covers, 0 to 1. This is what anti-aliasing is made of: shapes are
 * accumulated here and then blended onto the canvas in one go, so that no pixel is blended twice. */
#ifndef LB_COVERAGE_H
#define LB_COVERAGE_H

#include "lookback/base.h"
#include "plot/color.h"

/** One number per pixel, all zero outside of the rectangle from (x0, y0) to before (x1, y1). */
typedef struct lb_coverage {
    int width, height; /* pixels */
    int x0, y0, x1, y1;
    float *cell; /* [height, width + 2] */
} lb_coverage;

/** Makes an empty coverage of width x height pixels, both at least 1.
 *  Errors:  LB_ERROR_MEMORY.    Memory: owned, freed by lb_coverage_free. */
LB_MUST_USE lb_status lb_coverage_init(lb_coverage *coverage, int width, int height);

/** Frees what lb_coverage_init allocated. */
void lb_coverage_free(lb_coverage *coverage);

/** The row of pixels `y`. */
float *lb_coverage_row(const lb_coverage *coverage, int y);

/** Adds one straight edge of a closed outline. After the last edge of the shape call lb_coverage_close.
 *  Source: exact signed areas per scan line, as in Levien 2016, "Inside the fastest font renderer in the world". */
void lb_coverage_edge(lb_coverage *coverage, lb_point from, lb_point to);

/** Turns the edges added since the last clear into coverage by the nonzero rule. */
void lb_coverage_close(lb_coverage *coverage);

/** Adds all points within `width` / 2 of the segment: a line with round ends. Segments that share an end join. */
void lb_coverage_segment(lb_coverage *coverage, lb_point from, lb_point to, double width);

/** Makes it empty again. */
void lb_coverage_clear(lb_coverage *coverage);

#endif
