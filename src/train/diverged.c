#include "train/diverged.h"

#include <stdio.h>

char *lb_bad_parameter(const lb_params *params, bool gradients, char text[LB_BAD_TEXT])
{
    char place[LB_PLACE_TEXT];
    *text = '\0';
    for (int64_t i = 0; i < lb_params_count(params); i++) {
        const lb_tensor *tensor = lb_params_tensor(params, i);
        const lb_real *numbers = gradients ? tensor->grad : tensor->data;
        int64_t at = lb_first_bad(numbers, lb_count(tensor));
        if (at < 0) continue;
        snprintf(text, LB_BAD_TEXT, "%.120s is %s", lb_params_name(params, i),
                 lb_bad_place(tensor->shape, numbers, at, place));
        break;
    }
    return text;
}
