#include "tensor/lstm_kernel.h"

#include "tensor/elementary.h"

LB_KERNEL(lstm_gates,
          (int64_t hidden, int64_t count, const lb_real *x, const lb_real *product, const lb_real *bias,
           lb_real *state, lb_real *output, lb_real *saved),
          (hidden, count, x, product, bias, state, output, saved))
{
    lb_real *restrict h = state, *restrict c = state + hidden;
    lb_real *restrict save_i = saved, *restrict save_f = saved + hidden;
    lb_real *restrict save_g = saved + 2 * hidden, *restrict save_o = saved + 3 * hidden;
    lb_real *restrict save_tanh = saved + LB_LSTM_SAVED_TANH * hidden;
    lb_real *restrict save_c = saved + LB_LSTM_SAVED_C * hidden;
    lb_real *restrict save_h = saved + LB_LSTM_SAVED_H * hidden;
#pragma omp simd
    for (int64_t k = 0; k < count; k++) {
        lb_real i = lb_sigmoid_inline(x[k] + product[k] + bias[k]);
        lb_real f = lb_sigmoid_inline(x[hidden + k] + product[hidden + k] + bias[hidden + k]);
        lb_real g = lb_tanh_inline(x[2 * hidden + k] + product[2 * hidden + k] + bias[2 * hidden + k]);
        lb_real o = lb_sigmoid_inline(x[3 * hidden + k] + product[3 * hidden + k] + bias[3 * hidden + k]);
        save_i[k] = i;
        save_f[k] = f;
        save_g[k] = g;
        save_o[k] = o;
        save_c[k] = c[k];
        save_h[k] = h[k];
        c[k] = f * c[k] + i * g;
        save_tanh[k] = lb_tanh_inline(c[k]);
        h[k] = output[k] = o * save_tanh[k];
    }
}

void lb_lstm_gates(int64_t hidden, int64_t count, const lb_real *x, const lb_real *product,
                   const lb_real *bias, lb_real *state, lb_real *output, lb_real *saved)
{
    lstm_gates(hidden, count, x, product, bias, state, output, saved);
}

LB_KERNEL(lstm_gates_backward,
          (int64_t hidden, int64_t count, const lb_real *saved, const lb_real *doutput, lb_real *dx,
           lb_real *dstate),
          (hidden, count, saved, doutput, dx, dstate))
{
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

void lb_lstm_gates_backward(int64_t hidden, int64_t count, lb_real *saved, const lb_real *doutput,
                            lb_real *dx, lb_real *dstate)
{
    lstm_gates_backward(hidden, count, saved, doutput, dx, dstate);
}
