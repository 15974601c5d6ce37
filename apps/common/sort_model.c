#include "common/sort_model.h"

#include "common/decoding.h"
#include "common/model_path.h"
#include "data/sort_task_json.h"
#include "train/evaluate.h"

#include <stdio.h>

enum { LONGER = 10, LONG = 1000, QUOTED = 40 };

/* The model must know exactly the numbers of its task. */
static lb_status check_vocabulary(const app_sort_model *sort, lb_error *error)
{
    const lb_model *model = sort->model;
    int32_t needed = lb_sort_vocab(&sort->task);
    if (model->source_vocab == needed && model->target_vocab == needed) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT,
                        "numbers from 0 to %d need %d tokens, but the model has %lld and %lld",
                        (int)sort->task.max_value, (int)needed, (long long)model->source_vocab,
                        (long long)model->target_vocab);
}

static lb_status load(app_sort_model *sort, const lb_safetensors *file, lb_error *error)
{
    sort->model = lb_model_load(file, sort->params, NULL, error);
    if (!sort->model) return error->status;
    const char *task = lb_safetensors_metadata_value(file, LB_SORT_TASK_KEY);
    lb_status status = lb_sort_task_parse(task, &sort->task, error);
    return status ? status : check_vocabulary(sort, error);
}

lb_status app_sort_model_load(app_sort_model *sort, const char *path, const lb_safetensors *file,
                              lb_error *error)
{
    lb_error found = {0};
    *sort = (app_sort_model){.params = lb_params_new(0), .tape = lb_tape_new()};
    if (!sort->params || !sort->tape) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    lb_tape_set_mode(sort->tape, LB_MODE_EVALUATE);
    if (load(sort, file, &found)) return app_name_file(path, &found, error);
    int32_t trained = sort->task.max_length, more = trained < LONG / LONGER ? LONGER * trained : LONG;
    sort->longest = more > trained ? more : trained;
    return LB_OK;
}

void app_sort_model_close(app_sort_model *sort)
{
    lb_tape_free(sort->tape);
    lb_params_free(sort->params);
    *sort = (app_sort_model){0};
}

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t';
}

/* The number that these bytes are; -1 if they are none, or one that is not in the task. */
static int32_t number_of(const char *word, size_t length, int32_t max_value)
{
    int64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        if (word[i] < '0' || word[i] > '9') return -1;
        value = 10 * value + (word[i] - '0');
        if (value > max_value) return -1;
    }
    return (int32_t)value;
}

static lb_status refuse_word(const app_sort_model *sort, const char *word, size_t length, lb_error *error)
{
    char quoted[QUOTED + 1] = "";
    for (size_t i = 0; i < QUOTED && i < length; i++) {
        quoted[i] = word[i];
        if (quoted[i] == '\0') quoted[i] = '?';
    }
    return lb_error_set(error, LB_ERROR_FORMAT, "%s%s is not a number from 0 to %d", quoted,
                        length > QUOTED ? "..." : "", (int)sort->task.max_value);
}

lb_status app_sort_read(const app_sort_model *sort, const char *text, size_t length, app_list *list,
                        lb_error *error)
{
    list->length = 0;
    for (size_t at = 0; at < length;) {
        size_t begin = at;
        while (at < length && !is_blank(text[at])) at++;
        if (at == begin) {
            at++;
            continue;
        }
        int32_t value = number_of(text + begin, at - begin, sort->task.max_value);
        if (value < 0) return refuse_word(sort, text + begin, at - begin, error);
        if (list->length == sort->longest)
            return lb_error_set(error, LB_ERROR_FORMAT,
                                "there are more than %d numbers; the model was trained on lists of %d to %d",
                                (int)sort->longest, (int)sort->task.min_length, (int)sort->task.max_length);
        list->values[list->length++] = value;
    }
    if (list->length > 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT,
                        "there is no number; expected some from 0 to %d, separated by blanks",
                        (int)sort->task.max_value);
}

static lb_tokens make_tokens(lb_tape *tape, const app_list *lists, int64_t count)
{
    int32_t longest = 0, *id, *lengths;
    for (int64_t row = 0; row < count; row++)
        longest = lists[row].length > longest ? lists[row].length : longest;
    lb_tokens tokens = lb_tokens_new(tape, count, longest, &id, &lengths);
    for (int64_t row = 0; row < tokens.batch; row++) {
        lengths[row] = lists[row].length;
        for (int32_t i = 0; i < lists[row].length; i++)
            id[row * longest + i] = lists[row].values[i] + LB_FIRST_TOKEN;
    }
    return tokens;
}

/* The longest list decides when decoding gives up: a shorter one may have gone on beyond its own limit. */
static void cut(app_sorted *sorted, const app_list *list)
{
    int64_t limit = lb_decoding_limit(list->length);
    if (sorted->length < limit) return;
    sorted->length = limit;
    sorted->ended = false;
}

static bool sort_greedily(app_sort_model *sort, lb_tokens source, app_sorted *sorted)
{
    lb_decoded all = lb_greedy(sort->model, source, lb_decoding_limit(source.length));
    for (int64_t row = 0; row < all.batch; row++)
        sorted[row] = (app_sorted){
            .id = all.id + row * all.length,
            .length = all.lengths[row],
            .ended = all.finished[row],
            .weights = all.weights
                           ? all.weights + row * all.layers * all.heads * all.length * all.source_length
                           : NULL,
            .layers = all.layers,
            .heads = all.heads,
            .steps = all.length,
            .columns = all.source_length,
        };
    return all.batch > 0;
}

static bool sort_with_beam(app_sort_model *sort, lb_tokens source, app_sorted *sorted)
{
    lb_beam_config config = {.beam = sort->beam, .limit = lb_decoding_limit(source.length)};
    lb_beam all = lb_beam_search(sort->model, source, config);
    for (int64_t row = 0; row < all.batch; row++) {
        const lb_hypothesis *best = &all.hypothesis[row * all.beam];
        sorted[row] = (app_sorted){
            .id = best->id,
            .length = best->length,
            .ended = best->finished,
            .weights = best->weights,
            .layers = sort->model->layers,
            .heads = sort->model->heads,
            .steps = best->steps,
            .columns = source.length,
        };
    }
    return all.batch > 0;
}

lb_status app_sort_lists(app_sort_model *sort, const app_list *lists, int64_t count, app_sorted *sorted,
                         lb_error *error)
{
    lb_tape_reset(sort->tape);
    lb_tokens source = make_tokens(sort->tape, lists, count);
    bool done = source.batch > 0 &&
                (sort->beam > 1 ? sort_with_beam(sort, source, sorted) : sort_greedily(sort, source, sorted));
    if (!done) return lb_error_set(error, lb_tape_status(sort->tape), "%s", lb_tape_error(sort->tape));
    for (int64_t row = 0; row < count; row++) cut(&sorted[row], &lists[row]);
    return LB_OK;
}

lb_status app_sorted_write_attention(const app_sorted *sorted, const char *path, lb_error *error)
{
    lb_shape shape = LB_SHAPE(sorted->layers, sorted->heads, sorted->steps, sorted->columns);
    return app_write_attention(path, sorted->weights, shape, error);
}

const char *app_sort_token(int32_t id, char text[APP_TOKEN])
{
    static const char *const special[LB_FIRST_TOKEN] = {
        [LB_PAD] = "<pad>", [LB_BOS] = "<s>", [LB_EOS] = "</s>", [LB_UNK] = "<unk>"};
    if (id < LB_FIRST_TOKEN) return special[id];
    snprintf(text, APP_TOKEN, "%d", (int)(id - LB_FIRST_TOKEN));
    return text;
}
