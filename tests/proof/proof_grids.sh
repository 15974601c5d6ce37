#!/bin/bash
# Random grids, with values that are there twice in one spelling or another, and members that cannot be built or diverge. A
# grid is refused before anything is trained, or each combination has a folder and a result of its own.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
make_pairs "$folder/train.tsv" 40
make_pairs "$folder/dev.tsv" 5
sweep=("${small[@]}" --steps 2 --evaluate-every 2 --threads 2 --sweep "$folder/grid.json" --out "$folder/out")

# Values as they are written, and the folder that each of them has. Those of seed are equal as numbers.
options=(seed lr tied separator dropout attention diverging)
declare -A key=([separator]=source-separator [diverging]=lr)
declare -A written=(
    [seed]='1 2 "1" "2" 1.0 3' [lr]='0.01 0.010 1e-2 0.02 "0.02" 2e-2' [tied]='true false'
    [separator]='"|" "/" ","' [dropout]='0 0.1 0.25 "0.25" 2.5e-1' [attention]='"additive" "general" "dot"' [diverging]='1e30 0.02')
declare -A named=(
    [seed]='1 2 1 2 1 3' [lr]='0.01 0.01 0.01 0.02 0.02 0.02' [tied]='true false'
    [separator]='_ _ ,' [dropout]='0 0.1 0.25 0.25 0.25' [attention]='additive general dot' [diverging]='1e+30 0.02')

# Draws values of an option into $list and, as lines, $names.
draw_values() { # OPTION
    local -a values names_of
    local count i
    read -ra values <<<"${written[$1]}"
    read -ra names_of <<<"${named[$1]}"
    draw 3
    count=$((drawn + 1)) list='' names=''
    for ((i = 0; i < count; i++)); do
        draw ${#values[@]}
        list+="${list:+, }${values[drawn]}"
        names+="${names_of[drawn]}"$'\n'
    done
}

twice() { # LINES
    [[ -n $(sort <<<"${1%$'\n'}" | uniq -d) ]]
}

# A grid of one or two options in $grid, its number of trainings, and what has to become of it.
draw_grid() {
    local first second
    draw ${#options[@]}
    first=$drawn
    draw ${#options[@]}
    second=$drawn
    grid='' trainings=1 outcome=0
    for at in $first $second; do
        [[ $at == "$first" && -n $grid ]] && continue
        local option=${options[at]} list names
        [[ $grid == *"\"${key[$option]:-$option}\""* ]] && continue
        draw_values "$option"
        grid+="${grid:+, }\"${key[$option]:-$option}\": [$list]"
        trainings=$((trainings * $(grep -c . <<<"$names")))
        if twice "$names" || [[ $names == *dot* ]]; then
            outcome=2
        elif [[ $names == *1e+30* ]] && ((outcome == 0)); then
            outcome="some fail"
        fi
    done
    grid="{$grid}"
}

try_grid() {
    local status=0 folders
    draw_grid
    echo "$grid" >"$folder/grid.json"
    rm -rf "$folder/out"
    trials=$((trials + 1))
    "${sweep[@]}" >"$folder/output" 2>"$folder/log" || status=$?
    folders=$({ compgen -G "$folder/out/*/" || true; } | wc -l)
    if [[ $outcome == 2 ]]; then
        ((status == 2 && folders == 0)) || failure "$grid: status $status with $folders folders, expected a refusal"
    elif ((folders != trainings)); then
        failure "$grid: $folders folders, expected $trainings: $(tail -n 1 "$folder/log")"
    elif [[ $outcome == 0 ]]; then
        ((status == 0)) || failure "$grid: status $status: $(tail -n 1 "$folder/log")"
    elif ((status == 0)) && grep -q "^failed" "$folder/output"; then
        failure "$grid: status 0, but a training has failed"
    fi
    if ((status == 0)) && [[ $(grep -c . "$folder/out/sweep.tsv") != $((trainings + 1)) ]]; then
        failure "$grid: the table does not have $trainings trainings"
    fi
}

until time_is_up; do try_grid; done
finish
