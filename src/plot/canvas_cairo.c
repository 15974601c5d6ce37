/* Pixels and PDF pages, both drawn by Cairo. */
#include "base/alloc.h"
#include "plot/canvas_internal.h"

#include <assert.h>
#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <hb.h>
#include <string.h>

/* Cairo's font cache outlives the canvas, so each font owns everything it needs. */
typedef struct page_font {
    FT_Library library;
    FT_Face face;
    hb_blob_t *file; /* which the face reads */
} page_font;

void lb_cairo_close(lb_canvas *canvas)
{
    for (int i = 0; i < canvas->font_count; i++) cairo_font_face_destroy(canvas->face[i]);
    cairo_destroy(canvas->context);
    cairo_surface_destroy(canvas->surface);
    lb_release(canvas->pixels);
}

static void note_failure(lb_canvas *canvas)
{
    if (cairo_status(canvas->context) != CAIRO_STATUS_SUCCESS)
        lb_error_set(&canvas->failure, LB_ERROR_MEMORY, "canvas: out of memory");
}

static void use(lb_canvas *canvas, lb_color color)
{
    cairo_set_source_rgba(canvas->context, color.red / 255.0, color.green / 255.0, color.blue / 255.0,
                          color.alpha / 255.0);
}

void lb_cairo_fill(lb_canvas *canvas, lb_color color)
{
    use(canvas, color);
    cairo_fill(canvas->context);
    note_failure(canvas);
}

void lb_cairo_stroke(lb_canvas *canvas, double width, lb_color color)
{
    use(canvas, color);
    cairo_set_line_width(canvas->context, width);
    cairo_stroke(canvas->context);
    note_failure(canvas);
}

/* Cairo's colours are premultiplied by alpha. */
static uint8_t plain(uint32_t pixel, int shift, uint32_t alpha)
{
    uint32_t channel = pixel >> shift & 0xFF;
    return (uint8_t)(alpha ? (channel * 255 + alpha / 2) / alpha : 0);
}

lb_color lb_canvas_pixel(const lb_canvas *c, int x, int y)
{
    assert(x >= 0 && x < c->config.width && y >= 0 && y < c->config.height);
    cairo_surface_flush(c->surface);
    uint32_t value;
    size_t stride = (size_t)cairo_image_surface_get_stride(c->surface);
    memcpy(&value, c->pixels + (size_t)y * stride + 4 * (size_t)x, sizeof value);
    uint32_t alpha = value >> 24;
    return (lb_color){plain(value, 16, alpha), plain(value, 8, alpha), plain(value, 0, alpha),
                      (uint8_t)alpha};
}

/* The surface of the canvas exists. */
static bool start_context(lb_canvas *canvas)
{
    canvas->context = cairo_create(canvas->surface);
    cairo_set_line_cap(canvas->context, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(canvas->context, CAIRO_LINE_JOIN_ROUND);
    cairo_set_antialias(canvas->context, CAIRO_ANTIALIAS_BEST);
    return cairo_status(canvas->context) == CAIRO_STATUS_SUCCESS;
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

static cairo_font_face_t *page_font_of(lb_canvas *c, const lb_font *font)
{
    for (int i = 0; i < c->font_count; i++)
        if (c->font[i] == font) return c->face[i];
    if (c->font_count == LB_PAGE_FONTS) return NULL;
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
    cairo_font_face_t *face = page_font_of(canvas, glyph[first].font);
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
        cairo_set_font_face(canvas->context, face);
        cairo_set_font_size(canvas->context, text->size);
        cairo_show_text_glyphs(canvas->context, text->line->text + cluster_begin, (int)bytes, glyphs,
                               (int)count, clusters, (int)cluster_count,
                               backward ? CAIRO_TEXT_CLUSTER_FLAG_BACKWARD : (cairo_text_cluster_flags_t)0);
    } else {
        lb_error_set(&canvas->failure, LB_ERROR_MEMORY, "text: out of memory");
    }
    lb_release(glyphs);
    lb_release(clusters);
}

void lb_pdf_text(lb_canvas *canvas, const lb_canvas_text *text)
{
    cairo_t *context = canvas->context;
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

static cairo_status_t add_to_page(void *to, const unsigned char *bytes, unsigned count)
{
    lb_canvas *canvas = to;
    lb_buffer_add(&canvas->document, bytes, count);
    if (!canvas->document.failed) return CAIRO_STATUS_SUCCESS;
    /* Cairo does not always report it. */
    lb_error_set(&canvas->failure, LB_ERROR_MEMORY, "canvas: out of memory");
    return CAIRO_STATUS_WRITE_ERROR;
}

void lb_pdf_end(lb_canvas *canvas)
{
    cairo_surface_finish(canvas->surface);
    if (cairo_surface_status(canvas->surface) != CAIRO_STATUS_SUCCESS)
        lb_error_set(&canvas->failure, LB_ERROR_MEMORY, "canvas: out of memory");
}

bool lb_pixels_open(lb_canvas *canvas)
{
    const lb_canvas_config *config = &canvas->config;
    int stride = cairo_format_stride_for_width(CAIRO_FORMAT_ARGB32, config->width);
    size_t bytes = (size_t)stride * (size_t)config->height;
    canvas->pixels = has_room() ? lb_alloc(bytes) : NULL;
    if (!canvas->pixels) return false;
    memset(canvas->pixels, config->transparent ? 0 : 255, bytes);
    canvas->surface = cairo_image_surface_create_for_data(canvas->pixels, CAIRO_FORMAT_ARGB32, config->width,
                                                          config->height, stride);
    return start_context(canvas);
}

bool lb_pdf_open(lb_canvas *canvas)
{
    const lb_canvas_config *config = &canvas->config;
    double scale = 72 / (config->dpi > 0 ? config->dpi : 100);
    if (!has_room()) return false;
    canvas->surface = cairo_pdf_surface_create_for_stream(add_to_page, canvas, config->width * scale,
                                                          config->height * scale);
    /* Without a date, equal drawings give equal files. */
    cairo_pdf_surface_set_metadata(canvas->surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
    if (!start_context(canvas)) return false;
    cairo_scale(canvas->context, scale, scale);
    if (!config->transparent) {
        use(canvas, lb_rgb(0xFFFFFF));
        cairo_paint(canvas->context);
    }
    return true;
}
