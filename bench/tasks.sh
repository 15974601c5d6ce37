#!/bin/bash
# Trains and measures a model for each of several small tasks, and prints a table: `bench/tasks.sh --help`.
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source-path=SCRIPTDIR
. "$root/bench/script.sh"
tasks=(plurals roman cyrillic numbers phrases sql dates copy reverse inflection)

help() {
    cat <<END
usage: bench/tasks.sh [--quick] [--task NAME]... [--threads N] [--out FOLDER]

Generates pairs for each task, trains a model on them with the defaults of \`lookback train\`, and evaluates it on a test file,
which shares no source with the other two: sequence and symbol error rates in percent, with greedy decoding and with the default
beam. Prints a Markdown table and writes it to FOLDER/tasks.md. FOLDER also keeps the models; the default is out/.

Tasks: ${tasks[*]}.
The only options set are separators, if symbols are words, and a column, if there are features.

Running the same command again resumes an interrupted run and skips finished tasks. --quick is for a quick test: a few pairs and
steps.
END
}

threads=0 chosen=()
while (($#)); do
    case $1 in
    --quick) quick=-quick ;;
    --task | --threads | --out)
        [[ -n ${2-} ]] || fail 2 "$1: expected a value"
        case $1 in
        --task)
            [[ " ${tasks[*]} " == *" $2 "* ]] || fail 2 "--task: no task is named $2; there are ${tasks[*]}"
            chosen+=("$2")
            ;;
        --threads) threads=$2 ;;
        --out) out=$2 ;;
        esac
        shift
        ;;
    -h | --help)
        help
        exit
        ;;
    *) fail 2 "unknown argument $1; see --help" ;;
    esac
    shift
done
[[ ${#chosen[@]} -gt 0 ]] || chosen=("${tasks[@]}")
need_programs lookback make_dates

work=$out/tasks$quick
if [[ $quick ]]; then
    train=40 dev=5 test=5 limit=(--steps 5)
else
    train=1500 dev=150 test=300 limit=()
fi

# Prints COUNT pairs of a task, or all if there are fewer.
pairs_of() { # TASK COUNT FOLDER
    local generator=$1 reverse=
    case $1 in
    dates)
        "$bin/make_dates" "$3" >&2
        awk -F'\t' -v wanted="$2" 'found < wanted && !($1 in seen) { seen[$1] = 1; found++; print }' "$3/train.tsv"
        return
        ;;
    copy) generator=copy ;;
    reverse) generator=copy reverse=1 ;;
    esac
    awk -v wanted="$2" -v reverse=$reverse -f "$root/bench/tasks/pairs.awk" -f "$root/bench/tasks/$generator.awk"
}

# Writes train.tsv, dev.tsv and test.tsv of a task. All sources differ, so no source is in two files.
make_files() { # TASK FOLDER
    local folder=$2.new of_train=$train of_dev=$dev
    # There are fewer irregular plurals than pairs elsewhere.
    if [[ $1 == plurals ]] && [[ ! $quick ]]; then of_train=200 of_dev=20; fi
    rm -rf "$folder"
    mkdir -p "$folder"
    pairs_of "$1" $((train + dev + test)) "$folder" >"$folder/all.tsv"
    awk -v train=$of_train -v dev=$of_dev -v folder="$folder" '{
        file = NR <= train ? "train" : NR <= train + dev ? "dev" : "test"
        print >(folder "/" file ".new")
    }' "$folder/all.tsv"
    rm -f "$folder"/*.tsv
    for file in train dev test; do mv "$folder/$file.new" "$folder/$file.tsv"; done
    mv "$folder" "$2"
}

# Writes the row of a task: its name, training pairs, steps and seconds of the training, error rates with greedy and beam search.
measure() { # TASK FOLDER
    local model=$2/model test=$2/pairs/test.tsv symbols=() columns=() greedy beam training
    case $1 in
    numbers) symbols=(--source-separator ' ') ;;
    sql) symbols=(--source-separator ' ' --target-separator ' ') ;;
    inflection) columns=(--features-column 2) ;;
    esac
    "$bin/lookback" train --train "$2/pairs/train.tsv" --dev "$2/pairs/dev.tsv" "${symbols[@]}" "${columns[@]}" \
        "${limit[@]}" --threads "$threads" --out "$model" || fail 1 "$1: cannot train; to start over, remove $2"
    training=$(tail -n 1 "$model/log.csv" | awk -F , '{ print $1, $8 }')
    greedy=$(error_rates "$model" "$test" "${columns[@]}" --beam 1)
    beam=$(error_rates "$model" "$test" "${columns[@]}")
    echo "$1" "$(wc -l <"$2/pairs/train.tsv")" "$training" "$greedy" "$beam" >"$2/row.new"
    mv "$2/row.new" "$2/row"
}

# Prints the sequence and the symbol error rate of a model, in percent.
error_rates() { # MODEL FILE FLAG...
    "$bin/lookback" evaluate "$@" --threads "$threads" | awk '
        /^sequence error rate/ { sequence = $4 }
        /^symbol error rate/ { symbol = $4 }
        END { print sequence, symbol }'
}

table() { # ROW...
    awk '
    BEGIN {
        print "| task | pairs | steps | seconds | sequence error, greedy | symbol error, greedy | sequence error | symbol error |"
        print "|---|---|---|---|---|---|---|---|"
    }
    { printf "| %s | %d | %d | %.0f | %.2f | %.2f | %.2f | %.2f |\n", $1, $2, $3, $4, $5, $6, $7, $8 }' "$@"
}

rows=()
for task in "${chosen[@]}"; do
    folder=$work/$task
    mkdir -p "$folder"
    [[ -d $folder/pairs ]] || make_files "$task" "$folder/pairs"
    # Skips a task whose row is newer than its pairs and the program.
    if ! [[ $folder/row -nt $folder/pairs && $folder/row -nt $bin/lookback ]]; then
        echo "=== $task" >&2
        measure "$task" "$folder" >&2
    fi
    rows+=("$folder/row")
done
table "${rows[@]}" >"$out/tasks.md.new"
mv "$out/tasks.md.new" "$out/tasks.md"
cat "$out/tasks.md"
