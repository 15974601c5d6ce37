/* Lessons 9 and 10: models. That of lesson 9 learns in the page, slice by slice; that of lesson 10 has been trained. */
#include "lessons.h"

#include <emscripten.h>
#include <string.h>

enum { SHORTEST = 2, LONGEST = 12, LENGTHS = LONGEST - SHORTEST + 1, BATCH = 32, HELD_OUT = 500 };
enum { WITHOUT, WITH, LEARNERS };

/* A training of lesson 9, which lasts from question to question. */
typedef struct learner {
    lb_params *params;
    lb_tape *tape;
    lb_optimizer *adam;
    lb_seq2seq model;
} learner;

static learner learners[LEARNERS];
static lb_schedule schedule;
static int64_t step;

static lb_sort_task lists_of(int length)
{
    return (lb_sort_task){.max_value = 19, .min_length = length, .max_length = length, .seed = 1};
}

static void show_shape(lesson *l, const char *name, const lb_tensor *tensor)
{
    char text[LB_SHAPE_TEXT];
    if (tensor) cJSON_AddStringToObject(l->answer, name, lb_shape_format(tensor->shape, text));
}

/* What the decoder gets of a list. */
static void show_memory(lesson *l, const learner *one, int length, const char *state, const char *memory)
{
    lb_sort_task task = lists_of(length);
    lb_seq2seq_encoded encoded = lb_seq2seq_encode(&one->model, lb_sort_batch(&task, l->tape, 1, 0).source);
    if (lb_tape_status(l->tape)) return;
    show_shape(l, state, encoded.initial[0]);
    if (encoded.memory.keys) show_shape(l, memory, encoded.memory.values);
}

static lb_status begin(lesson *l, learner *one, lb_attention_kind attention)
{
    lb_sort_task task = lists_of(LONGEST);
    lb_optimizer_free(one->adam);
    lb_tape_free(one->tape);
    lb_params_free(one->params);
    *one = (learner){.params = lb_params_new(1), .tape = lb_tape_new()};
    lb_seq2seq_config config = {.source_vocab = lb_sort_vocab(&task),
                                .target_vocab = lb_sort_vocab(&task),
                                .embed = 16,
                                .hidden = (int64_t)lesson_number(l, "hidden", 32),
                                .attention = attention};
    lb_status status = lb_seq2seq_init(&one->model, one->params, "", config);
    if (status) return lb_error_set(l->error, status, "%s", lb_params_error(one->params));
    one->adam = lb_optimizer_new(one->params, (lb_optimizer_config){.clip_norm = 1});
    return LB_OK;
}

static lb_status learn(learner *one, double *loss, lb_error *error)
{
    lb_sort_task task = lists_of(SHORTEST + (int)(step % LENGTHS));
    lb_tape_reset(one->tape);
    lb_batch batch = lb_sort_batch(&task, one->tape, BATCH, step);
    lb_tensor *logits = lb_seq2seq_forward(&one->model, batch.source, batch.target_in);
    lb_tensor *mean = lb_cross_entropy(logits, batch.target_out, LB_PAD);
    lb_status status = lb_backward(mean, error);
    *loss = (double)lb_item(mean);
    lb_optimizer_set_lr(one->adam, (lb_real)lb_schedule_lr(&schedule, step));
    return status ? status : lb_optimizer_step(one->adam, error);
}

/* Both models take the same steps for `slice` milliseconds, at least one. */
static lb_status learn_for(lesson *l, double slice)
{
    enum { MOST = 4096 };
    double losses[LEARNERS][MOST], start = emscripten_get_now();
    int64_t count = 0;
    lb_status status = LB_OK;
    while (!status && step < schedule.period && count < MOST) {
        for (int i = 0; i < LEARNERS && !status; i++)
            status = learn(&learners[i], &losses[i][count], l->error);
        step += !status;
        count += !status;
        if (emscripten_get_now() - start > slice) break;
    }
    lesson_show_numbers(l, "without", losses[WITHOUT], count);
    lesson_show_numbers(l, "with", losses[WITH], count);
    return status;
}

static lb_status measure(lesson *l)
{
    double exact[LEARNERS];
    lb_sort_task task = lists_of((int)lesson_number(l, "length", SHORTEST));
    for (int i = 0; i < LEARNERS; i++)
        if (lb_sort_evaluate(&learners[i].model.base, &task, l->tape, HELD_OUT, &exact[i]))
            return LB_OK; /* the tape has the error */
    lesson_show_numbers(l, "exact", exact, LEARNERS);
    return LB_OK;
}

