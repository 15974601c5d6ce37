# shellcheck shell=bash disable=SC2154
# What bench/pronunciation.sh and bench/inflection.sh have in common: models and ensembles for every language of a folder, and a
# table of their results; bench/recipe.sh uses parts of it. They set:
#   task        its name, which is also that of the table and the folder
#   measure     a line of `lookback evaluate`, such as "exact match"
#   lines       options that say what the columns of a line are
#   symbols     options that say what a symbol is
#   single      the models that are measured alone
#   pupil       not empty, if a model learns from the ensemble
# and choose PAIRS sets for a number of pairs, as many for each:
#   kinds       the models of the ensemble, for --ensemble
#   some        those of them that also make an ensemble without the others; may be empty
# help prints the usage; its options are the same for both.
# shellcheck source-path=SCRIPTDIR
. "$root/bench/script.sh"

small=()

# Whether the recipe has the defaults for few pairs.
are_few() { # PAIRS
    (($1 < 2000))
}

# Prints the measure of a model in percent, and its 95 % interval.
score() { # MODEL DEV
    "$bin/lookback" evaluate "${lines[@]}" "$1" "$2" |
        awk -v measure="$measure" 'index($0, measure) == 1 { $0 = substr($0, length(measure) + 1); print $1, $6, $8 }'
}

seconds_of() { # FOLDER
    tail -n 1 "$1/log.csv" | cut -d , -f 8
}

# Writes the row of a language: its name, pairs of train and dev, seconds of training the first model, and three numbers for
# each model that is measured.
measure_language() { # LANGUAGE TRAIN DEV FOLDER
    local folder=$4 model measured=("${single[@]/#/all/}")
    local pairs=(--train "$2" --no-hold-out "${lines[@]}" "${symbols[@]}")
    "$bin/lookback" train "${pairs[@]}" "${small[@]}" --seed 1 --ensemble "$kinds" --out "$folder/all" ||
        fail 1 "$1: cannot train; to start over, remove $folder"
    if ((${#some[@]})); then
        "$bin/lookback" join "${some[@]/#/$folder/all/}" --out "$folder/some"
        measured+=(some)
    fi
    measured+=(all)
    if [[ $pupil ]]; then
        "$bin/lookback" train "${pairs[@]}" "${small[@]}" --seed 1 --teacher "$folder/all" --out "$folder/distilled" ||
            fail 1 "$1: cannot train; to start over, remove $folder/distilled"
        measured+=(distilled)
    fi
    {
        echo "$1 $(wc -l <"$2") $(wc -l <"$3") $(seconds_of "$folder/all/${single[0]}")"
        for model in "${measured[@]}"; do score "$folder/$model" "$3"; done
    } | paste -s -d ' ' >"$folder/row.new"
    mv "$folder/row.new" "$folder/row"
}

# What is measured, as titles of a table with a | between them.
columns() {
    local kind all=0 titles="one model, mean of ${#single[@]}"
    for kind in ${kinds//,/ }; do all=$((all + ${kind#*:})); done
    if ((${#some[@]})); then titles+="|ensemble of ${#some[@]}"; fi
    titles+="|ensemble of $all"
    if [[ $pupil ]]; then titles+="|distilled from it"; fi
    echo "$titles"
}

# Prints the rows as a table, with the mean of the languages if there are several. An interval of a mean assumes that the
# languages are independent; the models of one language share the words that they are measured on.
table() { # ROW...
    awk -v alone=${#single[@]} -v titles="$(columns)" '
    function line(name, train, dev, seconds,    i, text) {
        text = "| " name " | " train " | " dev " |"
        for (i = 1; i <= columns; i++) text = text sprintf(" %.2f ± %.2f |", value[i], half[i])
        return text sprintf(" %.0f |", seconds)
    }
    BEGIN {
        columns = split(titles, title, "|")
        head = "| language | pairs | dev pairs |"; rule = "|---|---|---|"
        for (i = 1; i <= columns; i++) { head = head " " title[i] " |"; rule = rule "---|" }
        print head " seconds of training one |"
        print rule "---|"
    }
    {
        value[1] = half[1] = 0
        for (i = 1; i < alone + columns; i++) {
            v = $(2 + 3 * i); h = ($(4 + 3 * i) - $(3 + 3 * i)) / 2
            if (i <= alone) { value[1] += v / alone; half[1] += h / alone }
            else { value[i - alone + 1] = v; half[i - alone + 1] = h }
        }
        print line($1, $2, $3, $4)
        for (i = 1; i <= columns; i++) { sum[i] += value[i]; square[i] += half[i] * half[i] }
        seconds += $4
    }
    END {
        if (NR < 2) exit
        for (i = 1; i <= columns; i++) { value[i] = sum[i] / NR; half[i] = sqrt(square[i]) / NR }
        print line("mean", "", "", seconds / NR)
    }' "$@"
}

# Names of the languages of a folder, as lines.
find_languages() { # DIR
    local train name
    [[ -d $1 ]] || fail 66 "$1: found no such folder"
    need_programs lookback
    shopt -s nullglob
    local files=("$1"/*_train.tsv)
    [[ ${#files[@]} -gt 0 ]] || fail 66 "$1: found no LANG_train.tsv in it"
    for train in "${files[@]}"; do
        name=$(basename "$train" _train.tsv)
        [[ -f $1/${name}_dev.tsv ]] || fail 66 "$1/${name}_dev.tsv: found no such file beside $train"
        echo "$name"
    done
}

main() { # [OPTION]... DIR
    local name names train dev row work rows=()
    read_options out "$@"
    set -- "${operands[@]}"
    work=$task$quick
    if [[ $quick ]]; then
        single=(additive-1 additive-2)
        small=(--steps 40 --embed 16 --hidden 16 --evaluate-every 20)
    fi
    [[ $# == 1 ]] || fail 2 "expected one folder of languages; see --help"
    names=$(find_languages "$1")
    for name in $names; do
        train=$1/${name}_train.tsv
        dev=$1/${name}_dev.tsv
        row=$out/$work/$name/row
        mkdir -p "$out/$work/$name"
        choose "$(wc -l <"$train")"
        if [[ $quick ]]; then
            kinds=additive:2,backward:1
            if ((${#some[@]})); then some=(additive-1 backward-3); fi
        fi
        # Skips a language whose row is newer than its files and the program.
        if ! [[ $row -nt $train && $row -nt $dev && $row -nt $bin/lookback ]]; then
            echo "=== $name" >&2
            measure_language "$name" "$train" "$dev" "$out/$work/$name" >&2
        fi
        rows+=("$row")
    done
    table "${rows[@]}" >"$out/$task.md.new"
    mv "$out/$task.md.new" "$out/$task.md"
    cat "$out/$task.md"
}
