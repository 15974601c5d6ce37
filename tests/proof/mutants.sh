#!/bin/bash
# Plants one fault at a time into src/ and runs the tests that reach it. See --help.
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
name=mutants

help() {
    cat <<'END'
usage: tests/proof/mutants.sh [--seconds S] [--seed N] [--folder DIR] [--record FILE] [--only PATH]... [--most N] [--list]

Plants one fault at a time into src/ or apps/ (a sign, a comparison or an index changed, a statement or a check dropped),
drawn from each folder in turn, and runs the unit tests of that folder that reach it, until one notices: tests/ranks for
src/mpi and apps/console/ranks.c, and tests/programs for the rest of apps. What is planted is in mutants_operators.txt.
The code of exported models, apps/export/kernel, is text to the program, and is left out.

  --seconds S   time for the tests [600]; the build before, in build/mutants/, and what reaches what take longer
  --seed N      which faults, in which order [as in mutants_operators.txt]
  --folder DIR  for logs [build/mutants/faults]
  --record FILE a line for each fault that was tried, which is not tried again unless its line is removed [DIR/results, anew]
  --only PATH   only below src/FOLDER, or in src/FILE, or at src/FILE:LINE
  --most N      at most N faults in all [as in mutants_operators.txt]
  --list        print the faults only, in their order

A fault that leaves the object code as it is is not counted. One that mutants_equivalent.txt names is, as equivalent. The
status is 0 if at least 95 % of those that are not equivalent are noticed, and at most 8 % are equivalent. The campaign of
the record goes on with --record tests/proof/mutants_tried.tsv.
END
}

operators=$here/mutants_operators.txt
setting() { # NAME
    awk -v name="$1" '$1 == name { print $2 }' "$operators"
}

mkdir -p "$here/../../build/mutants/faults"
common=(--seconds 600 --seed "$(setting seed)" --folder "$here/../../build/mutants/faults")
only=() most=$(setting count) list=false record=
while (($#)); do
    case $1 in
    --only)
        only+=("$2")
        shift
        ;;
    --most | --record)
        declare "${1#--}=$2"
        shift
        ;;
    --list) list=true ;;
    -h | --help)
        help
        exit
        ;;
    *) common+=("$1") ;;
    esac
    shift
done
set -- "${common[@]}"
# shellcheck source=common.bash
. "$here/common.bash"

