/* ---- Arithmetic. ---- */

#if BF16
/* The float of which it is the upper half. */
static float decoded(number weight)
{
    uint32_t bits = (uint32_t)weight << 16;
    float whole;
    memcpy(&whole, &bits, sizeof whole);
    return whole;
}

#elif !INT8
static float decoded(number weight)
{
    return weight;
}

#endif
#if INT8
/* Numbers that are rounded to integers up to RANGE can be multiplied by bytes and summed without an overflow. */
enum {
    MOST = INT32_MAX / (127 * WIDEST),
    RANGE = MOST < INT16_MAX ? MOST : INT16_MAX,
    BLOCK = 32 /* products whose sum a compiler turns into vectors */
};

static const float TINY = 1e-30F; /* what is no larger counts as 0: its inverse may be infinite */

/* y = W x + b in whole numbers: x_j is rounded to step x (an integer), so that
 * y_i = scale_i step (sum_j weight_ij integer_j) + b_i. */
static void apply(const linear *l, const float *x, float *y)
{
    int16_t integer[WIDEST] = {0};
    float largest = 0;
    for (int j = 0; j < l->columns; j++) largest = fabsf(x[j]) > largest ? fabsf(x[j]) : largest;
    float step = largest / (float)RANGE, steps = largest > TINY ? (float)RANGE / largest : 0;
    for (int j = 0; j < l->columns; j++) integer[j] = (int16_t)(steps * x[j] + (x[j] < 0 ? -0.5F : 0.5F));
    int whole = l->columns - l->columns % BLOCK;
    for (int i = 0; i < l->rows; i++) {
        const number *weight = l->weight + (ptrdiff_t)i * l->columns;
        int32_t sum = 0;
        for (int j = 0; j < whole; j += BLOCK) {
            int32_t part = 0;
            for (int k = 0; k < BLOCK; k++) part += weight[j + k] * integer[j + k];
            sum += part;
        }
        for (int j = whole; j < l->columns; j++) sum += weight[j] * integer[j];
        y[i] = l->scale[i] * step * (float)sum + (l->bias ? l->bias[i] : 0);
    }
}

/* Row i of W. */
static void copy_row(const linear *l, int i, float *row)
{
    const number *weight = l->weight + (ptrdiff_t)i * l->columns;
    for (int j = 0; j < l->columns; j++) row[j] = l->scale[i] * (float)weight[j];
}

#else
enum { LANES = 8 }; /* sums side by side, which a compiler turns into vectors */

/* y = W x + b */
static void apply(const linear *l, const float *x, float *y)
{
    int whole = l->columns - l->columns % LANES;
    for (int i = 0; i < l->rows; i++) {
        const number *weight = l->weight + (ptrdiff_t)i * l->columns;
        float sum[LANES] = {0};
        for (int j = 0; j < whole; j += LANES)
            for (int k = 0; k < LANES; k++) sum[k] += decoded(weight[j + k]) * x[j + k];
        for (int j = whole; j < l->columns; j++) sum[j - whole] += decoded(weight[j]) * x[j];
        y[i] = l->bias ? l->bias[i] : 0;
        for (int k = 0; k < LANES; k++) y[i] += sum[k];
    }
}

/* Row i of W. */
static void copy_row(const linear *l, int i, float *row)
{
    const number *weight = l->weight + (ptrdiff_t)i * l->columns;
    for (int j = 0; j < l->columns; j++) row[j] = decoded(weight[j]);
}

#endif
#if !TRANSFORMER
/* 1 / (1 + e^-x) */
static float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

#endif
#if USES_TANH
/* tanh x = 1 - 2 / (1 + e^2x), which takes less time than tanhf. */
static float hyperbolic_tangent(float x)
{
    return 1 - 2 / (1 + expf(2 * x));
}

#endif
#if DOTS
static float dot(const float *a, const float *b, int count)
{
    float sum = 0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

#endif
#if SPARSE
/* Scores become weights that sum to 1, many of them exactly 0: sparsemax (Martins, Astudillo 2016, arXiv:1602.02068) or
 * 1.5-entmax (Peters, Niculae, Martins 2019, arXiv:1905.05702). With z = x or x / 2, a weight is max(z - tau, 0) or its
 * square. Newton's method finds tau from below: the sum, or the root of the sum of squares, is convex in tau. */
static void weigh(float *x, int count)
{
    float largest = x[0];
    for (int i = 1; i < count; i++) largest = x[i] > largest ? x[i] : largest;
#    if ENTMAX
    for (int i = 0; i < count; i++) x[i] = (x[i] - largest) / 2;
#    else
    for (int i = 0; i < count; i++) x[i] -= largest;
#    endif
    float tau = -1, before;
    do {
        float sum = 0;
#    if ENTMAX
        float squares = 0;
#    else
        int support = 0;
#    endif
        for (int i = 0; i < count; i++) {
            float above = x[i] > tau ? x[i] - tau : 0;
            sum += above;
#    if ENTMAX
            squares += above * above;
#    else
            support += above > 0;
#    endif
        }
        before = tau;
#    if ENTMAX
        tau += (squares - sqrtf(squares)) / sum;
#    else
        tau += (sum - 1) / (float)support;
#    endif
    } while (tau > before);
    for (int i = 0; i < count; i++) {
        float above = x[i] > tau ? x[i] - tau : 0;
#    if ENTMAX
        x[i] = above * above;
#    else
        x[i] = above;
#    endif
    }
}

#elif ATTENDS
/* Scores become weights that sum to 1: softmax, w_i = e^x_i / sum_j e^x_j. */
static void weigh(float *x, int count)
{
    float largest = x[0], total = 0;
    for (int i = 1; i < count; i++) largest = x[i] > largest ? x[i] : largest;
    for (int i = 0; i < count; i++) total += x[i] = expf(x[i] - largest);
    for (int i = 0; i < count; i++) x[i] /= total;
}

#endif
#if ATTENDS
/* sum_j weight_j value_j, of `count` values that are `stride` numbers apart. */
static void mix(const float *weight, const float *values, int count, int stride, float *sum, int width)
{
    memset(sum, 0, (size_t)width * sizeof *sum);
    for (int j = 0; j < count; j++)
        for (int i = 0; i < width; i++) sum[i] += weight[j] * values[(ptrdiff_t)j * stride + i];
}

#endif
