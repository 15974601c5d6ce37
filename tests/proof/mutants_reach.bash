# shellcheck shell=bash disable=SC2154
# Which units of the tests reach which line, by gcov; kept in build/mutants/reach until the source or a unit changes.
# To be sourced by bash, after mutants_build.bash.
#   units    number, program, unit, layer, milliseconds: the quickest first; those that fail or take long are left out
#   lines    file, line, numbers of the units that reach it

reach=$tree/reach

# The layer of tests that judges the folder of a file.
layer_of_file() {
    sed -E 's:^(src/mpi/|apps/console/ranks[.]).*:ranks:; s:^apps/.*:programs:; s:^src/([^/]*)/.*:\1:'
}

# The programs, units and layers of ctest that judge the faults.
list_units() {
    local layers
    layers=$(cut -f 3 "$folder/faults" | layer_of_file | sort -u | paste -s -d ' ')
    awk -F'"' -v layers=" $layers " '/^add_test\(/ {
        program = $2
        unit = $4
        if (!match(program, /\/tests\/([a-z]+_tests(_f64)?|test_steady_state)\)?$/)) next
        program = substr(program, RSTART + 1)
        sub(/\)$/, "", program)
        layer = program
        sub(/.*\//, "", layer)
        sub(/_tests.*/, "", layer)
        sub(/test_steady_state/, "models", layer)
        if (!index(layers, " " layer " ")) next
        # What another MPI runs again is one unit.
        if (!seen[program, unit]++) print program, unit == "" ? "all" : unit, layer
    }' "$tree/tests/CTestTestfile.cmake"
}

# All again, to be counted.
compile_covered() {
    local key kind source output
    for key in "${!compile_of[@]}"; do
        kind=${key%% *} source=${key#* }
        output=$reach/objects/$kind/${source#"$root/"}.o
        mkdir -p "${output%/*}"
        compile_as "$kind" "$source" "$(cd "$root" && realpath "$source")" "$output" -O1 --coverage
    done
}

# FILE LINE for each line with code, or only for those that have run.
gcov_lines() { # NAMES ONLY_RUN
    find "$reach/objects" -name "$1" -print0 | xargs -0r gcov -t 2>/dev/null | awk -F: -v root="$root/" -v only="$2" '
        $2 + 0 == 0 && $3 == "Source" {
            file = index($4, root "src/") == 1 || index($4, root "apps/") == 1 ? substr($4, length(root) + 1) : ""
            next
        }
        file != "" && (only ? $1 ~ /[0-9]/ : $1 !~ /-/) && !((file, $2 + 0) in seen) {
            seen[file, $2 + 0]
            print file, $2 + 0
        }'
}

# Makes the objects of the folders that a layer judges archives: the others do not count.
archive_covered() { # LAYER
    local kind room=src/$1
    [[ $1 != programs ]] || room=apps
    rm -f "$reach"/*.a
    for kind in float double; do
        [[ ! -d $reach/objects/$kind/$room ]] ||
            find "$reach/objects/$kind/$room" -name '*.o' -print0 | xargs -0 ar cr "$reach/$kind.a"
    done
}

# Links a program with what counts.
link_covered() { # PROGRAM OUTPUT
    local float=$reach/float.a double=$reach/double.a
    [[ -e $float ]] || float=
    [[ -e $double ]] || double=
    link_with "$1" "$2" "$float" "$double" --coverage
}

# One unit, with what counts. If it fails, it may do so for that reason: then as it is.
cover_unit() { # PROGRAM UNIT LAYER
    local program=$1 unit=$2 layer=$3 took longest=120 fails=false of=$reach/of/${1##*/}-$2
    if [[ ! -x $reach/$program ]]; then
        echo "mutants: which lines do the units of $program reach?" >&2
        archive_covered "$layer"
        mkdir -p "$reach/${program%/*}"
        link_covered "$program" "$reach/$program"
    fi
    find "$reach/objects" -name '*.gcda' -delete
    # The tests run the program by its name.
    if runs_program "$layer"; then
        touch_program
        link_covered bin/lookback "$tree/bin/lookback"
    fi
    rm -f "$of.unit"
    measure run_unit "$reach/$program" "$unit" "$longest" || fails=true
    restore_program
    gcov_lines '*.gcda' 1 >"$of.lines"
    ! $fails || measure run_unit "$tree/$program" "$unit" "$longest" || return 0
    echo "$program $unit $layer $took" >"$of.unit"
}

# Changes with a unit, and with what all share.
stamp_of() { # PROGRAM UNIT
    (cd "$tree/tests" && find "CMakeFiles/${1##*/}.dir" -name "$2.c.o" -exec cksum {} + && cksum liblookback*_support.a)
}

find_reach() {
    local stamp program unit layer of before=
    stamp=$(cd "$root" && find src apps include -type f -print0 | sort -z | xargs -0 cksum)
    if [[ ! -f $reach/stamp || $(<"$reach/stamp") != "$stamp" ]]; then
        rm -rf "$reach"
        mkdir -p "$reach/of"
        compile_covered
        gcov_lines '*.gcno' "" >"$reach/code"
        echo "$stamp" >"$reach/stamp"
    fi
    while read -r program unit layer; do
        of=$reach/of/${program##*/}
        if [[ $program != "$before" ]]; then
            before=$program
            rm -f "$reach/$program"
        fi
        stamp=$(stamp_of "$program" "$unit")
        [[ -e $of-$unit.stamp && $(<"$of-$unit.stamp") == "$stamp" ]] || cover_unit "$program" "$unit" "$layer"
        echo "$stamp" >"$of-$unit.stamp"
    done < <(list_units)
    merge_reach
}

merge_reach() {
    local number program unit
    cat "$reach"/of/*.unit | sort -k 4n | awk '{ print ++n, $0 }' >"$reach/units"
    {
        awk '{ print $0, "" }' "$reach/code"
        while read -r number program unit _; do
            awk -v number="$number" '{ print $0, number }' "$reach/of/${program##*/}-$unit.lines"
        done <"$reach/units"
    } | awk '{ units[$1 " " $2] = units[$1 " " $2] ($3 == "" ? "" : " " $3) }
        END { for (key in units) print key units[key] }' | sort -k 1,1 -k 2,2n >"$reach/lines"
}

# Whether the units of a layer run the program `lookback` of the build.
runs_program() { # LAYER
    [[ $1 == programs || $1 == ranks || $1 == translate ]]
}

# Before the program `lookback` of the build is replaced, and after that.
touch_program() {
    [[ -f $tree/bin/lookback.whole ]] || cp -p "$tree/bin/lookback" "$tree/bin/lookback.whole"
}

restore_program() {
    [[ ! -f $tree/bin/lookback.whole ]] || mv -f "$tree/bin/lookback.whole" "$tree/bin/lookback"
}
