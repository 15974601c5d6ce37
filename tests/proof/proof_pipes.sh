#!/bin/bash
# A pipe is read as a file is: each program on "-", from a file and through a pipe that comes in pieces, and on a FIFO, with plain
# and compressed files of many formats. The output, the messages but for the name, and the weights are those of the file.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
export LC_ALL=C
make_pairs "$folder/words" 60

declare -A ending=([tsv]=tsv [header]=tsv [csv]=csv [named]=csv [semicolons]=csv [jsonl]=jsonl [lists]=txt [features]=tsv)
formats=("${!ending[@]}")

# The same pairs in a format: with a header, quotes, features or several answers.
write_pairs() { # FORMAT
    awk -F '\t' -v format="$1" '
        NR == 1 && format == "header" { print "target\tsource" }
        NR == 1 && format == "named" { print "id,source,target" }
        format == "tsv" { print $1 "\t" $2 }
        format == "header" { print $2 "\t" $1 }
        format == "csv" { printf "%s,\"%s\"\n", $1, $2 }
        format == "named" { printf "%d,%s,\"%s\"\n", NR, $1, $2 }
        format == "semicolons" { print $1 ";" $2 }
        format == "jsonl" { printf "{\"id\":%d,\"source\":\"%s\",\"target\":[\"%s\",\"%s\"]}\n", NR, $1, $2, $1 }
        format == "lists" { print $1 " -> " $2 ", " $1 }
        format == "features" { print $1 "\t" $2 "\t" (NR % 2 ? "N;SG" : "N;PL") }'
}

# A mark in front, line ends of Windows, no end of the last line, or lines with blanks, at random.
disturb() {
    draw 6
    case $drawn in
    0) printf '\xEF\xBB\xBF' && cat ;;
    1) sed 's/$/\r/' ;;
    2) awk 'NR > 1 { print line } { line = $0 } END { printf "%s", line }' ;;
    *) cat ;;
    esac
}

# The standard output, the messages and the weights of a program, without the name of its input and what the clock says.
outcome() { # STATUS NAME
    local at=$folder/now
    echo "status $1"
    cat "$at/output" "$at/message" | tr '\r' '\n' |
        sed -E "s#standard input#INPUT#g; s#$2#INPUT#g; s# of -( |\$)# of INPUT\1#g; s#^step .*##; s#[0-9.]+k? tokens/s.*##; /^[[:space:]]*\$/d"
    [[ ! -e $at/out/log.jsonl ]] || sed -E 's/"seconds":[^,}]*//' "$at/out/log.jsonl"
}

# In small pieces, so that a line comes in parts.
in_pieces() { # FILE
    draw 40
    dd if="$1" bs=$((drawn + 1)) status=none
}

set_command() { # PROGRAM INPUT
    case $1 in
    data) command=("$bin/lookback" data "$2") ;;
    train) command=("$bin/lookback" train "$2" --embed 4 --hidden 8 --batch 8 --steps 3 --threads 1 --out out) ;;
    dev) command=("$bin/lookback" train "$folder/pairs" --dev "$2" --embed 4 --hidden 8 --batch 8 --steps 3 --threads 1 --out out) ;;
    evaluate) command=("$bin/lookback" evaluate "$folder/models/$format" "$2" --threads 1) ;;
    score) command=("$bin/lookback" score "$folder/models/$format" "$2" --threads 1) ;;
    report) command=("$bin/lookback" report "$folder/models/$format" "$2" --details 1 --threads 1 -o page.html) ;;
    predict) command=("$bin/lookback" predict "$folder/models/$format" "$2" --threads 1) ;;
    esac
}

run_way() { # PROGRAM FILE WAY
    local status=0 writer=
    rm -rf "$folder/now"
    mkdir "$folder/now"
    case $3 in
    file) set_command "$1" "$2" ;;
    fifo) set_command "$1" "$folder/fifo.${2##*.}" ;;
    *) set_command "$1" - ;;
    esac
    cd "$folder/now"
    case $3 in
    file) timeout -k 5 60 "${command[@]}" >output 2>message </dev/null || status=$? ;;
    redirected) timeout -k 5 60 "${command[@]}" >output 2>message <"$2" || status=$? ;;
    pipe) in_pieces "$2" 2>/dev/null | timeout -k 5 60 "${command[@]}" >output 2>message || status=$? ;;
    fifo)
        rm -f "$folder"/fifo.*
        mkfifo "$folder/fifo.${2##*.}"
        in_pieces "$2" >"$folder/fifo.${2##*.}" 2>/dev/null &
        writer=$!
        timeout -k 5 60 "${command[@]}" >output 2>message </dev/null || status=$?
        kill "$writer" 2>/dev/null || true
        wait "$writer" 2>/dev/null || true
        ;;
    esac
    cd "$folder"
    case $3 in
    file) outcome "$status" "$2" ;;
    *) outcome "$status" "$folder/fifo.${2##*.}" ;;
    esac >"$folder/outcome.$3"
}

try() { # PROGRAM FORMAT
    local format=$2 file=$folder/pairs.${ending[$2]} packed=
    write_pairs "$format" <"$folder/words" | disturb >"$file"
    cp "$file" "$folder/pairs"
    if [[ ! -e $folder/models/$format ]]; then
        "$bin/lookback" train "$file" --embed 4 --hidden 8 --batch 8 --steps 20 --threads 1 --out "$folder/models/$format" \
            >/dev/null 2>"$folder/log" || failure "train of $format: $(tail -n 1 "$folder/log")"
    fi
    draw 2
    if ((drawn)); then
        packed=" in gzip"
        gzip -c "$folder/pairs" >"$file"
    fi
    run_way "$1" "$file" file
    for way in redirected pipe fifo; do
        run_way "$1" "$file" "$way"
        trials=$((trials + 1))
        cmp -s "$folder/outcome.file" "$folder/outcome.$way" ||
            failure "$1, $format$packed, $way: $(diff "$folder/outcome.file" "$folder/outcome.$way" | head -n 4 | cut -c 1-200 | tr '\n' ' ')"
    done
}

mkdir -p "$folder/models"
until time_is_up; do
    while read -r program format; do
        try "$program" "$format"
        ! time_is_up || break
    done < <(for program in data train dev evaluate score report predict; do
        for format in "${formats[@]}"; do echo "$program $format"; done
    done | shuffled)
    seed=$((seed + 1))
done
finish
