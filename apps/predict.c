/* Applies a trained model to what stands on standard input: a line in, a line out. */
#include "common/predict.h"
#include "common/model_path.h"
#include "common/options.h"
#include "common/report.h"
#include "common/text_model.h"
#include "programs.h"
#include "tensor/gemm.h"
#include "train/translator.h"

/* What only a model of texts can do. */
static lb_status check_for_lists(const app_predict *asked, const char *path, lb_error *error)
{
    const char *option = asked->n_best > 0            ? "--n-best"
                         : asked->source_column > 0   ? "--source-column"
                         : asked->skip_bad_lines      ? "--skip-bad-lines"
                         : asked->length_penalty != 1 ? "--length-penalty"
                                                      : NULL;
    if (!option) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT, "%s is for models of texts, but %s sorts numbers", option,
                        path);
}

static int predict(const app_predict *asked, const char *model)
{
    char path[APP_PATH];
    lb_safetensors *file;
    lb_error error = {0};
    lb_status status = app_model_open(model, path, &file, &error);
    if (!status && lb_translator_is_in(file)) {
        status = app_predict_texts(asked, path, file, &error);
    } else if (!status) {
        status = check_for_lists(asked, path, &error);
        if (!status) status = app_predict_lists(asked, path, file, &error);
    }
    lb_safetensors_free(file);
    return app_close_stdout(status && error.status ? app_fail(&error) : 0);
}

int predict_main(int argc, char **argv)
{
    app_predict asked = {.batch = 256, .length_penalty = 1};
    int threads = 0;
    const app_option options[] = {
        APP_INT('b', "batch", "N", &asked.batch, 1, 65536,
                "lines to answer side by side, if as many are there"),
        APP_INT(0, "beam", "N", &asked.beam, 0, 1024,
                "hypotheses to follow side by side; 1 takes the likeliest symbol at each step; 0 for 5, or 1 "
                "for lists "
                "of numbers"),
        APP_TEXT(0, "attention", "FILE", &asked.attention,
                 "write where the model looked while it answered the one line of the input: a NumPy file, "
                 ".npy, of shape "
                 "[layer, head, target, source]"),
        APP_INT(0, "threads", "N", &threads, 0, 1024,
                "threads, 0 for one a processor; results do not depend on it"),
        APP_HEADING("Texts"),
        APP_INT(0, "source-column", "N", &asked.source_column, 1, 1 << 16,
                "where the texts stand in lines of several columns, separated by tabs"),
        APP_INT(
            0, "n-best", "N", &asked.n_best, 1, 1024,
            "print the N best outputs, the best first, and their scores in a third column; the beam is at "
            "least that wide"),
        APP_NUMBER(0, "length-penalty", "P", &asked.length_penalty, 0, 10,
                   "outputs are compared by their log-probability, divided by their length to this power"),
        APP_FLAG(0, "skip-bad-lines", &asked.skip_bad_lines,
                 "give lines that are no text an empty output instead of ending there"),
    };
    const app_program program = {
        .name = "predict",
        .purpose =
            "Applies a trained model, a file or the folder that it was written to. A model that train_sort "
            "has "
            "trained reads a list from each line of standard input, numbers separated by blanks, and prints "
            "it "
            "sorted. A model of pairs of texts reads a text and prints it, a tab and its output. The first "
            "line that cannot be read ends the program.",
        .operands = "MODEL",
        .min_operands = 1,
        .max_operands = 1,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .kernel = lb_kernel_name(),
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    lb_set_threads(threads);
    return predict(&asked, argv[0]);
}
