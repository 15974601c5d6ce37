/* The page of a report without its data, byte by byte. */
#ifdef __APPLE__
#define SYMBOL(name) _##name
    .const_data
#else
#define SYMBOL(name) name
    .section .rodata
#endif

    .balign 16
    .globl SYMBOL(app_page_template)
SYMBOL(app_page_template):
    .incbin APP_PAGE_TEMPLATE
    .globl SYMBOL(app_page_template_end)
SYMBOL(app_page_template_end):
    .byte 0

#ifdef __ELF__
    .section .note.GNU-stack, "", %progbits
#endif
