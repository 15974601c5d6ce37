#include "translate/workers.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "io/file_hash.h"
#include "train/group.h"
#include "translate/carry.h"

#include <stdio.h>
#include <string.h>

typedef enum order { TRANSLATE, HOLD, END } order;

/* What process 0 says. Texts follow, each with its NUL. */
typedef struct job {
    order order;
    lb_status status; /* of the end */
    lb_translate_config config;
    size_t count, bytes; /* of the texts */
} job;

/* What the others say. The translations follow, if there is no error. */
typedef struct answer {
    lb_error error;
    size_t bytes;
} answer;

static lb_status exchange(lb_workers *w, int partner, const void *send, size_t send_bytes, void *receive,
                          size_t receive_bytes, lb_error *error)
{
    lb_status status =
        w->group->exchange(w->group->context, partner, send, send_bytes, receive, receive_bytes, error);
    w->lost |= status != LB_OK;
    return status;
}

static lb_status send_to(lb_workers *w, int partner, const void *bytes, size_t count, lb_error *error)
{
    char nothing;
    return exchange(w, partner, bytes, count, &nothing, 0, error);
}

static lb_status receive_from(lb_workers *w, int partner, void *bytes, size_t count, lb_error *error)
{
    char nothing = 0;
    return exchange(w, partner, &nothing, 0, bytes, count, error);
}

static lb_status out_of_memory(size_t texts, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for %zu texts", texts);
}

/* ---- The beginning and the end. ---- */

lb_status lb_workers_begin(lb_workers *w, const lb_group *group, lb_translator *translator, lb_error *error)
{
    char text[32];
    uint64_t hash, bytes;
    *w = (lb_workers){.group = group, .translator = translator, .lost = true};
    if (!group) return LB_OK;
    lb_status status = lb_file_hash(lb_translator_about(translator).path, &hash, &bytes, error);
    if (status) return status;
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    status = lb_group_agree_on_build(group, error);
    if (!status) status = lb_group_agree(group, "hash of the model", text, error);
    w->lost = status != LB_OK;
    return status;
}

static lb_status tell_all(lb_workers *w, job told, lb_error *error)
{
    lb_status status = LB_OK;
    for (int other = 1; other < lb_group_size(w->group) && !status; other++)
        status = send_to(w, other, &told, sizeof told, error);
    return status;
}

lb_status lb_workers_hold(void *workers, lb_error *error)
{
    return tell_all(workers, (job){.order = HOLD}, error);
}

lb_status lb_workers_end(lb_workers *w, lb_status status, lb_error *error)
{
    lb_error found = {0};
    if (w->lost || tell_all(w, (job){.order = END, .status = status}, &found) == LB_OK || status)
        return status;
    return lb_error_set(error, found.status, "%s", found.message);
}

/* ---- Process 0. ---- */

static lb_status send_batch(lb_workers *w, int partner, const char *const *texts, size_t count,
                            lb_translate_config config, lb_error *error)
{
    lb_buffer bytes = {0};
    for (size_t i = 0; i < count; i++) lb_buffer_add(&bytes, texts[i], strlen(texts[i]) + 1);
    job told = {.order = TRANSLATE, .config = config, .count = count, .bytes = bytes.length};
    lb_status status = bytes.failed ? out_of_memory(count, error) : LB_OK;
    if (!status) status = send_to(w, partner, &told, sizeof told, error);
    if (!status) status = send_to(w, partner, bytes.text, bytes.length, error);
    lb_release(bytes.text);
    return status;
}

static lb_status receive_batch(lb_workers *w, int partner, lb_translations *all, size_t first,
                               lb_error *error)
{
    answer heard;
    lb_status status = receive_from(w, partner, &heard, sizeof heard, error);
    if (status) return status;
    if (heard.error.status) return lb_error_set(error, heard.error.status, "%s", heard.error.message);
    char *bytes = lb_arena_alloc(all->memory, heard.bytes);
    if (!bytes) {
        w->lost = true; /* it waits for someone to take them */
        return out_of_memory(all->count, error);
    }
    status = receive_from(w, partner, bytes, heard.bytes, error);
    return status ? status : lb_carry_in(all, first, bytes, error);
}

/* By the same way as the batches of others, so that the result has one owner. */
static lb_status translate_here(lb_workers *w, const char *const *texts, size_t count,
                                lb_translate_config config, lb_buffer *bytes, lb_error *error)
{
    lb_translations *found = lb_translate_all(w->translator, texts, count, config, error);
    if (!found) return error->status;
    lb_carry_out(found, bytes);
    lb_translations_free(found);
    return bytes->failed ? out_of_memory(count, error) : LB_OK;
}

