#include "support/model.h"

#include "support/suite.h"

#include <string.h>

static int64_t size_of(const support_model *m, const char *key)
{
    return (int64_t)support_fixture_number(m->fixture, key);
}

/* Files of untied models do not have it. */
static bool is_tied(const support_model *m)
{
    return support_fixture_word(m->fixture, "tied") != NULL;
}

/* The same. */
static bool copies(const support_model *m)
{
    return support_fixture_word(m->fixture, "copy") != NULL;
}

static void make_seq2seq(support_model *m)
{
    lb_seq2seq_config config = {
        .source_vocab = size_of(m, "source_vocab"),
        .target_vocab = size_of(m, "target_vocab"),
        .embed = size_of(m, "embed"),
        .hidden = size_of(m, "hidden"),
        .layers = (int)size_of(m, "layers"),
        .bidirectional = support_fixture_number(m->fixture, "bidirectional") != 0,
        .tied = is_tied(m),
        .copy = copies(m),
    };
    const char *kind = support_fixture_word(m->fixture, "attention");
    if (kind) {
        while (strcmp(lb_attention_names[config.attention], kind) != 0) config.attention++;
        config.heads = size_of(m, "heads");
        config.window = support_fixture_word(m->fixture, "window") ? size_of(m, "window") : 0;
    }
    const char *cell = support_fixture_word(m->fixture, "cell");
    while (cell && strcmp(lb_cell_names[config.cell], cell) != 0) config.cell++;
    m->seq2seq = lb_params_alloc(m->params, sizeof *m->seq2seq);
    m->model = &m->seq2seq->base;
    lb_seq2seq_init(m->seq2seq, m->params, "", config);
}

static void make_transformer(support_model *m)
{
    lb_transformer_config config = {
        .source_vocab = size_of(m, "source_vocab"),
        .target_vocab = size_of(m, "target_vocab"),
        .width = size_of(m, "width"),
        .heads = size_of(m, "heads"),
        .feed_forward = size_of(m, "feed_forward"),
        .layers = (int)size_of(m, "layers"),
        .post_norm = support_fixture_number(m->fixture, "post_norm") != 0,
        .tied = is_tied(m),
        .copy = copies(m),
    };
    m->transformer = lb_params_alloc(m->params, sizeof *m->transformer);
    m->model = &m->transformer->base;
    lb_transformer_init(m->transformer, m->params, "", config);
}

support_model support_model_open(const char *name)
{
    support_model m = {
        .fixture = support_fixture_open(name), .params = lb_params_new(3), .tape = lb_tape_new()};
    if (strncmp(name, "transformer", strlen("transformer")) == 0)
        make_transformer(&m);
    else
        make_seq2seq(&m);
    ck_assert_msg(lb_params_status(m.params) == LB_OK, "%s", lb_params_error(m.params));
    support_fixture_fill(m.fixture, m.params);
    return m;
}

void support_model_close(support_model opened)
{
    lb_tape_free(opened.tape);
    lb_params_free(opened.params);
    support_fixture_close(opened.fixture);
}
