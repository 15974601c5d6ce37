/* The model of a fixture. */
#ifndef SUPPORT_MODEL_H
#define SUPPORT_MODEL_H

#include "models/built_in.h"
#include "support/fixture.h"

#ifdef LB_REAL_IS_DOUBLE
#    define SUPPORT_TOLERANCE 1e-10
#else
#    define SUPPORT_TOLERANCE 1e-5
#endif

typedef struct support_model {
    support_fixture *fixture;
    lb_params *params;
    lb_tape *tape;
    lb_model *model;
    lb_seq2seq *seq2seq;         /* the same; NULL if it is a transformer */
    lb_transformer *transformer; /* the same; NULL if it is not */
} support_model;

/* A model with the sizes and weights of the fixture. */
support_model support_model_open(const char *name);
void support_model_close(support_model opened);

#endif
