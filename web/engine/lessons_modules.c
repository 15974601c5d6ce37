/* Lessons 5 to 8: the attention modules, with the weights of the files in examples/data. */
#include "lessons.h"
#include "reviews/reviews.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The matrices are the same for any number of heads: only which columns belong together changes. */
lb_status lesson_multi_head(lesson *l)
{
    static const char *const two_names[] = {"q_linear", "k_linear", "v_linear", "out_linear"};
    static const char *const four_names[] = {"w_qs", "w_ks", "w_vs", "fc"};
    int64_t heads = (int64_t)lesson_number(l, "heads", 2), more = (int64_t)lesson_number(l, "more", 4);
    int64_t row = (int64_t)lesson_number(l, "row", 0);
    lb_multi_head_config two = {.embed = 8, .heads = heads, .names = two_names};
    lb_multi_head_config four = {.embed = 64,
                                 .heads = more,
                                 .key_width = 64 / (more > 0 ? more : 1),
                                 .value_width = 64 / (more > 0 ? more : 1),
                                 .no_bias = true,
                                 .names = four_names};
    lb_multi_head small;
    lb_multi_head_block large;
    lb_params *params = lb_params_new(0);
    lb_multi_head_init(&small, params, "two", two);
    lb_multi_head_block_init(&large, params, "four", four, 0, 1e-6f);
    lb_status status = lesson_load(l, "vectors", params);
    lb_safetensors *file = status ? NULL : lesson_open(l, "vectors");
    if (file) {
        lb_tensor *x = lb_checkpoint_tensor(l->tape, file, "x"); /* [2, 4, 8] */
        lb_attended_result attended = lb_multi_head_forward(&small, x, x, x, NULL, NULL);
        lesson_show(l, "weights", lb_slice(attended.weights, 0, row, 1));
        lesson_show(l, "output", lb_slice(attended.context, 0, row, 1));
        attended = lb_multi_head_block_forward(&large, lb_checkpoint_tensor(l->tape, file, "query"),
                                               lb_checkpoint_tensor(l->tape, file, "key"),
                                               lb_checkpoint_tensor(l->tape, file, "value"), NULL);
        lesson_show(l, "sentence", attended.weights);
        lesson_show(l, "sentence output", lb_slice(attended.context, 2, 0, 6));
    }
    lb_safetensors_close(file);
    lb_params_free(params);
    return status ? status : file ? LB_OK : l->error->status;
}

lb_status lesson_three_scores(lesson *l)
{
    enum { GENERAL = LB_SCORE_GENERAL, ADDITIVE, KEYS = 10, ROWS = 4 };
    static const char *const names[] = {"dot", "scaled dot", "general", "additive"};
    bool drawn = lesson_is(l, "vectors", "drawn");
    int64_t width = drawn ? (int64_t)lesson_number(l, "width", 64) : 64;
    int64_t row = (int64_t)lesson_number(l, "row", 0);
    lb_params *params = lb_params_new((uint64_t)lesson_number(l, "seed", 1));
    lb_init normal = {LB_INIT_NORMAL, 1};
    lb_tensor *query = lb_params_add(params, "", "query", LB_SHAPE(ROWS, 1, width), normal);
    lb_tensor *keys = lb_params_add(params, "", "keys", LB_SHAPE(ROWS, KEYS, width), normal);
    lb_tensor *values = lb_params_add(params, "", "values", LB_SHAPE(ROWS, KEYS, width), normal);
    lb_multiplicative_attention product[ADDITIVE];
    lb_additive_attention additive;
    for (int way = 0; way <= GENERAL; way++)
        lb_multiplicative_attention_init(&product[way], params, names[way], (lb_score)way, width, width);
    lb_additive_attention_init(&additive, params, "additive",
                               (lb_additive_attention_config){.query = width, .key = width});
    lb_status status = drawn ? LB_OK : lesson_load(l, "06_three_scores", params);
    for (int way = 0; way <= ADDITIVE && !status; way++) {
        lb_tensor *q = lb_scale(lb_on_tape(l->tape, query), (lb_real)lesson_number(l, "length", 1));
        lb_tensor *k = lb_on_tape(l->tape, keys), *v = lb_on_tape(l->tape, values);
        lb_attended_result attended = way == ADDITIVE
                                          ? lb_additive_attention_forward(&additive, q, k, v, NULL)
                                          : lb_multiplicative_attention_forward(&product[way], q, k, v, NULL);
        lesson_show(l, names[way], lb_slice(attended.weights, 0, row, 1));
    }
    if (!status && lb_params_status(params))
        status = lb_error_set(l->error, lb_params_status(params), "%s", lb_params_error(params));
    lb_params_free(params);
    return status;
}

