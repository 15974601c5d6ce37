/* Normal forms of Unicode (UAX 15), for the characters that the model knows and those that are made of them. */

/* Syllables of Hangul are computed from their parts (The Unicode Standard, section 3.12). */
enum { SYLLABLE = 0xAC00, LEAD = 0x1100, VOWEL = 0x1161, TAIL = 0x11A7, LEADS = 19, VOWELS = 21, TAILS = 28 };

/* Appends a character as it is. Returns how many there are now, or an error. */
static int put_part(uint32_t *to, int count, uint32_t character)
{
    if (count < 0 || count == CHARACTERS) return G2P_TOO_LONG;
    to[count] = character;
    return count + 1;
}

/* Appends a character, decomposed. Returns how many there are now, or an error. */
static int put(uint32_t *to, int count, uint32_t character)
{
    uint32_t syllable = character - SYLLABLE;
    if (syllable < LEADS * VOWELS * TAILS) {
        count = put_part(to, count, LEAD + syllable / (VOWELS * TAILS));
        count = put_part(to, count, VOWEL + syllable / TAILS % VOWELS);
        return syllable % TAILS ? put_part(to, count, TAIL + syllable % TAILS) : count;
    }
    const decomposition *found = find_row(decompositions, DECOMPOSITIONS, sizeof *found, character);
    if (!found) return put_part(to, count, character);
    for (int i = 0; i < 4 && found->part[i]; i++) count = put_part(to, count, found->part[i]);
    return count;
}

/* The place of a mark among others; 0 for what is none. */
static int order_of(uint32_t character)
{
    const mark *found = find_row(marks, MARKS, sizeof *found, character);
    return found ? found->order : 0;
}

/* Marks in a row get the order that Unicode gives them. */
static void sort_marks(uint32_t *character, int count)
{
    for (int i = 1; i < count; i++) {
        uint32_t moved = character[i];
        int order = order_of(moved), at = i;
        for (; order && at > 0 && order_of(character[at - 1]) > order; at--)
            character[at] = character[at - 1];
        character[at] = moved;
    }
}

/* Two characters as one; 0 if they do not become one. */
static uint32_t composed(uint32_t first, uint32_t second)
{
    uint32_t lead = first - LEAD, vowel = second - VOWEL, syllable = first - SYLLABLE, tail = second - TAIL;
    if (lead < LEADS && vowel < VOWELS) return SYLLABLE + (lead * VOWELS + vowel) * TAILS;
    if (syllable < LEADS * VOWELS * TAILS && syllable % TAILS == 0 && tail > 0 && tail < TAILS)
        return first + tail;
    for (int i = 0; i < COMPOSITIONS; i++)
        if (compositions[i].first == first && compositions[i].second == second) return compositions[i].whole;
    return 0;
}

/* Composes decomposed characters, in place. A mark joins the letter before it, unless one of the same or a higher order
 * is between them. Returns how many there are now. */
static int compose(uint32_t *character, int count)
{
    int letter = -1, kept = 0, before = 0;
    for (int i = 0; i < count; i++) {
        int order = order_of(character[i]);
        int near = letter >= 0 && (kept == letter + 1 || before < order);
        uint32_t whole = near ? composed(character[letter], character[i]) : 0;
        if (whole) {
            character[letter] = whole;
            continue;
        }
        if (order == 0) letter = kept;
        before = order;
        character[kept++] = character[i];
    }
    return kept;
}
