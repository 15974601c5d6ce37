/* ---- Text: UTF-8 as characters, and characters as symbols. ---- */

/* Reads a character of UTF-8 (RFC 3629). Returns what follows it; NULL if it is none. */
static const char *read_character(const char *text, uint32_t *character)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    unsigned first = (unsigned char)*text++;
    int more = first < 0x80   ? 0
               : first < 0xC0 ? -1
               : first < 0xE0 ? 1
               : first < 0xF0 ? 2
               : first < 0xF8 ? 3
                              : -1;
    if (more < 0) return NULL;
    *character = more == 0 ? first : first & (0x3FU >> more);
    for (int i = 0; i < more; i++, text++) {
        unsigned next = (unsigned char)*text;
        if ((next & 0xC0) != 0x80) return NULL;
        *character = *character << 6 | (next & 0x3F);
    }
    int surrogate = *character >= 0xD800 && *character < 0xE000;
    return *character < least[more] || *character > 0x10FFFF || surrogate ? NULL : text;
}

/* Writes a character as 1 to 4 bytes. Returns their number. */
static int write_character(uint32_t character, char *bytes)
{
    int more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    uint32_t first = more == 0 ? 0 : (0xFF00U >> (more + 1)) & 0xFF;
    for (int i = more; i > 0; i--, character >>= 6) bytes[i] = (char)(0x80 | (character & 0x3F));
    bytes[0] = (char)(first | character);
    return more + 1;
}

#if FINDS_ROWS
/* The row of a table, of `size` bytes each, that begins with this character; NULL: none. Rows are sorted by it. */
static const void *find_row(const void *table, int rows, size_t size, uint32_t character)
{
    int first = 0, end = rows;
    while (first < end) {
        int middle = (first + end) / 2;
        const void *row = (const char *)table + (size_t)middle * size;
        uint32_t found = *(const uint32_t *)row;
        if (found == character) return row;
        if (character < found)
            end = middle;
        else
            first = middle + 1;
    }
    return NULL;
}

#endif
#if NORMALIZES
#    include "normalize.h"
#else
/* Appends a character. Returns how many there are now, or an error. */
static int put(uint32_t *to, int count, uint32_t character)
{
    if (count == CHARACTERS) return G2P_TOO_LONG;
    to[count] = character;
    return count + 1;
}

#endif
/* Appends the characters of a text. Returns how many there are now, or an error. */
static int append(uint32_t *to, int count, const char *text)
{
    while (*text && count >= 0) {
        uint32_t character;
        text = read_character(text, &character);
        if (!text) return G2P_NOT_UTF8;
        count = put(to, count, character);
    }
    return count;
}

#if LEXICON
/* Adds characters to the key of the text in the lexicon. */
static void add_key(memory *m, const uint32_t *character, int count)
{
    char *key = (char *)m->sought;
    for (int i = 0; i < count; i++) m->sought_bytes += write_character(character[i], key + m->sought_bytes);
#    if FOLDS
    key = (char *)m->small;
    for (int i = 0; i < count; i++) {
        const cased *of = find_row(letters, LETTERS, sizeof *letters, character[i]);
        m->small_bytes += write_character(of ? of->small : character[i], key + m->small_bytes);
    }
#    endif
}

#endif
#if SUBWORDS
#    include "subwords.h"
#else
/* The number of the symbol that these characters spell. */
static int symbol_of(const uint32_t *character, int count)
{
    char spelling[SPELLING + 4];
    int bytes = 0, first = 0, end = SOURCES;
    for (int i = 0; i < count; i++) {
        if (bytes >= SPELLING) return UNK; /* longer than all of them */
        bytes += write_character(character[i], spelling + bytes);
    }
    spelling[bytes] = '\0';
    while (first < end) {
        int middle = (first + end) / 2, order = strcmp(spelling, source_symbols[middle].spelling);
        if (order == 0) return source_symbols[middle].id;
        if (order < 0)
            end = middle;
        else
            first = middle + 1;
    }
    return UNK;
}

