/* The settings of a training. CONTRIBUTING.md has a page about how to add one. */
#include "data/text/subwords.h"
#include "settings/settings.h"

#include <stddef.h>

/* The name of the field, its type, the part, the trainings that have it, and the placeholder of its value. */
#define ROW(field, kind, of, who, meta)                                                                      \
    .name = #field, .at = offsetof(lb_training_config, field), .type = LB_SETTING_##kind,                    \
    .part = LB_SETTING_##of, .trainings = (who), .metavar = (meta)
#define FLAG(field, of, who) ROW(field, FLAG, of, who, NULL)

enum { PAIRS = LB_SETTING_OF_PAIRS, LISTS = LB_SETTING_OF_LISTS, BOTH = PAIRS | LISTS };
enum { COLUMNS = 1 << 16, WIDEST = 1 << 16, MANY = 1 << 20, MOST = 1 << 30 };
enum { OF_SEQ2SEQ = 1, CELLS, OF_TRANSFORMER }; /* named together */

static const char *const models[] = {"seq2seq", "transformer", NULL};
static const char *const directions[] = {"forward", "backward", NULL};
static const char *const cases[] = {"exact", "fold", NULL};
static const char *const measures[] = {"exact", "symbol", "loss", "bleu", "chrf", NULL};
static const char *const index_uses[] = {
    [LB_INDEX_AUTO] = "auto", [LB_INDEX_ALWAYS] = "always", [LB_INDEX_NEVER] = "never", NULL};

/* Luong, Pham and Manning 2015 define three scores; the one with a matrix is often called by Luong's name. */
static const lb_alias papers[] = {
    {"bahdanau", LB_ATTENTION_ADDITIVE}, {"luong", LB_ATTENTION_GENERAL}, {NULL, 0}};

