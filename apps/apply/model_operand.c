#include "apply/model_operand.h"

#include <sys/stat.h>

/* Nothing else is opened: a pipe can be read only once. */
static bool is_model(const char *file)
{
    struct stat found;
    if (stat(file, &found) != 0 || !(S_ISREG(found.st_mode) || S_ISDIR(found.st_mode))) return false;
    lb_error ignored = {0};
    lb_safetensors *opened = lb_model_file_open(file, NULL, &ignored);
    lb_safetensors_close(opened);
    return opened != NULL;
}

lb_translator *app_open_model(const char *model, const char *file, lb_error *error)
{
    lb_error found = {0};
    lb_translator *translator = lb_translator_open(model, &found);
    if (translator) return translator;
    bool swapped = found.status != LB_ERROR_MEMORY && file && is_model(file);
    if (swapped)
        lb_error_set(error, found.status, "%s; the model comes first: %s %s", found.message, file, model);
    else
        lb_error_set(error, found.status, "%s", found.message);
    return NULL;
}