# Faults in the order of their trials: one of each folder in turn. The number of the fault among those of the file that look
# alike, and whether it is known to change nothing, come first.
choose_faults() {
    cd "$root" || return
    find src apps -name '*.c' ! -name '*_cases.c' ! -name reference_weights.c ! -path '*/kernel/*' | sort |
        xargs awk -f "$here/mutants_list.awk" "$operators" | awk -F'\t' -v seed="$seed" -v only="${only[*]}" '
        function is_chosen(file, line, paths, n) {
            n = split(only, paths, " ")
            if (n == 0) return 1
            while (n > 0 && index(file ":" line, paths[n] ":") != 1 && index(file, paths[n] "/") != 1 &&
                file ":" line != paths[n]) n--
            return n > 0
        }
        # Decides the place of a fault among those of its folder, which other files do not change.
        function key_of(name, key, i) {
            key = seed
            for (i = 1; i <= length(name); i++) key = (key * 31 + code[substr(name, i, 1)]) % 2147483647
            return key * 16807 % 2147483647
        }
        BEGIN {
            OFS = "\t"
            for (i = 1; i < 256; i++) code[sprintf("%c", i)] = i
        }
        FILENAME != "-" {
            if (/^#/ || !NF) next
            sub(/  \/\/ .*/, "")
            known[$0] = FNR
            next
        }
        {
            name = $1 ": " $4
            used[name]
            split($1, part, "/")
            number = ++seen[name]
            if (is_chosen($1, $2))
                print part[1] "/" part[2], key_of(number " " name), number, name in known ? "equivalent" : "-", $0
        }
        END {
            if (only == "")
                for (name in known)
                    if (!(name in used)) print "mutants_equivalent.txt:" known[name] ": no such fault" >"/dev/stderr"
        }' "$here/mutants_equivalent.txt" - | sort -t $'\t' -k 1,1 -k 2,2g |
        awk -F'\t' -v OFS='\t' '$1 != before { rank = 0 }
            { before = $1; $2 = ++rank; print }' | sort -t $'\t' -k 2,2n -k 1,1 | cut -f 3-
}

LC_ALL=C choose_faults >"$folder/faults"
if $list; then
    awk -F'\t' '{ print $3 ":" $4 ": " $5 ": " $6 }' "$folder/faults"
    exit
fi

tree=$root/build/mutants mine=$folder/mine
# shellcheck source=mutants_build.bash
. "$here/mutants_build.bash"
if ! { cmake --preset mutants -S "$root" -B "$tree" && cmake --build "$tree"; } >"$folder/build.log" 2>&1; then
    cat "$folder/build.log" >&2
    exit 2
fi
# As ctest sets it: what is late is not wrong.
export CK_DEFAULT_TIMEOUT=0
# shellcheck source=mutants_reach.bash
. "$here/mutants_reach.bash"
trap 'restore_program' EXIT
read_compile_commands
find_reach
# shellcheck source=mutants_try.bash
. "$here/mutants_try.bash"
read_units

results=${record:-$folder/results}
[[ -n $record ]] || : >"$results"
touch "$results"
# How many of those that were tried count.
counted() {
    awk '$1 !~ /^(same|invalid)$/ { n++ } END { print n + 0 }' "$results"
}

SECONDS=0
rm -rf "$mine"
touch_program
while IFS= read -r row; do
    ((SECONDS < seconds && $(counted) < most)) || break
    key=$(cut -f 1,3,5,6 <<<"$row")
    ! cut -f 4- "$results" | grep -Fxq -- "$key" || continue
    outcome=$(cut -f 2 <<<"$row") tried=0
    [[ $outcome != - ]] || try "$(cut -f 3- <<<"$row")"
    printf '%s\t%s\t%s\t%s\n' "$outcome" "$tried" "$(cut -f 4 <<<"$row")" "$key" >>"$results"
done <"$folder/faults"
restore_program
rm -rf "$mine"

# Of a fault: outcome, units that did not notice it, line, number, file, operator, text.
awk -F'\t' -v script=tests/proof/mutants.sh '
    $1 == "survived" {
        why = $2 == 0 ? "no test reaches it" : $2 " units do not notice it"
        printf "FAILURE: %s:%d: %s: %s: %s; repeat with: %s --only %s:%d\n", $5, $3, $6, $7, why, script, $5, $3
    }
    { outcomes[$1]++ }
    END {
        noticed = outcomes["killed"] + outcomes["sanitized"]
        counted = noticed + outcomes["survived"]
        printf "mutants: %d noticed, %d of them by sanitizers only; %d not noticed (%.1f %% noticed); %d equivalent (%.1f %%); " \
            "not counted: %d without effect on the object code, %d not C\n", noticed, outcomes["sanitized"],
            outcomes["survived"], counted ? 100 * noticed / counted : 100, outcomes["equivalent"],
            counted ? 100 * outcomes["equivalent"] / (counted + outcomes["equivalent"]) : 0, outcomes["same"], outcomes["invalid"]
    }' "$results"
while read -r room trials failures; do
    report "$room"
done < <(awk -F'\t' '$1 ~ /^(killed|sanitized|survived)$/ {
    split($5, part, "/")
    room = part[1] "/" part[2]
    trials[room]++
    failures[room] += $1 == "survived"
} END { for (room in trials) print room, trials[room], failures[room] }' "$results" | sort)
awk -F'\t' '{ n[$1]++ }
    END {
        trials = n["killed"] + n["sanitized"] + n["survived"]
        exit n["survived"] > 0.05 * trials || n["equivalent"] > 0.08 * (trials + n["equivalent"])
    }' "$results"
