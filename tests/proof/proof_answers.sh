#!/bin/bash
# Lines with many right answers, in several formats: the pairs that a program counts are those that awk counts, and four times
# as many take about four times as long, of the processor.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
export LC_ALL=C
make_model

# Lines of one source each with up to $2 answers, some of them twice, as "source answer answer ..."; all in all, at least as many.
make_answers() { # SEED COUNT LINES
    "$bin/random_lists" "$1" "$3" "$2" "$2" $((4 * $2)) | awk '{
        printf "%s%s", substr("abcdefgh", 1 + (NR - 1) % 8, 1), substr("abcdefgh", 1 + int((NR - 1) / 8) % 8, 1)
        for (i = 1; i <= NF; i++) {
            number = $i
            word = ""
            for (k = 0; k < 6; k++) { word = word substr("abcdefgh", 1 + number % 8, 1); number = int(number / 8) }
            printf " %s", word
        }
        print ""
    }'
}

formats=(jsonl lists csv tsv)

# The same answers in a format. TSV and CSV have a line for each of them.
write_answers() { # FORMAT
    awk -v format="$1" '{
        if (format == "jsonl") {
            printf "{\"source\":\"%s\",\"target\":[", $1
            for (i = 2; i <= NF; i++) printf "%s\"%s\"", (i > 2 ? "," : ""), $i
            print "],\"note\":\"not read\"}"
        } else if (format == "lists") {
            printf "%s->", $1
            for (i = 2; i <= NF; i++) printf "%s%s", (i > 2 ? "," : ""), $i
            print ""
        } else {
            for (i = 2; i <= NF; i++) print $1 (format == "csv" ? "," : "\t") $i
        }
    }'
}

declare -A options=([jsonl]=jsonl [lists]=lists:-\> [csv]=csv [tsv]=tsv)
columns=()

set_columns() { # FORMAT
    columns=(--format "${options[$1]}")
    [[ $1 != jsonl ]] || columns+=(--source-column 1 --target-column 2)
}

# Pairs, pairs that are there again, and sources with several targets.
counted() {
    awk '{ for (i = 2; i <= NF; i++) { pairs++; if (seen[$1, $i]++) again++; else targets[$1]++ } }
        END { for (one in targets) several += targets[one] > 1; printf "%d %d %d\n", pairs, again, several }'
}

reported() { # FILE OPTION...
    "$bin/lookback" data "$@" 2>&1 |
        awk '/ pairs?$/ && !pairs { different = /different pairs?$/; pairs = $(NF - 1 - different) } / repeated pair/ { again = $1 }
            / with several targets/ { match($0, /[0-9]+ sources? with several/); several = substr($0, RSTART) + 0 }
            END { printf "%d %d %d\n", pairs + different * again, again, several }'
}

try_counts() { # FORMAT
    local lines count found expected
    draw 20
    lines=$((drawn + 1))
    draw 300
    count=$((drawn + 1))
    draw 1000000
    make_answers "$drawn" "$count" "$lines" >"$folder/answers"
    write_answers "$1" <"$folder/answers" >"$folder/pairs"
    set_columns "$1"
    expected=$(counted <"$folder/answers")
    found=$(reported "$folder/pairs" "${columns[@]}")
    trials=$((trials + 1))
    [[ $found == "$expected" ]] || failure "$1, $lines lines of $count answers: data counts $found, expected $expected"
}

# Milliseconds of the processor, and kilobytes, of a command that has to end with 0.
measure() { # COMMAND...
    local TIMEFORMAT='%U %S' times
    times=$({ time "$@" >"$folder/output" 2>"$folder/message"; } 2>&1) || {
        failure "$*: $(tail -n 1 "$folder/message")"
        took=0
        return
    }
    took=$(awk '{ printf "%d", 1000 * ($1 + $2) }' <<<"$times")
}

run_on() { # PROGRAM FILE
    case $1 in
    data) measure "$bin/lookback" data "$2" "${columns[@]}" ;;
    train) measure "$bin/lookback" train "$2" "${columns[@]}" --dev "$2" --any-target --embed 8 --hidden 8 --steps 1 --threads 1 \
        --fresh --out "$folder/out" ;;
    evaluate) measure "$bin/lookback" evaluate "$folder/model" "$2" "${columns[@]}" --any-target --threads 1 ;;
    score) measure "$bin/lookback" score "$folder/model" "$2" "${columns[@]}" --threads 1 ;;
    report) measure "$bin/lookback" report "$folder/model" "$2" "${columns[@]}" --any-target --threads 1 -o "$folder/page.html" ;;
    esac
}

# A square would take sixteen times as long. Half a second is for what does not grow, and for a busy machine.
try_growth() { # PROGRAM FORMAT ANSWERS
    local few many
    make_answers "$seed" "$3" 1 | write_answers "$2" >"$folder/few"
    make_answers "$seed" $((4 * $3)) 1 | write_answers "$2" >"$folder/many"
    set_columns "$2"
    run_on "$1" "$folder/few"
    few=$took
    run_on "$1" "$folder/many"
    many=$took
    trials=$((trials + 1))
    ((many <= 6 * few + 500)) || failure "$1, $2: $few ms for $3 answers, $many ms for $((4 * $3))"
}

# Each program and format in random order, with answers enough for a square of them to take seconds.
until time_is_up; do
    while read -r program format; do
        try_counts "$format"
        try_counts "$format"
        case $program in
        data | train) try_growth "$program" "$format" 30000 ;;
        *) try_growth "$program" "$format" 10000 ;;
        esac
        ! time_is_up || break
    done < <(for program in data train evaluate score report; do
        for format in "${formats[@]}"; do echo "$program $format"; done
    done | shuffled)
    seed=$((seed + 1))
done
finish
