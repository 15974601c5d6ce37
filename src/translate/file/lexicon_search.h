/* Finds an entry of a lexicon in its bytes. The library and exported models share this text, so that it is C99 over
 * string.h. Entries are in the order of the bytes of their keys. An entry is, one after the other: a byte, how many
 * bytes its key shares with the key before it; the rest of its key; a NUL and an answer, once or more often; and 0xFF,
 * which no text in UTF-8 has. The first key is whole, with a byte of 0, and so are some others. Where keys are in small
 * letters, an answer to a source that is spelled otherwise has 0xFE, the source and 0xFE in front. */

/* The last whole key that is not after this one; NULL: there is none. The last byte is 0xFF. */
static inline const char *lexicon_block(const char *at, const char *end, const char *key, size_t length)
{
    const char *entry = NULL;
    while (at < end) {
        const char *middle = at + (end - at) / 2, *whole = middle;
        while (whole > at && (whole[-1] != '\xFF' || *whole != 0)) whole--;
        int order = strncmp(whole + 1, key, length);
        if (order > 0 || (order == 0 && whole[length + 1] != '\0')) {
            end = whole;
            continue;
        }
        entry = whole;
        for (at = middle; at == middle || (at < end && *at != 0);)
            at = (const char *)memchr(at, 0xFF, (size_t)(end - at)) + 1;
    }
    return entry;
}

/* Returns the first answer of a key of `length` bytes; NULL if there is no such entry. */
static inline const char *lexicon_find(const char *at, const char *end, const char *key, size_t length)
{
    const char *next;
    size_t same = 0; /* bytes that the key has in common with that of the entry before */
    for (at = lexicon_block(at, end, key, length); at && at < end; at = next) {
        const char *own = at + 1;
        next = (const char *)memchr(at, 0xFF, (size_t)(end - at)) + 1;
        if ((unsigned char)*at > same || own == next)
            continue; /* it is before the key, as the one before it */
        for (same = (unsigned char)*at; same < length && *own == key[same]; same++) own++;
        if (same == length && *own == '\0') return own + 1;
        if (same == length || (unsigned char)*own > (unsigned char)key[same]) return NULL;
    }
    return NULL;
}

#if FOLDS
/* Returns the first answer to a source that is spelled so, in `length` bytes, with what is in front of it; NULL: there
 * is none. `small` is whether it is spelled as the key. */
static inline const char *lexicon_spelled(const char *at, int small, const char *spelling, size_t length)
{
    for (;; at++) {
        int other = *at == '\xFE';
        if (other ? strncmp(at + 1, spelling, length) == 0 && at[1 + length] == '\xFE' : small) return at;
        at += strcspn(at, "\xFF");
        if (*at) return NULL;
    }
}
#endif
