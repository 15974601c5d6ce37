#include "generate/completion.h"

#include <string.h>

const app_completion *app_completion_find(const char *shell)
{
    static const app_completion *const all[] = {&app_completion_bash, &app_completion_zsh,
                                                &app_completion_fish};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->shell, shell) == 0) return all[i];
    return NULL;
}

bool app_is_completed(const app_option *option)
{
    return option->kind != APP_IS_HEADING && !app_option_is_rare(option);
}

app_value app_value_of(const app_option *option)
{
    if (option->kind == APP_IS_FLAG) return APP_VALUE_NONE;
    if (option->choices) return APP_VALUE_WORDS;
    if (option->kind != APP_IS_TEXT) return APP_VALUE_OTHER;
    if (strcmp(option->metavar, "DIR") == 0) return APP_VALUE_FOLDER;
    return app_option_is_path(option) ? APP_VALUE_FILE : APP_VALUE_OTHER;
}

void app_value_put(const app_option *option, const char *const *as, const char *end, FILE *out)
{
    app_value value = app_value_of(option);
    fputs(as[value], out);
    if (value != APP_VALUE_WORDS) return;
    for (const char *const *choice = option->choices; *choice; choice++)
        fprintf(out, "%s%s", choice == option->choices ? "" : " ", *choice);
    for (const lb_alias *alias = option->aliases; alias && alias->name; alias++)
        fprintf(out, " %s", alias->name);
    fputs(end, out);
}
