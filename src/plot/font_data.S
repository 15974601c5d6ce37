/* The built-in fonts, byte by byte: DejaVu Sans and DejaVu Sans Bold 2.37, free to embed (dejavu-fonts.github.io). */
#ifdef __APPLE__
#define SYMBOL(name) _##name
    .const_data
#else
#define SYMBOL(name) name
    .section .rodata
    .hidden lb_font_data_regular
    .hidden lb_font_data_regular_end
    .hidden lb_font_data_bold
    .hidden lb_font_data_bold_end
#endif

    .balign 16
    .globl SYMBOL(lb_font_data_regular)
SYMBOL(lb_font_data_regular):
    .incbin LB_FONT_REGULAR
    .globl SYMBOL(lb_font_data_regular_end)
SYMBOL(lb_font_data_regular_end):

    .balign 16
    .globl SYMBOL(lb_font_data_bold)
SYMBOL(lb_font_data_bold):
    .incbin LB_FONT_BOLD
    .globl SYMBOL(lb_font_data_bold_end)
SYMBOL(lb_font_data_bold_end):

#ifdef __ELF__
    .section .note.GNU-stack, "", %progbits
#endif
