#!/bin/bash
# Trains and measures models that pronounce words, and prints a table: `bench/pronunciation.sh --help`.
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
task=pronunciation measure="sequence error rate" lines=() symbols=(--target-separator ' ')
pupil=yes single=(additive-1 additive-2 additive-3)

# With few pairs, a transformer is far behind the others, and monotonic attention ahead of them (docs/adr/0004).
choose() { # PAIRS
    kinds=additive:3,backward:3,monotonic-1:1,monotonic-1-backward:1,transformer:1,transformer-backward:1
    some=(additive-1 backward-4 monotonic-1-7 transformer-9 transformer-backward-10)
    if are_few "$1"; then
        kinds=additive:3,backward:3,monotonic-1:2,monotonic-1-backward:2
        some=(additive-1 backward-4 monotonic-1-7 monotonic-1-8 monotonic-1-backward-9)
    fi
}

help() {
    cat <<'END'
usage: bench/pronunciation.sh [--quick] [--out FOLDER] DIR

For each language in DIR, trains ten models on LANG_train.tsv, with the same settings for all languages: six kinds, or four
without transformers for fewer than 2,000 pairs. All pairs are trained on, and the last weights are kept, so that nothing is
chosen. Then one model learns from the ensemble of ten. Measures three models alone, ensembles of five and of ten, and the
pupil on LANG_dev.tsv, by sequence error rate: the share of words with a wrong sound. Prints a Markdown table with 95 % intervals and
writes it to FOLDER/pronunciation.md. FOLDER also keeps the models; the default is out/.

Each line of the files is a word, a tab, and its sounds, separated by spaces. Running the same command again resumes an
interrupted run and skips finished languages. --quick is for a quick test: three tiny models per language, and few steps.
END
}

# shellcheck source-path=SCRIPTDIR
. "$root/bench/languages.sh"
main "$@"
