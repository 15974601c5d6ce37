#!/bin/bash
# Measures what each setting of the recipe gains, and prints a table: `bench/recipe.sh --help`.
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
measure="sequence error rate" lines=() symbols=()

help() {
    cat <<'END'
usage: bench/recipe.sh [--quick] [--seeds N] [--only TEXT] [--out FOLDER] DIR...

For each language in the folders, trains models on LANG_train.tsv with the defaults of `lookback train`, and with one setting
changed at a time, by N seeds each (3). All pairs are trained on, and the last weights are kept, unless the setting holds a
tenth out. Measures them on LANG_dev.tsv, by sequence error rate: the share of words with a wrong symbol. Prints a Markdown
table and writes it to FOLDER/recipe.md. FOLDER also keeps the models; the default is out/.

Each line of the files is a word, a tab, and its sounds, separated by spaces; or a lemma, a tab, its features with semicolons
between them, a tab, and the form. Trains on one thread each, as many models at a time as there are processors. Running the same
command again resumes an interrupted run and skips finished models. --only trains only the settings whose name contains TEXT;
the table has all that are finished. --quick is for a quick test: tiny models, and few steps.
END
}

# shellcheck source-path=SCRIPTDIR
. "$root/bench/languages.sh"

# Name and options.
settings=(
    "the recipe|"
    "width 128, embeddings of 64|--hidden 128 --embed 64"
    "width 256, embeddings of 192|--hidden 256 --embed 192"
    "two layers|--layers 2"
    "dropout 0.3|--dropout 0.3"
    "batches of 32|--batch 32"
    "warm-up of 1000 steps|--warm-up 1000"
    "label smoothing 0|--label-smoothing 0"
    "label smoothing 0.1|--label-smoothing 0.1"
    "no average|--set average=0"
    "a tenth held out, the best weights kept|--hold-out"
    "a tenth held out, no early stopping|--hold-out --patience 0"
    "70 epochs|--epochs 70"
    "entmax|--set attention-weights=entmax"
    "monotonic-1|--attention monotonic-1"
    "copying|--copy"
    "transformer|--model transformer"
    "transformer, features without positions|--model transformer --set feature-positions=true"
)

