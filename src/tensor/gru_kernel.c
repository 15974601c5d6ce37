#include "tensor/gru_kernel.h"

#include "tensor/elementary.h"

LB_KERNEL void lb_gru_gates(int64_t hidden, const lb_real *x, const lb_real *product, const lb_real *bias,
                            const lb_real *previous, lb_real *next, lb_real *saved)
{
    lb_real *restrict save_r = saved, *restrict save_z = saved + hidden;
    lb_real *restrict save_n = saved + 2 * hidden, *restrict save_h = saved + LB_GRU_SAVED_H * hidden;
#pragma omp simd
    for (int64_t i = 0; i < hidden; i++) {
        lb_real r = lb_sigmoid_inline(x[i] + product[i] + bias[i]);
        lb_real z = lb_sigmoid_inline(x[hidden + i] + product[hidden + i] + bias[hidden + i]);
        lb_real h = product[2 * hidden + i] + bias[2 * hidden + i];
        lb_real n = lb_tanh_inline(x[2 * hidden + i] + r * h);
        save_r[i] = r;
        save_z[i] = z;
        save_n[i] = n;
        save_h[i] = h;
        next[i] = n + z * (previous[i] - n);
    }
}

LB_KERNEL void lb_gru_gates_backward(int64_t hidden, lb_real *saved, const lb_real *previous,
                                     const lb_real *dnext, lb_real *dx, lb_real *dprevious)
{
    const lb_real *saved_r = saved, *saved_z = saved + hidden, *saved_n = saved + 2 * hidden;
    lb_real *saved_h = saved + LB_GRU_SAVED_H * hidden;
#pragma omp simd
    for (int64_t i = 0; i < hidden; i++) {
        lb_real r = saved_r[i], z = saved_z[i], n = saved_n[i], d = dnext[i];
        lb_real dn = d * (1 - z) * (1 - n * n);
        dx[i] = dn * saved_h[i] * r * (1 - r);
        dx[hidden + i] = d * (previous[i] - n) * z * (1 - z);
        dx[2 * hidden + i] = dn;
        saved_h[i] = dn * r;
        dprevious[i] = d * z;
    }
}
