#include "support/written.h"

#include "support/suite.h"

#include <math.h>

lb_tensor *support_log_probabilities(const lb_tensor *logits)
{
    ck_assert(lb_is_sound(logits));
    lb_tensor *found = lb_tensor_new(logits->tape, logits->shape, logits->data);
    int64_t classes = lb_dim(logits, -1);
    for (int64_t row = 0; row < lb_count(logits); row += classes) {
        double sum = 0;
        for (int64_t i = LB_EOS; i < classes; i++) sum += exp((double)logits->data[row + i]);
        for (int64_t i = 0; i < classes; i++)
            found->data[row + i] =
                i < LB_EOS ? -(lb_real)INFINITY : (lb_real)((double)logits->data[row + i] - log(sum));
    }
    return found;
}
