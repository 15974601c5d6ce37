/* A model reads other files as that of its training: columns by their names, and pipes as files. It takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <string.h>

enum { COMMAND = 1024 };

/* Runs a command of the shell; "L" is the program. */
static void run(const char *command)
{
    char text[COMMAND];
    snprintf(text, sizeof text, "L=" BIN_DIR "/lookback; %s", command);
    SUPPORT_RUN(&support_ran, NULL, "/bin/bash", "-c", text);
}

static void expect(const char *command, const char *output, const char *error)
{
    run(command);
    ck_assert_msg(support_ran.status == 0, "%s: %s", command, support_ran.error);
    ck_assert_msg(strncmp(support_ran.output, output, strlen(output)) == 0, "%s: %s", command,
                  support_ran.output);
    ck_assert_msg(*error ? strstr(support_ran.error, error) != NULL : !*support_ran.error, "%s: %s", command,
                  support_ran.error);
}

/* A word of letters a to d, and the same with an x behind it: a model copies it after some steps. */
static void write_words(const char *path, const char *header, const char *pattern, int first, int count)
{
    static char text[1 << 14];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", header);
    for (int i = first; i < first + count; i++) {
        const char word[] = {(char)('a' + i % 4), (char)('a' + i / 4 % 4), (char)('a' + (i / 16 + i) % 4), 0};
        used += (size_t)snprintf(text + used, sizeof text - used, pattern, word, word);
    }
    support_write_text(path, text);
}

#define TRAIN                                                                                                \
    " --hidden 32 --embed 24 --steps 300 --dropout 0 --evaluate-every 100 --threads 1 --set film=0 --out "

#define MOVED                                                                                                \
    ": read as source 2 \"lemma\", target 1 \"form\"; the model was trained with source 1 \"lemma\", "       \
    "target 2 \"form\"\n"

static void make_table(void)
{
    write_words("train.csv", "lemma,form\n", "%s,%sx\n", 0, 60);
    write_words("same.csv", "lemma,form\n", "%s,%sx\n", 3, 20);
    write_words("moved.csv", "form,lemma\n", "%2$sx,%1$s\n", 3, 20);
    write_words("ids.csv", "id,lemma\n", "7,%s\n", 3, 1);
    run("$L train train.csv --no-hold-out" TRAIN "table");
    ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
}

START_TEST(test_readings_columns_of_all_programs_are_those_with_the_names_of_the_training)
{
    make_table();
    expect("$L evaluate table same.csv --json", "{\"pairs\":20,", "");
    expect("$L evaluate table same.csv | sed -n 2p", "exact match           100.00 %", "");
    expect("$L evaluate table moved.csv | sed -n 2p", "exact match           100.00 %",
           "lookback evaluate: moved.csv" MOVED);
    expect("$L score table moved.csv | cut -f 1,2 | head -n 1", "dad\tdadx\n",
           "lookback score: moved.csv" MOVED);
    expect("$L predict table moved.csv | head -n 1", "dad\tdadx\n", "moved.csv: read as source 2 \"lemma\"");
    expect("$L predict table ids.csv", "dad\tdadx\n", "ids.csv: read as source 2 \"lemma\"");
    expect("printf 'lemma\\ndad\\n' | $L predict table --only-outputs | wc -l", "2\n",
           "standard input: the first line is \"lemma\", the name of the sources in training: it is read as "
           "a text");
    expect("$L report table moved.csv", "", "wrote report.html (20 pairs");
    expect("$L join table table -o both --dev moved.csv | grep -c ' 1.0000 '", "3\n", "moved.csv" MOVED);
    expect("$L train train.csv --dev moved.csv" TRAIN "again | tail -n 1",
           "exact match 100.00 % (greedy) on 20 pairs of moved.csv\n", "moved.csv" MOVED);
    expect("$L train moved.csv --from table --dev same.csv --steps 2 --set film=0 --out further | tail -n 1",
           "exact match 100.00 % (greedy) on 20 pairs of same.csv\n", "moved.csv" MOVED);
}
END_TEST

START_TEST(test_readings_members_of_objects_are_found_by_name)
{
    write_words("train.jsonl", "", "{\"source\": \"%s\", \"target\": \"%sx\"}\n", 0, 60);
    write_words("more.jsonl", "", "{\"id\": \"12\", \"target\": \"%2$sx\", \"source\": \"%1$s\"}\n", 3, 20);
    write_words("sources.jsonl", "", "{\"id\": \"12\", \"source\": \"%s\"}\n", 3, 1);
    write_words("others.jsonl", "", "{\"id\": \"12\", \"text\": \"%s\"}\n", 3, 1);
    run("$L train train.jsonl --no-hold-out" TRAIN "objects");
    expect("$L evaluate objects more.jsonl | sed -n 2p", "exact match           100.00 %",
           "read as source 3 \"source\", target 2 \"target\"");
    expect("$L predict objects sources.jsonl", "dad\tdadx\n", "read as source 2 \"source\"");
    run("$L predict objects others.jsonl");
    ck_assert_int_eq(support_ran.status, 65);
    ck_assert_ptr_nonnull(
        strstr(support_ran.error, "found the members \"id\", \"text\", expected \"source\" as in training"));
}
END_TEST

START_TEST(test_readings_of_a_pipe_are_those_of_the_file)
{
    static const char *const ways[] = {"- < same.csv", "- < <(cat same.csv)", "- < <(gzip < same.csv)",
                                       "<(cat same.csv)", "<(gzip < same.csv)"};
    char command[COMMAND];
    make_table();
    for (size_t i = 0; SUPPORT_ROW(i, ways); i++) {
        snprintf(command, sizeof command, "$L evaluate table %s | head -n 2", ways[i]);
        expect(command, "pairs                     20\nexact match           100.00 %", "");
        snprintf(command, sizeof command, "$L score table %s | wc -l", ways[i]);
        expect(command, "20\n", "");
        snprintf(command, sizeof command, "$L data %s | sed 's/^[^:]*//' | head -n 1", ways[i]);
        expect(command, ": csv+header, 21 lines, 20 pairs\n", "");
        snprintf(command, sizeof command, "$L predict table %s 2> said | head -n 1; wc -l < said", ways[i]);
        expect(command, "dad\tdadx\n1\n", "");
    }
    /* A header whose names are unknown, for CSV as for TSV. */
    run("sed 's/lemma,form/xx,yy/' same.csv > named.csv; $L train named.csv --format csv+header "
        "--no-hold-out" TRAIN "named");
    expect("$L evaluate named named.csv | head -n 1", "pairs                     20\n", "");
    expect("$L evaluate named - < <(cat named.csv) | head -n 1", "pairs                     20\n", "");
}
END_TEST
