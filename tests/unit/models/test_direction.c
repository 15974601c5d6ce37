/* Models that write their targets from the end: decoding and teacher forcing in reading order, and their files. */
#include "lookback/models.h"
#include "models/built_in.h"
#include "models/decode/model.h"
#include "support/gather.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <string.h>

enum { VOCABULARY = 9, ROWS = 3, SOURCE = 4, LIMIT = 7, BEAM = 3 };

static const int32_t source_id[] = {4, 5, 6, 8, 5, 6, 4, 0, 7, 0, 0, 0}, source_lengths[] = {4, 3, 1};

/* The kinds of attention; after them comes a transformer. */
static int attention_count(void)
{
    int count = 0;
    while (lb_attention_names[count]) count++;
    return count;
}

static int kind_count(void)
{
    return attention_count() + 1;
}

typedef struct subject {
    lb_params *params;
    lb_tape *tape;
    lb_model *model;
    lb_tokens source;
} subject;

static subject begin(int kind)
{
    lb_set_threads(1);
    subject s = {.params = lb_params_new(5), .tape = lb_tape_new()};
    if (kind < attention_count()) {
        lb_seq2seq_config config = {.source_vocab = VOCABULARY, .target_vocab = VOCABULARY, .embed = 4};
        config.hidden = 6;
        config.heads = 2;
        config.attention = (lb_attention_kind)kind;
        lb_seq2seq *model = lb_params_alloc(s.params, sizeof *model);
        ck_assert_int_eq(lb_seq2seq_init(model, s.params, "", config), LB_OK);
        s.model = &model->base;
    } else {
        lb_transformer_config config = {.source_vocab = VOCABULARY, .target_vocab = VOCABULARY, .width = 8};
        config.heads = 2;
        lb_transformer *model = lb_params_alloc(s.params, sizeof *model);
        ck_assert_int_eq(lb_transformer_init(model, s.params, "", config), LB_OK);
        s.model = &model->base;
    }
    /* So large that outputs differ, and some end before the limit. */
    for (int64_t i = 0; i < lb_params_size(s.params); i++) lb_params_values(s.params)[i] *= 2;
    s.source = (lb_tokens){s.tape, ROWS, SOURCE, source_id, source_lengths};
    return s;
}

static void end(subject *s)
{
    lb_tape_free(s->tape);
    lb_params_free(s->params);
}

/* The same output, its symbols in reverse, and its end last. */
static void expect_reversed(const lb_hypothesis *a, const lb_hypothesis *b, int64_t maps)
{
    ck_assert_int_eq(a->length, b->length);
    ck_assert_int_eq(a->steps, b->steps);
    ck_assert_double_eq(a->score, b->score);
    for (int64_t step = 0; step < a->steps; step++) {
        int64_t other = step < a->length ? a->length - 1 - step : step;
        if (step < a->length) ck_assert_int_eq(a->id[step], b->id[other]);
        ck_assert_double_eq(a->log_probability[step], b->log_probability[other]);
        for (int64_t map = 0; map < maps; map++)
            ck_assert_mem_eq(a->weights + (map * a->steps + step) * SOURCE,
                             b->weights + (map * a->steps + other) * SOURCE, SOURCE * sizeof(lb_real));
    }
}

/* Monotonic attention reads the source from the end, too, and local-m counts from there, so the same weights write
 * something else. */
static bool reads_from_the_end(int kind)
{
    return kind < attention_count() &&
           (strncmp(lb_attention_names[kind], "monotonic", strlen("monotonic")) == 0 ||
            kind == LB_ATTENTION_LOCAL_M);
}

