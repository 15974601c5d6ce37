#!/bin/bash
# Trains on what is short or known, tests on what is longer or newly combined, and prints a table: `bench/generalise.sh --help`.
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
measure="exact match" lines=(--beam 1)

help() {
    cat <<'END'
usage: bench/generalise.sh [--quick] [--only TEXT] [--seeds N] [--out FOLDER] [DIR]

Without DIR: trains a transformer with each kind of positions, and GRUs with four kinds of attention, to copy lists of one to ten
digits, and measures them on held-out lists of up to fifty. Writes FOLDER/lengths.md, and lengths_positions.png and
lengths_attention.png, which show exact match over the length.

With DIR, the folder of SCAN, which has tasks_train_SPLIT.txt and tasks_test_SPLIT.txt: trains on each of its splits simple,
length, addprim_turn_left and addprim_jump, and on length_26, which is the length split with the border between training and test
at 26 actions instead of 22. Settings are those of the recipe; small: a GRU of width 96, dropout 0.1, all pairs, and the last
weights; longer: the same with three times as many steps; presented: a GRU of width 100 that gets 100,000 pairs one by one, with
their repeats, and reads its own symbols half of the time, as in the paper; and relative, a transformer with relative positions.
Measures the whole test file, with greedy decoding, and writes FOLDER/generalise.md.

Trains by N seeds (1). Running the same command again resumes an interrupted run and skips finished models. --only trains only what
has TEXT in its name, such as length-small; the table has all that are finished. --quick is for a quick test: tiny models, few steps.
END
}

# shellcheck source-path=SCRIPTDIR
. "$root/bench/languages.sh"

settings=(recipe small longer presented relative) splits=(simple length length_26 addprim_turn_left addprim_jump)
lengths=(10 12 15 20 30 40 50)
positions=(sinusoidal learned relative alibi rotary none fire random)
attention=(additive multi-head location monotonic-1)

settings_of() { # SETTING
    case $1 in
    recipe) ;;
    presented)
        echo --hidden 100 --embed 100 --dropout 0.1 --batch 1 --steps 100000 --lr 0.001 --set merge=false \
            --set scheduled-sampling=0.5 --no-hold-out --evaluate-every 10000
        ;;
    small) echo --hidden 96 --embed 48 --dropout 0.1 --batch 32 --steps 4000 --no-hold-out --evaluate-every 1000 ;;
    longer) echo "$(settings_of small)" --steps 12000 ;;
    relative)
        echo --model transformer --set positions=relative --hidden 128 --heads 8 --dropout 0.1 --steps 8000 --no-hold-out \
            --evaluate-every 2000
        ;;
    esac
}

# Writes the pairs of length_26: those of both files of the length split, by their number of actions.
draw_length_26() { # DIR TRAIN TEST
    cat "$1/tasks_train_length.txt" "$1/tasks_test_length.txt" |
        awk -F ' OUT: ' -v train="$2" -v test="$3" '{ print >(split($2, actions, " ") <= 26 ? train : test) }'
}

measure_split() { # NAME SPLIT SETTING SEED
    local folder=$work/$1 train=$dir/tasks_train_$2.txt test=$dir/tasks_test_$2.txt options
    if [[ $2 == length_26 ]]; then
        train=$work/train_26.txt test=$work/test_26.txt
        [[ -f $test ]] || draw_length_26 "$dir" "$train" "$test"
    fi
    read -ra options <<<"$(settings_of "$3")"
    "$bin/lookback" train "$train" --test "test=$test" "${options[@]}" "${small[@]}" --seed "$4" --out "$folder" >&2 ||
        fail 1 "$1: cannot train; to start over, remove $folder"
    echo "$2 $3 $(score "$folder" "$test")" >"$folder/result.new"
    mv "$folder/result.new" "$folder/result"
}

# One line for each length: the name of the curve, the length, and exact match in percent.
measure_lengths() { # NAME CURVE SEED OPTION...
    local folder=$work/$1 tests=() length
    for length in "${lengths[@]}"; do tests+=(--test "$length=$length"); done
    "$bin/lookback" sort --task copy --lengths 1-10 --max-number 9 --repeats 0 --target 0 --hidden 64 --batch 16 --steps 12000 \
        --evaluate-every 12000 "${small[@]}" "${tests[@]}" --seed "$3" "${@:4}" --out "$folder" >"$folder.txt" ||
        fail 1 "$1: cannot train; to start over, remove $folder"
    awk -v curve="$2" -v OFS='\t' '/, test [0-9]+$/ { print curve, $NF, $3 }' "$folder.txt" >"$folder/result.new"
    mv "$folder/result.new" "$folder/result"
}

