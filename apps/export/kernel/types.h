/* ---- What a model consists of. ---- */

#if INT8
typedef int8_t number; /* of a weight, as it is stored */
#elif BF16
typedef uint16_t number; /* of a weight, as it is stored: the upper half of a float */
#else
typedef float number; /* of a weight */
#endif

/* y = W x + b. W has rows x columns numbers, row by row. */
typedef struct linear {
    int rows, columns;
    const number *weight;
#if INT8
    const float *scale; /* of each row: W_ij = scale_i weight_ij */
#endif
    const float *bias; /* NULL: none */
} linear;

#if TRANSFORMER
/* The weight and bias of a layer norm. */
typedef struct norm {
    const float *weight, *bias;
} norm;

/* What attention makes of its queries, of its keys, and of what it sees. */
typedef struct attention {
    linear query, key, value, output;
} attention;

typedef struct encoder_layer {
    attention self;
    linear inner, outer;
    norm norm1, norm2;
} encoder_layer;

typedef struct decoder_layer {
    attention self, cross;
    linear inner, outer;
    norm norm1, norm2, norm3;
} decoder_layer;

#else
/* A recurrent cell: what it makes of its input, and of its state. */
typedef struct cell {
    linear input, state;
} cell;
#endif

#if FOLDS
/* A letter, and what it is in the keys of the lexicon. */
typedef struct cased {
    uint32_t character, small;
} cased;

#endif
/* A symbol that the model reads, and its number. */
typedef struct symbol {
    const char *spelling;
    int id;
} symbol;

#if SUBWORDS
/* What characters make of their word: letters, digits, others, and what goes with whatever is before it. */
enum { SUBWORD_LETTER, SUBWORD_DIGIT, SUBWORD_OTHER, SUBWORD_INSIDE };

/* Characters from `first` up to that of the next row. */
typedef struct subword_kind {
    uint32_t first;
    int kind;
} subword_kind;

typedef struct subword_character {
    uint32_t character;
    int piece;
} subword_character;

/* The symbol of a piece. If it has none, 0, the two pieces that it is made of, or -1 and the character that it is. */
typedef struct subword_piece {
    int symbol, left, right;
} subword_piece;

/* Two neighbours, and what becomes of them; the merge of the lowest rank is first. */
typedef struct subword_merge {
    int left, right, rank, made;
} subword_merge;

#endif
/* The numbers of symbols that are none: the model begins after BOS, and ends with EOS; it reads UNK for what it does
 * not know. */
enum { BOS = 1, EOS = 2, UNK = 3 };
#if NORMALIZES

/* A character, and those that are the same in Unicode; 0 after the last. */
typedef struct decomposition {
    uint32_t whole, part[4];
} decomposition;

/* Two characters that become one. */
typedef struct composition {
    uint32_t first, second, whole;
} composition;

/* A combining mark, and its place among others: the canonical combining class. */
typedef struct mark {
    uint32_t character;
    int order;
} mark;
#endif
