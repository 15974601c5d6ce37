/* ---- The model (Vaswani et al. 2017, arXiv:1706.03762). ---- */

/* y = (x - mean) / sqrt(variance + epsilon) weight + bias (Ba, Kiros, Hinton 2016, arXiv:1607.06450). */
static void normalise(const norm *n, const float *x, float *y)
{
    float mean = 0, variance = 0;
    for (int i = 0; i < WIDTH; i++) mean += x[i] / (float)WIDTH;
    for (int i = 0; i < WIDTH; i++) variance += (x[i] - mean) * (x[i] - mean) / (float)WIDTH;
    float share = 1 / sqrtf(variance + norm_epsilon);
    for (int i = 0; i < WIDTH; i++) y[i] = (x[i] - mean) * share * n->weight[i] + n->bias[i];
}

#if POST_NORM
/* A layer is norm(x + part(x)) for each of its parts. */
#else
/* A layer is x + part(norm(x)) for each of its parts (Xiong et al. 2020, arXiv:2002.04745). */
#endif
static const float *before_part(memory *m, const norm *n, const float *x)
{
#if POST_NORM
    (void)m;
    (void)n;
    return x;
#else
    normalise(n, x, m->normal);
    return m->normal;
#endif
}

static void after_part(memory *m, const norm *n, float *x)
{
#if POST_NORM
    for (int i = 0; i < WIDTH; i++) x[i] += m->part[i];
    normalise(n, x, x);
#else
    (void)n;
    for (int i = 0; i < WIDTH; i++) x[i] += m->part[i];
#endif
}

#if ROTATES
/* Turns pairs of numbers of each head by an angle that grows with the position (Su et al. 2021, arXiv:2104.09864). */
static void rotate(float *x, int heads, int position)
{
    for (int head = 0; head < heads; head++)
        for (int i = 0; i < PAIRS; i++) {
            float *a = x + head * 2 * PAIRS + i, *b = a + PAIRS, before = *a;
            float cosine = rotations[(position * PAIRS + i) * 2];
            float sine = rotations[(position * PAIRS + i) * 2 + 1];
            *a = cosine * before - sine * *b;
            *b = sine * before + cosine * *b;
        }
}

#endif
/* The key and the value of one position. */
static void project(const attention *a, const float *x, int position, float *key, float *value)
{
    apply(&a->key, x, key);
    apply(&a->value, x, value);
#if ROTATES
    rotate(key, KEYS / HEAD, position);
#else
    (void)position;
#endif
}

/* Attends to `count` keys, and leaves the result in m->part. In each head, score_j = q' k_j / sqrt(width), and several
 * heads of queries may share one of keys. `bias`, unless NULL, is added: one row for each head, by the distance from
 * the query. */
static void attend(memory *m, const attention *a, const float *key, const float *value, int count,
                   const float *bias)
{
    for (int head = 0; head < HEADS; head++) {
        const float *query = m->query + head * HEAD;
        int shared = head / (HEADS * HEAD / KEYS) * HEAD;
        for (int j = 0; j < count; j++) {
            m->score[j] = attention_scale * dot(query, key + j * KEYS + shared, HEAD);
#if CAPPED
            m->score[j] = attention_cap * hyperbolic_tangent(m->score[j] / attention_cap);
#endif
            if (bias) m->score[j] += bias[head * DISTANCES + j];
        }
        weigh(m->score, count);
        mix(m->score, value + shared, count, KEYS, m->head + head * HEAD, HEAD);
    }
    apply(&a->output, m->head, m->part);
}

/* Attends from a position to positions `first` to `end` of the same text or output. */
static void attend_self(memory *m, const attention *a, const float *x, int position, int first, int end,
                        const float *key, const float *value, const float *bias)
{
#if WINDOWED
    if (first < position - WINDOW) first = position - WINDOW;
    if (end > position + WINDOW + 1) end = position + WINDOW + 1;
#endif
    apply(&a->query, x, m->query);
#if ROTATES
    rotate(m->query, HEADS, position);
#endif
#if BIASED
    bias += FARTHEST + first - position;
#else
    (void)position;
#endif
    attend(m, a, key + first * KEYS, value + first * KEYS, end - first, bias);
}

