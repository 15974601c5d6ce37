#include "plot/box.h"

#include "plot/color.h"

lb_text_style lb_box_text(const lb_font *font, double size)
{
    lb_text_style look = {.font = font, .size = size};
    look.align = LB_ALIGN_CENTER;
    look.valign = LB_VALIGN_MIDDLE;
    return look;
}

void lb_box_draw(lb_canvas *canvas, const lb_text_style *look, lb_rect box, double line, lb_color fill,
                 const char *label)
{
    lb_text_style text = *look;
    text.color = lb_color_contrast(fill);
    lb_canvas_rect(canvas, box, fill);
    lb_canvas_border(canvas, box, line, lb_rgb(0x000000));
    lb_text_draw(canvas, &text, (lb_point){box.x + box.width / 2, box.y + box.height / 2}, label);
}
