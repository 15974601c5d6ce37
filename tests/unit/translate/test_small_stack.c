/* A host may call the library in a thread with a small stack: musl gives 128 kB. It is too slow for sanitizers, which
 * also need more of it. A process for each test; takes seconds. */
#include "support/small_training.h"
#include "support/suite.h"

#include <lookback/lookback.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What musl gives a thread, with all that glibc puts there: OpenBLAS alone has 60 kB of thread-local storage. And what
 * the library is said to need. Below that, the stack has a pattern that must stay. */
enum { KB = 1024, STACK = 128 * KB, NEEDED = 64 * KB, PATTERN = 0xA5 };

static lb_training_config config;
static const char *out;
static int threads;
static unsigned char *stack, *begin; /* begin: where the work has begun, from which the stack grows down */

/* Runs `work` in such a thread, and returns how much of the stack it has used. */
static size_t used_by(void *(*work)(void *))
{
    pthread_t thread;
    pthread_attr_t attributes;
    stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(stack != MAP_FAILED);
    memset(stack, PATTERN, STACK);
    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstack(&attributes, stack, STACK), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, work, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    size_t untouched = 0;
    while (stack[untouched] == PATTERN) untouched++;
    size_t used = (size_t)(begin - stack) - untouched;
    pthread_attr_destroy(&attributes);
    munmap(stack, STACK);
    return used;
}

static void start(unsigned char *here)
{
    begin = here;
    lb_set_threads(threads);
}

static void *train(void *nothing)
{
    unsigned char here;
    start(&here);
    support_small_train(&config);
    return nothing;
}

static void *apply(void *nothing)
{
    unsigned char here;
    start(&here);
    lb_error error = {0};
    const char *const texts[] = {"abc", "edcba", "a"}, *const targets[] = {"c b a", "a b", "a"};
    lb_translator *translator = lb_translator_open(out, &error);
    ck_assert_msg(translator != NULL, "%s", error.message);
    const lb_translate_config wanted = {.beam = 8, .n_best = 3, .attention = true};
    lb_translations *found = lb_translate_all(translator, texts, 3, wanted, &error);
    lb_translations *scored =
        lb_translator_score(translator, texts, targets, 3, (lb_score_config){0}, &error);
    ck_assert_msg(found && scored, "%s", error.message);
    lb_translations_free(found);
    lb_translations_free(scored);
    lb_translator_close(translator);
    return nothing;
}

static void check(void *(*work)(void *), const char *what)
{
    size_t used = used_by(work);
    ck_assert_msg(used <= NEEDED, "%s with %d threads: %zu bytes of stack", what, threads, used);
}

START_TEST(test_train_and_translate_all_on_a_small_stack_have_room)
{
    static const char *const kinds[] = {"seq2seq", "transformer"};
    support_small_files();
    for (int i = 0; i < 2; i++)
        for (threads = 1; threads <= 2; threads++) {
            config = (lb_training_config){.train = support_small_train_file,
                                          .dev = support_small_dev_file,
                                          .target_separator = " ",
                                          .model = kinds[i],
                                          .steps = 2,
                                          .fresh = true,
                                          .out = out = support_path(kinds[i])};
            check(train, "training");
            check(apply, "translating");
        }
}
END_TEST