static lb_status have_first(lb_workers *w, lb_text_batches batches, lb_translate_config config,
                            lb_translations *all, lb_error *error)
{
    lb_buffer bytes = {0};
    lb_status status = translate_here(w, batches.text, batches.size[0], config, &bytes, error);
    char *copy = status ? NULL : lb_arena_alloc(all->memory, bytes.length);
    if (copy && bytes.text) {
        memcpy(copy, bytes.text, bytes.length);
        status = lb_carry_in(all, 0, copy, error);
    } else if (!status) {
        status = out_of_memory(all->count, error);
    }
    lb_release(bytes.text);
    return status;
}

/* Returns how many batches others have, the first one not counted. */
static int send_others(lb_workers *w, lb_text_batches batches, lb_translate_config config, lb_status *status,
                       lb_error *error)
{
    int sent = 0;
    const char *const *texts = batches.text;
    while (sent + 1 < batches.count) {
        config.first_text += batches.size[sent];
        texts += batches.size[sent];
        *status = send_batch(w, sent + 1, texts, batches.size[sent + 1], config, error);
        if (*status) break;
        sent++;
    }
    return sent;
}

/* Everyone who has a batch is heard, also after an error. */
static lb_status share_out(lb_workers *w, lb_text_batches batches, lb_translate_config config,
                           lb_translations *all, lb_error *error)
{
    lb_status status = LB_OK;
    int sent = send_others(w, batches, config, &status, error);
    if (!status) status = have_first(w, batches, config, all, error);
    size_t first = 0;
    for (int i = 1; i <= sent && !w->lost; i++) {
        lb_error found = {0};
        first += batches.size[i - 1];
        if (receive_batch(w, i, all, first, &found) && !status)
            status = lb_error_set(error, found.status, "%s", found.message);
    }
    return status;
}

static lb_translations *new_translations(size_t count, lb_error *error)
{
    lb_translations *all = lb_alloc_zero(sizeof *all);
    if (all) all->memory = lb_arena_new();
    if (all && all->memory) all->text = lb_arena_alloc(all->memory, count * sizeof *all->text + 1);
    if (all && all->text) {
        all->count = count;
        return all;
    }
    out_of_memory(count, error);
    lb_translations_free(all);
    return NULL;
}

lb_translations *lb_workers_translate(lb_workers *w, lb_text_batches batches, lb_translate_config config,
                                      lb_error *error)
{
    size_t count = 0;
    for (int i = 0; i < batches.count; i++) count += batches.size[i];
    if (batches.count < 2) return lb_translate_all(w->translator, batches.text, count, config, error);
    lb_translations *all = new_translations(count, error);
    if (!all || share_out(w, batches, config, all, error) == LB_OK) return all;
    lb_translations_free(all);
    return NULL;
}

/* ---- The other processes. ---- */

static lb_status read_texts(lb_workers *w, const job *given, char *letters, const char **texts,
                            lb_error *error)
{
    lb_status status = receive_from(w, 0, letters, given->bytes, error);
    for (size_t i = 0; i < given->count && !status; i++) {
        texts[i] = letters;
        letters += strlen(letters) + 1;
    }
    return status;
}

/* What the texts or the model cause is the same everywhere; what this process lacks is not. */
static answer answer_for(const lb_workers *w, lb_status status, const lb_error *found, size_t bytes)
{
    answer said = {.bytes = bytes};
    const char *name = status == LB_ERROR_MEMORY ? w->group->name : "";
    if (status) lb_error_set(&said.error, status, "%s%s%s", name, *name ? ": " : "", found->message);
    return said;
}

static lb_status work(lb_workers *w, const job *given, const char *const *texts, lb_error *error)
{
    lb_buffer bytes = {0};
    lb_error found = {0};
    lb_status status = translate_here(w, texts, given->count, given->config, &bytes, &found);
    answer said = answer_for(w, status, &found, bytes.length);
    status = send_to(w, 0, &said, sizeof said, error);
    if (!status && !said.error.status) status = send_to(w, 0, bytes.text, bytes.length, error);
    lb_release(bytes.text);
    return status;
}

static lb_status do_job(lb_workers *w, const job *given, lb_error *error)
{
    char *letters = lb_alloc(given->bytes);
    const char **texts = lb_alloc(given->count * sizeof *texts);
    lb_status status;
    if (letters && texts) {
        status = read_texts(w, given, letters, texts, error);
        if (!status) status = work(w, given, texts, error);
    } else {
        status = out_of_memory(given->count, error);
    }
    lb_release((void *)texts);
    lb_release(letters);
    return status;
}

lb_status lb_workers_serve(lb_workers *w, lb_error *error)
{
    for (;;) {
        job given;
        lb_status status = receive_from(w, 0, &given, sizeof given, error);
        if (!status && given.order == END)
            return given.status ? lb_error_set(error, given.status, "%s", lb_status_text(given.status))
                                : LB_OK;
        if (!status && given.order == TRANSLATE) status = do_job(w, &given, error);
        if (status) return status;
    }
}
