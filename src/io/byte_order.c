#include "io/byte_order.h"

void lb_file_order(void *numbers, size_t count, size_t width)
{
    if (!lb_big_endian) return;
    for (unsigned char *number = numbers; count > 0; count--, number += width) {
        for (size_t low = 0, high = width - 1; low < high; low++, high--) {
            unsigned char byte = number[low];
            number[low] = number[high];
            number[high] = byte;
        }
    }
}

uint64_t lb_file_integer(const unsigned char *bytes, size_t width)
{
    uint64_t value = 0;
    while (width > 0) value = value << 8 | bytes[--width];
    return value;
}
