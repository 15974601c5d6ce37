/* Finds an entry of a lexicon in its bytes. The library and exported models share this text, so that it is C99 over
 * string.h. Entries are in the order of the bytes of their keys. An entry is, one after the other: a byte, how many
 * bytes its key shares with the key before it; the rest of its key; a NUL and an answer, once or more often; and 0xFF,
 * which no text in UTF-8 has. The first key is whole, with a byte of 0, and so are some others. */

/* Returns the first answer of a key of `length` bytes; NULL if there is no such entry. The last byte is 0xFF. */
static inline const char *lexicon_find(const char *at, const char *end, const char *key, size_t length)
{
    const char *entry = NULL, *next = end; /* the last whole key that is not after this one */
    size_t same = 0;                       /* bytes that it has in common with the entry before */
    while (at < next) {
        const char *middle = at + (next - at) / 2, *whole = middle;
        while (whole > at && (whole[-1] != '\xFF' || *whole != 0)) whole--;
        int order = strncmp(whole + 1, key, length);
        if (order > 0 || (order == 0 && whole[length + 1] != '\0')) {
            next = whole;
            continue;
        }
        entry = whole;
        for (at = middle; at == middle || (at < next && *at != 0);)
            at = (const char *)memchr(at, 0xFF, (size_t)(next - at)) + 1;
    }
    for (; entry && entry < end; entry = next) {
        const char *own = entry + 1;
        next = (const char *)memchr(entry, 0xFF, (size_t)(end - entry)) + 1;
        if ((unsigned char)*entry > same || own == next)
            continue; /* it is before the key, as the one before it */
        for (same = (unsigned char)*entry; same < length && *own == key[same]; same++) own++;
        if (same == length && *own == '\0') return own + 1;
        if (same == length || (unsigned char)*own > (unsigned char)key[same]) return NULL;
    }
    return NULL;
}