START_LOOP_TEST(test_outputs_of_a_backward_model_are_those_of_a_forward_one_reversed, kind_count())
{
    if (reads_from_the_end(_i)) return;
    subject s = begin(_i);
    int64_t maps = s.model->layers * s.model->heads, longest = 0;
    lb_beam_config search = {.beam = BEAM, .limit = LIMIT};
    lb_sample_config draw = {.count = BEAM, .limit = LIMIT, .seed = 3};
    lb_decoded forward = lb_greedy(s.model, s.source, LIMIT);
    lb_beam found = lb_beam_search(s.model, s.source, search), drawn = lb_sample(s.model, s.source, draw);
    s.model->from_end = true;
    lb_decoded backward = lb_greedy(s.model, s.source, LIMIT);
    lb_beam turned = lb_beam_search(s.model, s.source, search), redrawn = lb_sample(s.model, s.source, draw);
    ck_assert_msg(lb_tape_status(s.tape) == LB_OK, "%s", lb_tape_error(s.tape));
    for (int64_t i = 0; i < (int64_t)ROWS * BEAM; i++) {
        expect_reversed(&found.hypothesis[i], &turned.hypothesis[i], maps);
        expect_reversed(&drawn.hypothesis[i], &redrawn.hypothesis[i], maps);
    }
    ck_assert_mem_eq(forward.lengths, backward.lengths, ROWS * sizeof *forward.lengths);
    for (int64_t row = 0; row < ROWS; row++) {
        int32_t length = forward.lengths[row];
        longest = length > longest ? length : longest;
        for (int32_t i = 0; i < length; i++) {
            int64_t from = row * forward.length;
            ck_assert_int_eq(forward.id[from + i], backward.id[from + length - 1 - i]);
            for (int64_t m = row * maps; m < (row + 1) * maps; m++)
                ck_assert_mem_eq(forward.weights + (m * forward.length + i) * SOURCE,
                                 backward.weights + (m * forward.length + length - 1 - i) * SOURCE,
                                 SOURCE * sizeof(lb_real));
        }
    }
    ck_assert_int_gt(longest, 1);
    end(&s);
}
END_TEST

/* The outputs of a search as targets, with the end of those that have one. */
static lb_tokens targets_of(const subject *s, const lb_beam *found, int64_t rank)
{
    int32_t *id, *lengths;
    lb_tokens out = lb_tokens_new(s->tape, ROWS, LIMIT, &id, &lengths);
    for (int64_t row = 0; row < ROWS; row++) {
        const lb_hypothesis *h = &found->hypothesis[row * found->n_best + rank];
        memcpy(id + row * LIMIT, h->id, (size_t)h->length * sizeof *id);
        if (h->finished) id[row * LIMIT + h->length] = LB_EOS;
        lengths[row] = (int32_t)h->steps;
    }
    return out;
}

START_LOOP_TEST(test_forcing_an_output_finds_what_the_search_found, 2 * kind_count())
{
    subject s = begin(_i / 2);
    s.model->from_end = _i % 2;
    int64_t maps = s.model->layers * s.model->heads;
    lb_beam found = lb_beam_search(s.model, s.source, (lb_beam_config){.beam = BEAM, .limit = LIMIT});
    for (int64_t rank = 0; rank < BEAM; rank++) {
        lb_forced forced = lb_forced_decode(s.model, s.source, targets_of(&s, &found, rank));
        ck_assert_msg(lb_is_sound(forced.log_probabilities), "%s", lb_tape_error(s.tape));
        ck_assert_int_eq(maps == 0, forced.weights == NULL);
        for (int64_t row = 0; row < ROWS; row++) {
            const lb_hypothesis *h = &found.hypothesis[row * BEAM + rank];
            for (int64_t t = 0; t < h->steps; t++) {
                int32_t token = t < h->length ? h->id[t] : LB_EOS;
                int64_t at = (row * LIMIT + t) * VOCABULARY + token;
                ck_assert_double_eq_tol((double)forced.log_probabilities->data[at], h->log_probability[t],
                                        1e-4);
                for (int64_t i = 0; i < maps * SOURCE; i++)
                    ck_assert_double_eq_tol(
                        (double)forced.weights
                            ->data[((row * maps + i / SOURCE) * LIMIT + t) * SOURCE + i % SOURCE],
                        (double)h->weights[(i / SOURCE * h->steps + t) * SOURCE + i % SOURCE], 1e-4);
            }
        }
    }
    ck_assert_int_eq(lb_tape_mode(s.tape), LB_MODE_TRAIN);
    end(&s);
}
END_TEST

