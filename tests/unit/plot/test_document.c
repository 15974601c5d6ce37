/* SVG and PDF documents: shapes are shapes, text is text, and write failures are errors. It takes seconds. */
#include "base/alloc.h"
#include "plot/canvas.h"
#include "plot/figure.h"
#include "plot/text.h"
#include "support/alloc.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lb_canvas *open_canvas(lb_format format, bool transparent)
{
    lb_canvas_config config = {
        .width = 300, .height = 100, .dpi = 150, .format = format, .transparent = transparent};
    lb_canvas *canvas = lb_canvas_open(&config, NULL);
    ck_assert_ptr_nonnull(canvas);
    return canvas;
}

/* The document as a string, to be freed; frees the canvas. */
static char *finish(lb_canvas *canvas, size_t *count)
{
    const void *bytes;
    lb_error error = {0};
    ck_assert_msg(lb_canvas_document(canvas, &bytes, count, &error) == LB_OK, "%s", error.message);
    char *copy = calloc(1, *count + 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, *count);
    lb_canvas_free(canvas);
    return copy;
}

static void has(const char *document, const char *part)
{
    ck_assert_msg(strstr(document, part) != NULL, "there is no %s in:\n%s", part, document);
}

/* An SVG document with one text in it, to be freed. */
static char *svg_of(const char *text, lb_text_style style)
{
    size_t count;
    lb_font *font = style.font ? NULL : lb_font_builtin(LB_FONT_REGULAR, NULL);
    lb_canvas *canvas = open_canvas(LB_FORMAT_SVG, true);
    if (font) style.font = font;
    style.size = 20;
    lb_text_draw(canvas, &style, (lb_point){50, 60}, text);
    lb_font_close(font);
    return finish(canvas, &count);
}

START_TEST(test_format_is_that_of_the_name)
{
    ck_assert_int_eq(lb_picture_format("a.svg"), LB_FORMAT_SVG);
    ck_assert_int_eq(lb_picture_format("folder.pdf/a.SVG"), LB_FORMAT_SVG);
    ck_assert_int_eq(lb_picture_format("a.Pdf"), LB_FORMAT_PDF);
    ck_assert_int_eq(lb_picture_format("a.png"), LB_FORMAT_PNG);
    ck_assert_int_eq(lb_picture_format("pdf"), LB_FORMAT_PNG);
}
END_TEST

START_TEST(test_svg_shapes_have_their_size_and_color)
{
    size_t count;
    lb_canvas *canvas = open_canvas(LB_FORMAT_SVG, false);
    lb_canvas_rect(canvas, (lb_rect){1, 2.5, 30, 0.0625}, (lb_color){255, 0, 16, 51});
    lb_canvas_line(canvas, (lb_point){-1.5, 0}, (lb_point){4, 1000000000}, 2, lb_rgb(0x0000FF));
    lb_canvas_polygon(canvas, (const lb_point[]){{0, 0}, {1, 0}, {0, 1}}, 3, lb_rgb(0x00FF00));
    char *svg = finish(canvas, &count);
    has(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"2in\" height=\"0.667in\" viewBox=\"0 0 300 "
             "100\">");
    has(svg, "<rect x=\"0\" y=\"0\" width=\"300\" height=\"100\" shape-rendering=\"crispEdges\" "
             "fill=\"#ffffff\"/>");
    has(svg, "<rect x=\"1\" y=\"2.5\" width=\"30\" height=\"0.063\" shape-rendering=\"crispEdges\" "
             "fill=\"#ff0010\" "
             "fill-opacity=\"0.2\"/>");
    has(svg, "<path d=\"M-1.5 0L4 1000000\" stroke=\"#0000ff\" fill=\"none\" stroke-linecap=\"round\" "
             "stroke-linejoin=\"round\" stroke-width=\"2\"/>");
    has(svg, "<path d=\"M0 0L1 0L0 1Z\" fill=\"#00ff00\"/>");
    ck_assert_str_eq(svg + count - 7, "</svg>\n");
    free(svg);
}
END_TEST

START_TEST(test_svg_clip_is_a_group_that_ends)
{
    size_t count;
    lb_canvas *canvas = open_canvas(LB_FORMAT_SVG, true);
    lb_canvas_clip(canvas, &(lb_rect){10.2, 5, 20, 400});
    lb_canvas_clip(canvas, NULL);
    lb_canvas_clip(canvas, &(lb_rect){1, 1, 1, 1});
    char *svg = finish(canvas, &count);
    has(svg, "<clipPath id=\"clip0\"><rect x=\"10\" y=\"5\" width=\"20\" height=\"95\"/></clipPath>\n"
             "<g clip-path=\"url(#clip0)\">\n</g>\n");
    has(svg, "<g clip-path=\"url(#clip1)\">\n</g>\n</svg>\n");
    ck_assert_ptr_null(strstr(svg, "#ffffff")); /* transparent */
    free(svg);
}
END_TEST

