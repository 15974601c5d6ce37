#include "tensor/cell_kernel.h"

#include "tensor/elementary.h"

#include <assert.h>

/* ---- The GRU. ---- */

LB_SHARED_KERNEL(lb_gru_gates,
                 (int64_t hidden, int64_t count, const lb_real *x, const lb_real *product,
                  const lb_real *bias, lb_real *state, lb_real *output, lb_real *saved),
                 (hidden, count, x, product, bias, state, output, saved))
{
    assert(count <= hidden);
    lb_real *restrict save_r = saved, *restrict save_z = saved + hidden;
    lb_real *restrict save_n = saved + 2 * hidden, *restrict save_h = saved + LB_GRU_SAVED_H * hidden;
    lb_real *restrict save_previous = saved + LB_GRU_SAVED_PREVIOUS * hidden;
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        lb_real r = lb_sigmoid_inline(fused, x[i] + product[i] + bias[i]);
        lb_real z = lb_sigmoid_inline(fused, x[hidden + i] + product[hidden + i] + bias[hidden + i]);
        lb_real h = product[2 * hidden + i] + bias[2 * hidden + i];
        lb_real n = lb_tanh_inline(fused, x[2 * hidden + i] + r * h), previous = state[i];
        save_r[i] = r;
        save_z[i] = z;
        save_n[i] = n;
        save_h[i] = h;
        save_previous[i] = previous;
        state[i] = output[i] = n + z * (previous - n);
    }
}

LB_SHARED_KERNEL(lb_gru_gates_backward,
                 (int64_t hidden, int64_t count, lb_real *saved, const lb_real *doutput, lb_real *dx,
                  lb_real *dstate),
                 (hidden, count, saved, doutput, dx, dstate))
{
    assert(count <= hidden);
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

/* ---- The LSTM. ---- */

LB_SHARED_KERNEL(lb_lstm_gates,
                 (int64_t hidden, int64_t count, const lb_real *x, const lb_real *product,
                  const lb_real *bias, lb_real *state, lb_real *output, lb_real *saved),
                 (hidden, count, x, product, bias, state, output, saved))
{
    assert(count <= hidden);
    lb_real *restrict h = state, *restrict c = state + hidden;
    lb_real *restrict save_i = saved, *restrict save_f = saved + hidden;
    lb_real *restrict save_g = saved + 2 * hidden, *restrict save_o = saved + 3 * hidden;
    lb_real *restrict save_tanh = saved + LB_LSTM_SAVED_TANH * hidden;
    lb_real *restrict save_c = saved + LB_LSTM_SAVED_C * hidden;
    lb_real *restrict save_h = saved + LB_LSTM_SAVED_H * hidden;
#pragma omp simd
    for (int64_t k = 0; k < count; k++) {
        lb_real i = lb_sigmoid_inline(fused, x[k] + product[k] + bias[k]);
        lb_real f = lb_sigmoid_inline(fused, x[hidden + k] + product[hidden + k] + bias[hidden + k]);
        lb_real g = lb_tanh_inline(fused, x[2 * hidden + k] + product[2 * hidden + k] + bias[2 * hidden + k]);
        lb_real o =
            lb_sigmoid_inline(fused, x[3 * hidden + k] + product[3 * hidden + k] + bias[3 * hidden + k]);
        save_i[k] = i;
        save_f[k] = f;
        save_g[k] = g;
        save_o[k] = o;
        save_c[k] = c[k];
        save_h[k] = h[k];
        c[k] = f * c[k] + i * g;
        save_tanh[k] = lb_tanh_inline(fused, c[k]);
        h[k] = output[k] = o * save_tanh[k];
    }
}

LB_SHARED_KERNEL(lb_lstm_gates_backward,
                 (int64_t hidden, int64_t count, lb_real *saved, const lb_real *doutput, lb_real *dx,
                  lb_real *dstate),
                 (hidden, count, saved, doutput, dx, dstate))
{
    assert(count <= hidden);
    const lb_real *saved_tanh = saved + LB_LSTM_SAVED_TANH * hidden;
    const lb_real *saved_c = saved + LB_LSTM_SAVED_C * hidden;
#pragma omp simd
    for (int64_t k = 0; k < count; k++) {
        lb_real i = saved[k], f = saved[hidden + k], g = saved[2 * hidden + k], o = saved[3 * hidden + k];
        lb_real t = saved_tanh[k], dh = dstate[k] + doutput[k];
        lb_real dc = dstate[hidden + k] + dh * o * (1 - t * t);
        dx[k] = dc * g * i * (1 - i);
        dx[hidden + k] = dc * saved_c[k] * f * (1 - f);
        dx[2 * hidden + k] = dc * i * (1 - g * g);
        dx[3 * hidden + k] = dh * t * o * (1 - o);
        dstate[k] = 0;
        dstate[hidden + k] = dc * f;
    }
}
