/* A box with a label: what diagrams consist of. */
#ifndef LB_BOX_H
#define LB_BOX_H

#include "plot/panel.h"

/** Points: the height of a box, and the space around its label, left and right together. */
enum { LB_BOX_SIDE = 36, LB_BOX_PADDING = 18 };

/** The style of labels in the middle of boxes. */
lb_text_style lb_box_text(const lb_font *font, double size);

/** Draws a box, its border, `line` pixels wide, and its label, in black or white. */
void lb_box_draw(lb_canvas *canvas, const lb_text_style *look, lb_rect box, double line, lb_color fill,
                 const char *label);

#endif