START_TEST(test_svg_text_is_text)
{
    char *svg = svg_of("a<b & \"c\" \xed\x95\x9c", (lb_text_style){.color = lb_rgb(0x102030)});
    has(svg, "<text x=\"50\" y=\"60\" font-size=\"20\" text-anchor=\"start\" font-family=\"'DejaVu Sans', "
             "Verdana, "
             "sans-serif\" fill=\"#102030\" xml:space=\"preserve\">a&lt;b &amp; &quot;c&quot; "
             "\xed\x95\x9c</text>");
    free(svg);
    svg = svg_of("up", (lb_text_style){.angle = 90, .align = LB_ALIGN_CENTER});
    has(svg, "text-anchor=\"middle\" transform=\"rotate(-90 50 60)\"");
    free(svg);
    svg = svg_of("one\ntwo", (lb_text_style){.align = LB_ALIGN_RIGHT});
    has(svg, "text-anchor=\"end\"");
    has(svg, ">one</text>");
    has(svg, ">two</text>");
    free(svg);
}
END_TEST

START_TEST(test_svg_text_from_right_to_left_ends_where_it_should)
{
    char *svg = svg_of("\u05e9\u05dc\u05d5\u05dd 12", (lb_text_style){.align = LB_ALIGN_RIGHT});
    has(svg, "text-anchor=\"start\" direction=\"rtl\"");
    free(svg);
}
END_TEST

START_TEST(test_svg_text_of_any_bytes_is_well_formed)
{
    char *svg = svg_of("\x01\xff\xef\xbf\xbf]]>\r", (lb_text_style){0});
    has(svg, ">\uFFFD\uFFFD\uFFFD]]&gt;\uFFFD</text>");
    free(svg);
}
END_TEST

/* Reads the text of an SVG document back, as a strict reader of XML does. */
static void read_text(const char *svg, char *read)
{
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    static const char marks[] = "&<>\"";
    const char *at = strstr(svg, "xml:space=\"preserve\">");
    ck_assert_ptr_nonnull(at);
    for (at = strchr(at, '>') + 1; *at != '<'; at++, read++) {
        int name = 0;
        ck_assert_msg(*at && *at != '>', "a raw > in %s", svg);
        *read = *at;
        if (*at != '&') continue;
        while (name < 4 && strncmp(at, names[name], strlen(names[name])) != 0) name++;
        ck_assert_msg(name < 4, "an unknown name in %s", at);
        *read = marks[name];
        at += strlen(names[name]) - 1;
    }
    *read = '\0';
    ck_assert_int_eq(strncmp(at, "</text>\n</svg>\n", 15), 0);
}

static void assert_drawn(const char *text)
{
    char *svg = svg_of(text, (lb_text_style){0}), read[2048];
    read_text(svg, read);
    ck_assert_str_eq(read, text);
    free(svg);
}

START_TEST(test_svg_text_is_read_as_it_was)
{
    static const char *const ends[] = {"]]>",   "]]]]>>", "-->",  "<!--", "--",    "</text>", "<![CDATA[",
                                       "&amp;", "&#0;",   "\"/>", "?>",   "<?xml", "'\"'",    "a>b<c&d"};
    enum { AT_ONCE = 512, END = 0x3000 };
    for (size_t i = 0; SUPPORT_ROW(i, ends); i++) assert_drawn(ends[i]);
    for (unsigned c = '!'; c < END; c += AT_ONCE) {
        char text[3 * AT_ONCE + 3] = "x";
        size_t length = 1;
        for (unsigned i = c; i < c + AT_ONCE; i++) {
            if (i < 0x80) text[length++] = (char)i;
            if (i >= 0x800) text[length++] = (char)(0xE0 | i >> 12);
            if (i >= 0x80) text[length++] = (char)(i >= 0x800 ? 0x80 | (i >> 6 & 0x3F) : 0xC0 | i >> 6);
            if (i >= 0x80) text[length++] = (char)(0x80 | (i & 0x3F));
        }
        memcpy(text + length, "x", 2);
        assert_drawn(text);
    }
}
END_TEST

START_TEST(test_svg_font_is_named_before_those_that_help_it_out)
{
    lb_font *font = lb_font_open(TEST_FONTS "/DejaVuSansMono-Bold.ttf", NULL);
    ck_assert_ptr_nonnull(font);
    char *svg = svg_of("x", (lb_text_style){.font = font});
    has(svg, "font-family=\"'DejaVu Sans Mono', 'DejaVu Sans', Verdana, sans-serif\" font-weight=\"bold\"");
    free(svg);
    lb_font_close(font);
}
END_TEST

