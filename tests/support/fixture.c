#include "support/fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/safetensors.h"
#include "lookback/io.h"
#include "lookback/ops.h"
#include "support/suite.h"

enum { MOST_KEPT = 256, NAME_LENGTH = 128 };

struct support_fixture {
    lb_safetensors *file;
    const char *input_name[8];
    lb_tensor *input[8];
    int inputs, kept_count;
    void *kept[MOST_KEPT];
    double slack; /* factor of what may differ in float */
};

#ifdef LB_REAL_IS_DOUBLE
static const bool IN_DOUBLE = true;
#else
static const bool IN_DOUBLE = false;
#endif

support_fixture *support_fixture_open(const char *name)
{
    char path[512];
    lb_error error = {0};
    support_fixture *fixture = calloc(1, sizeof *fixture);
    fixture->slack = 1;
    snprintf(path, sizeof path, "%s/tests/data/fixtures/%s.safetensors", SOURCE_DIR, name);
    fixture->file = lb_safetensors_open(path, &error);
    ck_assert_msg(fixture->file, "%s: %s", path, error.message);
    return fixture;
}

void support_fixture_close(support_fixture *fixture)
{
    lb_safetensors_close(fixture->file);
    for (int i = 0; i < fixture->kept_count; i++) free(fixture->kept[i]);
    free(fixture);
}

static void *keep(support_fixture *fixture, size_t count, size_t size)
{
    ck_assert_int_lt(fixture->kept_count, MOST_KEPT);
    return fixture->kept[fixture->kept_count++] = calloc(count + 1, size);
}

static const lb_safetensors_tensor *find(const support_fixture *fixture, const char *name)
{
    const lb_safetensors_tensor *found = lb_safetensors_find(fixture->file, name);
    ck_assert_msg(found, "the fixture has no %s", name);
    return found;
}

bool support_fixture_has(const support_fixture *fixture, const char *name)
{
    return lb_safetensors_find(fixture->file, name) != NULL;
}

lb_shape support_fixture_shape(const support_fixture *fixture, const char *name)
{
    return find(fixture, name)->shape;
}

const double *support_fixture_values(const support_fixture *fixture, const char *name)
{
    const lb_safetensors_tensor *array = find(fixture, name);
    ck_assert_int_eq(array->dtype, LB_DTYPE_F64);
    ck_assert_uint_eq((uintptr_t)array->data % sizeof(double), 0);
    return array->data;
}

const char *support_fixture_word(const support_fixture *fixture, const char *key)
{
    return lb_safetensors_metadata_value(fixture->file, key);
}

double support_fixture_number(const support_fixture *fixture, const char *key)
{
    const char *text = support_fixture_word(fixture, key);
    ck_assert_msg(text, "the fixture says nothing of %s", key);
    if (strcmp(text, "True") == 0 || strcmp(text, "False") == 0) return *text == 'T';
    char *end;
    double number = strtod(text, &end);
    ck_assert_msg(end != text && *end == 0, "%s is %s: no number", key, text);
    return number;
}

lb_tensor *support_fixture_constant(const support_fixture *fixture, lb_tape *tape, const char *name)
{
    char full[NAME_LENGTH];
    snprintf(full, sizeof full, "input.%s", name);
    lb_tensor *constant = lb_tensor_new(tape, support_fixture_shape(fixture, full), NULL);
    ck_assert(lb_is_sound(constant));
    const double *values = support_fixture_values(fixture, full);
    for (int64_t i = 0; i < lb_count(constant); i++) constant->data[i] = (lb_real)values[i];
    return constant;
}

lb_tensor *support_fixture_input(support_fixture *fixture, lb_tape *tape, const char *name)
{
    lb_tensor *input = support_fixture_constant(fixture, tape, name);
    /* On the tape, so that ops find it; with a gradient, as parameters have one. */
    input->grad = keep(fixture, (size_t)lb_count(input), sizeof *input->grad);
    input->requires_grad = true;
    ck_assert_int_lt(fixture->inputs, 8);
    fixture->input_name[fixture->inputs] = name;
    fixture->input[fixture->inputs++] = input;
    return input;
}

int32_t *support_fixture_ids(support_fixture *fixture, const char *name)
{
    const double *values = support_fixture_values(fixture, name);
    int64_t count = lb_shape_count(support_fixture_shape(fixture, name));
    int32_t *ids = keep(fixture, (size_t)count, sizeof *ids);
    for (int64_t i = 0; i < count; i++) {
        ids[i] = (int32_t)values[i];
        ck_assert_double_eq((double)ids[i], values[i]);
    }
    return ids;
}

lb_tokens support_fixture_tokens(support_fixture *fixture, lb_tape *tape, const char *ids,
                                 const char *lengths, int64_t step)
{
    lb_shape shape = support_fixture_shape(fixture, ids);
    int64_t batch = lb_shape_dim(shape, -2), length = lb_shape_dim(shape, -1);
    const double *values = support_fixture_values(fixture, ids) + step * batch * length;
    const double *row_lengths = lengths ? support_fixture_values(fixture, lengths) + step * batch : NULL;
    int32_t *id, *row_length;
    lb_tokens tokens = lb_tokens_new(tape, batch, length, &id, &row_length);
    ck_assert_int_eq(tokens.batch, batch);
    for (int64_t i = 0; i < batch * length; i++) id[i] = (int32_t)values[i];
    for (int64_t i = 0; i < batch; i++)
        row_length[i] = row_lengths ? (int32_t)row_lengths[i] : (int32_t)length;
    return tokens;
}

