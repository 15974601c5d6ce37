#!/bin/sh
# Installs the packages and the wheel in FOLDER on a Debian that has nothing else, uses them there as a user would, and
# removes them.
#   bare_debian.sh RELEASE FOLDER    as root; RELEASE is the one for which they were made, such as bookworm or trixie-arm64
set -eu

release=$1
packages=$(cd -- "$2" && pwd)
here=$(cd -- "$(dirname -- "$0")" && pwd)
consumers=$here/../consumers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/packages"
cp "$packages"/*.deb "$packages"/*.whl "$consumers/train.c" "$consumers/predict/apply.c" \
    "$here/../data/pictures/spanish.safetensors" "$work/packages"
cat >"$work/packages/use.sh" <<'END'
set -eux
. /etc/os-release
# Those of other platforms may be in the folder, too.
find . -name '*.deb' ! -name "*~deb${VERSION_ID}_$(dpkg --print-architecture).deb" -delete
find . -name '*.whl' ! -name "*_$(uname -m).whl" -delete
apt-get update -q

# The wheel needs Python alone, also for a heat map.
apt-get install -qy --no-install-recommends python3-venv
python3 -m venv /packages/bare
/packages/bare/bin/pip install --no-index ./*.whl
/packages/bare/bin/python - <<'PYTHON'
import lookback
pairs = [(word, word.upper()) for word in ("abc", "bca", "cab", "acb", "bac", "cba")] * 20
model = lookback.train(pairs, out="model", hold_out=False, hidden=16, embed=16, steps=200, batch=16, lr=0.01)
assert model("abc") == "ABC", model("abc")
assert "<svg" in model.translate("abc", attention=True)[0].svg()
assert model.evaluate(pairs)["pairs"] == 120
assert lookback.open("spanish.safetensors")("silla") == "s i ʎ a"
PYTHON
/packages/bare/bin/lookback --version
rm -r /packages/bare
apt-get purge -qy --autoremove python3-venv

# The program comes with what it needs, and no more than that.
apt-get install -qy --no-install-recommends ./lookback_*.deb
lookback --version
test -s /usr/share/man/man1/lookback-train.1
bash -c '. /usr/share/bash-completion/completions/lookback; complete -p lookback'
test "$(dpkg-query -f '${db:Status-Status}' -W liblookback0 2>/dev/null)" != installed

# Several processes, without and with what the package suggests for them.
sort='lookback sort --max-number 9 --max-length 3 --hidden 16 --steps 20 --set shards=2 --out'
$sort one
# What is cross-compiled has no MPI.
if test -e ./liblookback-mpi0_*.deb; then
    apt-get install -qy --no-install-recommends ./liblookback-mpi0_*.deb openmpi-bin
    mpirun --allow-run-as-root --oversubscribe -n 2 $sort two
    cmp one/sort.safetensors two/sort.safetensors
fi

# The library for prediction needs libc alone, and has the licences of what is in it.
apt-get install -qy --no-install-recommends ./liblookback-predict0_*.deb
test "$(dpkg-query -f '${Depends}' -W liblookback-predict0 | sed 's/ ([^)]*)//')" = libc6
for part in cjson utf8proc zlib; do grep -q "$part" /usr/share/doc/liblookback-predict0/copyright; done

# The library, for who has a compiler.
apt-get install -qy --no-install-recommends ./liblookback0_*.deb ./liblookback-dev_*.deb gcc libc6-dev pkg-config
cc -std=c11 -Werror apply.c -o apply $(pkg-config --cflags --libs lookback_predict)
cc -std=c11 -Werror apply.c -o apply_archive $(pkg-config --cflags lookback_predict) \
    -Wl,-Bstatic -llookback_predict -Wl,-Bdynamic -lm
for program in ./apply ./apply_archive; do
    test "$(echo '3 1 2' | $program one/sort.safetensors)" = "$(echo '3 1 2' | lookback predict --only-outputs one/sort.safetensors)"
done
cc -std=c11 -Werror train.c -o train $(pkg-config --cflags --libs lookback)
./train
cc -std=c11 -Werror train.c -o train_f64 $(pkg-config --cflags --libs lookback_f64)
./train_f64
cc -std=c11 /usr/share/doc/lookback/examples/sparse/sparse_weights.c -o sparse $(pkg-config --cflags --libs lookback)
test -s /usr/share/doc/lookback/docs/guide.md
grep -q Bitstream /usr/share/doc/liblookback0/copyright
readelf --dynamic train | grep -F 'NEEDED' | grep -F '[liblookback.so.0]'

# Archives, with what the package suggests for them.
apt-get install -qy --no-install-recommends libopenblas-dev libcjson-dev libutf8proc-dev zlib1g-dev \
    libcairo2-dev libharfbuzz-dev libfribidi-dev libfreetype-dev
cc -std=c11 -Werror train.c -o train_archive $(pkg-config --cflags lookback) \
    -Wl,-Bstatic -llookback -Wl,-Bdynamic $(pkg-config --static --libs lookback | sed 's/-llookback//')
./train_archive

apt-get purge -qy $(dpkg-query -f '${db:Status-Abbrev}${Package}\n' -W '*lookback*' | sed -n 's/^ii //p')
test -z "$(find / -xdev -path /packages -prune -o -path /proc -prune -o -path /sys -prune -o -name '*lookback*' -print)"
END

if "$here/bare.sh" "$release" "$work/packages" >"$work/log" 2>&1; then
    grep -E '^(lookback|lookback .*)$' "$work/log" | sort -u
    echo "the packages and the wheel install on a bare Debian ($release), work there, and leave nothing behind"
else
    cat "$work/log" >&2
    exit 1
fi
