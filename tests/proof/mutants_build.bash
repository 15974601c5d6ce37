# shellcheck shell=bash disable=SC2154
# Compiles one file of src or apps and links programs with it, in the build folder $tree. To be sourced by bash.
# `kind` is float or double: the library is built in both precisions, and the rest with float.

declare -A compile_of link_of

# The commands of all objects, without their output.
read_compile_commands() {
    local kind source command
    while IFS=$'\t' read -r kind source command; do
        compile_of[$kind $source]=$command
    done < <(sed -nE 's/^ *"command": "(.*)",$/\1/p' "$tree/compile_commands.json" | sed -E 's/\\(.)/\1/g' |
        awk -v root="$root/" 'match($0, / -o CMakeFiles\/(lookback(_engine)?(_f64)?_(objects|program|mpi)|app_rooms)[.]dir\//) {
            kind = substr($0, RSTART, RLENGTH) ~ /_f64_/ ? "double" : "float"
            source = $NF
            sub(/^[^ ]*ccache /, "")
            match($0, / -o CMakeFiles/)
            if (index(source, root) == 1) source = substr(source, length(root) + 1)
            print kind "\t" source "\t" substr($0, 1, RSTART)
        }')
}

has_kind() { # KIND SOURCE
    [[ -n ${compile_of[$1 $2]-} ]]
}

# Compiles the file INPUT as if it were SOURCE.
compile_as() { # KIND SOURCE INPUT OUTPUT FLAG...
    local kind=$1 source=$2 input=$3 output=$4
    shift 4
    (cd "$tree" && eval "${compile_of[$kind $source]}" -w '"$@"' -iquote '"$root/${source%/*}"' -o '"$output"' -c '"$input"') \
        >/dev/null 2>&1
}

# Links a program of the build with other objects or archives instead of those that it has; an empty one is none.
link_with() { # PROGRAM OUTPUT FLOAT DOUBLE FLAG...
    local program=$1 output=$2 float=$3 double=$4 library
    shift 4
    if [[ -z ${link_of[$program]-} ]]; then
        link_of[$program]=$(ninja -C "$tree" -t commands -s "$program" | tail -n 1)
    fi
    local command=${link_of[$program]#: && }
    command=${command%% && *}
    if [[ -z ${file-} ]]; then
        for library in libapp_rooms liblookback; do command=${command/ $library.a / '$float' $library.a }; done
        command=${command/ liblookback_f64.a / '$double' liblookback_f64.a }
        command=${command/ -o $program / '"$@"' -o '"$output"' }
    else
        # The object of a file that is in no archive is replaced.
        [[ ! $command =~ \ CMakeFiles/[a-z_]+\.dir/$file\.o ]] || command=${command/"${BASH_REMATCH[0]}"/}
        command=${command/ -o $program / '"$@" $float $double' -o '"$output"' }
    fi
    # shellcheck disable=SC2086 # the objects may be empty
    (cd "$tree" && eval "$command") >/dev/null 2>&1
}

# Runs a unit of a test program as ctest would, in a session of its own: what is left of it ends, too. A loop without end is
# stopped by the time of the processor, so that a busy machine does not matter.
run_unit() { # PROGRAM UNIT SECONDS
    local status=0
    (
        cd "$tree/tests" || exit 1
        ulimit -t "$3"
        exec setsid timeout -k 2 $(($3 * 4 + 30)) "$1" "$2"
    ) >/dev/null 2>&1 </dev/null &
    wait $! || status=$?
    ((status < 124)) || pkill -KILL -s $! || true
    return $status
}

# Sets `took`: the milliseconds of the processor that a command takes.
measure() { # COMMAND...
    local TIMEFORMAT="%U %S" status=0
    { time "$@" 2>&3; } 3>&2 2>"$reach/time" || status=$?
    took=$(awk '{ printf "%d", 1000 * ($1 + $2) }' "$reach/time")
    return $status
}

now() {
    date +%s%N
}
