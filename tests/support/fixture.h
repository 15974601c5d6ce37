/* Fixtures: results of PyTorch, and comparing Lookback with them. tests/fixtures/README.md describes each file. A
 * difference fails the calling test. */
#ifndef SUPPORT_FIXTURE_H
#define SUPPORT_FIXTURE_H

#include "lookback/nn.h"

typedef struct support_fixture support_fixture;

/* Opens tests/fixtures/NAME.safetensors. */
support_fixture *support_fixture_open(const char *name);
void support_fixture_close(support_fixture *fixture);

bool support_fixture_has(const support_fixture *fixture, const char *name);
lb_shape support_fixture_shape(const support_fixture *fixture, const char *name);

/* The values of an array; they belong to the fixture, as all that follows does. */
const double *support_fixture_values(const support_fixture *fixture, const char *name);

/* A number, or True or False, of the metadata. */
double support_fixture_number(const support_fixture *fixture, const char *key);

/* A word of the metadata; NULL if the key is missing. */
const char *support_fixture_word(const support_fixture *fixture, const char *key);

/* The array "input.NAME" as a tensor on the tape that requires a gradient: backward fills `grad`. */
lb_tensor *support_fixture_input(support_fixture *fixture, lb_tape *tape, const char *name);

/* The array "input.NAME" as a tensor on the tape without a gradient: a mask. */
lb_tensor *support_fixture_constant(const support_fixture *fixture, lb_tape *tape, const char *name);

/* An array of integers as int32_t. */
int32_t *support_fixture_ids(support_fixture *fixture, const char *name);

/* Ids [batch, length] and their lengths [batch] as a batch on the tape; without lengths every row is full.
 * Of arrays [steps, ...] those of step number `step`. */
lb_tokens support_fixture_tokens(support_fixture *fixture, lb_tape *tape, const char *ids,
                                 const char *lengths, int64_t step);

/* Gives every parameter the values of "param.NAME". All must be there, and no other. */
void support_fixture_fill(const support_fixture *fixture, lb_params *params);

/* found[i] against element i of an array, relative to it and to the array's root mean square: 1e-5 in float, 1e-10 in
 * double. Where all is zero, zero must be found. */
void support_fixture_compare(const support_fixture *fixture, const char *name, const lb_real *found);

/* One output of a module: its values against "output.NAME", and what it adds to the loss, <cotangent.NAME, output>.
 * `loss` is what other outputs have added so far, or NULL. */
lb_tensor *support_fixture_output(const support_fixture *fixture, const char *name, lb_tensor *output,
                                  lb_tensor *loss);

/* Runs backward and compares the gradient of every parameter, and of every input that was asked for, with
 * "grad.param.NAME" and "grad.input.NAME". The parameter that the metadata names under "vanishes" has in theory no
 * gradient: it must be small beside the others. */
void support_fixture_backward(support_fixture *fixture, lb_tensor *loss, lb_params *params);

#endif
