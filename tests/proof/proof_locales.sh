#!/bin/bash
# Each program in other locales: the same output, models, logs and pictures, byte for byte. tests/unit/translate/test_locales.c is for
# hosts that call setlocale.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"

# A decimal comma, a letter I whose small letter is not i, and a decimal sign of two bytes.
locales=()
for locale in de_DE tr_TR ps_AF; do
    made=$bin/../tests/locales/$locale.UTF-8
    [[ ! -d $made ]] || locales+=("$locale.UTF-8")
done
((${#locales[@]})) || not_run "the build has no locales: localedef or its sources are missing"
make_model
echo '{"lr": [0.0125, 0.02], "dropout": [0.25]}' >"$folder/grid.json"

# What is compared, with logs and tables but for the seconds in them.
all_results() {
    results
    (cd "$folder/now" && find . \( -name '*.jsonl' -o -name '*.csv' -o -name '*.tsv' -o -name '*.json' \) | sort | while read -r file; do
        echo "$file"
        sed -E 's/"seconds":[^,}]*//; s/"(words|tokens)_per_second":[^,}]*//' "$file" | case $file in
        *.tsv) cut -f 1-4,6- ;; # seconds are the fifth column of a sweep
        *.csv) cut -d , -f 1-6 ;; # and the seventh of a log
        *) cat ;;
        esac
    done)
}

declare -A plain
try() { # PROGRAM LOCALE
    local status=0
    if [[ -z ${plain[$1]:-} ]]; then
        run_program "$1" env LC_ALL=C || failure "$1 does not run: $(cat "$folder/now/message")"
        plain[$1]=$(all_results)
    fi
    run_program "$1" env "LOCPATH=$bin/../tests/locales" "LC_ALL=$2" || status=$?
    trials=$((trials + 1))
    if ((status != 0)); then
        failure "$1 in $2: status $status: $(head -n 1 "$folder/now/message")"
    elif [[ $(all_results) != "${plain[$1]}" ]]; then
        failure "$1 in $2: $(diff <(echo "${plain[$1]}") <(all_results) | head -n 5 | tr '\n' ' ')"
    fi
}

# Each program in each locale, in random order, again and again with other orders.
while ! time_is_up; do
    while read -r program locale; do
        try "$program" "$locale"
        ! time_is_up || break
    done < <(for program in "${programs[@]}" "${more_programs[@]}" fractions sweep; do
        for locale in "${locales[@]}"; do echo "$program $locale"; done
    done | shuffled)
    seed=$((seed + 1))
done
finish
