#include "common/model_path.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* Finds the file in a folder. False if there is none. */
static bool look_into(const char *folder, char path[APP_PATH])
{
    static const char *const names[] = {"model.safetensors", "sort.safetensors"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (access(app_path(folder, names[i], path), F_OK) == 0) return true;
    return false;
}

lb_status app_model_open(const char *model, char path[APP_PATH], lb_safetensors **file, lb_error *error)
{
    *file = NULL;
    if (!is_folder(model))
        snprintf(path, APP_PATH, "%s", model);
    else if (!look_into(model, path))
        return lb_error_set(error, LB_ERROR_OPEN,
                            "%s: found a folder without a model, expected model.safetensors or "
                            "sort.safetensors in it",
                            model);
    lb_status status = lb_safetensors_open(path, file, error);
    if (status || !lb_safetensors_metadata_value(*file, LB_RUN_KEY)) return status;
    lb_safetensors_free(*file);
    *file = NULL;
    return lb_error_set(error, LB_ERROR_FORMAT,
                        "%s: found the checkpoint of a training, expected its model, which lies beside it",
                        path);
}

lb_status app_name_file(const char *path, const lb_error *found, lb_error *error)
{
    bool named = strncmp(found->message, path, strlen(path)) == 0;
    return lb_error_set(error, found->status, "%s%s%s", named ? "" : path, named ? "" : ": ", found->message);
}
