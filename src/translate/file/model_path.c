/* Where a model is: a file, or a folder with one of the names that a training gives it. */
#include "translate/file/text_model.h"

#include "base/alloc.h"
#include "io/path.h"
#include "lookback/translate.h"

#include <errno.h>

char *lb_model_place(const char *folder, bool sorts, lb_error *error)
{
    return lb_folder_path(folder, sorts ? "sort.safetensors" : "model.safetensors", error);
}

lb_status lb_model_check_place(const char *path, const char *folder, bool sorts, const char *use,
                               const char *what, lb_error *error)
{
    lb_os_info from, to;
    char *place = lb_model_place(folder, sorts, error);
    if (!place) return LB_ERROR_MEMORY;
    bool same =
        lb_os_info_at(path, true, &from) && lb_os_info_at(place, true, &to) && lb_os_is_one(&from, &to);
    lb_release(place);
    if (!same) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "cannot %s %s: %s would overwrite it; choose another folder to write to", use, path,
                        what);
}

/* The path of the model in a folder, to be released; NULL, with an error, if there is none. Only a file that does not
 * exist is none: one that cannot be read is found, and opening it says why. */
static char *look_into(const char *folder, lb_error *error)
{
    lb_os_info found;
    for (int sorts = 0; sorts <= 1; sorts++) {
        char *path = lb_model_place(folder, sorts, error);
        bool there = path && (lb_os_info_at(path, false, &found) || errno != ENOENT);
        if (!path || (there && lb_own_check_content(path, error) == LB_OK)) return path;
        lb_release(path);
        if (there) return NULL;
    }
    return lb_null(lb_error_set(
        error, LB_ERROR_OPEN,
        "%s: found a folder without a model, expected model.safetensors or sort.safetensors in it", folder));
}

char *lb_model_path(const char *path, lb_error *error)
{
    lb_os_info found;
    if (lb_os_info_at(path, true, &found) && found.kind == LB_OS_IS_FOLDER) return look_into(path, error);
    char *copy = lb_alloc_string(path);
    if (!copy) lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    return copy;
}

lb_safetensors *lb_model_file_open(const char *path, char **found, lb_error *error)
{
    char *name = lb_model_path(path, error);
    lb_safetensors *file = name ? lb_safetensors_open(name, error) : NULL;
    if (file && lb_safetensors_metadata_value(file, LB_RUN_KEY)) {
        lb_error_set(
            error, LB_ERROR_FORMAT,
            "%s: found the checkpoint of a training, expected its model, which is in the same folder", name);
        lb_safetensors_close(file);
        file = NULL;
    }
    if (found) *found = file ? name : NULL;
    if (!file || !found) lb_release(name);
    return file;
}
