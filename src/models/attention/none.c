/* No attention: the decoder sees only the final state of the encoder. */
#include "models/attention/decoder_attention.h"

static lb_status init(lb_decoder_attention *attention, lb_params *params)
{
    attention->depth = 0;
    return lb_params_status(params);
}

static void prepare(const lb_decoder_attention *attention, lb_attended_memory *memory)
{
    (void)attention;
    memory->keys = NULL;
}

LB_ATTENTION(none, "none", .type.init = init, .type.prepare = prepare, .copying_needs = "a soft one")
