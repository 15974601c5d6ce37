#include "translate/plan/recipe.h"

#include "base/format.h"
#include "base/transcendental.h"
#include "data/pairs/pairs.h"
#include "data/text/symbols.h"
#include "settings/settings.h"

#include <math.h>
#include <string.h>

enum { SEQ2SEQ, TRANSFORMER, MODELS };

/* What depends on the number of pairs (docs/recipe.md). Between two rows a number follows the logarithm of the pairs;
 * before the first row and after the last one nothing changes. Embeddings are those of a seq2seq. */
enum { EMBED, HIDDEN, DROPOUT, BATCH, SMOOTHING, EPOCHS, LAYERS, MERGES, NUMBERS };

typedef struct recipe_row {
    double pairs;
    double number[NUMBERS]; /* what a row leaves out is that of the model */
} recipe_row;

static const recipe_row of_pairs[] = {
    {2000, {128, 192, 0.5, 16, 0.1, 35}},
    {8000, {128, 192, 0.5, 64, 0, 35}},
    {10000, {128, 192, 0.5, 64, 0, 35}},
    {110000, {192, 448, 0.3, 128, 0, 18}},
};
enum { ROWS = sizeof of_pairs / sizeof *of_pairs, ROWS_OF_SENTENCES = 2 };

static const recipe_row of_sentences[MODELS][ROWS_OF_SENTENCES] = {
    [SEQ2SEQ] = {{2000, {192, 256, 0.5, 16, 0.1, 35, 1, 1500}}, {25000, {192, 256, 0.3, 64, 0, 12, 1, 5000}}},
    [TRANSFORMER] = {{2000, {0, 160, 0.1, 16, 0.1, 35, 3, 1500}},
                     {25000, {0, 160, 0.1, 64, 0.1, 20, 3, 5000}}},
};

static const struct {
    int embed, hidden, batch;
} of_lists = {.embed = 64, .hidden = 128, .batch = 64};

enum {
    PATIENCE = 1250, /* steps without a better model, at least */
    LEAST_STEPS = 4000,
    WARM_UP = 200,
    WIDTHS = 32,        /* widths are multiples of this */
    BATCHES = 8,        /* batches of this */
    MERGES_BY = 100,    /* and merges of this */
    MANY_SYMBOLS = 2000 /* of targets: a step of a tied model takes half of the time */
};

static const double PATIENT = 0.3; /* share of the steps, like PATIENCE */

static const struct {
    int layers;
    double dropout, lr, lr_of_lists;
} of_models[MODELS] = {[SEQ2SEQ] = {.layers = 1, .lr = 2e-3, .lr_of_lists = 5e-3},
                       [TRANSFORMER] = {.layers = 2, .dropout = 0.1, .lr = 1e-3, .lr_of_lists = 1e-3}};

static void set_if_open(int *value, int usual)
{
    if (*value == 0) *value = usual;
}

static int kind_of(const lb_training_config *config)
{
    return strcmp(config->model, LB_MODEL_TRANSFORMER) == 0 ? TRANSFORMER : SEQ2SEQ;
}

/* ---- Sentences, for which the recipe has numbers of its own. ---- */

static bool are_sentences(const lb_symbol_rule *rule, lb_text_kind kind)
{
    bool open = !rule->graphemes && !(rule->separator && *rule->separator);
    return open && (kind == LB_TEXTS_SENTENCES || kind == LB_TEXTS_WORDS);
}

lb_status lb_recipe_look(lb_pairs *pairs, lb_recipe_facts *facts, lb_error *error)
{
    enum { FEW = 100 }; /* say too little about which words occur again */
    *facts = (lb_recipe_facts){.pairs = lb_pairs_different(pairs)};
    lb_status status = lb_texts_look(pairs, &facts->texts, error);
    facts->sentences = pairs->different >= FEW &&
                       are_sentences(&pairs->format.source, facts->texts.kind[0]) &&
                       are_sentences(&pairs->format.target, facts->texts.kind[1]);
    return status;
}

