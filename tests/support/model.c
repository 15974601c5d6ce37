#include "support/model.h"

#include <check.h>

support_model support_model_open(const char *name)
{
    support_model m = {
        .fixture = support_fixture_open(name), .params = lb_params_new(3), .tape = lb_tape_new()};
    lb_seq2seq_config config = {
        .source_vocab = (int64_t)support_fixture_number(m.fixture, "source_vocab"),
        .target_vocab = (int64_t)support_fixture_number(m.fixture, "target_vocab"),
        .embed = (int64_t)support_fixture_number(m.fixture, "embed"),
        .hidden = (int64_t)support_fixture_number(m.fixture, "hidden"),
        .layers = (int)support_fixture_number(m.fixture, "layers"),
        .bidirectional = support_fixture_number(m.fixture, "bidirectional") != 0,
    };
    ck_assert_msg(lb_seq2seq_init(&m.model, m.params, "", config) == LB_OK, "%s", lb_params_error(m.params));
    support_fixture_fill(m.fixture, m.params);
    return m;
}

void support_model_close(support_model opened)
{
    lb_tape_free(opened.tape);
    lb_params_free(opened.params);
    support_fixture_close(opened.fixture);
}
