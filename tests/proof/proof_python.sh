#!/bin/bash
# The package of Python: interpreters that end while daemon threads are in the library, and models that are copied, pickled, and
# sent to other processes. The package is that of the checkout, over the library of the build.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
python=$(command -v python3) || not_run "there is no Python"
package=$folder/package/lookback
rm -rf "$folder/package"
mkdir -p "$package/native"
cp "$root"/python/lookback/*.py "$package"
ln -s "$bin/../liblookback.so.0" "$bin/lookback" "$package/native"
PYTHONPATH=$root/python "$python" -B - "$root" "$bin/.." >"$package/_c.py" <<'END'
import sys
import bindings
root, build = sys.argv[1:]
print(bindings.write(f"{root}/python/lookback", [f"{root}/include", f"{build}/generated/include"], f"{root}/src/settings/table.c"),
      end="")
END
export PYTHONPATH=$folder/package PYTHONDONTWRITEBYTECODE=1
"$python" -c "import lookback" 2>"$folder/log" || not_run "the library does not load: $(tail -n 1 "$folder/log")"
make_model

# One trial, which prints the status that it has to end with, and what it does. Nothing else is written: no fault, and no warning.
try() { # KIND
    local status=0 expected what
    draw 1000000000
    timeout -k 5 120 "$python" "$root/tests/proof/python_trial.py" "$1" "$folder/model/model.safetensors" "$folder/new" "$drawn" \
        >"$folder/output" 2>"$folder/log" || status=$?
    read -r expected what <"$folder/output" || true
    trials=$((trials + 1))
    if ((status != ${expected:-0})) || [[ -s $folder/log ]]; then
        failure "python_trial.py $1 $drawn (${what:-no output}): status $status, expected ${expected:-0}: $(tail -n 1 "$folder/log")"
    fi
}

whole=$seconds seconds=$((seconds / 2))
mkdir -p "$folder/new"
until time_is_up; do try end; done
report "ends of the interpreter"
ends=$failures trials=0 failures=0 seconds=$whole
until time_is_up; do try copies; done
report "copies and spawned processes"
((ends + failures == 0))