/* ---- Defaults. ---- */

lb_status lb_training_config_settle(lb_training_config *c, lb_error *error)
{
    return c->from ? lb_settings_check(c, error) : lb_recipe_fill_in(c, error);
}

lb_status lb_recipe_fill_in(lb_training_config *c, lb_error *error)
{
    lb_settings_fill_in(c);
    if (c->pairs.features && !c->features_separator) c->features_separator = ";";
    const int kind = kind_of(c);
    if (c->lr == 0) c->lr = c->sort ? of_models[kind].lr_of_lists : of_models[kind].lr;
    if (!c->sort) {
        set_if_open(&c->warm_up, WARM_UP);
        return lb_config_check(c, error);
    }
    if (kind == SEQ2SEQ) set_if_open(&c->embed, of_lists.embed);
    set_if_open(&c->hidden, of_lists.hidden);
    set_if_open(&c->layers, of_models[kind].layers);
    set_if_open(&c->batch, of_lists.batch);
    if (c->minutes == 0) set_if_open(&c->steps, LEAST_STEPS);
    return lb_config_check(c, error);
}

static recipe_row row_for(const lb_training_config *c, const lb_recipe_facts *facts)
{
    int row = 0;
    const bool sentences = facts->sentences;
    const recipe_row *rows = sentences ? of_sentences[kind_of(c)] : of_pairs;
    const int last = (sentences ? ROWS_OF_SENTENCES : ROWS) - 1;
    double count = fmin(fmax((double)facts->pairs, rows[0].pairs), rows[last].pairs);
    while (row < last - 1 && count > rows[row + 1].pairs) row++;
    const recipe_row a = rows[row], b = rows[row + 1];
    recipe_row found = {.pairs = count};
    double t = lb_log64(count / a.pairs) / lb_log64(b.pairs / a.pairs);
    for (int i = 0; i < NUMBERS; i++) found.number[i] = a.number[i] + t * (b.number[i] - a.number[i]);
    return found;
}

static int multiple(double value, int of)
{
    return (int)lround(value / of) * of;
}

void lb_recipe_fit_texts(lb_training_config *c, const lb_recipe_facts *facts)
{
    const recipe_row row = row_for(c, facts);
    const bool sentences = facts->sentences, last = c->no_hold_out || c->choose_on;
    if (!c->choose) c->choose = sentences && !last ? "chrf" : "exact";
    if (c->from) return;
    if (sentences || facts->symbols > 0)
        set_if_open(&c->tied, sentences || facts->symbols >= MANY_SYMBOLS ? 1 : -1);
    set_if_open(&c->subwords, sentences ? multiple(row.number[MERGES], MERGES_BY) : -1);
    set_if_open(&c->layers, sentences ? (int)row.number[LAYERS] : of_models[kind_of(c)].layers);
}

bool lb_recipe_note(const lb_training_config *c, const lb_recipe_facts *facts, char note[LB_MESSAGE_LENGTH])
{
    lb_snprintf(
        note, LB_MESSAGE_LENGTH,
        "sentences, since half of the texts have %d words or more: subwords %d, width %d, %s, chosen by "
        "%s; subwords 0 makes characters the symbols, and \" \" as both separators words",
        LB_SENTENCE_WORDS, c->subwords, c->hidden, c->tied > 0 ? "tied" : "not tied", c->choose);
    return facts->sentences;
}

void lb_recipe_fit(lb_training_config *c, const lb_recipe_facts *facts)
{
    if (c->sort) return;
    lb_recipe_fit_texts(c, facts);
    const recipe_row row = row_for(c, facts);
    const bool seq2seq = kind_of(c) == SEQ2SEQ, own = seq2seq || facts->sentences;
    if (seq2seq) set_if_open(&c->embed, multiple(row.number[EMBED], WIDTHS));
    set_if_open(&c->hidden, multiple(row.number[HIDDEN], WIDTHS));
    set_if_open(&c->batch, multiple(row.number[BATCH], BATCHES));
    if (c->dropout == 0) c->dropout = own ? row.number[DROPOUT] : of_models[TRANSFORMER].dropout;
    if (c->label_smoothing == 0) c->label_smoothing = row.number[SMOOTHING];
}

