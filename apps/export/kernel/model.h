/* What `lookback export` puts here instead: sizes, symbols and weights of a model. Compilers of this project check the
 * kernel with these. */
enum {
    WORK_BYTES = 1 << 20,
    ROOM_BYTES = 1 << 10,
    LONGEST = 20,
    CHARACTERS = 80,
    LIMIT = 48,
    TRAINED = 10,
    SOURCES = 30,
    ENTRIES = 20,
    SPELLING = 4,
    SEPARATOR = 1,
    SUBWORD_KINDS = 4,
    SUBWORD_CHARACTERS = 4,
    SUBWORD_PIECES = 6,
    SUBWORD_MERGES = 2,
    OUTPUT_WORDS = 64,
    TARGETS = 40,
    DECOMPOSITIONS = 2,
    MARKS = 2,
    LETTERS = 2,
    COMPOSITIONS = 2,
    LAYERS = 2,
    WIDEST = 64,
    EMBED = 8,
    HIDDEN = 16,
    DIRECTIONS = 2,
    BUFFERS = 2,
    LAST_BUFFER = 1,
#if LSTM
    GATES = 4 * HIDDEN,
    STATE = 2 * HIDDEN,
#else
    GATES = 3 * HIDDEN,
    STATE = HIDDEN,
#endif
    OUTPUTS = DIRECTIONS * HIDDEN,
#if ATTENDS
    CONTEXT = OUTPUTS,
#else
    CONTEXT = 0,
#endif
    INPUT = EMBED + CONTEXT,
    JOINED = HIDDEN + CONTEXT,
    COMBINED = HIDDEN,
#if TRANSFORMER
    KEYS = 16,
#else
    KEYS = OUTPUTS,
#endif
    HEADS = 4,
    REACH = 3,
    FILTERS = 8,
    BEAM = 5,
    CANDIDATES = 2 * BEAM,
    SCORES = LIMIT,
    POSITIONS = LIMIT,
    WIDTH = 16,
    HEAD = 4,
    PAIRS = 2,
    FORWARD = 64,
    WINDOW = 3,
    FARTHEST = LIMIT,
    DISTANCES = 2 * LIMIT + 1
};

#if SUBWORDS
extern const subword_kind subword_kinds[SUBWORD_KINDS];
extern const subword_character subword_characters[SUBWORD_CHARACTERS];
extern const subword_piece subword_pieces[SUBWORD_PIECES];
extern const subword_merge subword_merges[SUBWORD_MERGES];
extern const short byte_symbols[256];
#else
extern const symbol source_symbols[SOURCES];
#endif
extern const char *const target_symbols[TARGETS];
extern const uint32_t source_separator[SEPARATOR];
extern const char target_separator[];
extern const unsigned char lexicon[ENTRIES];
#if FOLDS
extern const cased letters[LETTERS];
#endif
#if NORMALIZES
extern const decomposition decompositions[DECOMPOSITIONS];
extern const mark marks[MARKS];
extern const composition compositions[COMPOSITIONS];
#endif
extern const linear source_embedding, target_embedding, output;
#if TRANSFORMER
extern const encoder_layer encoder[LAYERS];
extern const decoder_layer decoder[LAYERS];
extern const norm encoder_norm, decoder_norm;
extern const linear source_positions, target_positions;
extern const float norm_epsilon, embedding_scale, attention_cap;
extern const float sinusoids[POSITIONS * WIDTH], rotations[POSITIONS * PAIRS * 2];
#    if BIASED
extern const float source_biases[HEADS * DISTANCES], target_biases[HEADS * DISTANCES];
#    endif
#else
extern const cell encoder[LAYERS * DIRECTIONS], decoder[LAYERS];
extern const linear bridge[LAYERS], combine;
#endif
extern const linear attention_query, attention_key, attention_value, attention_output, attention_weight;
extern const linear attention_features, attention_middle, attention_position;
extern const float attention_v[KEYS], attention_filters[FILTERS * (2 * REACH + 1)], attention_scale;
