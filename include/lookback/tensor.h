/* Tensors and their shapes. */
#ifndef LOOKBACK_TENSOR_H
#define LOOKBACK_TENSOR_H

#include "lookback/base.h"

LB_BEGIN_DECLS

/* ---- Shapes. Tensors are contiguous; the last dimension varies fastest. ---- */

enum { LB_MAX_DIMS = 6, LB_SHAPE_TEXT = 96 };

/** The length of each dimension. Only the first `ndim` entries of `dim` count. */
typedef struct lb_shape {
    int ndim; /* 0: a scalar */
    int64_t dim[LB_MAX_DIMS];
} lb_shape;

#ifdef __cplusplus
#    define LB_SHAPE(...) lb_shape_of(__VA_ARGS__)
#    define LB_DIMS(...)  lb_shape_of(__VA_ARGS__)
#else
/** The shape with these dimensions: LB_SHAPE(32, 10, 128). A scalar is (lb_shape){0}. */
#    define LB_SHAPE(...) ((lb_shape)LB_DIMS(__VA_ARGS__))
/** LB_SHAPE as an initialiser, for tables. */
#    define LB_DIMS(...)                                                                                     \
        {                                                                                                    \
            .ndim = (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), .dim = { __VA_ARGS__ }        \
        }
#endif

/** Number of elements; 1 for a scalar. */
static inline int64_t lb_shape_count(lb_shape shape)
{
    int64_t elements = 1;
    for (int d = 0; d < shape.ndim; d++) elements *= shape.dim[d];
    return elements;
}

/** True if both have the same dimensions. */
bool lb_shape_equal(lb_shape a, lb_shape b);

/** Length of a dimension; negative axes count from the end, -1 is the last. `axis` must exist. */
int64_t lb_shape_dim(lb_shape shape, int axis);

/** Writes "[32,10,128]" into `text` (LB_SHAPE_TEXT bytes) and returns it. */
char *lb_shape_format(lb_shape shape, char text[LB_SHAPE_TEXT]);

/* ---- How a row of scores becomes weights. ---- */

/** The function that turns scores into weights that sum to 1. */
typedef enum lb_normalizer {
    LB_SOFTMAX,   /* e^x / sum e^x: no weight is 0 */
    LB_SPARSEMAX, /* the nearest point of the simplex: most weights are exactly 0 */
    LB_ENTMAX     /* 1.5-entmax, between them: smooth, and exactly 0 for scores far below the largest */
} lb_normalizer;

/** Their names in files and flags; ends with NULL. */
extern const char *const lb_normalizer_names[];

/* ---- Tensors: a shape, values, and the gradient that backward accumulates. ---- */

struct lb_error;
struct lb_tape;
struct lb_node;

/** A contiguous, row-major array of lb_real. Either it belongs to a tape and lives until lb_tape_reset, or it is a
 *  parameter, which belongs to an lb_params and lives as long as it does. */
typedef struct lb_tensor {
    lb_shape shape;
    lb_real *data;                /* NULL in a poison tensor, the result of a failed op */
    lb_real *grad;                /* same shape as data; NULL until backward reaches the tensor */
    bool requires_grad;           /* whether backward computes its gradient */
    struct lb_tape *tape;         /* NULL for a parameter */
    struct lb_node *node;         /* the op that computed it; NULL for a leaf */
    const struct lb_error *error; /* why it is poison; NULL in a sound tensor */
} lb_tensor;

/** Number of elements. */
static inline int64_t lb_count(const lb_tensor *tensor)
{
    return lb_shape_count(tensor->shape);
}

/** Length of an axis; -1 is the last. The axis must exist. */
static inline int64_t lb_dim(const lb_tensor *tensor, int axis)
{
    return lb_shape_dim(tensor->shape, axis);
}

/* ---- The first token ids of every vocabulary. ---- */

enum {
    LB_PAD,        /* fills a row after its end */
    LB_BOS,        /* the input of a decoder before its first token */
    LB_EOS,        /* the output of a decoder after its last token */
    LB_UNK,        /* a symbol that is not in the vocabulary */
    LB_FIRST_TOKEN /* the first id of a real symbol */
};

/** The name of the code that multiplies matrices: the BLAS and its kernel for this processor, such as "OpenBLAS 0.3.21
 *  Cooperlake"; without BLAS, or where BLAS has no kernel for this processor, "own kernel, AVX2". Static memory. */
const char *lb_kernel_name(void);

LB_END_DECLS

#ifdef __cplusplus
/* C++ has no compound literals. */
template <typename... Dims> constexpr lb_shape lb_shape_of(Dims... dims)
{
    return lb_shape{static_cast<int>(sizeof...(dims)), {static_cast<int64_t>(dims)...}};
}
#endif

#endif
