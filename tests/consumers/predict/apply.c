/* Translates each line of standard input with a model, as `lookback predict` does. */
#include <lookback/translate.h>
#include <stdio.h>
#include <string.h>

static int fail(const lb_error *error)
{
    fprintf(stderr, "%s\n", error->message);
    return lb_status_exit(error->status);
}

static int apply(const lb_translator *model)
{
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        lb_error error = {0};
        line[strcspn(line, "\n")] = '\0';
        char *text = lb_translate(model, line, &error);
        if (!text) return fail(&error);
        puts(text);
        lb_release(text);
    }
    return 0;
}

int main(int count, char **arguments)
{
    lb_error error = {0};
    lb_translator *model = count == 2 ? lb_translator_open(arguments[1], &error) : NULL;
    int status = model ? apply(model) : fail(&error);
    lb_translator_close(model);
    return status;
}
