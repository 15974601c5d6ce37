#!/bin/bash
# Few open files, little memory, a small stack, a full disk: each program ends with a message and a status, or with the right
# result.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
make_model
for program in "${programs[@]}"; do expect_results "$program" env; done

# OpenBLAS asks for its buffers of 128 MB again and again until it gets them: below that it never returns.
waiting=0
while ! time_is_up; do
    draw ${#programs[@]}
    program=${programs[drawn]}
    draw 4
    case $drawn in
    0)
        draw 24
        limit="-n $((drawn + 3))"
        ;;
    1)
        draw 300
        limit="-v $((50000 + 3000 * drawn))"
        ;;
    2) limit="-s 1024" ;;
    3)
        draw 200
        limit="-f $drawn"
        ;;
    esac
    status=0
    run_program "$program" timeout -k 2 10 /bin/sh -c "ulimit $limit; exec \"\$@\"" sh || status=$?
    if [[ $limit == -v* ]] && ((status == 124 || status == 137)); then
        waiting=$((waiting + 1))
        continue
    fi
    check_program $status "$program with ulimit $limit" "$program"
done
((waiting == 0)) || echo "$name: in $waiting more trials OpenBLAS waited for memory until it was stopped"
finish