/* Several targets of one source are what each of them is by itself. */
START_LOOP_TEST(test_forcing_several_targets_of_a_source_finds_the_same, 2 * kind_count())
{
    static const int64_t row[] = {2, 0, 0};
    subject s = begin(_i / 2);
    s.model->from_end = _i % 2;
    lb_beam found = lb_beam_search(s.model, s.source, (lb_beam_config){.beam = BEAM, .limit = LIMIT});
    int32_t *id, *lengths;
    lb_tokens out = lb_tokens_new(s.tape, ROWS, LIMIT, &id, &lengths), sources = s.source;
    int32_t ids[ROWS * SOURCE], length[ROWS];
    for (int64_t i = 0; i < ROWS; i++) {
        const lb_hypothesis *h = &found.hypothesis[row[i] * BEAM + i];
        memcpy(id + i * LIMIT, h->id, (size_t)h->length * sizeof *id);
        if (h->finished) id[i * LIMIT + h->length] = LB_EOS;
        lengths[i] = (int32_t)h->steps;
        memcpy(ids + i * SOURCE, source_id + row[i] * SOURCE, SOURCE * sizeof *ids);
        length[i] = source_lengths[row[i]];
    }
    sources.id = ids;
    sources.lengths = length;
    lb_forced a = lb_forced_decode(s.model, sources, out),
              b = lb_forced_decode_rows(s.model, s.source, row, out);
    ck_assert_msg(lb_is_sound(a.log_probabilities) && lb_is_sound(b.log_probabilities), "%s",
                  lb_tape_error(s.tape));
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t t = 0; t < lengths[i]; t++)
            for (int64_t k = LB_EOS; k < VOCABULARY; k++) {
                int64_t at = (i * LIMIT + t) * VOCABULARY + k;
                ck_assert_double_eq_tol((double)a.log_probabilities->data[at],
                                        (double)b.log_probabilities->data[at], 1e-5);
            }
    end(&s);
}
END_TEST

static lb_model *load(const char *path, lb_params *params, lb_error *error)
{
    lb_safetensors *file = lb_safetensors_open(path, error);
    ck_assert_msg(file, "%s", error->message);
    lb_model *model = lb_model_load(file, params, NULL, error);
    lb_safetensors_close(file);
    return model;
}

START_TEST(test_direction_is_in_the_file_of_a_backward_model_only)
{
    lb_error error = {0};
    subject s = begin(0);
    const char *path = support_path("model.safetensors");
    for (int backward = 0; backward < 2; backward++) {
        s.model->from_end = backward;
        ck_assert_int_eq(lb_model_save(s.model, s.params, path, (lb_checkpoint_extra){0}, &error), LB_OK);
        lb_safetensors *file = lb_safetensors_open(path, &error);
        const char *direction = lb_safetensors_metadata_value(file, LB_DIRECTION_KEY);
        if (backward)
            ck_assert_str_eq(direction, "backward");
        else
            ck_assert_ptr_null(direction);
        lb_safetensors_close(file);
        lb_params *params = lb_params_new(0);
        const lb_model *loaded = load(path, params, &error);
        ck_assert_msg(loaded, "%s", error.message);
        ck_assert_int_eq(loaded->from_end, backward);
        lb_params_free(params);
    }
    s.model->from_end = false;
    const lb_safetensors_metadata other = {LB_DIRECTION_KEY, "sideways"};
    ck_assert_int_eq(lb_model_save(s.model, s.params, path,
                                   (lb_checkpoint_extra){.metadata = &other, .metadata_count = 1}, &error),
                     LB_OK);
    lb_params *params = lb_params_new(0);
    ck_assert_ptr_null(load(path, params, &error));
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, "lookback.direction: found \"sideways\", expected \"backward\"");
    lb_params_free(params);
    end(&s);
}
END_TEST

START_TEST(test_ensemble_of_backward_models_is_one_in_memory_and_in_its_file)
{
    lb_error error = {0};
    subject a = begin(0), b = begin(attention_count());
    const lb_model *members[] = {a.model, b.model};
    const lb_params *stores[] = {a.params, b.params};
    a.model->from_end = b.model->from_end = true;
    lb_params *params = lb_params_new(0), *loaded_params = lb_params_new(0);
    lb_ensemble *all = support_gather(params, members, stores, 2, NULL, &error);
    ck_assert_msg(all, "%s", error.message);
    ck_assert(all->base.from_end && all->member[0]->from_end && all->member[1]->from_end);
    ck_assert_int_eq(
        lb_model_save(&all->base, params, support_path("all.safetensors"), (lb_checkpoint_extra){0}, &error),
        LB_OK);
    const lb_ensemble *loaded =
        (const lb_ensemble *)load(support_path("all.safetensors"), loaded_params, &error);
    ck_assert_msg(loaded, "%s", error.message);
    ck_assert(loaded->base.from_end && loaded->member[0]->from_end && loaded->member[1]->from_end);
    lb_params_free(params);
    lb_params_free(loaded_params);
    end(&a);
    end(&b);
}
END_TEST
