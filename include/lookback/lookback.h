/* Lookback: sequence-to-sequence models with attention, trained on a CPU. This is the only header that a user needs.
 *
 * The headers, from high level to low level; each one builds on those below it:
 *
 *     translate.h  text in, text out: a trained model with its symbols, and training in one call
 *     train.h      batches, optimisers, learning rates, a training loop that can resume, and training on arrays
 *     models.h     GRUs with attention and transformers; greedy decoding and beam search; models as files
 *     kinds.h      the interface of a model, for writing custom ones
 *     nn.h         parameters and the modules that own them: linear, embedding, GRU, attention, transformer layers
 *     ops.h        the ops on tensors
 *     autograd.h   the tape, which owns the tensors of one step, and gradients
 *     tensor.h     shapes and numbers
 *     base.h       errors, memory, threads, random numbers, the version
 *
 * There are also data.h (texts as symbols, files of pairs), io.h (safetensors, NumPy), metrics.h (error rates, BLEU)
 * and plot.h (figures). engine.h has train.h and what it builds on. op.h, for writing ops, is not part of this header.
 *
 * Two objects own memory. An lb_params owns all weights and lives as long as the model. An lb_tape owns all tensors of
 * one step; lb_tape_reset releases them together. No tensor is freed individually.
 *
 * Errors stick to the tape and to the parameters; lb_backward and the steps of the optimisers report them. Every other
 * function that can fail returns a status, or NULL, and fills an lb_error. The library never prints and never exits.
 *
 * Only lb_set_allocator and the number of threads of OpenBLAS are process-wide. A build of OpenBLAS with threads of its
 * own computes on one thread while an op or lb_backward runs, also for the rest of the program. Afterwards it has its
 * number of threads back. Objects have no locks: each thread can have its own tape, and threads can read the same
 * parameters while none of them trains. They can share an lb_translator.
 *
 * To apply a trained model:
 *
 *     lb_error error = {0};
 *     lb_translator *translator = lb_translator_open("out/fre", &error);
 *     char *sounds = translator ? lb_translate(translator, "bonjour", &error) : NULL;
 *     puts(sounds ? sounds : error.message);
 *     lb_release(sounds);
 *     lb_translator_close(translator);
 *
 * To train one step by step, here to sort numbers:
 *
 *     lb_params *params = lb_params_new(7);
 *     lb_tape *tape = lb_tape_new();
 *     lb_sort_task task = {.max_value = 99, .min_length = 5, .max_length = 10, .seed = 7};
 *     lb_seq2seq model;
 *     lb_seq2seq_init(&model, params, "model",
 *                     (lb_seq2seq_config){.source_vocab = lb_sort_vocab(&task), .target_vocab = lb_sort_vocab(&task)});
 *     lb_optimizer *adam = lb_optimizer_new(params, (lb_optimizer_config){.lr = 3e-3f, .clip_norm = 1});
 *     for (int step = 0; step < 600; step++) {
 *         lb_tape_reset(tape);
 *         lb_batch batch = lb_sort_batch(&task, tape, 64, step);
 *         lb_tensor *logits = lb_seq2seq_forward(&model, batch.source, batch.target_in);
 *         lb_tensor *loss = lb_cross_entropy(logits, batch.target_out, LB_PAD);
 *         if (lb_backward(loss, &error) || lb_optimizer_step(adam, &error)) break;
 *     }
 *     lb_optimizer_free(adam);
 *     lb_tape_free(tape);
 *     lb_params_free(params); */
#ifndef LOOKBACK_H
#define LOOKBACK_H

#include "lookback/data.h"
#include "lookback/engine.h"
#include "lookback/metrics.h"
#include "lookback/plot.h"
#include "lookback/translate.h"

#endif
