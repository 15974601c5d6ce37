/* Applies a trained model to a text: predict_text MODEL TEXT. */
#include <lookback/lookback.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    lb_error error = {0};
    lb_translator *model = lb_translator_open(argc > 1 ? argv[1] : "out", &error);
    char *output = model ? lb_translate(model, argc > 2 ? argv[2] : "", &error) : NULL;
    fprintf(output ? stdout : stderr, "%s\n", output ? output : error.message);
    lb_release(output);
    lb_translator_close(model);
    return lb_status_exit(error.status);
}
