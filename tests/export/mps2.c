/* The first steps of a Cortex-M4 in qemu: the stack, the floating-point unit, and then newlib, which does its input and
 * output by semihosting. */
#include <stdint.h>

extern char __stack;
void _start(void);
void reset(void);

#define CPACR (*(volatile uint32_t *)0xE000ED88)

/* What the processor reads at address 0. */
__attribute__((section(".vectors"), used)) static const struct {
    char *stack;
    void (*reset)(void);
} vectors = {&__stack, reset};

void reset(void)
{
    CPACR |= 0xFU << 20; /* full access to coprocessors 10 and 11 */
    __asm__ volatile("dsb\n isb");
    _start();
}
