#include "cli/option_files.h"

#include "base/alloc.h"
#include "io/path.h"
#include "translate/file/text_model.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_one(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Files that do not exist yet: without memory for their folders, two that have one name count as one. */
static bool will_be_one(const char *a, const char *b)
{
    struct stat x, y;
    const char *name = strrchr(a, '/'), *other = strrchr(b, '/');
    if (strcmp(name ? name + 1 : a, other ? other + 1 : b) != 0) return false;
    char *folder = lb_folder_of(a), *other_folder = lb_folder_of(b);
    bool known = folder && other_folder && stat(folder, &x) == 0 && stat(other_folder, &y) == 0;
    lb_release(folder);
    lb_release(other_folder);
    return known ? is_one(&x, &y) : strcmp(a, b) == 0;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    bool exists = stat(a, &x) == 0, other_exists = stat(b, &y) == 0;
    if (exists && other_exists) return S_ISREG(x.st_mode) && is_one(&x, &y);
    return !exists && !other_exists && will_be_one(a, b);
}

/* Whether `named` is the file, or a folder that has it as its model. */
static bool has(const char *named, const char *file)
{
    char *model = lb_model_path(named, NULL);
    bool same = model && is_same_file(file, model);
    lb_release(model);
    return same;
}

/* Whether it is what the shell redirects to us. */
static bool is_standard_input(const char *file)
{
    struct stat x, y;
    return stat(file, &x) == 0 && S_ISREG(x.st_mode) && fstat(STDIN_FILENO, &y) == 0 && is_one(&x, &y);
}

/* What an option names; NULL: nothing. */
static const char *named_by(const app_option *option)
{
    return option->kind == APP_IS_TEXT && app_option_is_path(option) ? *option->value.text : NULL;
}

static lb_status refuse(const app_option *option, const char *dashes, const char *other, lb_error *error)
{
    char words[LB_SETTING_WORDS];
    return lb_error_set(error, LB_ERROR_ARGUMENT, "%s and %s%.160s: found one file, %.160s, expected two",
                        app_option_words(option, words), dashes, other, *option->value.text);
}

static lb_status check_output(const app_option *output, const app_option *options, int option_count,
                              char *const *operands, int operand_count, lb_error *error)
{
    const char *file = *output->value.text;
    for (int i = 0; i < option_count; i++) {
        const app_option *other = &options[i];
        const char *named = other == output ? NULL : named_by(other);
        if (named && has(named, file)) return refuse(output, "--", other->name, error);
    }
    for (int i = 0; i < operand_count; i++)
        if (has(operands[i], file)) return refuse(output, "", operands[i], error);
    return is_standard_input(file) ? refuse(output, "", "standard input", error) : LB_OK;
}

lb_status app_option_files_check(const app_option *options, int option_count, char *const *operands,
                                 int operand_count, lb_error *error)
{
    lb_status status = LB_OK;
    for (int i = 0; i < option_count && !status; i++)
        if (options[i].writes && *options[i].value.text)
            status = check_output(&options[i], options, option_count, operands, operand_count, error);
    return status;
}
