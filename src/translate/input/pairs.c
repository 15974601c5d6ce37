/* Opens the pairs of a training: from memory or a file, with an index if the file is large. */
#include "translate/input/data.h"

#include "base/alloc.h"
#include "base/format.h"
#include "base/group.h"
#include "io/path.h"
#include "translate/plan/recipe.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double MEGABYTE = 1e6;

typedef struct opening {
    lb_indexed_pairs *pairs;
    const lb_training_config *config;
    const lb_pair_format *format;
    const char *index;
    int32_t share;
    lb_error *error;
} opening;

/* What the first process tells the others: that there is an index, or a zero. */
typedef struct word {
    lb_pair_index_key key;
    uint64_t id;
} word;

static void tell_count(const void *config, const char *unit, int64_t done, int64_t total)
{
    const lb_event event = {.kind = LB_EVENT_COUNTED, .unit = unit, .done = done, .total = total};
    lb_training_tell(config, event, NULL);
}

lb_counter lb_training_counter(const lb_training_config *config)
{
    return config->tell ? (lb_counter){.counted = tell_count, .context = config} : (lb_counter){0};
}

lb_pairs *lb_training_pairs_find(const char *path, const lb_pair_texts *texts, const lb_pair_format *format,
                                 const lb_training_config *config, lb_error *error)
{
    return lb_pair_texts_given(texts)
               ? lb_pairs_from_memory(*texts, *format, error)
               : lb_pairs_open_counted(path, *format, lb_training_counter(config), error);
}

static bool is_wanted(const opening *o)
{
    lb_os_info info;
    lb_index_use use = o->config->index;
    if (use == LB_INDEX_NEVER || !lb_os_info_at(o->config->train, true, &info)) return false;
    if (info.kind != LB_OS_IS_FILE) return false;
    if (use == LB_INDEX_ALWAYS || o->config->index_file) return true;
    return o->config->out && info.bytes >= LB_INDEX_BYTES;
}

/* Where the user wants it, beside the pairs for everyone, or, if nobody has asked for it, in our folder. */
static char *name_index(const lb_training_config *c, lb_error *error)
{
    lb_buffer path = {0};
    lb_buffer_print(&path, "%s%s", c->index_file ? c->index_file : c->train, c->index_file ? "" : ".index");
    char *named = lb_buffer_end(&path);
    if (!named) lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", c->train);
    if (!named || c->index_file || c->index == LB_INDEX_ALWAYS || !c->out) return named;
    char *own = lb_folder_path(c->out, lb_os_name_of(named), error);
    lb_release(named);
    return own;
}

static void note_unwritten(const opening *o, const char *why)
{
    char text[LB_MESSAGE_LENGTH];
    snprintf(text, sizeof text, "%.400s; the next training will read all pairs again", why);
    lb_training_tell_text(o->config, LB_EVENT_NOTE, text);
}

static void note_made(const opening *o)
{
    char text[LB_MESSAGE_LENGTH];
    bool everyone = o->config->index == LB_INDEX_ALWAYS || o->config->index_file;
    lb_snprintf(text, sizeof text,
                "%.160s: wrote the index %.160s, %.0f MB; the next training %s%.60s starts at once",
                o->config->train, o->index, ceil((double)o->pairs->file.count / MEGABYTE),
                everyone ? "on this file" : "in ", everyone ? "" : o->config->out);
    lb_training_tell_text(o->config, LB_EVENT_NOTE, text);
}

static bool is_writable(const opening *o)
{
    char why[LB_MESSAGE_LENGTH];
    char *folder = lb_folder_of(o->index);
    /* Without memory, it is found out later. An index that cannot be read is not replaced. */
    bool may =
        !folder || (lb_os_may(folder, LB_OS_WRITE) && (lb_os_may(o->index, LB_OS_READ) || errno == ENOENT));
    int reason = errno;
    lb_release(folder);
    if (may) return true;
    snprintf(why, sizeof why, "%.300s: cannot write: %s", o->index, strerror(reason));
    note_unwritten(o, why);
    return false;
}

