#!/bin/sh
# What the programs and shared libraries of an installed Lookback are protected by, as checksec sees it.
#   hardened.sh PREFIX NAME...
# NAME is a file that has to be among them.
set -eu
failed=0

# The tools of ./run test that this machine lacks. Where only checksec does, it was forgotten.
absent=$(sed -n "/^packages_test=/,/'\$/s/.* tool \([a-z]*\).*/\1/p" "$(dirname -- "$0")/../../run" |
    while read -r tool; do command -v "$tool" >/dev/null || printf ' %s' "$tool"; done)
case $absent in
' checksec')
    echo "checksec is missing, expected it with the other packages of ./run test"
    exit 1
    ;;
*checksec*)
    echo "SKIPPED: what protects programs: these are missing:$absent"
    exit 77
    ;;
esac

check() { # FILE
    file=$1
    found=$(checksec --format=csv --file="$file")
    for wanted in 'Full RELRO' 'Canary found' 'NX enabled' 'No RPATH' 'No RUNPATH'; do
        case $found in
        *"$wanted"*) ;;
        *)
            echo "$file: no \"$wanted\" in $found"
            failed=1
            ;;
        esac
    done
    case $found in
    *'PIE enabled'*,Yes,* | *DSO*,Yes,*) ;;
    *)
        echo "$file: not fortified, or not position-independent: $found"
        failed=1
        ;;
    esac
}

cd "$1"
shift
list=$(mktemp)
trap 'rm -f "$list"' EXIT
# shellcheck disable=SC2016 # it is the inner shell that has a file
find . -type f -exec sh -c 'test "$(head -c 4 "$1" | tail -c 3)" = ELF' - {} \; -print >"$list"
while read -r path; do check "$path"; done <"$list"
for name; do
    sed 's,.*/,,' "$list" | grep -qxF -e "$name" || {
        echo "$name: not found among the installed programs and shared libraries"
        failed=1
    }
done
exit $failed
