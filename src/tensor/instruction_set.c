#include "tensor/instruction_set.h"

#include "tensor/real.h"

lb_instruction_set lb_instruction_set_here(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports(LB_CPU_AVX512)) return LB_SET_AVX512;
    if (__builtin_cpu_supports(LB_CPU_AVX2)) return LB_SET_AVX2;
#endif
    return LB_SET_BASE;
}

const char *lb_instruction_set_name(void)
{
    static const char *const names[] = {LB_SET_BASE_NAME, "AVX2", "AVX-512"};
    return names[lb_instruction_set_here()];
}
