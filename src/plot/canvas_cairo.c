/* Pixels and PDF pages, both drawn by Cairo. */
#include "base/alloc.h"
#include "base/buffer.h"
#include "plot/canvas_internal.h"

#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <cairo.h>
#include <hb.h>
#include <string.h>

/* Cairo's font cache outlives the canvas, so each font owns everything it needs. */
typedef struct page_font {
    FT_Library library;
    FT_Face face;
    hb_blob_t *file; /* which the face reads */
} page_font;

enum { PAGE_FONTS = 8 };

typedef struct cairo_canvas {
    lb_canvas base;
    cairo_surface_t *surface;
    cairo_t *context;
    unsigned char *pixels; /* NULL: a page */
    lb_buffer page;
    int font_count;
    const lb_font *font[PAGE_FONTS];     /* [font_count] the fonts used on this page */
    cairo_font_face_t *face[PAGE_FONTS]; /* [font_count] their Cairo fonts */
} cairo_canvas;

static cairo_canvas *of(lb_canvas *canvas)
{
    return (cairo_canvas *)canvas;
}

static void close(lb_canvas *canvas)
{
    cairo_canvas *c = of(canvas);
    for (int i = 0; i < c->font_count; i++) cairo_font_face_destroy(c->face[i]);
    cairo_destroy(c->context);
    cairo_surface_destroy(c->surface);
    lb_release(c->pixels);
    lb_release(c->page.text);
    lb_release(c);
}

static void note_failure(lb_canvas *canvas)
{
    if (cairo_status(of(canvas)->context) != CAIRO_STATUS_SUCCESS)
        lb_canvas_fail(canvas, LB_ERROR_MEMORY, "canvas: out of memory");
}

static void use(lb_canvas *canvas, lb_color color)
{
    cairo_set_source_rgba(of(canvas)->context, color.red / 255.0, color.green / 255.0, color.blue / 255.0,
                          color.alpha / 255.0);
}

static void clip(lb_canvas *canvas, const lb_rect *area)
{
    cairo_reset_clip(of(canvas)->context);
    if (!area) return;
    cairo_rectangle(of(canvas)->context, area->x, area->y, area->width, area->height);
    cairo_clip(of(canvas)->context);
}

static void fill(lb_canvas *canvas, lb_color color)
{
    use(canvas, color);
    cairo_fill(of(canvas)->context);
    note_failure(canvas);
}

static void rect(lb_canvas *canvas, lb_rect area, lb_color color)
{
    cairo_rectangle(of(canvas)->context, area.x, area.y, area.width, area.height);
    fill(canvas, color);
}

static void move_to(lb_canvas *canvas, lb_point to)
{
    cairo_move_to(of(canvas)->context, to.x, to.y);
}

static void line_to(lb_canvas *canvas, lb_point to)
{
    cairo_line_to(of(canvas)->context, to.x, to.y);
}

static void curve_to(lb_canvas *canvas, lb_point first, lb_point second, lb_point to)
{
    cairo_curve_to(of(canvas)->context, first.x, first.y, second.x, second.y, to.x, to.y);
}

static void close_path(lb_canvas *canvas)
{
    cairo_close_path(of(canvas)->context);
}

static void stroke(lb_canvas *canvas, double width, lb_color color)
{
    use(canvas, color);
    cairo_set_line_width(of(canvas)->context, width);
    cairo_stroke(of(canvas)->context);
    note_failure(canvas);
}

/* Cairo's colours are premultiplied by alpha. */
static uint8_t plain(uint32_t pixel, int shift, uint32_t alpha)
{
    uint32_t channel = pixel >> shift & 0xFF;
    return (uint8_t)(alpha ? (channel * 255 + alpha / 2) / alpha : 0);
}

static lb_color pixel(const lb_canvas *canvas, int x, int y)
{
    const cairo_canvas *c = (const cairo_canvas *)canvas;
    cairo_surface_flush(c->surface);
    uint32_t value;
    size_t stride = (size_t)cairo_image_surface_get_stride(c->surface);
    memcpy(&value, c->pixels + (size_t)y * stride + 4 * (size_t)x, sizeof value);
    uint32_t alpha = value >> 24;
    return (lb_color){plain(value, 16, alpha), plain(value, 8, alpha), plain(value, 0, alpha),
                      (uint8_t)alpha};
}

