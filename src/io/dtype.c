/* Types of numbers in files of tensors: their names and sizes, and conversion to and from lb_real. */
#include "io/safetensors.h"

#include "base/bytes.h"

#include <math.h>
#include <string.h>

typedef struct dtype_row {
    const char *name, *numpy_name;
    size_t size;
} dtype_row;

static const dtype_row rows[] = {
#define DTYPE_ROW(name, numpy, bytes) [LB_DTYPE_##name] = {#name, numpy, bytes},
    LB_DTYPE_LIST(DTYPE_ROW)
#undef DTYPE_ROW
};

bool lb_dtype_exists(lb_dtype dtype)
{
    return (unsigned)dtype < sizeof rows / sizeof *rows;
}

const char *lb_dtype_name(lb_dtype dtype)
{
    return rows[dtype].name;
}

const char *lb_dtype_numpy_name(lb_dtype dtype)
{
    return rows[dtype].numpy_name;
}

size_t lb_dtype_size(lb_dtype dtype)
{
    return rows[dtype].size;
}

bool lb_dtype_find(const char *name, const char *(*name_of)(lb_dtype), lb_dtype *dtype)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *dtype = (lb_dtype)i;
        if (strcmp(name_of(*dtype), name) == 0) return true;
    }
    return false;
}

/* IEEE 754 binary16: 1 bit sign, 5 bits exponent with a bias of 15, 10 bits fraction. */
static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size;
    if (exponent == 31)
        size = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        size = ldexp(fraction, -24);
    else
        size = ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -size : size;
}

/* The upper half of a float. */
static double bfloat_value(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return (double)value;
}

/* One number of C type `type` at `from`, which need not be aligned. */
#define LOAD(type, variable, from)                                                                           \
    type variable;                                                                                           \
    memcpy(&variable, from, sizeof variable)

static double load_double(lb_dtype dtype, const unsigned char *from)
{
    if (dtype == LB_DTYPE_F32) {
        LOAD(float, value, from);
        return (double)value;
    }
    if (dtype == LB_DTYPE_F64) {
        LOAD(double, value, from);
        return value;
    }
    if (dtype == LB_DTYPE_F16 || dtype == LB_DTYPE_BF16) {
        LOAD(uint16_t, bits, from);
        return dtype == LB_DTYPE_F16 ? half_value(bits) : bfloat_value(bits);
    }
    if (dtype == LB_DTYPE_I64) {
        LOAD(int64_t, value, from);
        return (double)value;
    }
    if (dtype == LB_DTYPE_I32) {
        LOAD(int32_t, value, from);
        return value;
    }
    return dtype == LB_DTYPE_BOOL ? *from != 0 : *from;
}

void lb_dtype_to_double(lb_dtype dtype, const void *bytes, size_t count, double *out)
{
    const unsigned char *from = bytes;
    for (size_t i = 0; i < count; i++) out[i] = load_double(dtype, from + i * rows[dtype].size);
}

void lb_dtype_to_real(lb_dtype dtype, const void *bytes, size_t count, lb_real *out)
{
    const unsigned char *from = bytes;
    if (dtype == LB_DTYPE_REAL) {
        if (count) memcpy(out, from, count * sizeof *out);
        return;
    }
    for (size_t i = 0; i < count; i++) out[i] = (lb_real)load_double(dtype, from + i * rows[dtype].size);
}

/* ---- The order of bytes. ---- */

void lb_file_order(void *numbers, size_t count, size_t width)
{
    if (!lb_big_endian) return;
    for (unsigned char *number = numbers; count > 0; count--, number += width)
        lb_reverse(number, (int64_t)width, 1);
}

uint64_t lb_file_integer(const unsigned char *bytes, size_t width)
{
    uint64_t value = 0;
    while (width > 0) value = value << 8 | bytes[--width];
    return value;
}