lb_pair_format lb_recipe_format(const lb_training_config *c)
{
    int named = c->normalize ? lb_choice_find(lb_normal_form_names, c->normalize) : -1;
    lb_normal_form form = named < 0 ? LB_NORMAL_FORM_NFD : (lb_normal_form)named;
    bool graphemes = c->symbols && strcmp(c->symbols, lb_symbol_kind_names[true]) == 0;
    return (lb_pair_format){
        .kind = c->format,
        .targets = c->train_targets,
        .weight_column = c->weight_column,
        .source_column = c->source_column,
        .target_column = c->target_column,
        .features_column = c->features_column,
        .source = {.separator = c->source_separator,
                   .normalize = form,
                   .graphemes = graphemes,
                   .features = c->features_separator},
        .target = {.separator = c->target_separator, .normalize = form, .graphemes = graphemes},
        .skip_bad_lines = c->skip_bad_lines,
    };
}

int64_t lb_recipe_steps(const lb_training_config *c, const lb_recipe_facts *facts, int64_t batches)
{
    if (c->steps > 0) return c->steps;
    if (c->epochs > 0) return c->epochs * batches;
    int64_t steps = llround(row_for(c, facts).number[EPOCHS] * (double)batches);
    return steps > LEAST_STEPS ? steps : LEAST_STEPS;
}

/* In evaluations; 0: for ever. A long fall of the learning rate gains most at its end, and waits for it. */
static int64_t patience_of(const lb_training_config *c, int64_t steps)
{
    if (c->patience != 0) return c->patience > 0 ? c->patience : 0;
    if (c->no_hold_out || c->sort) return 0;
    int64_t share = llround(PATIENT * (double)steps), patient = share > PATIENCE ? share : PATIENCE;
    return (patient + c->evaluate_every - 1) / c->evaluate_every;
}

lb_trainer_config lb_recipe_trainer(const lb_training_config *c, int64_t steps)
{
    return (lb_trainer_config){
        .steps = steps,
        .evaluate_every = c->evaluate_every,
        .patience = patience_of(c, steps),
        .target = c->target,
        .keep_best = !c->sort && !c->no_hold_out,
        .schedule = {.kind = LB_SCHEDULE_COSINE,
                     .lr = c->lr,
                     .warm_up = c->warm_up > 0 ? c->warm_up : 0,
                     .period = steps},
        .optimizer = {.clip_norm = 1},
        .average = fmax(c->average, 0),
        .fresh = c->fresh,
    };
}

lb_model *lb_recipe_model(const lb_training_config *config, int64_t source_vocab, int64_t target_vocab,
                          lb_params *params, lb_error *error)
{
    lb_model *model = NULL;
    if (kind_of(config) == SEQ2SEQ) {
        lb_seq2seq_config c = {.source_vocab = source_vocab, .target_vocab = target_vocab};
        lb_settings_to_model(config, lb_model_fields(LB_MODEL_SEQ2SEQ), &c);
        lb_seq2seq *made = lb_params_alloc(params, sizeof *made);
        if (made && lb_seq2seq_init(made, params, "", c) == LB_OK) model = &made->base;
    } else {
        lb_transformer_config c = {.source_vocab = source_vocab, .target_vocab = target_vocab};
        lb_settings_to_model(config, lb_model_fields(LB_MODEL_TRANSFORMER), &c);
        lb_transformer *made = lb_params_alloc(params, sizeof *made);
        if (made && lb_transformer_init(made, params, "", c) == LB_OK) model = &made->base;
    }
    if (!model) lb_error_set(error, lb_params_status(params), "%s", lb_params_error(params));
    if (model) model->from_end = strcmp(config->direction, LB_DIRECTION_BACKWARD) == 0;
    return model;
}
