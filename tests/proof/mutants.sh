#!/bin/bash
# Plants one fault at a time into src/ and runs the tests that reach it. See --help.
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
name=mutants

help() {
    cat <<'END'
usage: tests/proof/mutants.sh [--seconds S] [--seed N] [--folder DIR] [--only PATH]... [--most N] [--workers N] [--quick] [--list]

Plants one fault at a time into src/ (a sign, a comparison or an index changed, a statement or a check dropped), and runs the
tests that reach it, until one notices.

  --seconds S   time for the tests [600]; the build before, in build/mutants/, takes some minutes
  --seed N      which faults, in which order [1]
  --folder DIR  for logs [build/mutants/faults]: DIR/results has a line for each fault
  --only PATH   only below src/FOLDER, or in src/FILE, or at src/FILE:LINE
  --most N      at most N faults of a folder
  --workers N   so many at a time [1]; each has a build of its own
  --quick       without the units that run programs
  --list        print the faults only

A fault that leaves the object code as it is, or that mutants_equivalent.txt names, is not counted. The status is 0 if at
least 95 % of the others are noticed.
END
}

mkdir -p "$here/../../build/mutants/faults"
# shellcheck disable=SC2034 # `quick` is read by mutants_reach.bash
common=(--seconds 600 --folder "$here/../../build/mutants/faults") only=() most=1000000 workers=1 quick=false list=false
while (($#)); do
    case $1 in
    --only)
        only+=("$2")
        shift
        ;;
    --most | --workers)
        declare "${1#--}=$2"
        shift
        ;;
    --quick) quick=true ;;
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

# Faults in the order of their trials: one of each folder in turn. Leaves out those that are known to change nothing.
choose_faults() {
    cd "$root" || return
    awk -f "$here/mutants_list.awk" src/*/*.c src/*/*/*.c | awk -F'\t' -v seed="$seed" -v only="${only[*]}" '
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
            for (i = 1; i < 256; i++) code[sprintf("%c", i)] = i
        }
        FILENAME != "-" {
            if (/^#/ || !NF) next
            sub(/  \/\/ .*/, "")
            known[$0] = FNR
            next
        }
        {
            if (!is_chosen($1, $2)) next
            name = $1 ": " $4
            if (name in known) {
                used[name] = 1
                left_out++
                next
            }
            split($1, part, "/")
            print part[2] "\t" key_of(++seen[name] " " name) "\t" $0
        }
        END {
            if (left_out) print "mutants: left out: " left_out " known to change nothing" >"/dev/stderr"
            if (only == "")
                for (name in known)
                    if (!(name in used)) print "mutants_equivalent.txt:" known[name] ": no such fault" >"/dev/stderr"
        }' "$here/mutants_equivalent.txt" - | sort -t $'\t' -k 1,1 -k 2,2g |
        awk -F'\t' -v most="$most" -v OFS='\t' '$1 != before { rank = 0 }
            { before = $1; $2 = ++rank }
            rank <= most { print }' | sort -t $'\t' -k 2,2n -k 1,1 | cut -f 3-
}

choose_faults >"$folder/faults"
if $list; then
    awk -F'\t' '{ print $1 ":" $2 ": " $3 ": " $4 }' "$folder/faults"
    exit
fi

# shellcheck source=mutants_build.bash
. "$here/mutants_build.bash"
build_tree() {
    if ! { cmake --preset mutants -S "$root" -B "$tree" && cmake --build "$tree" -j "$workers"; } >"$folder/build.log" 2>&1; then
        cat "$folder/build.log" >&2
        exit 2
    fi
}

for ((worker = workers; worker > 0; worker--)); do
    tree=$root/build/mutants
    ((worker == 1)) || tree+=-$worker
    build_tree
done
# shellcheck source=mutants_reach.bash
. "$here/mutants_reach.bash"
trap 'restore_program' EXIT
read_compile_commands
find_reach
# shellcheck source=mutants_try.bash
. "$here/mutants_try.bash"
read_units

export CK_TIMEOUT_MULTIPLIER=20
SECONDS=0
work() { # WORKER
    local fault outcome tried start mine=$folder/worker-$1
    if (($1 > 1)); then
        tree+=-$1
        compile_of=() link_of=()
        read_compile_commands
    fi
    rm -rf "$mine"
    touch_program
    while IFS= read -r fault; do
        ((SECONDS < seconds)) || break
        start=$(now)
        try "$fault"
        printf '%s\t%s\t%s\t%s\n' "$outcome" "$tried" "$((($(now) - start) / 1000000))" "$(cut -f 1-4 <<<"$fault")"
    done < <(awk -v n="$workers" -v k="$1" 'NR % n == k % n' "$folder/faults") >"$folder/results-$1"
    restore_program
}
for ((worker = 1; worker <= workers; worker++)); do work $worker & done
wait
cat "$folder"/results-* >"$folder/results"
rm -rf "$folder"/results-* "$folder"/worker-*

awk -F'\t' -v script=tests/proof/mutants.sh '
    $1 == "survived" {
        why = $2 == 0 ? "no test reaches it" : $2 " units do not notice it"
        printf "FAILURE: %s:%d: %s: %s: %s; repeat with: %s --only %s:%d\n", $4, $5, $6, $7, why, script, $4, $5
    }
    { outcomes[$1]++ }
    END {
        counted = outcomes["killed"] + outcomes["sanitized"] + outcomes["survived"]
        printf "mutants: %d noticed, %d of them by sanitizers only; %d not noticed (%.1f %% noticed); not counted: %d without effect " \
            "on the object code, %d not C\n", counted - outcomes["survived"], outcomes["sanitized"], outcomes["survived"],
            counted ? 100 * (counted - outcomes["survived"]) / counted : 100, outcomes["same"], outcomes["invalid"]
    }' "$folder/results"
while read -r folder_of trials failures; do
    report "$folder_of"
done < <(awk -F'\t' '$1 !~ /^(same|invalid)$/ {
    split($4, part, "/")
    layer = part[1] "/" part[2]
    trials[layer]++
    failures[layer] += $1 == "survived"
} END { for (layer in trials) print layer, trials[layer], failures[layer] }' "$folder/results" | sort)
awk -F'\t' '$1 !~ /^(same|invalid)$/ { trials++; failures += $1 == "survived" }
    END { exit failures > 0.05 * trials }' "$folder/results"
