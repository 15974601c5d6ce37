/* Attention: what the decoder looks at before a step, or after it. `prepare` runs once per text. `attend` asks with a
 * state of the decoder, and writes a context, which is a mean of the outputs of the encoder by weights. */

#if ADDITIVE
/* e^2x, for x within the range in which e^2q e^2k is neither 0 nor infinite if it counts. */
static void exponentials(float *x, int count)
{
    for (int i = 0; i < count; i++) x[i] = expf(2 * (x[i] > 43 ? 43 : x[i] < -43 ? -43 : x[i]));
}

#endif
static void prepare(memory *m)
{
#if PROJECTS
    for (int j = 0; j < m->length; j++) {
        apply(&attention_key, m->output[LAST_BUFFER][j], m->key[j]);
#    if ADDITIVE
        exponentials(m->key[j], KEYS);
#    elif RECALLS
        m->state.seen[j] = 0;
#    else
        apply(&attention_value, m->output[LAST_BUFFER][j], m->value[j]);
#    endif
    }
#else
    (void)m;
#endif
}

#if ADDITIVE
/* score_j = v' tanh(W_q q + W_k k_j) (Bahdanau, Cho, Bengio 2015, arXiv:1409.0473, appendix A.1.2), where
 * tanh(a + b) = 1 - 2 / (1 + e^2a e^2b), so that a pair costs a product and a quotient. */
static void attend(memory *m, decoder_state *s, const float *state, float *context)
{
    (void)s;
    apply(&attention_query, state, m->query);
    exponentials(m->query, KEYS);
    for (int j = 0; j < m->length; j++) {
        m->score[j] = 0;
        for (int i = 0; i < KEYS; i++)
            m->score[j] += attention_v[i] * (1 - 2 / (1 + m->query[i] * m->key[j][i]));
    }
    weigh(m->score, m->length);
    mix(m->score, m->output[LAST_BUFFER][0], m->length, OUTPUTS, context, CONTEXT);
}

#elif RECALLS
#    if LOCATION
/* f_j: filters over the weights of the step before, around position j. */
static void find_features(memory *m, const decoder_state *s, int j)
{
    for (int f = 0; f < FILTERS; f++) {
        const float *filter = attention_filters + f * (2 * REACH + 1);
        m->feature[f] = 0;
        for (int k = -REACH; k <= REACH; k++)
            if (j + k >= 0 && j + k < m->length) m->feature[f] += filter[k + REACH] * s->seen[j + k];
    }
}

/* score_j = v' tanh(W_q q + W_k k_j + U f_j + b) (Chorowski et al. 2015, arXiv:1506.07503, equations 8 and 9). */
#    else
/* score_j = v' tanh(W_q q + W_k k_j + W_c c_j), where c_j is the sum of the weights of position j in the steps before
 * (See, Liu, Manning 2017, arXiv:1704.04368, equation 11). */
#    endif
static void attend(memory *m, decoder_state *s, const float *state, float *context)
{
    apply(&attention_query, state, m->query);
    for (int j = 0; j < m->length; j++) {
#    if LOCATION
        find_features(m, s, j);
        apply(&attention_features, m->feature, m->added);
#    else
        apply(&attention_features, &s->seen[j], m->added);
#    endif
        m->score[j] = 0;
        for (int i = 0; i < KEYS; i++)
            m->score[j] += attention_v[i] * hyperbolic_tangent(m->query[i] + m->key[j][i] + m->added[i]);
    }
    weigh(m->score, m->length);
#    if LOCATION
    memcpy(s->seen, m->score, (size_t)m->length * sizeof *s->seen);
#    else
    for (int j = 0; j < m->length; j++) s->seen[j] += m->score[j];
#    endif
    mix(m->score, m->output[LAST_BUFFER][0], m->length, OUTPUTS, context, CONTEXT);
}

#elif MULTI_HEAD
/* In each head, score_j = (W_q q)' (W_k k_j) / sqrt(width), and what it sees is the mean of W_v k_j. The context is W_o
 * [what all heads see] (Vaswani et al. 2017, arXiv:1706.03762, section 3.2.2). */
static void attend(memory *m, decoder_state *s, const float *state, float *context)
{
    (void)s;
    apply(&attention_query, state, m->query);
    for (int first = 0; first < HIDDEN; first += HIDDEN / HEADS) {
        for (int j = 0; j < m->length; j++)
            m->score[j] = attention_scale * dot(m->query + first, m->key[j] + first, HIDDEN / HEADS);
        weigh(m->score, m->length);
        mix(m->score, m->value[0] + first, m->length, HIDDEN, m->head + first, HIDDEN / HEADS);
    }
    apply(&attention_output, m->head, context);
}

#else
#    if LOCAL
/* The position of the source around which a step looks. */
static float centre_of(memory *m, const decoder_state *s, const float *state)
{
#        if PREDICTS
    /* length sigmoid(v_p' tanh(W_p q)) */
    float position;
    (void)s;
    apply(&attention_middle, state, m->middle);
    for (int i = 0; i < HIDDEN; i++) m->middle[i] = hyperbolic_tangent(m->middle[i]);
    apply(&attention_position, m->middle, &position);
    return (float)m->length * sigmoid(position);
#        else
    (void)state;
#            if BACKWARD
    int position = m->length - 1 - s->step;
#            else
    int position = s->step;
#            endif
    return (float)(position < 0 ? 0 : position < m->length ? position : m->length - 1);
#        endif
}

#    endif
#    if LOCAL
/* score_j = (W q)' k_j, for positions within REACH of the centre (Luong, Pham, Manning 2015, arXiv:1508.04025, section
 * 3.2). */
#    elif GENERAL
/* score_j = (W q)' k_j (Luong, Pham, Manning 2015, arXiv:1508.04025, section 3.1). */
#    elif SCALED
/* score_j = q' k_j / sqrt(width) (Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1). */
#    else
/* score_j = q' k_j (Luong, Pham, Manning 2015, arXiv:1508.04025, section 3.1). */
#    endif
static void attend(memory *m, decoder_state *s, const float *state, float *context)
{
    int first = 0, end = m->length;
#    if LOCAL
    float centre = centre_of(m, s, state);
    while ((float)first < centre - (float)REACH) first++;
    while ((float)(end - 1) > centre + (float)REACH) end--;
#    else
    (void)s;
#    endif
#    if GENERAL
    apply(&attention_weight, state, m->query);
    state = m->query;
#    endif
    for (int j = first; j < end; j++) m->score[j] = dot(state, m->output[LAST_BUFFER][j], OUTPUTS);
#    if SCALED
    for (int j = first; j < end; j++) m->score[j] *= attention_scale;
#    endif
    weigh(m->score + first, end - first);
#    if PREDICTS
    /* and e^(-(j - centre)^2 / (2 (REACH / 2)^2)) */
    for (int j = first; j < end; j++) {
        float away = ((float)j - centre) / (0.5F * (float)REACH);
        m->score[j] *= expf(-away * away / 2);
    }
#    endif
    mix(m->score + first, m->output[LAST_BUFFER][first], end - first, OUTPUTS, context, CONTEXT);
}

#endif