# What the recipe does anyway, and what needs features, is left out.
says_something() { # OPTIONS PAIRS
    case $1 in
    "--label-smoothing 0") are_few "$2" ;;
    "--label-smoothing 0.1") ! are_few "$2" ;;
    *feature_positions=true) ((${#lines[@]})) ;;
    esac
}

# Leaves "SETTING, SEED, ERROR, SECONDS" in FOLDER/SETTING-SEED/result, with tabs between. The seconds are those of a
# processor, which other programs change little; 0 for a training that was interrupted, which nobody has timed as a whole.
train_one() { # FOLDER PATH SETTING SEED OPTION...
    local path=$2 setting=$3 seed=$4 model=$1/$3-$4 error seconds=0 TIMEFORMAT=%U
    shift 4
    [[ -d $model ]] || seconds=
    { time "$bin/lookback" train --train "${path}_train.tsv" --no-hold-out "${lines[@]}" "${symbols[@]}" "${small[@]}" \
        --threads 1 --set film=0 --seed "$seed" "$@" --out "$model" >"$model.log" 2>&1; } 2>"$model.seconds" ||
        fail 1 "cannot train $model: $(tail -n 1 "$model.log")"
    error=$(score "$model" "${path}_dev.tsv" 2>>"$model.log")
    printf '%s\t%s\t%s\t%s\n' "$setting" "$seed" "${error%% *}" "${seconds:-$(<"$model.seconds")}" >"$model/result.new"
    mv "$model/result.new" "$model/result"
}

# Sets `lines` and `symbols` by the columns of a language.
prepare() { # TRAIN
    lines=() symbols=(--target-separator ' ')
    if awk -F '\t' 'NR == 1 { exit NF != 3 }' "$1"; then lines=(--features-column 2) symbols=(); fi
}

# A row for each setting: the mean of its seeds for each language; over all models that the recipe has, too, the difference to
# it and its standard error; the time of a processor as a multiple of the recipe's.
table() { # WORK
    local entry result
    {
        for entry in "${settings[@]}"; do echo "${entry%%|*}"; done
        for result in "$1"/*/*/result; do
            result=${result#"$1/"}
            printf '%s\t%s\n' "${result%%/*}" "$(<"$1/$result")"
        done
    } | awk -F '\t' '
    NF == 1 { names[++settings] = $1 }
    NF > 1 {
        if (!($1 in known)) { known[$1]; languages[++count] = $1 }
        sum[$1, $2] += $4; models[$1, $2]++
        error[$1, $2, $3] = $4; seconds[$1, $2, $3] = $5
        if ($3 > seeds) seeds = $3
    }
    END {
        head = "| setting |"; rule = "|---|"
        for (i = 1; i <= count; i++) { head = head " " languages[i] " |"; rule = rule "---|" }
        print head " difference | time |"
        print rule "---|---|"
        for (n = 1; n <= settings; n++) {
            line = ""; pairs = total = squares = timed = times = 0
            for (i = 1; i <= count; i++) {
                key = languages[i] SUBSEP names[n]
                line = line (models[key] ? sprintf(" %.2f |", sum[key] / models[key]) : " |")
                for (seed = 1; seed <= seeds; seed++) {
                    ours = languages[i] SUBSEP names[n] SUBSEP seed
                    usual = languages[i] SUBSEP names[1] SUBSEP seed
                    if (!(ours in error) || !(usual in error)) continue
                    difference = error[ours] - error[usual]
                    pairs++; total += difference; squares += difference * difference
                    if (seconds[ours] && seconds[usual]) { timed++; times += seconds[ours] / seconds[usual] }
                }
            }
            if (!pairs) continue
            spread = pairs > 1 ? (squares - total * total / pairs) / (pairs - 1) : 0
            compared = n > 1 ? sprintf("%+.2f ± %.2f", total / pairs, sqrt((spread > 0 ? spread : 0) / pairs)) : ""
            print "| " names[n] " |" line " " compared " | " (timed ? sprintf("%.2f", times / timed) : "") " |"
        }
    }'
}

seeds=3
read_options "out seeds only" "$@"
set -- "${operands[@]}"
if [[ $quick ]]; then
    small=(--steps 20 --embed 8 --hidden 16 --evaluate-every 10)
    settings=("the recipe|" "two layers|--layers 2" "label smoothing 0|--label-smoothing 0")
fi
(($#)) || fail 2 "expected folders of languages; see --help"
work=$out/recipe$quick

paths=()
for folder in "$@"; do
    names=$(find_languages "$folder")
    for name in $names; do
        mkdir -p "$work/$name"
        paths+=("$folder/$name")
    done
done

# The first seeds of all come first, so that an interrupted run has whole rows.
lanes=$(nproc) running=0 failed=0
for ((seed = 1; seed <= seeds; seed++)); do
    for path in "${paths[@]}"; do
        name=${path##*/}
        prepare "${path}_train.tsv"
        count=$(wc -l <"${path}_train.tsv")
        for entry in "${settings[@]}"; do
            IFS='|' read -r setting options <<<"$entry"
            result=$work/$name/$setting-$seed/result
            if [[ $setting != *"$only"* || $result -nt ${path}_train.tsv && $result -nt ${path}_dev.tsv ]] ||
                ! says_something "$options" "$count"; then continue; fi
            ((running < lanes)) || { wait -n || failed=1; running=$((running - 1)); }
            # shellcheck disable=SC2086
            train_one "$work/$name" "$path" "$setting" "$seed" $options &
            running=$((running + 1))
        done
    done
done
while ((running > 0)); do
    wait -n || failed=1
    running=$((running - 1))
done

table "$work" >"$out/recipe.md.new"
mv "$out/recipe.md.new" "$out/recipe.md"
cat "$out/recipe.md"
exit "$failed"