/* Opens the file with its index. Without one that fits, there are no pairs. */
static lb_status try_index(const opening *o, const lb_pair_index_key *key, bool all)
{
    lb_error found = {0};
    lb_status status =
        lb_indexed_pairs_open(o->pairs, o->config->train, o->format, o->index, key, all, &found);
    return status == LB_ERROR_MEMORY ? lb_error_set(o->error, status, "%s", found.message) : LB_OK;
}

static lb_status read_all(const opening *o)
{
    const lb_training_config *c = o->config;
    lb_pairs *train = lb_training_pairs_find(c->train, &c->pairs, o->format, c, o->error);
    return lb_indexed_pairs_read(o->pairs, train, o->share, o->error);
}

/* Makes the index, unless the file has changed while it was read, and goes on with it: what the passes took is then
 * free. */
static void make_index(const opening *o, const lb_pair_index_key *key)
{
    lb_error found = {0};
    lb_indexed_pairs indexed;
    lb_pair_index_key now;
    const char *train = o->config->train;
    if (o->pairs->train->file.copied) return; /* the copy has to be made again, anyway */
    lb_status status = lb_pair_index_find_key(train, o->format, o->share, &now, &found);
    if (!status && memcmp(&now, key, sizeof now) != 0)
        status = lb_error_set(&found, LB_ERROR_FORMAT, "%s: the file has changed since it was opened", train);
    if (!status) status = lb_indexed_pairs_write(o->pairs, o->index, !o->config->index_file, key, &found);
    if (!status) status = lb_indexed_pairs_open(&indexed, train, o->format, o->index, key, true, &found);
    if (status) {
        note_unwritten(o, found.message);
        return;
    }
    lb_indexed_pairs_free(o->pairs);
    *o->pairs = indexed;
    note_made(o);
}

/* Without an index, the others shall read the file while we do. */
static lb_status lead(const opening *o, word *told)
{
    if (!is_wanted(o)) return LB_OK;
    lb_status status = lb_pair_index_find_key(o->config->train, o->format, o->share, &told->key, o->error);
    if (!status) status = try_index(o, &told->key, true);
    if (!status && !o->pairs->train && is_writable(o)) {
        status = read_all(o);
        if (!status) make_index(o, &told->key);
    }
    told->id = status ? 0 : o->pairs->id;
    return status;
}

/* The format is our own: with other settings, there is no such index. */
static lb_status follow(const opening *o, const word *told)
{
    lb_pair_index_key key = told->key;
    key.format = lb_pair_index_format(o->format, o->share);
    lb_status status = try_index(o, &key, false);
    if (!status && o->pairs->train && o->pairs->id != told->id) lb_indexed_pairs_free(o->pairs);
    return status;
}

lb_status lb_training_pairs_open(lb_indexed_pairs *pairs, char **index, const lb_training_config *config,
                                 const lb_pair_format *format, lb_error *error)
{
    *pairs = (lb_indexed_pairs){0};
    bool in_memory = lb_pair_texts_given(&config->pairs);
    *index = in_memory ? NULL : name_index(config, error);
    if (!*index && !in_memory) return LB_ERROR_MEMORY;
    bool whole = config->dev || lb_pair_texts_given(&config->dev_pairs) || config->no_hold_out;
    const opening o = {pairs, config, format, *index, whole ? 0 : LB_HELD_OUT, error};
    if (in_memory) return read_all(&o);
    word told = {0};
    bool leads = lb_group_leads(config->group);
    lb_status status = leads ? lead(&o, &told) : LB_OK;
    lb_error exchanged = {0};
    /* Also after an error, which the others then find, too. */
    if (lb_group_tell(config->group, &told, sizeof told, &exchanged) && !status)
        status = lb_error_set(error, exchanged.status, "%s", exchanged.message);
    if (!status && !leads && told.id) status = follow(&o, &told);
    return status || pairs->train ? status : read_all(&o);
}
