/* A language model of characters: reads names of places letter by letter, and makes up others. */
#include <lookback/lookback.h>
#include <stdio.h>

enum { LENGTH = 24, STRIDE = 2, MOST = 200, IDS = 27, HIDDEN = 64, WRITTEN = 60 }; /* a blank is 0, z is 26 */
static const char text[] =
    " bradford brighton bristol cambridge canterbury chichester colchester coventry doncaster durham"
    " hereford lancaster leicester lichfield lincoln manchester newcastle nottingham oxford rochester";

typedef struct net {
    lb_embedding letters;
    lb_gru gru;
    lb_linear next;
} net;

static lb_tensor *apply(void *model, lb_example_input input)
{
    const net *n = model;
    lb_gru_result read = lb_gru_forward_tokens(&n->gru, &n->letters, input.tokens, NULL);
    return lb_linear_forward(&n->next, read.outputs);
}

static void sample(net *n, lb_tape *tape)
{
    int32_t written[WRITTEN] = {0};
    for (int64_t length = 1; length < WRITTEN && !lb_tape_status(tape); length++) {
        lb_tape_reset(tape);
        lb_tokens before = lb_tokens_from(tape, written, NULL, 1, length);
        lb_tensor *logits = apply(n, (lb_example_input){.tape = tape, .tokens = before});
        if (!lb_is_sound(logits)) return;
        double uniform = lb_rng_uniform((lb_rng){.seed = 1}, (uint64_t)length);
        written[length] = lb_draw(logits->data + (length - 1) * IDS, IDS, 1, uniform);
        putchar(written[length] ? 'a' + written[length] - 1 : ' ');
    }
}

int main(void)
{
    static int32_t id[MOST][LENGTH];
    lb_examples e = {.ids = id[0], .length = LENGTH, .vocabulary = IDS, .next = true};
    for (; e.count * STRIDE + LENGTH < (int64_t)sizeof text; e.count++)
        for (const char *c = text + e.count * STRIDE, *at = c; at < c + LENGTH; at++)
            id[e.count][at - c] = *at == ' ' ? 0 : *at - 'a' + 1;
    net n;
    lb_error error = {0};
    lb_params *params = lb_params_new(1);
    lb_tape *tape = lb_tape_new();
    lb_set_threads(1); /* in such a small model, threads would only wait for each other */
    lb_embedding_init(&n.letters, params, "letters", IDS, 16, 0);
    lb_gru_init(&n.gru, params, "gru", (lb_gru_config){.input = 16, .hidden = HIDDEN});
    lb_linear_init(&n.next, params, "next", (lb_linear_config){.inputs = HIDDEN, .outputs = IDS});
    lb_fit_config config = {.model = &n, .apply = apply, .batch = 8, .held_out = -1};
    if (!lb_fit(params, e, config, NULL, &error)) sample(&n, tape);
    fprintf(error.status ? stderr : stdout, "%s\n", error.message);
    lb_tape_free(tape);
    lb_params_free(params);
    return lb_status_exit(error.status);
}
