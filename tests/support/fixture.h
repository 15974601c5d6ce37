/* Fixtures: compares Lookback with results of PyTorch. tests/data/fixtures/README.md describes each file. A difference
 * fails the calling test. */
#ifndef SUPPORT_FIXTURE_H
#define SUPPORT_FIXTURE_H

#include "lookback/nn.h"

typedef struct support_fixture support_fixture;

/* Opens tests/data/fixtures/NAME.safetensors. */
support_fixture *support_fixture_open(const char *name);
void support_fixture_close(support_fixture *fixture);

bool support_fixture_has(const support_fixture *fixture, const char *name);
lb_shape support_fixture_shape(const support_fixture *fixture, const char *name);

/* The values of an array; owned by the fixture, like all results below. */
const double *support_fixture_values(const support_fixture *fixture, const char *name);

/* A number or Boolean of the metadata. */
double support_fixture_number(const support_fixture *fixture, const char *key);

/* A word of the metadata; NULL if the key is missing. */
const char *support_fixture_word(const support_fixture *fixture, const char *key);

/* The array "input.NAME" as a tensor on the tape that requires a gradient: backward fills `grad`. */
lb_tensor *support_fixture_input(support_fixture *fixture, lb_tape *tape, const char *name);

/* The array "input.NAME" as a tensor on the tape without a gradient: a mask. */
lb_tensor *support_fixture_constant(const support_fixture *fixture, lb_tape *tape, const char *name);

/* An array of integers as int32_t. */
int32_t *support_fixture_ids(support_fixture *fixture, const char *name);

/* Ids [batch, length] and their lengths [batch] as a batch on the tape; without lengths every row is full. From arrays
 * [steps, ...] it takes those of step `step`. */
lb_tokens support_fixture_tokens(support_fixture *fixture, lb_tape *tape, const char *ids,
                                 const char *lengths, int64_t step);

/* Sets every parameter to the values of "param.NAME". The names must match exactly. */
void support_fixture_fill(const support_fixture *fixture, lb_params *params);

/* found[i] against element i of an array, relative to it and to the array's root mean square: 1e-5 in float, 1e-10 in
 * double. If the array is all zeros, `found` must be, too. */
void support_fixture_compare(const support_fixture *fixture, const char *name, const lb_real *found);

/* Allows `factor` times the usual difference in float: for what divides by small numbers. */
void support_fixture_loosen(support_fixture *fixture, double factor);

/* Compares one output of a module with "output.NAME", and adds its part of the loss, <cotangent.NAME, output>. `loss`
 * is the sum for the outputs so far, or NULL. */
lb_tensor *support_fixture_output(const support_fixture *fixture, const char *name, lb_tensor *output,
                                  lb_tensor *loss);

/* Runs backward and compares the gradient of every parameter, and of every requested input, with "grad.param.NAME" and
 * "grad.input.NAME". In theory, the gradient of the parameter named by "vanishes" in the metadata is zero: it must be
 * small compared with the others. */
void support_fixture_backward(support_fixture *fixture, lb_tensor *loss, lb_params *params);

#endif
