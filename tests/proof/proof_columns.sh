#!/bin/bash
# A model remembers the names of its columns: a file with the same columns in any other order, and with others between them, gives the
# same figures and outputs in each program as the file in the order of the training. Tables of TSV, CSV and JSON lines.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
export LC_ALL=C
make_pairs "$folder/words" 60
make_pairs "$folder/others" 12

# The names of a source and of a target, which say so, or which only options name.
names=("source target" "lemma form" "word ipa" "input output" "links rechts" "alpha beta")
formats=(tsv csv jsonl)

# The pairs of a file as a table with these columns, in this order; "id" and "note" are not of the pairs.
write_table() { # FORMAT SOURCE TARGET COLUMN...
    local format=$1 source=$2 target=$3
    shift 3
    awk -F '\t' -v format="$format" -v source="$source" -v target="$target" -v list="$*" '
        function value(column) {
            return column == source ? $1 : column == target ? $2 : column == "id" ? 100 + NR : "n" NR % 3
        }
        BEGIN {
            count = split(list, column, " ")
            between = format == "csv" ? "," : "\t"
            for (i = 1; format != "jsonl" && i <= count; i++) printf "%s%s", (i > 1 ? between : ""), column[i]
            if (format != "jsonl") print ""
        }
        {
            if (format == "jsonl") printf "{"
            for (i = 1; i <= count; i++)
                if (format == "jsonl") printf "%s\"%s\":\"%s\"", (i > 1 ? "," : ""), column[i], value(column[i])
                else printf "%s%s", (i > 1 ? between : ""), value(column[i])
            print format == "jsonl" ? "}" : ""
        }'
}

# The columns, some further ones, in random order, in $order.
draw_order() { # COLUMN...
    local columns=("$@") i
    for extra in id note; do
        draw 2
        ((drawn)) && columns+=("$extra")
    done
    order=()
    while ((${#columns[@]})); do
        draw ${#columns[@]}
        i=$drawn
        order+=("${columns[i]}")
        columns=("${columns[@]:0:i}" "${columns[@]:i+1}")
    done
}

# Where a column is in $order, from 1 on.
place_of() { # COLUMN
    local i
    for i in "${!order[@]}"; do [[ ${order[i]} != "$1" ]] || place=$((i + 1)); done
}

quick=(--embed 16 --hidden 32 --lr 0.02 --batch 8 --threads 1 --steps 120 --evaluate-every 60)

# A model of a table, in the folder "model"; columns that only options name have them.
train_model() { # FORMAT SOURCE TARGET
    local options=(--format "$1")
    [[ $1 == jsonl ]] || options=(--format "$1+header")
    draw_order "$2" "$3"
    write_table "$1" "$2" "$3" "${order[@]}" <"$folder/words" >"$folder/train.$1"
    write_table "$1" "$2" "$3" "${order[@]}" <"$folder/others" >"$folder/same.$1"
    place_of "$2"
    options+=(--source-column "$place")
    place_of "$3"
    options+=(--target-column "$place")
    case $2 in
    links | alpha) ;;
    *) options=() ;;
    esac
    trained=${order[*]}
    rm -rf "$folder/model"
    "$bin/lookback" train "$folder/train.$1" "${options[@]}" "${quick[@]}" --out "$folder/model" >/dev/null 2>"$folder/log" || {
        failure "train of $1 with ${order[*]}: $(tail -n 1 "$folder/log")"
        return 1
    }
}

# What a program finds on a file: its output, without names, or the log of a training.
found() { # PROGRAM FILE
    local status=0 log=$folder/log.found
    rm -rf "$folder/out"
    case $1 in
    evaluate) "$bin/lookback" evaluate "$folder/model" "$2" --threads 1 --confusions 5 2>"$log" || status=$? ;;
    score) "$bin/lookback" score "$folder/model" "$2" --threads 1 2>"$log" || status=$? ;;
    predict) "$bin/lookback" predict "$folder/model" "$2" --threads 1 2>"$log" | awk -F '\t' '{ print $NF }' || status=$? ;;
    join) "$bin/lookback" join "$folder/model" "$folder/model" --dev "$2" --threads 1 --out "$folder/out" 2>"$log" |
        sed "s#$2#FILE#" || status=$? ;;
    dev) "$bin/lookback" train "$folder/train.${2##*.}" --from "$folder/model" --dev "$2" --steps 2 --threads 1 --out "$folder/out" \
        >/dev/null 2>"$log" || status=$? ;;
    from) "$bin/lookback" train "$2" --from "$folder/model" --no-hold-out --steps 2 --threads 1 --out "$folder/out" \
        >/dev/null 2>"$log" || status=$? ;;
    esac
    [[ ! -e $folder/out/log.jsonl ]] || sed -E 's/"seconds":[^,}]*//' "$folder/out/log.jsonl"
    ((status == 0)) || echo "status $status: $(tail -n 1 "$log")"
}

try() { # PROGRAM FORMAT SOURCE TARGET
    local expected got
    draw_order "$3" "$4"
    write_table "$2" "$3" "$4" "${order[@]}" <"$folder/others" >"$folder/other.$2"
    expected=$(found "$1" "$folder/same.$2")
    got=$(found "$1" "$folder/other.$2")
    trials=$((trials + 1))
    if [[ $expected == *"status "* ]]; then
        failure "$1, $2 trained on $trained: $expected"
    elif [[ $got != "$expected" ]]; then
        failure "$1, $2 trained on $trained, given ${order[*]}: $(diff <(echo "$expected") <(echo "$got") | head -n 4 | cut -c 1-200 | tr '\n' ' ')"
    fi
}

until time_is_up; do
    draw ${#names[@]}
    read -r source target <<<"${names[drawn]}"
    draw ${#formats[@]}
    format=${formats[drawn]}
    trials=$((trials + 1))
    train_model "$format" "$source" "$target" || continue
    for program in evaluate score predict join dev from; do
        try "$program" "$format" "$source" "$target"
        ! time_is_up || break
    done
done
finish