#    if SEPARATED
/* Where a separator begins; `count` if none does. */
static int next_separator(const uint32_t *character, int at, int count)
{
    for (; at + SEPARATOR <= count; at++) {
        int same = 0;
        while (same < SEPARATOR && character[at + same] == source_separator[same]) same++;
        if (same == SEPARATOR) return at;
    }
    return count;
}

#    endif
/* The symbols of `count` characters. Returns their number, or an error. */
static int split(memory *m, int count)
{
    const uint32_t *character = m->character;
    int length = 0, at = 0;
#    if TRIMS
    /* Blanks around the text mean nothing. */
    while (count > 0 && character[count - 1] == ' ') count--;
    while (at < count && character[at] == ' ') at++;
#    endif
    while (at < count) {
#    if SEPARATED
        int end = next_separator(character, at, count), next = end + SEPARATOR;
        if (end == at || next == count) return G2P_EMPTY;
#    else
        int end = at + 1, next = end;
#    endif
        if (length == LONGEST) return G2P_TOO_LONG;
#    if LEXICON
#        if SEPARATED
        if (length > 0) add_key(m, source_separator, SEPARATOR);
#        endif
        add_key(m, character + at, end - at);
#    endif
        m->symbol[length++] = symbol_of(character + at, end - at);
        at = next;
#    if BLANKS
        while (at < count && character[at] == ' ') at++; /* several are one separator */
#    endif
    }
    return length;
}

#endif
/* The symbols of a text. Returns their number, or an error. */
static int read_text(memory *m, const char *text)
{
#if SUBWORDS
    int count = *text ? append(m->character, append(m->character, 0, " "), text) : 0;
#else
    int count = append(m->character, 0, text);
#endif
    if (count < 0) return count;
#if NORMALIZES
    sort_marks(m->character, count);
#endif
#if COMPOSES
    count = compose(m->character, count);
#endif
#if LEXICON
    m->sought_bytes = 0;
#endif
#if FOLDS
    m->small_bytes = 0;
#endif
    return split(m, count);
}

#if SUBWORDS
/* Appends the characters that the bytes of `length` symbols are, without the blank in front; U+FFFD for what is no
 * UTF-8. Returns how many there are, or an error. */
static int append_symbols(memory *m, int length)
{
    char *bytes = (char *)m->bytes, *end = bytes;
    int count = 0;
    for (int i = 0; i < length; i++) {
#    if BACKWARD
        const char *written = target_symbols[m->written[length - 1 - i]];
#    else
        const char *written = target_symbols[m->written[i]];
#    endif
        while (*written) *end++ = *written++;
    }
    *end = '\0';
    for (const char *at = bytes, *next; *at && count >= 0; at = next) {
        uint32_t character;
        next = read_character(at, &character);
        if (!next) {
            character = 0xFFFD;
            next = at + 1;
        }
        if (at > bytes || character != ' ') count = put(m->character, count, character);
    }
    return count;
}

#endif
/* Writes `length` symbols as a text. Returns its bytes, or an error. */
static int write_text(memory *m, int length, char *out, size_t room)
{
    size_t used = 0;
#if SUBWORDS
    int count = append_symbols(m, length);
#else
    int count = 0;
    for (int i = 0; i < length; i++) {
#    if TARGET_SEPARATED
        if (i > 0) count = append(m->character, count, target_separator);
#    endif
#    if BACKWARD
        count = append(m->character, count, target_symbols[m->written[length - 1 - i]]);
#    else
        count = append(m->character, count, target_symbols[m->written[i]]);
#    endif
    }
#endif
#if NORMALIZES
    sort_marks(m->character, count);
    count = compose(m->character, count);
#endif
    for (int i = 0; i < count; i++) {
        char bytes[4];
        size_t more = (size_t)write_character(m->character[i], bytes);
        if (used + more >= room) {
            *out = '\0';
            return G2P_NO_ROOM;
        }
        memcpy(out + used, bytes, more);
        used += more;
    }
    out[used] = '\0';
    return (int)used;
}
