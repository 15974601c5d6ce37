/* ---- The lexicon: texts whose outputs are known. ---- */

#include "lexicon_search.h"

/* Writes the known output for the text that was read last. Returns its bytes, or an error; 0: there is none. */
static int write_known(const memory *m, char *out, size_t room)
{
    const char *all = (const char *)lexicon, *end = all + sizeof lexicon;
    const char *sought = (const char *)m->sought;
#if FOLDS
    const char *small = (const char *)m->small;
    int same = m->small_bytes == m->sought_bytes && memcmp(small, sought, (size_t)m->small_bytes) == 0;
    const char *found = lexicon_find(all, end, small, (size_t)m->small_bytes);
    const char *own = found ? lexicon_spelled(found, same, sought, (size_t)m->sought_bytes) : NULL;
    if (own) found = own;
    if (found && *found == '\xFE') found = strchr(found + 1, '\xFE') + 1;
#else
    const char *found = lexicon_find(all, end, sought, (size_t)m->sought_bytes);
#endif
    if (!found) return 0;
    size_t bytes = strcspn(found, "\xFF");
    if (bytes >= room) return G2P_NO_ROOM;
    memcpy(out, found, bytes);
    out[bytes] = '\0';
    return (int)bytes;
}