/* The words of a translation: each vector of the target moves towards that of the word it came from, which has the same
 * place here. */
static lb_tensor *moved(lesson *l, lb_tensor *target, lb_tensor *source)
{
    lb_real learned = (lb_real)lesson_number(l, "learned", 0),
            length = (lb_real)lesson_number(l, "length", 1);
    lb_tensor *mixed =
        learned > 0 ? lb_add(lb_scale(target, 1 - learned), lb_scale(source, learned)) : target;
    return length == 1 ? mixed : lb_scale(mixed, length);
}

static lb_tensor *translate(lesson *l, const lb_safetensors *file, const lb_multi_head *one,
                            const lb_multi_head *two)
{
    bool wide = lesson_is(l, "how", "two");
    lb_tensor *source = lb_checkpoint_tensor(l->tape, file, wide ? "english_wide" : "english");
    lb_tensor *target =
        moved(l, lb_checkpoint_tensor(l->tape, file, wide ? "spanish_wide" : "spanish"), source);
    if (wide) return lb_multi_head_forward(two, target, source, source, NULL, NULL).weights;
    if (lesson_is(l, "how", "one"))
        return lb_multi_head_forward(one, target, source, source, NULL, NULL).weights;
    return lb_op_output(lb_attend_dot(target, source, source, NULL, NULL, 1, 1 / sqrtf(5), 0), 1);
}

lb_status lesson_translation(lesson *l)
{
    static const char *const names[] = {"query_projection_layer", "key_projection_layer",
                                        "value_projection_layer", "output_projection_layer"};
    lb_multi_head one, two;
    lb_params *params = lb_params_new(0);
    lb_multi_head_init(&one, params, "one", (lb_multi_head_config){.embed = 5, .heads = 1, .names = names});
    lb_multi_head_init(&two, params, "two", (lb_multi_head_config){.embed = 10, .heads = 2, .names = names});
    lb_status status = lesson_load(l, "07_translation", params);
    lb_safetensors *file = status ? NULL : lesson_open(l, "07_translation");
    if (file) {
        lb_tensor *output = lb_attend_dot(lb_checkpoint_tensor(l->tape, file, "query"), /* [1, 2, 4] */
                                          lb_checkpoint_tensor(l->tape, file, "keys"),
                                          lb_checkpoint_tensor(l->tape, file, "values"), NULL, NULL, 1,
                                          (lb_real)lesson_number(l, "length", 1) / sqrtf(4), 0);
        lesson_show(l, "weights", lb_op_output(output, 1));
        lesson_show(l, "output", output);
        lesson_show(l, "alignment", translate(l, file, &one, &two));
    }
    lb_safetensors_close(file);
    lb_params_free(params);
    return status ? status : file ? LB_OK : l->error->status;
}

enum { REVIEWS = 10, LENGTH = 20, WIDTH = 64 };

/* The words of one review, and what all of them have in common. */
typedef struct text {
    review_list reviews;
    lb_vocabulary *vocabulary;
    review_words words;
} text;