void support_fixture_fill(const support_fixture *fixture, lb_params *params)
{
    int there = 0;
    for (int64_t i = 0; i < lb_safetensors_count(fixture->file); i++)
        there += strncmp(lb_safetensors_at(fixture->file, i)->name, "param.", 6) == 0;
    ck_assert_int_eq(lb_params_count(params), there);
    for (int i = 0; i < there; i++) {
        char full[NAME_LENGTH];
        snprintf(full, sizeof full, "param.%s", lb_params_name(params, i));
        lb_tensor *parameter = lb_params_tensor(params, i);
        lb_error error = {0};
        lb_status status =
            lb_safetensors_read(fixture->file, full, parameter->shape, parameter->data, &error);
        ck_assert_msg(status == LB_OK, "%s", error.message);
    }
}

void support_fixture_loosen(support_fixture *fixture, double factor)
{
    fixture->slack = factor;
}

void support_fixture_compare(const support_fixture *fixture, const char *name, const lb_real *found)
{
    const double *expected = support_fixture_values(fixture, name);
    int64_t count = lb_shape_count(support_fixture_shape(fixture, name));
    double squares = 0, tolerance = IN_DOUBLE ? 1e-10 : 1e-5 * fixture->slack;
    for (int64_t i = 0; i < count; i++) squares += expected[i] * expected[i];
    double size = sqrt(squares / (double)count);
    ck_assert_int_gt(count, 0);
    ck_assert(isfinite(size));
    ck_assert_msg(found, "%s: there is nothing to compare", name);
    for (int64_t i = 0; i < count; i++)
        SUPPORT_CHECK(fabs((double)found[i] - expected[i]) <= tolerance * (size + fabs(expected[i])),
                      "%s, element %d is %.12g, not %.12g (%.3g of what is allowed)", name, (int)i,
                      (double)found[i], expected[i],
                      fabs((double)found[i] - expected[i]) / tolerance / (size + fabs(expected[i])));
}

lb_tensor *support_fixture_output(const support_fixture *fixture, const char *name, lb_tensor *output,
                                  lb_tensor *loss)
{
    char full[NAME_LENGTH];
    snprintf(full, sizeof full, "output.%s", name);
    ck_assert_msg(lb_is_sound(output), "%s: %s", full, lb_tape_error(output->tape));
    ck_assert_int_eq(lb_count(output), lb_shape_count(support_fixture_shape(fixture, full)));
    support_fixture_compare(fixture, full, output->data);
    snprintf(full, sizeof full, "cotangent.%s", name);
    const double *values = support_fixture_values(fixture, full);
    lb_tensor *cotangent = lb_tensor_new(output->tape, output->shape, NULL);
    for (int64_t i = 0; i < lb_count(output); i++) cotangent->data[i] = (lb_real)values[i];
    lb_tensor *part = lb_sum_all(lb_mul(output, cotangent));
    return loss ? lb_add(loss, part) : part;
}

/* A gradient that is zero in theory may only have rounding errors. */
static bool vanishes(const support_fixture *fixture, const lb_params *params, int index)
{
    const char *name = lb_safetensors_metadata_value(fixture->file, "vanishes");
    if (!name || strcmp(lb_params_name(params, index), name) != 0) return false;
    const lb_real *all = lb_params_grads(params);
    double largest = 0, own = 0;
    for (int64_t i = 0; i < lb_params_size(params); i++) largest = fmax(largest, fabs((double)all[i]));
    const lb_tensor *parameter = lb_params_tensor(params, index);
    for (int64_t i = 0; i < lb_count(parameter); i++) own = fmax(own, fabs((double)parameter->grad[i]));
    ck_assert_msg(own <= (IN_DOUBLE ? 1e-10 : 1e-5) * largest, "the gradient of %s is %g", name, own);
    return true;
}

void support_fixture_backward(support_fixture *fixture, lb_tensor *loss, lb_params *params)
{
    lb_error error = {0};
    lb_status status = lb_backward(loss, &error);
    ck_assert_msg(status == LB_OK, "%s", error.message);
    int compared = 0;
    char full[NAME_LENGTH];
    for (int i = 0; params && i < lb_params_count(params); i++, compared++) {
        if (vanishes(fixture, params, i)) continue;
        snprintf(full, sizeof full, "grad.param.%s", lb_params_name(params, i));
        ck_assert_int_eq(lb_count(lb_params_tensor(params, i)),
                         lb_shape_count(support_fixture_shape(fixture, full)));
        support_fixture_compare(fixture, full, lb_params_tensor(params, i)->grad);
    }
    for (int i = 0; i < fixture->inputs; i++, compared++) {
        snprintf(full, sizeof full, "grad.input.%s", fixture->input_name[i]);
        support_fixture_compare(fixture, full, fixture->input[i]->grad);
    }
    int there = 0;
    for (int64_t i = 0; i < lb_safetensors_count(fixture->file); i++)
        there += strncmp(lb_safetensors_at(fixture->file, i)->name, "grad.", 5) == 0;
    ck_assert_int_eq(compared, there);
}
