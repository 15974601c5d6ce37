/* The points that a watcher sees, in their order, and the page that lists them. This test runs in both precisions. */
#include "support/suite.h"
#include "support/watched_models.h"

START_TEST(test_points_of_each_model_come_in_their_order)
{
    subject s;
    char found[4096];
    make_seq2seq(&s, (lb_seq2seq_config){.attention = LB_ATTENTION_GENERAL, .bidirectional = true}, false);
    list(s.model, found, sizeof found);
    ck_assert_str_eq(found, "encoder.embedding -1 -1 0 [2,3,3]\n"
                            "encoder.state 0 -1 0 [2,3,8]\n"
                            "cross.keys 0 0 0 [2,3,8]\n"
                            "cross.values 0 0 0 [2,3,8]\n"
                            "decoder.initial 0 -1 0 [2,4]\n"
                            "decoder.embedding -1 -1 0 [2,4,3]\n"
                            "decoder.state 0 -1 0 [2,4,4]\n"
                            "cross.query 0 0 0 [2,4,8]\n"
                            "cross.scores 0 0 0 [2,4,3]\n"
                            "cross.weights 0 0 0 [2,4,3]\n"
                            "cross.context 0 0 0 [2,4,8]\n"
                            "logits -1 -1 0 [2,4,8]\n");
    lb_params_free(s.params);
    make_seq2seq(&s, (lb_seq2seq_config){.attention = LB_ATTENTION_ADDITIVE}, false);
    list(s.model, found, sizeof found);
    static const char *const first = "decoder.embedding -1 -1 0 [2,4,3]\n"
                                     "cross.query 0 0 0 [2,1,4]\n"
                                     "cross.scores 0 0 0 [2,1,3]\n"
                                     "cross.weights 0 0 0 [2,1,3]\n"
                                     "cross.context 0 0 0 [2,1,4]\n"
                                     "cross.query 0 0 1 [2,1,4]\n";
    ck_assert_msg(strstr(found, first) != NULL, "%s", found); /* its steps come one after the other */
    lb_params_free(s.params);
    make_transformer(&s, (lb_transformer_config){.layers = 1, .kv_heads = 1});
    list(s.model, found, sizeof found);
    static const char *const encoder = "encoder.embedding -1 -1 0 [2,3,8]\n"
                                       "encoder.residual 0 -1 0 [2,3,8]\n"
                                       "encoder.self.query 0 0 0 [2,3,2]\n"
                                       "encoder.self.query 0 1 0 [2,3,2]\n"
                                       "encoder.self.query 0 2 0 [2,3,2]\n"
                                       "encoder.self.query 0 3 0 [2,3,2]\n"
                                       "encoder.self.keys 0 0 0 [2,3,2]\n"
                                       "encoder.self.values 0 0 0 [2,3,2]\n"
                                       "encoder.self.scores 0 0 0 [2,3,3]\n"
                                       "encoder.self.weights 0 0 0 [2,3,3]\n"
                                       "encoder.self.context 0 0 0 [2,3,2]\n"
                                       "encoder.self.scores 0 1 0 [2,3,3]\n";
    static const char *const end = "cross.context 0 3 0 [2,4,2]\n"
                                   "decoder.feed_forward 0 -1 0 [2,4,8]\n"
                                   "decoder.residual 1 -1 0 [2,4,8]\n"
                                   "logits -1 -1 0 [2,4,8]\n";
    ck_assert_mem_eq(found, encoder, strlen(encoder));
    ck_assert_msg(strstr(found, end) != NULL, "%s", found);
    lb_params_free(s.params);
}
END_TEST

/* ---- The page about them. ---- */

static char page[1 << 14];
static bool documented[64], met[64];
static char names[64][LB_POINT_NAME];
static int name_count;

static int number_of(const char *name)
{
    int at = 0;
    while (at < name_count && strcmp(names[at], name) != 0) at++;
    ck_assert_int_lt(at, LB_LENGTH(met));
    if (at == name_count) snprintf(names[name_count++], LB_POINT_NAME, "%s", name);
    return at;
}

/* The first column of the tables; the second one is of each attention. */
static void read_page(void)
{
    static const char *const parts[] = {"encoder.self.", "decoder.self.", "cross."};
    FILE *file = fopen(SOURCE_DIR "/docs/points.md", "r");
    ck_assert_ptr_nonnull(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    const char *second = strstr(page, "The points of attention");
    for (const char *at = page; (at = strstr(at, "\n| `")) != NULL; at++) {
        char name[LB_POINT_NAME], full[2 * LB_POINT_NAME];
        ck_assert_int_eq(sscanf(at, "\n| `%47[^`]", name), 1);
        for (int i = 0; i < (at > second ? LB_LENGTH(parts) : 1); i++) {
            snprintf(full, sizeof full, "%s%s", at > second ? parts[i] : "", name);
            documented[number_of(full)] = true;
        }
    }
}

static void meet(const subject *s)
{
    lb_real logits[LOGITS];
    recording seen = {0};
    run(s->model, source_id, (lb_watcher){record, &seen}, logits);
    for (int i = 0; i < seen.count; i++) met[number_of(seen.point[i].name)] = true;
    end_recording(&seen);
}

START_TEST(test_points_are_those_of_the_page_and_no_others)
{
    read_page();
    for_each_model(meet);
    ck_assert_int_gt(name_count, 20);
    for (int i = 0; i < name_count; i++)
        ck_assert_msg(documented[i] && met[i], "%s: in docs/points.md %d, in a model %d", names[i],
                      documented[i], met[i]);
}
END_TEST

/* ---- What the state of a decoder holds. ---- */

/* Of each token and row, in the keys and values that are points. */
static int64_t count_state(const lb_model *model)
{
    static const char *const held[] = {"cross.keys", "cross.values", "decoder.self.keys",
                                       "decoder.self.values"};
    lb_real logits[LOGITS];
    recording seen = {0};
    int64_t sum = 0;
    run(model, source_id, (lb_watcher){record, &seen}, logits);
    for (int i = 0; i < seen.count; i++)
        for (int k = 0; SUPPORT_ROW(k, held); k++)
            if (strcmp(seen.point[i].name, held[k]) == 0) sum += seen.shape[i].dim[seen.shape[i].ndim - 1];
    end_recording(&seen);
    return sum;
}

/* Kinds with keys of their own width, fewer heads or no attention to themselves hold less than the estimate. */
static void check_state(const subject *s)
{
    enum { FILTERS = 8 };
    const lb_seq2seq_config *c = &s->seq2seq.config;
    int64_t held = count_state(s->model) + s->model->copies, said = s->model->state_reals;
    if (s->model->kind == &lb_seq2seq_kind) {
        if (lb_built_in_attentions[c->attention]->predict) held += (int64_t)3 * VOCABULARY;
        if (c->attention == LB_ATTENTION_COVERAGE || c->attention == LB_ATTENTION_LOCATION)
            held += FILTERS + 2 * c->hidden;
    }
    ck_assert_msg(held <= said && (said <= 2 * held || !s->model->heads), "%s: holds %d, says %d", s->name,
                  (int)held, (int)said);
}

START_TEST(test_points_that_a_state_holds_are_what_the_model_says_that_it_takes)
{
    for_each_model(check_state);
}
END_TEST