START_TEST(test_pdf_has_fonts_and_no_date)
{
    size_t counts[2];
    char *pdf[2];
    lb_font *font = lb_font_builtin(LB_FONT_REGULAR, NULL);
    for (int i = 0; i < 2; i++) {
        lb_canvas *canvas = open_canvas(LB_FORMAT_PDF, false);
        lb_text_draw(canvas, &(lb_text_style){.font = font, .size = 20}, (lb_point){5, 60}, "Hello");
        pdf[i] = finish(canvas, &counts[i]);
    }
    ck_assert(counts[0] == counts[1] && memcmp(pdf[0], pdf[1], counts[0]) == 0);
    for (size_t i = 0; i < counts[0]; i++) pdf[0][i] = pdf[0][i] ? pdf[0][i] : ' ';
    ck_assert_int_eq(strncmp(pdf[0], "%PDF-1.", 7), 0);
    ck_assert_ptr_nonnull(strstr(pdf[0], "+DejaVuSans"));
    ck_assert_ptr_nonnull(strstr(pdf[0], "/ToUnicode"));
    /* Cairo 1.18 compresses what has the size and the date. */
    support_result info;
    const support_command command = {.argv = (const char *const[]){"/usr/bin/env", "pdfinfo", "-", NULL},
                                     .input = pdf[1],
                                     .input_length = counts[1]};
    ck_assert(support_run_command(&command, &info));
    has(info.output, " 144 x 48 pts\n");
    ck_assert_ptr_null(strstr(info.output, "Date"));
    support_result_free(&info);
    free(pdf[0]);
    free(pdf[1]);
    lb_font_close(font);
}
END_TEST

START_TEST(test_pdf_is_white_unless_it_is_transparent)
{
    size_t counts[2];
    for (int transparent = 0; transparent < 2; transparent++)
        free(finish(open_canvas(LB_FORMAT_PDF, transparent), &counts[transparent]));
    ck_assert_uint_gt(counts[0], counts[1]);
}
END_TEST

/* A letter and its marks are several glyphs for one stretch of text; Cairo refuses stretches that do not add up. */
START_TEST(test_pdf_letter_with_marks_is_one_stretch_of_text)
{
    static const char *const texts[] = {"x\u0302\u0323 y\u0302", "\u05e9\u05c1\u05b8\u05dc"};
    lb_font *font = lb_font_builtin(LB_FONT_REGULAR, NULL);
    for (int i = 0; i < 2; i++) {
        size_t count;
        lb_canvas *canvas = open_canvas(LB_FORMAT_PDF, false);
        lb_text_draw(canvas, &(lb_text_style){.font = font, .size = 20}, (lb_point){5, 60}, texts[i]);
        free(finish(canvas, &count));
    }
    lb_font_close(font);
}
END_TEST

static const double values[] = {0.1, 0.9, 0.5, 0.5};

static lb_heatmap small_map(void)
{
    return (lb_heatmap){.values = values, .rows = 2, .columns = 2, .title = "T", .bar_label = "w"};
}

START_TEST(test_save_writes_the_format_of_the_name)
{
    static const char *const names[] = {"a.png", "a.svg", "a.pdf"}, *const begin[] = {"\x89PNG", "<svg",
                                                                                      "%PDF"};
    lb_heatmap map = small_map();
    for (int i = 0; SUPPORT_ROW(i, names); i++) {
        size_t count;
        const char *path = support_path(names[i]);
        ck_assert_int_eq(lb_heatmap_save(&map, path, NULL), LB_OK);
        char *bytes = support_read_file(path, &count);
        ck_assert_mem_eq(bytes, begin[i], 4);
        free(bytes);
    }
    lb_error error = {0};
    ck_assert_int_eq(lb_heatmap_save(&map, "/nowhere/a.pdf", &error), LB_ERROR_WRITE);
    ck_assert_ptr_nonnull(strstr(error.message, "/nowhere/a.pdf"));
}
END_TEST

START_LOOP_TEST(test_save_out_of_memory_at_any_time_is_an_error, 2)
{
    static const char *const names[] = {"a.svg", "a.pdf"};
    bool svg = _i == 0;
    lb_heatmap map = small_map();
    const char *path = support_path(names[_i]);
    support_watch_allocations();
    ck_assert_int_eq(lb_heatmap_save(&map, path, NULL), LB_OK);
    if (svg)
        ck_assert_int_eq(support_live_allocations(),
                         0); /* Cairo keeps the fonts of a page for the next one */
    long needed = support_allocation_count();
    for (long n = 0; n < needed; n++) {
        support_watch_allocations();
        support_fail_allocation(n + 1);
        lb_error error = {0};
        ck_assert_int_eq(lb_heatmap_save(&map, path, &error), LB_ERROR_MEMORY);
        if (svg) ck_assert_int_eq(support_live_allocations(), 0);
    }
}
END_TEST