static lb_status read_words(lesson *l, text *t)
{
    static const char *const specials[] = {"<pad>", "<unk>"};
    size_t chosen = (size_t)lesson_number(l, "review", 0);
    const char *own = lesson_is(l, "source", "own") ? lesson_word(l, "text") : NULL;
    t->vocabulary = lb_vocabulary_new(specials, 2, 1, l->error);
    lb_status status =
        t->vocabulary ? reviews_read("/reviews.txt", REVIEWS, &t->reviews, l->error) : l->error->status;
    for (size_t i = 0; i < t->reviews.count && !status; i++) {
        review_words words = {0};
        status = reviews_words(t->reviews.text[i], &words, l->error);
        if (!status) status = lb_vocabulary_add(t->vocabulary, words.word, (int64_t)words.count, l->error);
        reviews_words_free(&words);
    }
    if (status) return status;
    lb_vocabulary_sort(t->vocabulary, 1);
    if (chosen >= t->reviews.count)
        return lb_error_set(l->error, LB_ERROR_ARGUMENT, "found review %d, expected 0 to %d", (int)chosen,
                            (int)t->reviews.count - 1);
    return reviews_words(own ? own : t->reviews.text[chosen], &t->words, l->error);
}

static void show_words(lesson *l, const text *t, const int32_t *id)
{
    enum { FREQUENT = 8 };
    cJSON *words = cJSON_AddArrayToObject(l->answer, "words"),
          *ids = cJSON_AddArrayToObject(l->answer, "ids");
    cJSON *frequent = cJSON_AddArrayToObject(l->answer, "frequent");
    for (size_t i = 0; i < LENGTH; i++) {
        cJSON_AddItemToArray(words, cJSON_CreateString(i < t->words.count ? t->words.word[i] : "<pad>"));
        cJSON_AddItemToArray(ids, cJSON_CreateNumber(id[i]));
    }
    for (int32_t i = 0; i < FREQUENT; i++)
        cJSON_AddItemToArray(frequent, cJSON_CreateString(lb_vocabulary_symbol(t->vocabulary, i)));
    cJSON_AddNumberToObject(l->answer, "reviews", (double)t->reviews.count);
    cJSON_AddNumberToObject(l->answer, "vocabulary", lb_vocabulary_size(t->vocabulary));
}

static lb_status attend_words(lesson *l, const text *t, lb_params *params)
{
    lb_embedding embedding;
    lb_multiplicative_attention attention;
    lb_positional positions;
    int32_t *id, *lengths;
    lb_embedding_init(&embedding, params, "embedding", lb_vocabulary_size(t->vocabulary), WIDTH, 0);
    lb_multiplicative_attention_init(&attention, params, "attention", LB_SCORE_SCALED_DOT, WIDTH, WIDTH);
    lb_positional_init(&positions, params, "positions", (lb_positional_config){.width = WIDTH});
    lb_status status = lesson_load(l, "08_text", params);
    if (status) return status;
    attention.scale /= (lb_real)lesson_number(l, "temperature", 1);
    lb_tokens tokens = lb_tokens_new(l->tape, 1, LENGTH, &id, &lengths);
    if (!tokens.batch) return LB_OK;
    lengths[0] = lb_vocabulary_encode(t->vocabulary, t->words.word, (int64_t)t->words.count, id, LENGTH);
    lb_tensor *x = lb_embedding_forward(&embedding, tokens);
    if (lesson_number(l, "positions", 0) != 0) x = lb_positional_forward(&positions, x, 0);
    lb_tensor *mask = lesson_number(l, "hide", 0) != 0 ? lb_tokens_mask(tokens) : NULL;
    lesson_show(l, "weights", lb_multiplicative_attention_forward(&attention, x, x, x, mask).weights);
    show_words(l, t, id);
    return LB_OK;
}

lb_status lesson_text(lesson *l)
{
    text t = {0};
    lb_params *params = lb_params_new(0);
    lb_status status = read_words(l, &t);
    if (!status) status = attend_words(l, &t, params);
    reviews_words_free(&t.words);
    reviews_free(&t.reviews);
    lb_vocabulary_free(t.vocabulary);
    lb_params_free(params);
    return status;
}
