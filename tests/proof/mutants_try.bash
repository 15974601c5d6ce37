# shellcheck shell=bash disable=SC2154
# Tries one fault: whether a test notices it. To be sourced by bash, after mutants_reach.bash. $mine is a folder for files.

sanitizers=(-fsanitize=address,undefined -fno-sanitize-recover=all -U_FORTIFY_SOURCE)
longest=120000 # milliseconds of tests for a fault, as they were measured; with sanitizers again

declare -a program_of unit_of layer_of took_of
read_units() {
    local number program unit layer took
    while read -r number program unit layer took; do
        program_of[number]=$program unit_of[number]=$unit layer_of[number]=$layer took_of[number]=$took
    done <"$reach/units"
}

# Sets `units`: those of the folder of a file that reach a line, or the line before it with code; of a file whose lines are
# not counted, as those that ranks run, all of them.
units_reaching() { # FILE LINE
    local layer number
    layer=$(layer_of_file <<<"$1")
    units=()
    for number in $(awk -v file="$1" -v line="$2" -v layer="$layer" '
        FILENAME == ARGV[1] { all = all " " $1; next }
        $1 == file {
            counted = counted || NF > 2
            if ($2 > line) next
            $1 = $2 = ""
            found = $0
        }
        END { print counted && layer != "ranks" ? found : all }' "$reach/units" "$reach/lines"); do
        [[ ${layer_of[number]} != "$layer" ]] || units+=("$number")
    done
}

# Compiles $mine/FILE, whatever it holds now.
compile_mine() { # KIND OUTPUT FLAG...
    local kind=$1 output=$2
    shift 2
    compile_as "$kind" "$file" "$mine/$file" "$output" "$@"
}

# Sets changed[KIND] to yes, no, or invalid: whether the object of the fault differs from that of the file as it is.
compare_objects() { # KIND
    local kind=$1 whole=$mine/whole/$1/$file.o
    [[ -z ${changed[$kind]-} ]] || return 0
    changed[$kind]=no
    has_kind "$kind" "$file" || return 0
    if [[ ! -f $whole ]]; then
        mkdir -p "${whole%/*}"
        cp "$root/$file" "$mine/$file"
        compile_mine "$kind" "$whole" || return 0
    fi
    cp "$mine/fault.c" "$mine/$file"
    if ! compile_mine "$kind" "$mine/$kind.o"; then
        changed[$kind]=invalid
    elif ! cmp -s "$whole" "$mine/$kind.o"; then
        changed[$kind]=yes
    fi
}

# Links the program of a unit with the objects $mine/NAME.o, unless that has been done, and the program `lookback`.
link_unit() { # NUMBER KIND NAME FLAG...
    local program=${program_of[$1]} kind=$2 name=$3 layer=${layer_of[$1]} objects
    shift 3
    objects=("$mine/$name.o" "")
    [[ $kind == float ]] || objects=("" "$mine/$name.o")
    if [[ ! -e $mine/$program ]]; then
        case $file in
        src/mpi/* | apps/lookback.c | apps/console/ranks.c) # no part of the tests themselves
            ln -s "$tree/$program" "$mine/$program"
            [[ $file == apps/* ]] ||
                link_with "$(cd "$tree" && ls lib/liblookback_mpi.so.*.*.*)" "$mine/mpi.so" "${objects[@]}" "$@" || return
            ;;
        *) link_with "$program" "$mine/$program" "${objects[@]}" "$@" || return ;;
        esac
    fi
    if [[ $kind == float && $file != src/mpi/* && $linked_program != "$name" ]] && runs_program "$layer"; then
        link_with bin/lookback "$tree/bin/lookback" "${objects[@]}" "$@" || return
        linked_program=$name
    fi
}

# Runs a unit without the fault.
run_whole() { # NUMBER SECONDS
    local status=0
    restore_program
    (unset LOOKBACK_MPI_LIBRARY && run_unit "$tree/${program_of[$1]}" "${unit_of[$1]}" "$2") || status=$?
    touch_program
    linked_program=
    return $status
}

# Runs units until one fails; its number is in `killer`.
run_units() { # NAME_OF_DOUBLE NAME_OF_FLOAT FLAG...
    local number kind name limit status spent=0
    local double=$1 float=$2
    shift 2
    rm -rf "$mine/tests"
    mkdir -p "$mine/tests"
    linked_program=
    tried=0
    for number in "${units[@]}"; do
        ((spent < longest)) || break
        kind=float name=$float
        [[ ${program_of[number]} != *_f64 ]] || kind=double name=$double
        [[ -n $name ]] || continue
        compare_objects "$kind"
        [[ ${changed[$kind]} == yes ]] || continue
        link_unit "$number" "$kind" "$name" "$@" || continue
        tried=$((tried + 1))
        spent=$((spent + took_of[number]))
        limit=$((took_of[number] * 8 / 1000 + 2)) status=0
        run_unit "$mine/${program_of[number]}" "${unit_of[number]}" $limit || status=$?
        # A busy machine makes everything slow: does the unit itself end in time?
        if ((status >= 124)) && ! run_whole "$number" $limit; then continue; fi
        if ((status != 0)); then
            killer=$number
            return 0
        fi
    done
    return 1
}

# Again with sanitizers in the file of the fault: they notice what is outside of an array, and what leaks.
run_sanitized() {
    cp "$mine/fault.c" "$mine/$file"
    compile_mine float "$mine/sanitized.o" "${sanitizers[@]}" || return
    run_units "" sanitized "${sanitizers[@]}" || return
    # Not if that unit fails with sanitizers anyway.
    units=("$killer")
    cp "$root/$file" "$mine/$file"
    compile_mine float "$mine/sanitized.o" "${sanitizers[@]}" || return
    ! run_units "" sanitized "${sanitizers[@]}"
}

# Sets `outcome`: killed, sanitized (killed by sanitizers only), survived, same (the same code), invalid (not C); and
# `tried`, the number of units that did not notice it.
try() { # FAULT, a line of mutants_list.awk
    local file line units=() killer
    local -A changed=()
    IFS=$'\t' read -r file line _ <<<"$1"
    mkdir -p "$mine/${file%/*}"
    LC_ALL=C awk -v fault="${1//\\/\\\\}" -f "$here/mutants_apply.awk" "$root/$file" >"$mine/fault.c"
    tried=0
    unset LOOKBACK_MPI_LIBRARY
    [[ $file != src/mpi/* ]] || export LOOKBACK_MPI_LIBRARY=$mine/mpi.so
    compare_objects float
    [[ ${changed[float]} == yes ]] || compare_objects double
    if [[ " ${changed[*]} " != *" yes "* ]]; then
        outcome=same
        [[ " ${changed[*]} " != *" invalid "* ]] || outcome=invalid
        return
    fi
    units_reaching "$file" "$line"
    outcome=survived
    if run_units double float; then
        outcome=killed
    elif [[ ${changed[float]} == yes ]]; then
        local before=$tried
        ! run_sanitized || outcome=sanitized
        tried=$before
    fi
}
