/* Finds an entry of a lexicon in its bytes. The library and exported models share this text, so that it is C99 over
 * string.h. Entries are in the order of the bytes of their keys. An entry has its key, then a NUL and an answer, once
 * or more often, and at its end 0xFF, which no text in UTF-8 has. */

/* Returns the first answer of a key of `length` bytes; NULL if there is no such entry. The last byte is 0xFF. */
static inline const char *lexicon_find(const char *at, const char *end, const char *key, size_t length)
{
    while (at < end) {
        const char *middle = at + (end - at) / 2, *entry = middle;
        while (entry > at && entry[-1] != '\xFF') entry--;
        int order = strncmp(entry, key, length);
        if (order == 0 && entry[length] == '\0') return entry + length + 1;
        if (order < 0)
            at = (const char *)memchr(middle, 0xFF, (size_t)(end - middle)) + 1;
        else
            end = entry;
    }
    return NULL;
}
