#include "base/instruction_set.h"

#include "base/format.h"

#include <stdlib.h>

const char *const lb_instruction_set_names[] = {"widest", "baseline", "avx2", "avx512", "portable", NULL};

atomic_int lb_instruction_set_in_force;

lb_instruction_set lb_instruction_set_widest(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports(LB_CPU_AVX512)) return LB_SET_AVX512;
    if (__builtin_cpu_supports(LB_CPU_AVX2) && __builtin_cpu_supports("fma")) return LB_SET_AVX2;
#endif
    return LB_SET_BASE;
}

/* The set that the user asks for; negative if no set has this name. */
static int asked_for(void)
{
    const char *name = getenv(LB_SET_VARIABLE);
    return name && *name ? lb_choice_find(lb_instruction_set_names, name) : LB_SET_WIDEST;
}

lb_instruction_set lb_instruction_set_decide(void)
{
    const int widest = (int)lb_instruction_set_widest(), asked = asked_for(),
              set = asked == LB_SET_PORTABLE                   ? widest + LB_SET_PORTABLE - LB_SET_BASE
                    : asked > LB_SET_WIDEST && asked <= widest ? asked
                                                               : widest;
    atomic_store(&lb_instruction_set_in_force, set);
    return (lb_instruction_set)set;
}

lb_status lb_instruction_set_check(const char *by, lb_error *error)
{
    const int widest = (int)lb_instruction_set_widest(), asked = asked_for();
    if (asked < 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "%s: found \"%s\", expected widest, baseline, avx2, avx512 or portable", by,
                            getenv(LB_SET_VARIABLE));
    if (asked == LB_SET_PORTABLE) return LB_OK;
    // cppcheck-suppress knownConditionTrueFalse ; of other processors the base is the widest
    if (asked > LB_SET_WIDEST && !LB_HAS_VARIANTS && widest > LB_SET_BASE)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "%s: found %s, but this build is for one kind of processor", by,
                            lb_instruction_set_names[asked]);
    if (asked > widest)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: found %s, but this processor has no more than %s",
                            by, lb_instruction_set_names[asked], lb_instruction_set_names[widest]);
    return LB_OK;
}

const char *lb_instruction_set_name(void)
{
    static const char *const names[] = {NULL,
                                        LB_SET_BASE_NAME,
                                        "AVX2",
                                        "AVX-512",
                                        (LB_SET_BASE_NAME ", portable"),
                                        "AVX2, portable",
                                        "AVX-512, portable"};
    return names[lb_instruction_set_here()];
}