/* "do": "begin", "learn" or "measure". */
lb_status lesson_bottleneck(lesson *l)
{
    lb_status status = LB_OK;
    if (!lesson_is(l, "do", "begin") && !learners[WITH].adam)
        return lb_error_set(l->error, LB_ERROR_ARGUMENT, "found no training, expected one");
    if (lesson_is(l, "do", "learn")) {
        status = learn_for(l, lesson_number(l, "slice", 40));
    } else if (lesson_is(l, "do", "measure")) {
        status = measure(l);
    } else {
        step = 0;
        schedule = (lb_schedule){
            .kind = LB_SCHEDULE_COSINE, .lr = 1e-2, .period = (int64_t)lesson_number(l, "steps", 2000)};
        status = begin(l, &learners[WITHOUT], LB_ATTENTION_NONE);
        if (!status) status = begin(l, &learners[WITH], LB_ATTENTION_ADDITIVE);
        if (!status) {
            double weights[] = {(double)lb_params_learned(learners[WITHOUT].params),
                                (double)lb_params_learned(learners[WITH].params)};
            int length = (int)lesson_number(l, "length", LONGEST);
            lesson_show_numbers(l, "weights", weights, LEARNERS);
            show_memory(l, &learners[WITHOUT], length, "state", "none");
            show_memory(l, &learners[WITH], length, "state with", "memory");
        }
    }
    cJSON_AddNumberToObject(l->answer, "step", (double)step);
    return status;
}

/* The list as tokens; an empty batch, with the error, if the model does not know a number. */
static lb_tokens list_of(lesson *l, int32_t vocabulary)
{
    enum { MOST = 12 };
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(l->settings, "list");
    int count = cJSON_GetArraySize(list);
    int32_t *id, *lengths;
    if (count < 1 || count > MOST) {
        lb_error_set(l->error, LB_ERROR_ARGUMENT, "found %d numbers, expected 1 to %d", count, MOST);
        return (lb_tokens){0};
    }
    lb_tokens tokens = lb_tokens_new(l->tape, 1, count, &id, &lengths);
    for (int i = 0; i < count && tokens.batch; i++) {
        double value = cJSON_GetNumberValue(cJSON_GetArrayItem(list, i));
        if (!(value >= 0 && value < vocabulary - LB_FIRST_TOKEN)) {
            lb_error_set(l->error, LB_ERROR_INDEX, "found the number %g, expected 0 to %d", value,
                         (int)vocabulary - LB_FIRST_TOKEN - 1);
            return (lb_tokens){0};
        }
        id[i] = (int32_t)value + LB_FIRST_TOKEN;
    }
    if (tokens.batch) lengths[0] = count;
    return tokens;
}

static void show_decoded(lesson *l, const lb_model *model, lb_tokens source)
{
    lb_decoded found = lb_greedy(model, source, 20);
    if (!found.batch) return;
    cJSON *sorted = cJSON_AddArrayToObject(l->answer, "sorted");
    for (int64_t i = 0; i < found.lengths[0]; i++)
        cJSON_AddItemToArray(sorted, cJSON_CreateNumber(found.id[i] - LB_FIRST_TOKEN));
    cJSON_AddBoolToObject(l->answer, "finished", found.finished[0]);
    lb_shape maps = LB_SHAPE(found.layers * found.heads, found.length, found.source_length);
    lesson_show(l, "cross", lb_tensor_new(l->tape, maps, found.weights));

    int32_t *id, *lengths;
    lb_tokens target = lb_tokens_new(l->tape, 1, found.lengths[0] + 1, &id, &lengths);
    if (!target.batch) return;
    id[0] = LB_BOS;
    memcpy(id + 1, found.id, (size_t)found.lengths[0] * sizeof *id);
    lengths[0] = found.lengths[0] + 1;
    lb_self_attention self = lb_model_self_attention(model, source, target);
    lesson_show(l, "encoder", self.encoder);
    lesson_show(l, "decoder", self.decoder);
}

/* The heads of lesson 10, in their order. */
typedef struct heads {
    const char *on; /* a digit for each: 0 switches it off; NULL: all are on */
    int64_t each;   /* of a layer */
} heads;

/* The context of a head that is off counts as zero. */
static lb_tensor *switch_off(void *context, const lb_watch_point *point, lb_tensor *value)
{
    const heads *all = context;
    bool asked = all->on && strcmp(point->name, "cross.context") == 0;
    size_t head = (size_t)(point->layer * all->each + point->head);
    bool off = asked && head < strlen(all->on) && all->on[head] == '0';
    return off ? lb_tensor_new(value->tape, value->shape, NULL) : NULL;
}

/* "heads" has a digit for each head of the attention to the input. */
lb_status lesson_transformer(lesson *l)
{
    lb_params *params = lb_params_new(0);
    lb_safetensors *file = lesson_open(l, "10_transformer");
    const lb_model *model = file ? lb_model_load(file, params, NULL, l->error) : NULL;
    lb_tokens source = model ? list_of(l, (int32_t)model->source_vocab) : (lb_tokens){0};
    heads all = {lesson_word(l, "heads"), model ? model->heads : 0};
    if (all.on && strchr(all.on, '0')) lb_watch(l->tape, (lb_watcher){switch_off, &all});
    if (source.batch) show_decoded(l, model, source);
    lb_watch(l->tape, (lb_watcher){0});
    lb_safetensors_close(file);
    lb_params_free(params);
    return l->error->status;
}
