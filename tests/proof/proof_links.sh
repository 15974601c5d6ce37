#!/bin/bash
# A link is planted under each name that a program writes and that its user has not named: what it leads to stays as it is, and
# the program says so.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
make_model
echo '{"seed": [1, 2]}' >"$folder/grid.json"
names=(model.safetensors checkpoint.safetensors map.png page.html) # where a link is followed: docs/adr/0023

is_followed() { # PATH
    local followed
    for followed in "${names[@]}"; do [[ ${1##*/} != "$followed" ]] || return 0; done
    return 1
}

# What a program leaves in the folder, and what it has there for a while.
paths_of() { # PROGRAM
    run_program "$1" env || failure "$1 does not run: $(cat "$folder/now/message")"
    (cd "$folder/now" && find . -mindepth 1 ! -path './out' ! -path './new' ! -path './output' ! -path './message' -printf '%P\n' &&
        find . -mindepth 1 -type d -printf '%P/.lock\n')
}

plant() {
    mkdir -p "$(dirname "$planted")"
    rm -rf "$planted"
    ln -s "$target" "$planted"
}

# The seconds of a program that waits for ever, and what surrounds the folder of the program.
most_seconds=30
try() { # PROGRAM PATH KIND
    local status=0 where="$folder/where"
    rm -rf "$where"
    mkdir "$where" "$where/folder"
    echo precious >"$where/victim"
    planted=$2 target=$where/$3 prepare=plant
    run_program "$1" env || status=$?
    prepare=
    trials=$((trials + 1))
    local what="$1 with a link to a $3 at $2"
    [[ $(cat "$where/victim") == precious && -z $(ls "$where/folder") && ! -e $where/nothing ]] || failure "$what: it is followed"
    if ((status >= 124)); then
        failure "$what: status $status: $(head -n 1 "$folder/now/message")"
    elif ((status != 0)) && ! grep -qsF "$2: found a symbolic link" "$folder"/now/message "$folder"/now/new/*/train.log; then
        failure "$what: status $status, but it is not named: $(tail -n 1 "$folder/now/message")"
    fi
}

while ! time_is_up; do
    while read -r program; do
        while read -r path; do
            ! is_followed "$path" || continue
            for kind in victim nothing folder; do try "$program" "$path" "$kind"; done
            ! time_is_up || break 2
        done < <(paths_of "$program" | sort -u | shuffled)
    done < <(printf '%s\n' train resume fresh sort join compare seeds ensemble sweep from index | shuffled)
    seed=$((seed + 1))
done
finish