/* Takes over the canvas; its surface exists. */
static lb_canvas *start_context(cairo_canvas *c)
{
    c->context = cairo_create(c->surface);
    cairo_set_line_cap(c->context, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(c->context, CAIRO_LINE_JOIN_ROUND);
    cairo_set_antialias(c->context, CAIRO_ANTIALIAS_BEST);
    if (cairo_status(c->context) != CAIRO_STATUS_SUCCESS) {
        close(&c->base);
        return NULL;
    }
    return &c->base;
}

/* Cairo and FreeType can crash when memory runs out in the middle of a drawing: do not begin with too little. */
static bool has_room(void)
{
    enum { ROOM = 16 << 20 };
    void *room = lb_alloc(ROOM);
    lb_release(room);
    return room != NULL;
}

static const cairo_user_data_key_t page_font_key;

static void page_font_free(void *memory)
{
    page_font *font = memory;
    FT_Done_Face(font->face);
    FT_Done_FreeType(font->library);
    hb_blob_destroy(font->file);
    lb_release(font);
}

/* The font for embedding by Cairo; NULL if memory runs out. */
static cairo_font_face_t *page_font_new(const lb_font *font)
{
    page_font *made = lb_alloc_zero(sizeof *made);
    if (!made) return NULL;
    unsigned size;
    made->file = hb_face_reference_blob(hb_font_get_face(font->hb));
    const unsigned char *bytes = (const unsigned char *)hb_blob_get_data(made->file, &size);
    cairo_font_face_t *face = NULL;
    if (FT_Init_FreeType(&made->library) == 0 &&
        FT_New_Memory_Face(made->library, bytes, (FT_Long)size, (FT_Long)font->index, &made->face) == 0)
        face = cairo_ft_font_face_create_for_ft_face(made->face, FT_LOAD_NO_HINTING);
    if (face &&
        cairo_font_face_set_user_data(face, &page_font_key, made, page_font_free) == CAIRO_STATUS_SUCCESS)
        return face;
    if (face) cairo_font_face_destroy(face);
    page_font_free(made);
    return NULL;
}

static cairo_font_face_t *page_font_of(cairo_canvas *c, const lb_font *font)
{
    for (int i = 0; i < c->font_count; i++)
        if (c->font[i] == font) return c->face[i];
    if (c->font_count == PAGE_FONTS) return NULL;
    cairo_font_face_t *face = page_font_new(font);
    if (!face) return NULL;
    c->font[c->font_count] = font;
    c->face[c->font_count++] = face;
    return face;
}

/* Shows the glyphs [first, end) of one run, with the characters that they represent. The line begins at (x, 0). */
static void show_run(lb_canvas *canvas, const lb_canvas_text *text, double x, size_t first, size_t end)
{
    const lb_glyph *glyph = text->line->glyph;
    size_t count = end - first, cluster_count = 0, cluster_begin = SIZE_MAX, bytes = 0;
    bool backward = glyph[first].begin > glyph[end - 1].begin;
    cairo_glyph_t *glyphs = lb_alloc(count * sizeof *glyphs);
    cairo_text_cluster_t *clusters = lb_alloc(count * sizeof *clusters);
    cairo_font_face_t *face = page_font_of(of(canvas), glyph[first].font);
    if (glyphs && clusters && face) {
        for (size_t i = 0; i < count; i++) {
            const lb_glyph *g = &glyph[first + i], *logical = backward ? &glyph[end - 1 - i] : g;
            glyphs[i] = (cairo_glyph_t){g->id, x + text->size * g->x, -text->size * g->y};
            if (cluster_begin != SIZE_MAX && logical->begin < cluster_begin + bytes) {
                clusters[cluster_count - 1].num_glyphs++;
                continue;
            }
            if (cluster_begin == SIZE_MAX) cluster_begin = logical->begin;
            bytes = logical->end - cluster_begin;
            clusters[cluster_count++] = (cairo_text_cluster_t){(int)(logical->end - logical->begin), 1};
        }
        cairo_set_font_face(of(canvas)->context, face);
        cairo_set_font_size(of(canvas)->context, text->size);
        cairo_show_text_glyphs(of(canvas)->context, text->line->text + cluster_begin, (int)bytes, glyphs,
                               (int)count, clusters, (int)cluster_count,
                               backward ? CAIRO_TEXT_CLUSTER_FLAG_BACKWARD : (cairo_text_cluster_flags_t)0);
    } else {
        lb_canvas_fail(canvas, LB_ERROR_MEMORY, "text: out of memory");
    }
    lb_release(glyphs);
    lb_release(clusters);
}

static void show_text(lb_canvas *canvas, const lb_canvas_text *text)
{
    cairo_t *context = of(canvas)->context;
    const lb_line *line = text->line;
    const cairo_matrix_t turn = {text->right.x, text->right.y,  -text->right.y,
                                 text->right.x, text->anchor.x, text->anchor.y};
    cairo_save(context);
    cairo_transform(context, &turn);
    use(canvas, text->color);
    for (size_t first = 0, end = 0; first < line->count; first = end) {
        while (end < line->count && line->glyph[end].run == line->glyph[first].run) end++;
        if (line->glyph[first].font)
            show_run(canvas, text, -text->aligned * text->size * line->width, first, end);
    }
    cairo_restore(context);
    note_failure(canvas);
}

static cairo_status_t add_to_page(void *canvas, const unsigned char *bytes, unsigned count)
{
    lb_buffer *page = &of(canvas)->page;
    lb_buffer_add(page, bytes, count);
    if (!page->failed) return CAIRO_STATUS_SUCCESS;
    lb_canvas_fail(canvas, LB_ERROR_MEMORY, "canvas: out of memory"); /* Cairo does not always report it */
    return CAIRO_STATUS_WRITE_ERROR;
}

static void document(lb_canvas *canvas, const void **bytes, size_t *count)
{
    cairo_canvas *c = of(canvas);
    cairo_surface_finish(c->surface);
    if (cairo_surface_status(c->surface) != CAIRO_STATUS_SUCCESS)
        lb_canvas_fail(canvas, LB_ERROR_MEMORY, "canvas: out of memory");
    *bytes = c->page.text;
    *count = c->page.length;
}

static const lb_backend backend = {.close = close,
                                   .clip = clip,
                                   .rect = rect,
                                   .move_to = move_to,
                                   .line_to = line_to,
                                   .curve_to = curve_to,
                                   .close_path = close_path,
                                   .fill = fill,
                                   .stroke = stroke,
                                   .text = show_text,
                                   .document = document,
                                   .pixel = pixel};

static cairo_canvas *make(const lb_canvas_config *config)
{
    cairo_canvas *c = has_room() ? lb_alloc_zero(sizeof *c) : NULL;
    if (c) c->base = (lb_canvas){.backend = &backend, .config = *config};
    return c;
}

lb_canvas *lb_pixels_open(const lb_canvas_config *config)
{
    cairo_canvas *c = make(config);
    if (!c) return NULL;
    int stride = cairo_format_stride_for_width(CAIRO_FORMAT_ARGB32, config->width);
    size_t bytes = (size_t)stride * (size_t)config->height;
    c->pixels = lb_alloc(bytes);
    if (!c->pixels) {
        lb_release(c);
        return NULL;
    }
    memset(c->pixels, config->transparent ? 0 : 255, bytes);
    c->surface = cairo_image_surface_create_for_data(c->pixels, CAIRO_FORMAT_ARGB32, config->width,
                                                     config->height, stride);
    return start_context(c);
}

lb_canvas *lb_pdf_open(const lb_canvas_config *config)
{
    cairo_canvas *c = make(config);
    if (!c) return NULL;
    double scale = 72 / (config->dpi > 0 ? config->dpi : 100);
    c->surface =
        cairo_pdf_surface_create_for_stream(add_to_page, c, config->width * scale, config->height * scale);
    /* Without a date, equal drawings give equal files. */
    cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
    lb_canvas *canvas = start_context(c);
    if (!canvas) return NULL;
    cairo_scale(c->context, scale, scale);
    if (!config->transparent) {
        use(canvas, lb_rgb(0xFFFFFF));
        cairo_paint(c->context);
    }
    return canvas;
}
