#include "models/decode/direction.h"

#include "models/decode/model.h"

lb_tokens lb_tokens_reversed(lb_tokens rows, int64_t first, int64_t spared)
{
    int32_t *id, *lengths;
    lb_tokens turned = lb_tokens_copy(rows, &id, &lengths);
    for (int64_t row = 0; row < turned.batch; row++) {
        int64_t from = row * rows.length + first, count = lengths[row] - spared;
        for (int64_t i = 0; i < count; i++) id[from + i] = rows.id[from + count - 1 - i];
    }
    return turned;
}

static void swap(lb_real *a, lb_real *b, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        lb_real held = a[i];
        a[i] = b[i];
        b[i] = held;
    }
}

void lb_rows_reverse(lb_real *rows, int64_t count, int64_t width)
{
    for (int64_t i = 0; i < count / 2; i++) swap(rows + i * width, rows + (count - 1 - i) * width, width);
}

lb_tensor *lb_weights_reversed(const lb_tensor *weights, const lb_tensor *mask)
{
    int64_t rows = lb_dim(mask, 0), keys = lb_dim(mask, 1), each = lb_dim(weights, 1);
    lb_tensor *copy = lb_tensor_new(weights->tape, weights->shape, weights->data);
    for (int64_t row = 0; row < rows && lb_is_sound(copy); row++) {
        int64_t length = 0;
        while (length < keys && mask->data[row * keys + length] != 0) length++;
        for (int64_t t = row * each; t < (row + 1) * each; t++)
            lb_rows_reverse(copy->data + t * keys, length, 1);
    }
    return copy;
}

static void reverse_ids(int32_t *id, int64_t count)
{
    for (int64_t i = 0; i < count / 2; i++) {
        int32_t held = id[i];
        id[i] = id[count - 1 - i];
        id[count - 1 - i] = held;
    }
}

void lb_hypothesis_reverse(lb_hypothesis *h, int64_t maps, int64_t source_length)
{
    int64_t count = h->length;
    reverse_ids(h->id, count);
    for (int64_t i = 0; i < count / 2; i++) {
        double held = h->log_probability[i];
        h->log_probability[i] = h->log_probability[count - 1 - i];
        h->log_probability[count - 1 - i] = held;
    }
    for (int64_t map = 0; h->weights && map < maps; map++)
        lb_rows_reverse(h->weights + map * h->steps * source_length, count, source_length);
}

void lb_decoded_reverse(lb_decoded *all)
{
    int64_t maps = all->layers * all->heads, map = all->length * all->source_length;
    for (int64_t row = 0; row < all->batch; row++) {
        reverse_ids(all->id + row * all->length, all->lengths[row]);
        for (int64_t m = row * maps; all->weights && m < (row + 1) * maps; m++)
            lb_rows_reverse(all->weights + m * map, all->lengths[row], all->source_length);
    }
}
