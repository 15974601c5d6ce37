#include "autograd/gru_gradient.h"

#include "tensor/accumulate.h"

lb_gru_gradient lb_gru_gradient_rows(lb_gru_gradient all, int64_t first, int64_t step)
{
    all.rz += first * all.rz_stride;
    all.n += first * all.n_stride;
    all.rz_stride *= step;
    all.n_stride *= step;
    return all;
}

void lb_gru_add_state_gradient(lb_gru_gradient gradient, int64_t rows, const lb_tensor *weight_hh,
                               lb_real *dstate)
{
    int64_t hidden = gradient.hidden;
    const lb_real *weight = weight_hh->data;
    lb_gemm_serial(rows, hidden, 2 * hidden, lb_plain(gradient.rz, gradient.rz_stride),
                   lb_plain(weight, hidden), 1, dstate, hidden);
    lb_gemm_serial(rows, hidden, hidden, lb_plain(gradient.n, gradient.n_stride),
                   lb_plain(weight + 2 * hidden * hidden, hidden), 1, dstate, hidden);
}

void lb_gru_add_weight_gradient(lb_gru_gradient gradient, int64_t rows, lb_matrix previous,
                                lb_tensor *weight_hh, lb_tensor *bias_hh)
{
    int64_t hidden = gradient.hidden;
    if (lb_wants_grad(weight_hh)) {
        lb_real *to = weight_hh->grad;
        lb_gemm(2 * hidden, hidden, rows, lb_transposed(gradient.rz, gradient.rz_stride), previous, 1, to,
                hidden);
        lb_gemm(hidden, hidden, rows, lb_transposed(gradient.n, gradient.n_stride), previous, 1,
                to + 2 * hidden * hidden, hidden);
    }
    if (lb_wants_grad(bias_hh)) {
        lb_add_rows_to(rows, 2 * hidden, gradient.rz, gradient.rz_stride, bias_hh->grad);
        lb_add_rows_to(rows, hidden, gradient.n, gradient.n_stride, bias_hh->grad + 2 * hidden);
    }
}
