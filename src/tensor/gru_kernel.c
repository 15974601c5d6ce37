#include "tensor/gru_kernel.h"

#include "tensor/elementary.h"

LB_KERNEL(gates,
          (int64_t hidden, int64_t count, const lb_real *x, const lb_real *product, const lb_real *bias,
           lb_real *state, lb_real *output, lb_real *saved),
          (hidden, count, x, product, bias, state, output, saved))
{
    lb_real *restrict save_r = saved, *restrict save_z = saved + hidden;
    lb_real *restrict save_n = saved + 2 * hidden, *restrict save_h = saved + LB_GRU_SAVED_H * hidden;
    lb_real *restrict save_previous = saved + LB_GRU_SAVED_PREVIOUS * hidden;
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        lb_real r = lb_sigmoid_inline(x[i] + product[i] + bias[i]);
        lb_real z = lb_sigmoid_inline(x[hidden + i] + product[hidden + i] + bias[hidden + i]);
        lb_real h = product[2 * hidden + i] + bias[2 * hidden + i];
        lb_real n = lb_tanh_inline(x[2 * hidden + i] + r * h), previous = state[i];
        save_r[i] = r;
        save_z[i] = z;
        save_n[i] = n;
        save_h[i] = h;
        save_previous[i] = previous;
        state[i] = output[i] = n + z * (previous - n);
    }
}

void lb_gru_gates(int64_t hidden, int64_t count, const lb_real *x, const lb_real *product,
                  const lb_real *bias, lb_real *state, lb_real *output, lb_real *saved)
{
    gates(hidden, count, x, product, bias, state, output, saved);
}

LB_KERNEL(gates_backward,
          (int64_t hidden, int64_t count, lb_real *saved, const lb_real *doutput, lb_real *dx,
           lb_real *dstate),
          (hidden, count, saved, doutput, dx, dstate))
{
    const lb_real *saved_r = saved, *saved_z = saved + hidden, *saved_n = saved + 2 * hidden;
    const lb_real *saved_previous = saved + LB_GRU_SAVED_PREVIOUS * hidden;
    lb_real *saved_h = saved + LB_GRU_SAVED_H * hidden;
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        lb_real r = saved_r[i], z = saved_z[i], n = saved_n[i], d = dstate[i] + doutput[i];
        lb_real dn = d * (1 - z) * (1 - n * n);
        dx[i] = dn * saved_h[i] * r * (1 - r);
        dx[hidden + i] = d * (saved_previous[i] - n) * z * (1 - z);
        dx[2 * hidden + i] = dn;
        saved_h[i] = dn * r;
        dstate[i] = d * z;
    }
}

void lb_gru_gates_backward(int64_t hidden, int64_t count, lb_real *saved, const lb_real *doutput, lb_real *dx,
                           lb_real *dstate)
{
    gates_backward(hidden, count, saved, doutput, dx, dstate);
}
