/* Fonts: where the outlines and widths of characters come from. HarfBuzz reads them. */
#ifndef LB_FONT_H
#define LB_FONT_H

#include "lookback/plot.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/** As lb_font_open, for a font of `size` bytes in memory, which is copied; `name` is for error messages. */
LB_MUST_USE lb_font *lb_font_from_memory(const void *data, size_t size, const char *name, lb_error *error);

/** Vertical metrics as fractions of the size: above the baseline, below it (positive), from baseline to baseline,
 *  and the heights of capitals and of small letters such as x. */
typedef struct lb_font_metrics {
    double ascent, descent, line, capital, small;
} lb_font_metrics;

/** A font, and the next one of the chain, for characters that it lacks. */
struct lb_font {
    struct hb_font_t *hb; /* whose unit is 1 / units of the size */
    unsigned index;       /* in its file */
    double units;
    lb_font_metrics metrics;
    char family[64]; /* such as "DejaVu Sans" */
    bool bold;
    atomic_bool *failed;
    lb_font *next; /* NULL: none */
};

/** The first font of the chain that begins with `font` and has the character; NULL if none has. */
const lb_font *lb_font_find(const lb_font *font, int32_t character);

/** The file of the font; `kept` keeps it alive until lb_font_release_bytes. */
typedef struct lb_font_bytes {
    const unsigned char *data;
    size_t size;
    int index; /* of the font in its file */
    void *kept;
} lb_font_bytes;

lb_font_bytes lb_font_keep_bytes(const lb_font *font);
void lb_font_release_bytes(void *kept);

/** Measuring text returns no error: if it runs out of memory, the font remembers that until lb_font_failed. */
void lb_font_fail(const lb_font *font);
bool lb_font_failed(const lb_font *font);

#endif
