#!/bin/bash
# Does attention look where erasure says that the output depends? Trains small models, measures them, and prints a table:
# `bench/why.sh --help`.
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source-path=SCRIPTDIR
. "$root/bench/script.sh"
tasks=(sort reverse dates spanish inflection)
kinds=(additive general multi-head location hard transformer)

help() {
    cat <<END
usage: bench/why.sh [--quick] [--only TEXT] [--threads N] [--out FOLDER] [FILE FILE]

Trains a model of each kind, ${kinds[*]}, for each task, ${tasks[*]}, for a fixed
number of steps, and measures it with \`lookback evaluate --why\` on 200 pairs that it has not seen: how far attention and erasure
agree, for the mean of the heads and the best head, beside uniform weights and those of another pair. Prints a Markdown table, and
writes it to FOLDER/why.md; FOLDER also keeps the models, and is out/ by default.

The two FILEs are training and test pairs of inflection, with the features in column 2; without them that task is left out.
--only trains only what has TEXT in its name, such as sort-additive. Most trainings take less than a minute of one processor, the
longest one three. Running the same command again skips finished models. --quick is for a quick test: a few steps.
END
}

# Two hundred lists of two to ten numbers, with what the task makes of them.
lists_of() { # TASK
    "$bin/random_lists" 54 200 2 10 100 | awk -v task="$1" '{
        source = $0
        n = split($0, list, " ")
        for (i = 1; i <= n && task == "sort"; i++)
            for (j = n; j > i; j--)
                if (list[j] < list[j - 1]) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
        for (i = 1; i <= n; i++) source = source (i > 1 ? " " : "\t") (task == "sort" ? list[i] : list[n + 1 - i])
        print source
    }'
}

# Writes the files of a task. The last of them is test.tsv.
make_files() { # TASK FOLDER
    case $1 in
    sort | reverse) lists_of "$1" >"$2/test.new" ;;
    dates)
        "$bin/make_dates" "$2" >&2
        head -n 200 "$2/dev.tsv" >"$2/test.new"
        ;;
    spanish)
        cp "$root/examples/data/spanish_train.tsv" "$2/train.tsv"
        cp "$root/examples/data/spanish_dev.tsv" "$2/test.new"
        ;;
    inflection)
        cp "$train" "$2/train.tsv"
        # In another order: forms of one lemma are side by side, and would be each other's control.
        awk '{ print NR * 617 % 1009 "\t" $0 }' "$test" | sort -n -s -k 1,1 | cut -f 2- | awk 'NR <= 200' >"$2/test.new"
        ;;
    esac
    mv "$2/test.new" "$2/test.tsv"
}

measure() { # TASK KIND FOLDER
    local model=(--attention "$2") command=(train --train "$3/train.tsv" --no-hold-out) columns=() steps=2000
    if [[ $2 == transformer ]]; then model=(--model transformer); fi
    case $1 in
    sort | reverse) command=(sort --task "$1" --target 0 --lengths 2-10 --repeats 0) ;;
    spanish) command+=(--target-separator ' ') steps=1000 ;;
    inflection) columns=(--features-column 2) steps=3000 ;;
    esac
    if [[ $quick ]]; then steps=5; fi
    [[ $1 == sort || $1 == reverse ]] || command+=(--batch 32 --dropout 0.1)
    "$bin/lookback" "${command[@]}" "${columns[@]}" "${model[@]}" --hidden 64 --evaluate-every $steps --steps $steps --quiet \
        --threads "$threads" --out "$3/$2" >&2 || fail 1 "$1-$2: cannot train; to start over, remove $3/$2"
    "$bin/lookback" evaluate "$3/$2" "$3/test.tsv" "${columns[@]}" --why --json --threads "$threads" |
        row_of "$1" "$2" >"$3/$2/row.new"
    mv "$3/$2/row.new" "$3/$2/row"
}

# The row of a table for the JSON of evaluate: means, and half of their intervals.
row_of() { # TASK KIND
    awk -v task="$1" -v kind="$2" '
    function cell(row, key, scale, digits,    text, n) {
        text = row
        sub(".*\"" key "\":\\[", "", text)
        split(text, n, /[],]/)
        return sprintf("%." digits "f ± %." digits "f", scale * n[1], scale * (n[3] - n[2]) / 2)
    }
    function both(row) { return cell(row, "tau", 1, 2) ", " cell(row, "first", 100, 1) }
    {
        match($0, /"exact_match":{"value":[0-9.]*/)
        exact = substr($0, RSTART + 23, RLENGTH - 23)
        sub(/.*"why":/, "")
        count = split($0, row, /{"name":"/)
        for (i = 2; i <= count; i++) {
            if (row[i] ~ /^layer/ && (!best || cell(row[i], "tau", 1, 6) + 0 > cell(row[best], "tau", 1, 6) + 0)) best = i
            if (row[i] ~ /^uniform/) uniform = row[i]
            if (row[i] ~ /^another/) another = row[i]
        }
        name = row[best]
        sub(/".*/, "", name)
        printf "| %s | %s | %.1f | %s | %s | %s | %s | %s |\n", task, kind, exact, cell(row[2], "tau", 1, 2),
            cell(row[2], "first", 100, 1), best ? name ": " both(row[best]) : "", both(another), cell(uniform, "first", 100, 1)
    }'
}

read_options "only threads out" "$@"
set -- "${operands[@]}"
(($# == 0 || $# == 2)) || fail 2 "expected two files of inflection, or none; see --help"
train=${1-} test=${2-}
if (($# == 0)); then unset 'tasks[4]'; fi
for file in "$@"; do [[ -f $file ]] || fail 66 "$file: found no such file"; done
need_programs lookback make_dates random_lists
rows=()
for task in "${tasks[@]}"; do
    folder=$out/why$quick/$task
    mkdir -p "$folder"
    [[ -f $folder/test.tsv ]] || make_files "$task" "$folder"
    for kind in "${kinds[@]}"; do
        if [[ $task-$kind == *"$only"* && ! -f $folder/$kind/row ]]; then measure "$task" "$kind" "$folder"; fi
        if [[ -f $folder/$kind/row ]]; then rows+=("$folder/$kind/row"); fi
    done
done
((${#rows[@]})) || fail 2 "--only $only: found no such task and kind"
{
    echo "| task | attention | right, % | tau | same first symbol, % | best head | another pair | uniform, % |"
    echo "|---|---|---|---|---|---|---|---|"
    cat "${rows[@]}"
} >"$out/why$quick.md"
cat "$out/why$quick.md"