# Means over the seeds, as a table with a row for each curve or split, and a column for each length or setting.
table() { # TITLE ROW-FIELD COLUMN-FIELD VALUE-FIELD COLUMN... <RESULTS
    awk -v title="$1" -v row="$2" -v column="$3" -v value="$4" -v columns="${*:5}" '
    !($row in seen) { seen[$row]; rows[++count] = $row }
    { sum[$row, $column] += $value; times[$row, $column]++ }
    END {
        wide = split(columns, name, " "); head = "| " title " |"; rule = "|---|"
        for (i = 1; i <= wide; i++) { head = head " " name[i] " |"; rule = rule "---|" }
        print head; print rule
        for (r = 1; r <= count; r++) {
            line = "| " rows[r] " |"
            for (i = 1; i <= wide; i++) {
                key = rows[r] SUBSEP name[i]
                line = line (key in sum ? sprintf(" %.1f |", sum[key] / times[key]) : "  |")
            }
            print line
        }
    }'
}

# The results of models, of all seeds.
results() { # NAME...
    local name file
    for name in "$@"; do
        for file in "$work/$name"-[0-9]*/result; do
            if [[ -f $file ]]; then cat "$file"; fi
        done
    done
}

# Draws the means of results over the length, if there are any.
curves() { # PICTURE TITLE NAME...
    [[ $(results "${@:3}") ]] || return 0
    results "${@:3}" | awk -F '\t' -v OFS='\t' '
    { sum[$1 OFS $2] += $3; if (!times[$1 OFS $2]++) keys[++count] = $1 OFS $2 }
    END { for (i = 1; i <= count; i++) print keys[i], sum[keys[i]] / times[keys[i]] }' |
        "$bin/bench_curves" --title "$2" --x "Digits of the list" \
            --y "Exact match, %" --linear -o "$1"
}

# Whether a model is wanted and not finished.
is_next() { # NAME
    [[ $1 == *"$only"* && ! -f $work/$1/result ]]
}

train_splits() {
    local split setting seed names=()
    for ((seed = 1; seed <= seeds; seed++)); do
        for setting in "${settings[@]}"; do
            for split in "${splits[@]}"; do
                if is_next "$split-$setting-$seed"; then measure_split "$split-$setting-$seed" "$split" "$setting" $seed; fi
            done
        done
    done
    for split in "${splits[@]}"; do names+=("${settings[@]/#/$split-}"); done
    results "${names[@]}" | table split 1 2 3 "${settings[@]}" >"$out/generalise.md"
    cat "$out/generalise.md"
}

train_lengths() {
    local kind seed
    for ((seed = 1; seed <= seeds; seed++)); do
        for kind in "${positions[@]}"; do
            is_next "$kind-$seed" || continue
            measure_lengths "$kind-$seed" "$kind" $seed --model transformer --lr 0.002 --set "positions=$kind"
        done
        for kind in "${attention[@]}"; do
            if is_next "$kind-$seed"; then measure_lengths "$kind-$seed" "$kind" $seed --attention "$kind"; fi
        done
    done
    results "${positions[@]}" "${attention[@]}" | table model 1 2 3 "${lengths[@]}" >"$out/lengths.md"
    curves "$out/lengths_positions.png" "Trained on ten digits, FIRE copies fifteen" "${positions[@]}"
    curves "$out/lengths_attention.png" "Trained on ten digits, location-sensitive attention copies fifty" "${attention[@]}"
    cat "$out/lengths.md"
}

read_options "out only seeds" "$@"
set -- "${operands[@]}"
if [[ $quick ]]; then small=(--steps 20 --hidden 16 --evaluate-every 20); fi
(($# <= 1)) || fail 2 "expected one folder, or none; see --help"
need_programs lookback
dir=${1-}
work=$out/$([[ $dir ]] && echo generalise || echo lengths)$quick
[[ ! $dir || -f $dir/tasks_test_length.txt ]] || fail 66 "$dir: found no tasks_test_length.txt in it"
mkdir -p "$work"
if [[ $dir ]]; then train_splits; else train_lengths; fi
