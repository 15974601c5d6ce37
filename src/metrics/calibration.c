#include "lookback/metrics.h"

#include <math.h>

void lb_calibration_add(lb_calibration *calibration, double confidence, bool right)
{
    double inside = confidence > 0 ? fmin(confidence, 1) : 0;
    int place = (int)(inside * LB_CALIBRATION_BINS);
    lb_calibration_bin *bin =
        &calibration->bin[place < LB_CALIBRATION_BINS ? place : LB_CALIBRATION_BINS - 1];
    bin->outputs++;
    bin->right += right;
    bin->confidence += inside;
}

double lb_calibration_error(const lb_calibration *calibration)
{
    double gap = 0, all = 0;
    for (int i = 0; i < LB_CALIBRATION_BINS; i++) {
        const lb_calibration_bin *bin = &calibration->bin[i];
        gap += fabs((double)bin->right - bin->confidence);
        all += (double)bin->outputs;
    }
    return all > 0 ? gap / all : 0;
}