const lb_setting lb_settings[] = {
    {ROW(train, TEXT, DATA, PAIRS, "FILE"), .usual = PAIRS,
     .help = "file with a source and a target on each line; -: standard input"},
    {ROW(dev, TEXT, DATA, PAIRS, "FILE"), .usual = PAIRS,
     .help = "pairs for choosing the best model; default: a tenth of --train, held out"},
    {ROW(test, TESTS, DATA, BOTH, "NAME=FILE"), .usual = BOTH,
     .help = "further pairs to measure the model on at each evaluation, which do not choose the best model; "
             "repeatable",
     .help_of_lists = "lengths of further lists to measure the model on at each evaluation, such as "
                      "long=11-30; repeatable"},
    {ROW(choose_on, TEXT, DATA, PAIRS, "NAME"), .rare = true, .only_if_set = true, .place = {23},
     .help = "choose the best model by this test instead of --dev; it is then no longer a test"},
    {ROW(format, TEXT, DATA, PAIRS, "NAME"),
     .help = "tsv, csv, cmudict, lexiconp, unimorph, conllu, jsonl, scan, lines:TEXT with TEXT between "
             "source and target, or lists:TEXT with commas between several targets; +header after it "
             "leaves out the first line; default: recognised, or that of the training"},
    {ROW(train_targets, TEXT, DATA, PAIRS, "FILE"),
     .help = "file of the targets, a line for each line of --train, which then has only sources"},
    {ROW(dev_targets, TEXT, DATA, PAIRS, "FILE"),
     .help = "file of the targets, a line for each line of --dev, which then has only sources"},
    {ROW(lexicon, TEXT, DATA, PAIRS, "FILE"), .of_session = true, .usual = PAIRS,
     .help = "pairs that the model writes exactly, whatever it has learned, in lines like those of --train"},
    {FLAG(lexicon_from_train, DATA, PAIRS), .of_session = true,
     .help = "add the pairs of --train to the lexicon; the most frequent of several targets comes first"},
    {ROW(lexicon_case, WORD, DATA, PAIRS, "CASE"), .of_session = true, .choices = cases,
     .help = "whether upper and lower case differ when a text is looked up in the lexicon"},
    {FLAG(no_hold_out, DATA, PAIRS), .opposite = "hold_out", .only_if_set = true, .place = {21},
     .help = "without --dev, hold pairs out; --no-hold-out trains on all pairs and keeps the last weights"},
    {ROW(source_column, INT, DATA, PAIRS, "N"), .max = COLUMNS, .place = {5},
     .help = "column of the source; 0: the first of two"},
    {ROW(target_column, INT, DATA, PAIRS, "N"), .max = COLUMNS, .place = {6},
     .help = "column of the target; 0: the second"},
    {ROW(features_column, INT, DATA, PAIRS, "N"), .max = COLUMNS,
     .help = "column of the features of the source, such as V;PST;3;SG, each of which becomes a symbol; "
             "0: none"},
    {ROW(weight_column, INT, DATA, PAIRS, "N"), .max = COLUMNS,
     .help = "column of counts or weights: a pair with a weight of 3 counts three times; 0: none"},
    {FLAG(no_merge, DATA, PAIRS), .opposite = "merge", .rare = true,
     .help = "in an epoch, train once on equal pairs; false: on each of them"},
    {ROW(features_separator, TEXT, DATA, PAIRS, "TEXT"),
     .help = "separator between features; default: recognised, or a semicolon"},
    {ROW(source_separator, TEXT, DATA, PAIRS, "TEXT"), .usual = PAIRS, .place = {8},
     .help = "separator between symbols of the source, such as ' '; default: each character is a symbol"},
    {ROW(target_separator, TEXT, DATA, PAIRS, "TEXT"), .usual = PAIRS, .place = {9},
     .help = "the same for the target"},
    {ROW(symbols, TEXT, DATA, PAIRS, "KIND"), .rare = true, .choices = lb_symbol_kind_names, .of_rule = true,
     .only_if_set = true, .place = {10},
     .help = "symbols without a separator: characters, or graphemes, which readers see as one "
             "character, such as a flag or a letter with its marks"},
    {ROW(subwords, INT, DATA, PAIRS, "N"), .max = LB_SUBWORD_MERGES, .zero_is_value = true, .of_rule = true,
     .only_if_set = true, .place = {25, 11},
     .help = "segment words by N byte-pair merges, learned from --train; 0: none; default: by the recipe"},
    {FLAG(separate_subwords, DATA, PAIRS), .rare = true, .only_if_set = true, .place = {26},
     .help = "learn the merges of sources and targets separately"},
    {ROW(normalize, WORD, DATA, PAIRS, "FORM"), .usual_value = LB_NORMAL_FORM_NFD,
     .choices = lb_normal_form_names, .of_rule = true, .place = {7, 10},
     .help = "Unicode normal form inside the model; outputs are always composed"},
    {ROW(min_count, INT, DATA, PAIRS, "N"), .usual_value = 1, .min = 1, .max = MOST, .place = {3},
     .help = "drop symbols that occur less often than this"},
    {FLAG(skip_bad_lines, DATA, PAIRS), .of_session = true,
     .help = "skip and count bad lines instead of stopping at the first"},
    {FLAG(any_target, DATA, PAIRS), .only_if_set = true, .place = {20},
     .help = "in evaluations, count each source once, and its output as right if it equals any of its "
             "targets"},
    {ROW(index, CHOICE, DATA, PAIRS, "WHEN"), .of_session = true, .rare = true, .choices = index_uses,
     .help = "cache line offsets in FILE.index, so that the next run starts at once; always: next to "
             "--train; auto: in the folder of --out, for 32 MiB or more"},
    {ROW(index_file, TEXT, DATA, PAIRS, "FILE"), .of_session = true, .rare = true, .writes = true,
     .help = "cache line offsets in this file"},

    {ROW(from, TEXT, MODEL, BOTH, "MODEL"),
     .help = "start from the weights of a trained model, a file or a folder, and keep its architecture"},
    {ROW(freeze, TEXT, MODEL, BOTH, "NAMES"), .rare = true, .only_if_set = true, .place = {1},
     .help = "comma-separated parts of the model that stay unchanged, such as encoder"},
    {ROW(model, WORD, MODEL, BOTH, "KIND"), .choices = models, .usual = BOTH,
     .help = "GRUs with attention, or a transformer"},
    {ROW(embed, INT, MODEL, BOTH, "N"), .max = WIDEST, .together = OF_SEQ2SEQ,
     .help = "width of the embeddings; for a transformer, set --hidden instead; 0: by the recipe"},
    {ROW(hidden, INT, MODEL, BOTH, "N"), .max = WIDEST, .in_model = "width", .usual = BOTH,
     .help = "width of the GRU states or of the transformer; 0: by the recipe"},
    {ROW(layers, INT, MODEL, BOTH, "N"), .max = 64,
     .help = "layers in the encoder and in the decoder; 0: 1; 2 for a transformer, 3 for sentences"},
    {ROW(cell, CHOICE, MODEL, BOTH, "KIND"), .choices = lb_cell_names, .together = CELLS,
     .help = "recurrent layers of a seq2seq; an LSTM is slower, especially with additive attention"},
    {FLAG(one_direction, MODEL, BOTH), .opposite = "bidirectional", .together = OF_SEQ2SEQ,
     .help = "let the encoder read in both directions"},
    {ROW(attention, CHOICE, MODEL, BOTH, "KIND"), .choices = lb_attention_names, .aliases = papers,
     .together = OF_SEQ2SEQ, .usual = BOTH, .help = "kind of attention"},
    {ROW(attention_weights, CHOICE, MODEL, BOTH, "KIND"), .rare = true, .choices = lb_normalizer_names,
     .help = "how scores become weights; sparsemax and entmax make many of them exactly 0"},
    {FLAG(copy, MODEL, BOTH),
     .help = "let the model copy symbols from the source, even ones that it has not seen in training"},
    {ROW(direction, WORD, MODEL, BOTH, "WAY"), .choices = directions, .only_if_set = true, .place = {2, 8},
     .help = "write the target from its start or from its end; outputs read the same either way"},
    {ROW(heads, INT, MODEL, BOTH, "N"), .usual_value = 4, .min = 1, .max = 1024,
     .help = "heads of multi-head attention or of a transformer"},
    {ROW(positions, CHOICE, MODEL, BOTH, "KIND"), .rare = true, .choices = lb_positional_names,
     .together = OF_TRANSFORMER, .help = "how a transformer represents the order of symbols"},
    {ROW(kv_heads, INT, MODEL, BOTH, "N"), .rare = true, .max = 1024, .together = OF_TRANSFORMER,
     .place = {0, 9},
     .help = "key and value heads of a transformer, each shared by several query heads; 0: as many as "
             "--heads"},
    {ROW(softcap, NUMBER, MODEL, BOTH, "X"), .rare = true, .max = 1e6, .together = OF_TRANSFORMER,
     .help = "soft limit, by tanh, on the attention scores of a transformer; 0: none"},
    {ROW(embedding_scale, NUMBER, MODEL, BOTH, "X"), .rare = true, .max = 1e6, .together = OF_TRANSFORMER,
     .help = "factor of the embeddings and positions of a transformer; 0: 1"},
    {ROW(window, INT, MODEL, BOTH, "N"), .rare = true, .max = 1000000,
     .help = "reach of a transformer's self-attention, local-m and local-p, or the filters of location; "
             "0: unlimited, 5 or 3"},
    {ROW(dropout, NUMBER, MODEL, PAIRS, "SHARE"), .max = 0.99, .zero_is_value = true, .only_trains = true,
     .place = {0, 5}, .help = "share of activations dropped in training; default: by the recipe"},
    {FLAG(tied, MODEL, PAIRS), .zero_is_value = true,
     .help = "share one weight matrix between target embedding and output; default: for sentences and many "
             "target symbols"},
    {FLAG(feature_positions, MODEL, PAIRS), .rare = true,
     .help = "with --features-column and a transformer: give features no position, since their order has "
             "no meaning"},

    {ROW(loss, CHOICE, TRAINING, BOTH, "KIND"), .rare = true, .choices = lb_loss_names,
     .help = "loss to train with; sparsemax and entmax give most symbols a probability of 0"},
    {ROW(batch, INT, TRAINING, BOTH, "N"), .max = MANY, .min_of_lists = 1, .place = {4, 1},
     .help = "pairs per step; 0: by the recipe", .help_of_lists = "lists per step"},
    {ROW(steps, INT, TRAINING, BOTH, "N"), .max = MOST, .min_of_lists = 1, .usual = BOTH, .place = {11, 2},
     .help = "training steps; 0: by the recipe",
     .help_of_lists = "training steps, unless --target is reached first"},
    {ROW(epochs, INT, TRAINING, PAIRS, "N"), .max = MANY,
     .help = "passes over the pairs, instead of --steps"},
    {ROW(minutes, NUMBER, TRAINING, PAIRS, "N"), .max = 1e6, .usual = PAIRS,
     .help = "instead of --steps: fit the training into N minutes; 0: as long as the recipe takes"},
    {ROW(lr, NUMBER, TRAINING, BOTH, "RATE"), .max = 1e30, .place = {13, 3},
     .help = "peak learning rate, before the cosine decay; 0: 0.002; 0.001 for a transformer",
     .help_of_lists = "initial learning rate, before the cosine decay; 0: 0.005; 0.001 for a transformer"},
    {ROW(warm_up, INT, TRAINING, PAIRS, "N"), .max = MOST, .zero_is_value = true, .place = {14},
     .help = "steps over which the learning rate rises to its peak"},
    {ROW(label_smoothing, NUMBER, TRAINING, PAIRS, "SHARE"), .max = 0.99, .zero_is_value = true,
     .place = {15, 4},
     .help = "share of the target probability spread over all symbols; default: by the recipe"},
    {ROW(scheduled_sampling, NUMBER, TRAINING, PAIRS, "SHARE"), .rare = true, .max = 1, .place = {16},
     .help = "share of its own outputs that the decoder reads at the end of training; it rises from 0"},
    {ROW(hallucinate, NUMBER, TRAINING, PAIRS, "SHARE"), .max = 1, .only_if_set = true, .place = {19},
     .help = "for few pairs: share of pairs in which half of the letters common to source and target, "
             "in stretches of three or more, are replaced by random ones"},
    {ROW(average, NUMBER, TRAINING, PAIRS, "DECAY"), .rare = true, .usual_value = 0.998, .max = 0.999999,
     .zero_is_value = true, .place = {18},
     .help = "evaluate and keep the average of the weights over about 1 / (1 - DECAY) steps; 0: the "
             "weights of the last step"},
    {ROW(target, NUMBER, TRAINING, LISTS, "SHARE"), .max = 1,
     .help = "stop once exact match on held-out lists reaches this; 0: never"},
    {ROW(evaluate_every, INT, TRAINING, BOTH, "N"), .usual_value = 250, .min = 1, .max = MOST, .place = {12},
     .help = "steps between evaluations"},
    {ROW(patience, INT, TRAINING, PAIRS, "N"), .max = MOST, .zero_is_value = true, .place = {0, 6},
     .help = "stop after N evaluations without a better model; 0: never; default: as many as fit in 1250 "
             "steps, or in three tenths of all steps"},
    {ROW(choose, WORD, TRAINING, PAIRS, "MEASURE"), .choices = measures, .zero_is_value = true,
     .only_if_set = true, .place = {24, 12},
     .help =
         "measure that chooses the best model, and that --patience follows: exact match (default), symbol "
         "error or loss; or bleu or chrf (default for sentences) of the outputs for at most 500 pairs"},
    {ROW(seed, SEED, TRAINING, BOTH, "N"), .usual = LISTS, .place = {17},
     .help = "seed of the initial weights and of all random choices",
     .help_of_lists = "seed of the initial weights and of all lists"},
    {ROW(seeds, INT, TRAINING, PAIRS, "N"), .usual_value = 1, .min = 1, .max = 64,
     .help = "train this many models, with --seed and the numbers after it, and save them as one ensemble"},
    {ROW(shards, INT, TRAINING, BOTH, "N"), .rare = true, .max = 1024, .only_if_set = true, .place = {22, 7},
     .help = "parts of each batch for the processes of mpirun, a power of two. Like --seed, it affects the "
             "exact result, and the number of processes does not; 0: that of the checkpoint, or one for "
             "each process"},

    {ROW(precision, CHOICE, TRAINING, BOTH, "KIND"), .rare = true, .choices = lb_precision_names,
     .only_if_set = true, .place = {27},
     .help =
         "float32, or bfloat16 for the products of a step, on processors with avx512_bf16, of which AMD's "
         "are faster then; evaluations and the model file are float32"},

    {ROW(out, TEXT, FILES, BOTH, "DIR"), .of_session = true, .letter = 'o', .usual = BOTH,
     .help = "folder for the model, checkpoint, log and chart",
     .help_of_lists = "folder for the model, log and chart"},
    {ROW(keep, INT, FILES, PAIRS, "N"), .of_session = true, .rare = true, .max = MANY,
     .help = "also keep the models of the last N evaluations, as model-STEP.safetensors"},
    {ROW(film, INT, FILES, BOTH, "N"), .of_session = true, .rare = true, .usual_value = 2, .max = 1000,
     .zero_is_value = true,
     .help = "dev pairs whose outputs and attention are added to film.jsonl at each evaluation, for "
             "lookback report",
     .help_of_lists =
         "held-out lists whose outputs and attention are added to film.jsonl at each evaluation, for "
         "lookback report"},
    {FLAG(fresh, FILES, BOTH), .of_session = true, .usual = LISTS,
     .help = "start over instead of resuming an earlier run"},
    {.name = NULL},
};
