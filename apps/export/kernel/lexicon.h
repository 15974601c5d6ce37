/* ---- The lexicon: texts whose outputs are known. ---- */

/* An entry. The bytes of its key are those of the one before it, as far as they are shared, and then its own. */
typedef struct entry {
    size_t shared, own, bytes;
    const unsigned char *key, *output;
} entry;

/* Reads a number, seven bits in each byte, the lowest first. Returns what follows it. */
static const unsigned char *read_number(const unsigned char *at, size_t *value)
{
    int shift = 0;
    *value = 0;
    for (; *at & 0x80; shift += 7) *value |= (size_t)(*at++ & 0x7F) << shift;
    *value |= (size_t)*at << shift;
    return at + 1;
}

/* Reads an entry. Returns what follows it. */
static const unsigned char *read_entry(const unsigned char *at, entry *e)
{
    at = read_number(at, &e->shared);
    e->key = at = read_number(at, &e->own);
    e->output = at = read_number(at + e->own, &e->bytes);
    return at + e->bytes;
}

/* How many bytes at the beginning of both are the same. */
static size_t count_same(const unsigned char *a, const unsigned char *b, size_t count)
{
    size_t same = 0;
    while (same < count && a[same] == b[same]) same++;
    return same;
}

/* Whether the key of the text, of `count` bytes, is before that of the entry, which shares nothing. */
static int is_before(const unsigned char *key, size_t count, const entry *e)
{
    size_t both = count < e->own ? count : e->own, same = count_same(key, e->key, both);
    return same < both ? key[same] < e->key[same] : count < e->own;
}

/* Finds the entry of the text that was read last. Returns whether there is one. */
static int find_entry(const memory *m, entry *e)
{
    const unsigned char *key = (const unsigned char *)m->sought, *at;
    size_t count = (size_t)m->sought_bytes, same = 0;
    int first = 0, end = BLOCKS;
    while (first < end) { /* the last block that does not begin after it */
        int middle = (first + end) / 2;
        read_entry(lexicon + lexicon_blocks[middle], e);
        if (is_before(key, count, e))
            end = middle;
        else
            first = middle + 1;
    }
    if (first == 0) return 0;
    at = lexicon + lexicon_blocks[first - 1];
    for (int i = 16 * (first - 1); i < ENTRIES && i < 16 * first; i++) {
        at = read_entry(at, e);
        if (e->shared > same) continue; /* it is before the key, as the one before it */
        if (e->shared < same) return 0; /* it is after the key */
        size_t left = count - same, both = left < e->own ? left : e->own;
        size_t more = count_same(key + same, e->key, both);
        if (more == left && more == e->own) return 1;
        if (more < both ? e->key[more] > key[same + more] : more == left) return 0;
        same += more;
    }
    return 0;
}

/* Writes the known output for the text that was read last. Returns its bytes, or an error; 0: there is none. */
static int write_known(const memory *m, char *out, size_t room)
{
    entry e;
    if (!find_entry(m, &e)) return 0;
    if (e.bytes >= room) return G2P_NO_ROOM;
    memcpy(out, e.output, e.bytes);
    out[e.bytes] = '\0';
    return (int)e.bytes;
}
