#!/bin/bash
# Trains and measures models that inflect words, and prints a table: `bench/inflection.sh --help`.
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
task=inflection measure="exact match" lines=(--features-column 2) symbols=()
pupil='' single=(additive-1 additive-2)

choose() {
    kinds=additive:2,backward:1,monotonic-1:1,monotonic-1-backward:1 some=()
}

help() {
    cat <<'END'
usage: bench/inflection.sh [--quick] [--out FOLDER] DIR

For each language in DIR, trains five models of four kinds on LANG_train.tsv, with the same settings for all languages. All
pairs are trained on, and the last weights are kept, so that nothing is chosen. Measures two models alone and the ensemble of
five on LANG_dev.tsv, by exact match: the share of right forms. Prints a Markdown table with 95 % intervals and writes it to
FOLDER/inflection.md. FOLDER also keeps the models; the default is out/.

Each line of the files is a lemma, a tab, its features with semicolons between them, a tab, and the form. Running the same
command again resumes an interrupted run and skips finished languages. --quick is for a quick test: three tiny models per
language, and few steps.
END
}

# shellcheck source-path=SCRIPTDIR
. "$root/bench/languages.sh"
main "$@"
