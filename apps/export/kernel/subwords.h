/* Subwords: words in pieces, by merges of neighbours, the earliest merge first. */

/* What a character makes of its word. */
static int kind_of(uint32_t character)
{
    int first = 0, end = SUBWORD_KINDS;
    while (end - first > 1) {
        int middle = (first + end) / 2;
        if (subword_kinds[middle].first <= character)
            first = middle;
        else
            end = middle;
    }
    return subword_kinds[first].kind;
}

/* The piece that a character is; -1 for one that the model does not have, and for the mark of a blank as a letter. */
static int piece_of(uint32_t character)
{
    const subword_character *found =
        find_row(subword_characters, SUBWORD_CHARACTERS, sizeof *found, character);
    return found ? found->piece : -1;
}

/* The merge of two pieces, of those that are sorted by them; NULL if there is none. */
static const subword_merge *find_merge(int left, int right)
{
    int first = 0, end = SUBWORD_MERGES;
    while (left >= 0 && right >= 0 && first < end) {
        int middle = (first + end) / 2;
        const subword_merge *found = &subword_merges[middle];
        if (found->left == left && found->right == right) return found;
        if (left < found->left || (left == found->left && right < found->right))
            end = middle;
        else
            first = middle + 1;
    }
    return NULL;
}

/* Where the word ends that begins at a place. */
static int end_of_word(const uint32_t *character, int at, int count)
{
    int to = at, kind;
    while (to < count && character[to] == ' ') to++;
    if (to == count) return count;
    if (to - at > 1) return to - 1;
    kind = kind_of(character[to]);
    if (kind == SUBWORD_INSIDE) kind = SUBWORD_OTHER;
    for (to++; to < count && character[to] != ' '; to++)
        if (kind_of(character[to]) != kind && kind_of(character[to]) != SUBWORD_INSIDE) break;
    return to;
}

/* Appends a symbol. Returns how many there are now, or an error. */
static int put_symbol(memory *m, int length, int id)
{
    if (length < 0 || length == LONGEST) return G2P_TOO_LONG;
    m->symbol[length] = id;
    return length + 1;
}

/* Appends the bytes of a character. */
static int put_bytes(memory *m, int length, uint32_t character)
{
    char bytes[4];
    int count = write_character(character, bytes);
    for (int i = 0; i < count; i++) length = put_symbol(m, length, byte_symbols[(unsigned char)bytes[i]]);
    return length;
}

/* Appends a piece, or what it is made of if the model does not read it. */
static int put_piece(memory *m, int length, int piece)
{
    const subword_piece *p = &subword_pieces[piece];
    if (p->symbol) return put_symbol(m, length, p->symbol);
    if (p->left < 0) return put_bytes(m, length, (uint32_t)p->right);
    return put_piece(m, put_piece(m, length, p->left), p->right);
}

/* Joins `count` pieces, from `at` on. Returns how many are left. */
static int join_pieces(memory *m, int at, int count)
{
    int *piece = m->piece + at;
    uint32_t *character = m->character + at;
    for (;;) {
        const subword_merge *best = NULL;
        int place = 0;
        for (int i = 0; i + 1 < count; i++) {
            const subword_merge *found = find_merge(piece[i], piece[i + 1]);
            if (!found || (best && found->rank >= best->rank)) continue;
            best = found;
            place = i;
        }
        if (!best) return count;
        piece[place] = best->made;
        count--;
        for (int i = place + 1; i < count; i++) {
            piece[i] = piece[i + 1];
            character[i] = character[i + 1];
        }
    }
}

/* The symbols of `count` characters, of which the first is a blank. Returns their number, or an error. */
static int split(memory *m, int count)
{
    int length = 0;
#if LEXICON
    if (count > 0) add_key(m, m->character + 1, count - 1);
#endif
    for (int at = 0, end; at < count && length >= 0; at = end) {
        end = end_of_word(m->character, at, count);
        for (int i = at; i < end; i++) m->piece[i] = piece_of(m->character[i]);
        int left = join_pieces(m, at, end - at);
        for (int i = at; i < at + left; i++)
            length =
                m->piece[i] < 0 ? put_bytes(m, length, m->character[i]) : put_piece(m, length, m->piece[i]);
    }
    return length;
}
