/* The page of a report without its data, byte by byte, as a string. */
#ifdef __APPLE__
#define SYMBOL(name) _##name
    .const_data
#elif defined __wasm__
#define SYMBOL(name) name
    .section .rodata.app_page_template,"",@
    .type app_page_template,@object
    .size app_page_template, .Lend - app_page_template
#else
#define SYMBOL(name) name
    .section .rodata
#endif

    .balign 16
    .globl SYMBOL(app_page_template)
SYMBOL(app_page_template):
    .incbin APP_PAGE_TEMPLATE
    .byte 0
.Lend:

#ifdef __ELF__
    .section .note.GNU-stack, "", %progbits
#endif
