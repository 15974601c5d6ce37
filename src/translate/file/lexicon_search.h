/* Finds an entry of a lexicon in its bytes, which may be anything. The library and exported models share this text, so
 * that it is C99 without other headers. */

/* An entry. The bytes of its key are those of the one before it, as far as they are shared, and then its own. */
typedef struct lexicon_entry {
    size_t shared, own, bytes;
    const unsigned char *key, *answers; /* [own], [bytes] */
} lexicon_entry;

/* Entries, and where each block of 16 begins among them, a number of four bytes. */
typedef struct lexicon_table {
    const unsigned char *entries, *end, *places;
    size_t count;
} lexicon_table;

enum { LEXICON_BLOCK = 16, LEXICON_PLACE = 4 };

/* Where a block begins. */
static inline size_t lexicon_place(const lexicon_table *table, size_t block)
{
    const unsigned char *at = table->places + LEXICON_PLACE * block;
    return at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
}

/* Reads a number of seven bits in each byte, the lowest first. Returns what follows it; NULL if it is damaged. */
static inline const unsigned char *lexicon_number(const unsigned char *at, const unsigned char *end,
                                                  size_t *value)
{
    *value = 0;
    for (int shift = 0; at && at < end && shift < 32; shift += 7) {
        *value |= (size_t)(*at & 0x7F) << shift;
        if (*at++ < 0x80) return at;
    }
    return NULL;
}

/* Reads an entry. Returns what follows it; NULL if it is damaged. */
static inline const unsigned char *lexicon_read(const lexicon_table *table, const unsigned char *at,
                                                lexicon_entry *entry)
{
    const unsigned char *end = table->end;
    at = lexicon_number(at, end, &entry->shared);
    entry->key = at = lexicon_number(at, end, &entry->own);
    if (!at || entry->own > (size_t)(end - at)) return NULL;
    entry->answers = at = lexicon_number(at + entry->own, end, &entry->bytes);
    if (!at || entry->bytes == 0 || entry->bytes > (size_t)(end - at)) return NULL;
    return at + entry->bytes;
}

/* Compares the own bytes of an entry with those of a key. `same` receives how many are the same at the beginning. */
static inline int lexicon_compare(const lexicon_entry *entry, const unsigned char *key, size_t length,
                                  size_t *same)
{
    size_t both = entry->own < length ? entry->own : length, at = 0;
    while (at < both && entry->key[at] == key[at]) at++;
    *same = at;
    if (at < both) return entry->key[at] < key[at] ? -1 : 1;
    return (entry->own > length) - (entry->own < length);
}

/* Finds the entry of a key: 1, or 0 if there is none; -1 if the lexicon is damaged. */
static inline int lexicon_find(const lexicon_table *table, const unsigned char *key, size_t length,
                               lexicon_entry *entry)
{
    size_t first = 0, end = (table->count + LEXICON_BLOCK - 1) / LEXICON_BLOCK, same, more;
    while (first < end) { /* the last block that does not begin after it */
        size_t middle = first + (end - first) / 2;
        if (!lexicon_read(table, table->entries + lexicon_place(table, middle), entry) || entry->shared > 0)
            return -1;
        if (lexicon_compare(entry, key, length, &same) > 0)
            end = middle;
        else
            first = middle + 1;
    }
    if (first == 0) return 0;
    const unsigned char *at = table->entries + lexicon_place(table, first - 1);
    same = 0; /* bytes that the key has in common with the entry before, which is before it */
    for (size_t i = LEXICON_BLOCK * (first - 1); i < table->count && i < LEXICON_BLOCK * first; i++) {
        at = lexicon_read(table, at, entry);
        if (!at) return -1;
        if (entry->shared > same) continue; /* it is before the key, as the one before it */
        if (entry->shared < same) return 0; /* it is after the key */
        int order = lexicon_compare(entry, key + same, length - same, &more);
        if (order >= 0) return order == 0;
        same += more;
    }
    return 0;
}