/* The last part of a layer: W_2 max(0, W_1 x + b_1) + b_2. */
static void feed_forward(memory *m, const linear *inner, const linear *outer, const float *x)
{
    apply(inner, x, m->inner);
    for (int i = 0; i < FORWARD; i++) m->inner[i] = m->inner[i] > 0 ? m->inner[i] : 0;
    apply(outer, m->inner, m->part);
}

/* What a symbol is for the first layer. */
static void embed(const linear *embedding, int id, float *x)
{
    copy_row(embedding, id, x);
    for (int i = 0; i < WIDTH; i++) x[i] *= embedding_scale;
}

#if LEARNED
static void add_position(memory *m, const linear *positions, int position, float *x)
{
    copy_row(positions, position, m->part);
    for (int i = 0; i < WIDTH; i++) x[i] += m->part[i];
}

#elif SINUSOIDAL
/* Even columns sin, odd ones cos, of the position (section 3.5). */
static void add_position(int position, float *x)
{
    for (int i = 0; i < WIDTH; i++) x[i] += sinusoids[position * WIDTH + i];
}

#endif
#if !BIASED
static const float *const source_biases = NULL, *const target_biases = NULL;

#endif
/* A layer of the encoder. All keys come before the first query. */
static void encode_layer(memory *m, const encoder_layer *l)
{
    for (int j = 0; j < m->length; j++)
        project(&l->self, before_part(m, &l->norm1, m->x[j]), j, m->key[j], m->value[j]);
    for (int j = 0; j < m->length; j++) {
        attend_self(m, &l->self, before_part(m, &l->norm1, m->x[j]), j, 0, m->length, m->key[0], m->value[0],
                    source_biases);
        after_part(m, &l->norm1, m->x[j]);
        feed_forward(m, &l->inner, &l->outer, before_part(m, &l->norm2, m->x[j]));
        after_part(m, &l->norm2, m->x[j]);
    }
}

/* Reads a text. What the decoder sees of it is computed once. */
static void encode(memory *m)
{
    for (int j = 0; j < m->length; j++) {
        embed(&source_embedding, m->symbol[j], m->x[j]);
#if LEARNED
        add_position(m, &source_positions, j, m->x[j]);
#elif SINUSOIDAL
        add_position(j, m->x[j]);
#endif
    }
    for (int layer = 0; layer < LAYERS; layer++) encode_layer(m, &encoder[layer]);
    for (int j = 0; j < m->length; j++) {
        normalise(&encoder_norm, m->x[j], m->x[j]);
        for (int layer = 0; layer < LAYERS; layer++) {
            apply(&decoder[layer].cross.key, m->x[j], m->source_key[layer][j]);
            apply(&decoder[layer].cross.value, m->x[j], m->source_value[layer][j]);
        }
    }
    m->state.step = 0;
}

/* A layer of the decoder: it attends to what has been written, and to the text. */
static void decode_layer(memory *m, decoder_state *s, int layer, float *x)
{
    const decoder_layer *l = &decoder[layer];
    const float *normal = before_part(m, &l->norm1, x);
    project(&l->self, normal, s->step, s->key[layer][s->step], s->value[layer][s->step]);
    attend_self(m, &l->self, normal, s->step, 0, s->step + 1, s->key[layer][0], s->value[layer][0],
                target_biases);
    after_part(m, &l->norm1, x);
    apply(&l->cross.query, before_part(m, &l->norm2, x), m->query);
    attend(m, &l->cross, m->source_key[layer][0], m->source_value[layer][0], m->length, NULL);
    after_part(m, &l->norm2, x);
    feed_forward(m, &l->inner, &l->outer, before_part(m, &l->norm3, x));
    after_part(m, &l->norm3, x);
}

/* One step of the decoder, from the symbol before to m->logit. */
static void decode_step(memory *m, decoder_state *s, int before)
{
    float *x = m->last;
    embed(&target_embedding, before, x);
#if LEARNED
    add_position(m, &target_positions, s->step, x);
#elif SINUSOIDAL
    add_position(s->step, x);
#endif
    for (int layer = 0; layer < LAYERS; layer++) decode_layer(m, s, layer, x);
    normalise(&decoder_norm, x, x);
    apply(&output, x, m->logit);
    s->step++;
}
