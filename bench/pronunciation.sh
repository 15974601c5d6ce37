#!/bin/bash
# Trains and measures models that pronounce words, and prints a table: `bench/pronunciation.sh --help`.
set -euo pipefail
unset CDPATH
root=$(cd -- "$(dirname -- "$0")/.." && pwd)
bin=${BIN:-$root/build/release/bin}
# With these in the environment, OpenBLAS runs at half its speed on some machines.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE

help() {
    cat <<'END'
usage: bench/pronunciation.sh [--quick] [--out FOLDER] DIR

Trains five models, with seeds 1 to 5, on LANG_train.tsv of each language in DIR, with the same settings for all. Evaluates the
first three models, and the ensemble of all five, on LANG_dev.tsv, by sequence error rate: the share of words with a wrong
sound. Prints a Markdown table and writes it to FOLDER/pronunciation.md. FOLDER also keeps the models; the default is out/.

Each line of the files is a word, a tab, and its sounds, separated by blanks. Running the same command again resumes an
interrupted run and skips finished languages. --quick is for a quick test: one model per language, and few steps.
END
}

fail() { # STATUS MESSAGE
    echo "pronunciation.sh: $2" >&2
    exit "$1"
}

out=$root/out quick=false
while [[ ${1-} == -* ]]; do
    case $1 in
    --quick) quick=true ;;
    --out)
        [[ -n ${2-} ]] || fail 2 "--out: expected a folder"
        out=$2
        shift
        ;;
    -h | --help)
        help
        exit
        ;;
    *) fail 2 "unknown option $1; see --help" ;;
    esac
    shift
done
[[ $# == 1 ]] || fail 2 "expected one folder of languages; see --help"
[[ -d $1 ]] || fail 66 "$1: found no such folder"
[[ -x $bin/lookback ]] || fail 1 "$bin/lookback is missing; ./run build makes it"
shopt -s nullglob
files=("$1"/*_train.tsv)
[[ ${#files[@]} -gt 0 ]] || fail 66 "$1: found no LANG_train.tsv in it"

if $quick; then
    models=1 alone=1 steps=(--steps 300) work=$out/pronunciation-quick
else
    models=5 alone=3 steps=() work=$out/pronunciation
fi

# Prints the sequence error rate of a model, in percent.
sequence_error_rate() { # MODEL DEV
    "$bin/lookback" evaluate "$1" "$2" | awk '/^sequence error rate/ { print $4 }'
}

# Writes the row of a language: its name, pairs of train and dev, seconds for training one model, the sequence error rate
# of the ensemble ("-" for a single model), and those of the single models.
measure() { # LANGUAGE TRAIN DEV FOLDER
    local folder=$4 rates='' seconds='' together=- model seed
    "$bin/lookback" train --train "$2" --dev "$3" --target-separator ' ' --seed 1 --seeds $models "${steps[@]}" --out "$folder" ||
        fail 1 "$1: cannot train; to start over, remove $folder"
    for ((seed = 1; seed <= models; seed++)); do
        model=$folder
        ((models == 1)) || model=$folder/seed-$seed
        seconds+=" $(tail -n 1 "$model/log.csv" | cut -d , -f 8)"
        ((seed > alone)) || rates+=" $(sequence_error_rate "$model" "$3")"
    done
    ((models == 1)) || together=$(sequence_error_rate "$folder" "$3")
    echo "$seconds" |
        awk -v name="$1" -v train="$(wc -l <"$2")" -v dev="$(wc -l <"$3")" -v rates="$rates" -v together="$together" '
        { for (i = 1; i <= NF; i++) sum += $i; print name, train + 0, dev + 0, sum / NF, together rates }' >"$folder/row.new"
    mv "$folder/row.new" "$folder/row"
}

# Prints the rows as a table, with the mean of the languages if there are several.
table() { # ROW...
    awk -v alone=$alone -v models=$models '
    function line(name, train, dev, mean, each, together, seconds) {
        printf "| %s | %s | %s | %.2f |%s %s | %.0f |\n", name, train, dev, mean, each, together, seconds
    }
    function percent(rate) { return rate == "-" ? "-" : sprintf("%.2f", rate) }
    BEGIN {
        printf "| language | pairs | dev pairs | one model, mean of %d |", alone
        for (i = 1; i <= alone; i++) printf " seed %d |", i
        printf " ensemble of %d | seconds of training one |\n|---|---|---|---|", models
        for (i = 1; i <= alone; i++) printf "---|"
        print "---|---|"
    }
    {
        mean = 0; each = ""
        for (i = 1; i <= alone; i++) { mean += $(5 + i) / alone; each = each " " percent($(5 + i)) " |"; sums[i] += $(5 + i) }
        line($1, $2, $3, mean, each, percent($5), $4)
        means += mean; together += $5; seconds += $4
    }
    END {
        if (NR < 2) exit
        each = ""
        for (i = 1; i <= alone; i++) each = each " " percent(sums[i] / NR) " |"
        line("mean", "", "", means / NR, each, models > 1 ? percent(together / NR) : "-", seconds / NR)
    }' "$@"
}

rows=()
for train in "${files[@]}"; do
    name=$(basename "$train" _train.tsv)
    dev=$1/${name}_dev.tsv
    [[ -f $dev ]] || fail 66 "$dev: found no such file beside $train"
    row=$work/$name/row
    mkdir -p "$work/$name"
    # Skips a language whose row is newer than its files and the program.
    if ! [[ $row -nt $train && $row -nt $dev && $row -nt $bin/lookback ]]; then
        echo "=== $name" >&2
        measure "$name" "$train" "$dev" "$work/$name" >&2
    fi
    rows+=("$row")
done
table "${rows[@]}" >"$out/pronunciation.md.new"
mv "$out/pronunciation.md.new" "$out/pronunciation.md"
cat "$out/pronunciation.md"
