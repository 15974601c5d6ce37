#!/bin/sh
# Makes the release once more, from a clone in another folder, and fails unless its files are those in FOLDER, bit for bit.
#   same_bits.sh FOLDER
set -eu

packages=$(cd -- "$1" && pwd)
checkout=$(cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A compiler's cache would hand out the objects of the first build.
export CCACHE_DISABLE=1
git clone --quiet --no-hardlinks "file://$checkout" "$work/a clone, elsewhere"
(cd -- "$work/a clone, elsewhere" && ./run release)
(cd -- "$packages" && sha256sum --check "$work/a clone, elsewhere/build/packages/SHA256SUMS")
