#!/bin/bash
# Measures the recipe from a hundred pairs to all of a file, and prints a table: `bench/sizes.sh --help`.
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
measure="sequence error rate"

help() {
    cat <<'END'
usage: bench/sizes.sh [--quick] [--sizes "N..."] [--only TEXT] [--seeds N] [--out FOLDER] TRAIN DEV

Trains models on N words of TRAIN, drawn at random, each with all of its pronunciations, for each of the sizes (100, 400, 1600,
6400, 25600 and all), with the defaults of `lookback train`, with those that it had before they followed the number of pairs, and
by a vote, `--ensemble auto`. Measures them on DEV by sequence error rate: the share of words of which no pronunciation is written.
Prints a Markdown table and writes it to FOLDER/sizes.md, with a chart, FOLDER/sizes.png. FOLDER also keeps the models; the
default is out/.

Each line of the files is a word, a tab, and its sounds, separated by blanks. Trains by N seeds (1). Running the same command again
resumes an interrupted run and skips finished models. --only trains only what has TEXT in its name, recipe, former or vote; the
table has all that are finished. --quick is for a quick test: tiny models, few steps and words.
END
}

# shellcheck source-path=SCRIPTDIR
. "$root/bench/languages.sh"

# The recipe before it followed the number of pairs: it knew only few and many.
former() { # PAIRS
    local batch=64 smoothing=0 steps
    if (($1 < 2000)); then batch=16 smoothing=0.1; fi
    steps=$((35 * $1 / batch))
    echo --embed 128 --hidden 192 --dropout 0.5 --batch $batch --label-smoothing $smoothing --steps $((steps > 4000 ? steps : 4000))
}

# Of a training, which options differ in.
config() { # SIZE OPTION...
    "$bin/lookback" train --train "$work/$1.tsv" --no-hold-out --target-separator ' ' "${@:2}" "${small[@]}" --print-config
}

# Writes the pairs of so many words.
draw() { # TRAIN SIZE TO
    if [[ $2 == all ]]; then
        cp "$1" "$3"
    else
        awk -F '\t' 'NR == FNR { drawn[$1]; next } $1 in drawn' \
            <(cut -f 1 "$1" | uniq | shuf --random-source=<(yes) -n "$2") "$1" >"$3"
    fi
}

# Of training, of all members of a vote.
seconds_in() { # FOLDER
    local log
    for log in "$1"/log.csv "$1"/*/log.csv; do
        [[ ! -f $log ]] || seconds_of "$(dirname "$log")"
    done | awk '{ sum += $1 } END { print sum }'
}

# Leaves "SIZE, PAIRS, RECIPE, ERROR, SECONDS" in FOLDER/result, with tabs between.
train_one() { # FOLDER SIZE RECIPE OPTION...
    local folder=$1 size=$2 recipe=$3 train=$work/$2.tsv error
    shift 3
    "$bin/lookback" train --train "$train" --no-hold-out --target-separator ' ' --set film=0 "$@" "${small[@]}" --out "$folder" \
        >"$folder.log" 2>&1 || fail 1 "cannot train $folder: $(tail -n 1 "$folder.log")"
    error=$("$bin/lookback" evaluate --any-target "$folder" "$dev" |
        awk -v measure="$measure" 'index($0, measure) == 1 { $0 = substr($0, length(measure) + 1); print $1 }')
    printf '%s\t%s\t%s\t%s\t%s\n' "$size" "$(wc -l <"$train")" "$recipe" "$error" "$(seconds_in "$folder")" >"$folder/result.new"
    mv "$folder/result.new" "$folder/result"
}

# A row for each size: the mean of the seeds by each recipe, and the seconds of training.
table() {
    cat "$work"/*/result | sort -n -k 2 | awk -F '\t' '
    !($1 in pairs) { pairs[$1] = $2; sizes[++count] = $1 }
    { sum[$1, $3] += $4; seconds[$1, $3] += $5; models[$1, $3]++ }
    function mean(values, size, recipe,    n) {
        n = models[size, recipe]
        return n ? sprintf(values == "error" ? "%.2f" : "%.0f", (values == "error" ? sum[size, recipe] : seconds[size, recipe]) / n) : ""
    }
    END {
        print "| words | pairs | former recipe | seconds | recipe | seconds | vote | seconds |"
        print "|---|---|---|---|---|---|---|---|"
        for (i = 1; i <= count; i++) {
            s = sizes[i]
            print "| " s " | " pairs[s] " | " mean("error", s, "former") " | " mean("time", s, "former") " | " \
                mean("error", s, "recipe") " | " mean("time", s, "recipe") " | " \
                mean("error", s, "vote") " | " mean("time", s, "vote") " |"
        }
    }'
}

# The curves of the table, from its rows, without those of the former recipe.
curves() {
    awk -F ' *[|] *' '
    NR > 2 {
        if ($6 != "") print "one model\t" $3 "\t" $6
        if ($8 != "") print "ensemble, --ensemble auto\t" $3 "\t" $8
    }'
}

sizes="100 400 1600 6400 25600 all"
read_options "out sizes seeds only" "$@"
set -- "${operands[@]}"
(($# == 2)) || fail 2 "expected TRAIN and DEV; see --help"
need_programs lookback
[[ -f $1 && -f $2 ]] || fail 66 "found no file $1, or no file $2"
dev=$2 work=$out/sizes$quick
mkdir -p "$work"
if [[ $quick ]]; then
    head -n 50 "$2" >"$work/dev.tsv"
    dev=$work/dev.tsv
fi
for size in $sizes; do
    [[ $work/$size.tsv -nt $1 ]] || draw "$1" "$size" "$work/$size.tsv"
    for ((seed = 1; seed <= seeds; seed++)); do
        for recipe in recipe former vote; do
            folder=$work/$size-$recipe-$seed options=(--seed "$seed")
            [[ $recipe == *"$only"* && ! -f $folder/result ]] || continue
            # shellcheck disable=SC2207
            if [[ $recipe == former ]]; then options+=($(former "$(wc -l <"$work/$size.tsv")")); fi
            done=$work/$size-recipe-$seed/result
            if [[ $recipe == former && -f $done ]] && cmp -s <(config "$size" --seed "$seed") <(config "$size" "${options[@]}"); then
                mkdir -p "$folder"
                sed 's/\trecipe\t/\tformer\t/' "$done" >"$folder/result"
                continue
            fi
            if [[ $recipe == vote ]]; then options+=(--ensemble auto); fi
            train_one "$folder" "$size" "$recipe" "${options[@]}"
        done
    done
done
table >"$out/sizes.md.new"
mv "$out/sizes.md.new" "$out/sizes.md"
curves <"$out/sizes.md" | "$bin/bench_curves" --title "More pairs, fewer errors" -o "$out/sizes.png"
cat "$out/sizes.md"
