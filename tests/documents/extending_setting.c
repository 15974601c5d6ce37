/* The setting of docs/extending.md, in a copy of the table: it is an option with a range and a default, it makes
 * another run, and the recipe uses it. */
#include "base/alloc.h"
#include "settings/settings.h"
#include "translate/plan/recipe.h"

#include <stdio.h>
#include <string.h>

static int expect(bool holds, const char *what)
{
    if (!holds) printf("%s\n", what);
    return !holds;
}

int main(void)
{
    char words[LB_SETTING_WORDS];
    lb_error error = {0};
    lb_buffer json = {0}, usual = {0};
    lb_training_config config = {.clip_norm = -1};
    const lb_setting *row = lb_setting_find("clip-norm");
    int failed = expect(row && strcmp(lb_setting_words(row, words), "--set clip-norm") == 0, "no option");
    failed += expect(lb_settings_check(&config, &error) == LB_ERROR_ARGUMENT &&
                         strcmp(error.message, "clip_norm: found -1, expected 0 or more") == 0,
                     error.message);
    config.clip_norm = 0;
    lb_settings_fill_in(&config);
    lb_settings_print(&usual, &config, LB_SETTINGS_IDENTITY, 23, LB_SETTINGS_END);
    failed += expect(config.clip_norm == 1 && usual.length == 0, "the default is not 1, or is told");
    config.clip_norm = 0.5;
    lb_settings_print(&json, &config, LB_SETTINGS_IDENTITY, 23, LB_SETTINGS_END);
    failed += expect(json.text && strstr(json.text, "\"clip_norm\":0.5"), "it makes no other run");
    config.evaluate_every = 1;
    failed +=
        expect(lb_recipe_trainer(&config, 10).optimizer.clip_norm == (lb_real)0.5, "the recipe forgets it");
    lb_release(json.text);
    return failed > 0;
}
