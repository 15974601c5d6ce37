/* Source: RFC 4180. */
#include "data/formats/pair_kind.h"

#include <string.h>

/* The end of a quoted field, of which `at` is inside; NULL: it goes on in the next line. */
static const char *read_quoted(const char *at, const char *end, lb_fields *fields)
{
    for (;;) {
        const char *quote = memchr(at, '"', (size_t)(end - at));
        lb_buffer_add(&fields->text, at, (size_t)((quote ? quote : end) - at));
        if (!quote) return NULL;
        at = quote + 1;
        if (at == end || *at != '"') return at;
        lb_buffer_add(&fields->text, at++, 1);
    }
}

lb_pair_line_is lb_csv_split(char between, const char *line, size_t length, bool open, lb_fields *fields)
{
    const char *at = line, *end = line + length;
    bool stray = false;
    for (;;) {
        bool quoted = open || (at < end && *at == '"');
        if (quoted) at = read_quoted(open ? at : at + 1, end, fields);
        if (!at) return LB_LINE_IS_OPEN;
        open = false;
        const char *stop = memchr(at, between, (size_t)(end - at));
        stray = stray || (quoted && at < (stop ? stop : end));
        lb_fields_add(fields, at, (size_t)((stop ? stop : end) - at));
        if (!stop) return stray ? LB_LINE_IS_STRAY : LB_LINE_IS_FIELDS;
        at = stop + 1;
    }
}

char lb_csv_divider(const char *line, size_t length)
{
    static const char small[] = "sep=", large[] = "SEP=";
    for (size_t i = 0; i < sizeof small - 1; i++)
        if (i >= length || (line[i] != small[i] && line[i] != large[i])) return '\0';
    return length == sizeof small ? line[length - 1] : '\0';
}
