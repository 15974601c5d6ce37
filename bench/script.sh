# shellcheck shell=bash disable=SC2034,SC2154
# What the scripts of bench/ have in common: strict mode, programs, messages, options. They set root, the folder of the checkout,
# and help prints their usage.
set -euo pipefail
unset CDPATH
script=${0##*/} bin=${BIN:-$root/build/release/bin}
# With these in the environment, OpenBLAS runs at half its speed on some machines.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
out=$root/out only='' quick='' seeds=1 threads=1 operands=()

fail() { # STATUS MESSAGE
    echo "$script: $2" >&2
    exit "$1"
}

need_programs() { # PROGRAM...
    local program
    for program; do [[ -x $bin/$program ]] || fail 1 "$bin/$program is missing; ./run build makes it"; done
}

# Reads the options in front of the operands, which it leaves in `operands`: --help; --quick, which sets quick to -quick; and a
# --NAME with a value, which sets the variable of that name.
read_options() { # "NAME..." ARGUMENT...
    local names=" $1 "
    shift
    while [[ ${1-} == -* ]]; do
        case $1 in
        --quick) quick=-quick ;;
        -h | --help)
            help
            exit
            ;;
        *)
            [[ $1 == --?* && $names == *" ${1#--} "* ]] || fail 2 "unknown option $1; see --help"
            [[ -n ${2-} ]] || fail 2 "$1: expected a value"
            printf -v "${1#--}" %s "$2"
            shift
            ;;
        esac
        shift
    done
    [[ $seeds =~ ^[1-9][0-9]*$ ]] || fail 2 "--seeds: found $seeds, expected a number above 0"
    operands=("$@")
}
