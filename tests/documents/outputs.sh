#!/bin/sh
# Runs the commands of a page, or of one of its sections, and compares what they print with what the page shows. They run
# in a folder that looks like a clone after a build. outputs.awk has the rules.
#   outputs.sh PAGE BIN_DIR [SECTION]
set -eu

here=$(cd -- "$(dirname -- "$0")" && pwd)
root=$(cd -- "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8

mkdir -p "$work/build/release" "$work/out"
ln -s "$(cd -- "$2" && pwd)" "$work/build/release/bin"
ln -s "$root/examples" "$work/examples"
awk -v section="${3-}" -v compare="$here/same_output.awk" -f "$here/outputs.awk" "$1" >"$work/use.sh"
grep -q END_OF_OUTPUT "$work/use.sh" || {
    echo "$1: no output is shown"
    exit 1
}
cd "$work"
sh use.sh
