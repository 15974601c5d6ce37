#!/bin/bash
# Few open files, little memory, a small stack, files of a limited size, a disk that is full or that cannot be written: each
# program ends with a message and a status, or with the right result, and what was there before can be read.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
make_model
programs+=("${more_programs[@]}")
for program in "${programs[@]}"; do expect_results "$program" env; done

# Runs a program on a disk of its own, in memory, that has some free KB; with "ro", nothing can be written. Its files are back
# in the folder afterwards.
# shellcheck disable=SC2016
own_disk='free=$1 mode=$2
shift 2
here=$PWD
rm -rf ../before ../after
cp -r out ../before
mount -t tmpfs -o size=$(($(du -sk out | cut -f1) + free + 8))k tmpfs "$here" && cd "$here" && cp -r ../before out || exit 125
mount -o "remount,$mode" "$here" || exit 125
status=0
"$@" || status=$?
cp -r . ../after
cd / && umount "$here" && cd "$here" && rm -rf out && cp -r ../after/. . && rm -rf ../before ../after
exit $status'
kinds=4
if unshare -m mount -t tmpfs tmpfs "$folder" 2>/dev/null; then
    kinds=6
else
    echo "$name: disks that are full or read-only are left out: a file system cannot be mounted here"
fi

# OpenBLAS asks for its buffers of 128 MB again and again until it gets them: below that it never returns.
waiting=0
while ! time_is_up; do
    draw ${#programs[@]}
    program=${programs[drawn]}
    limited=(timeout -k 2 10 /bin/sh -c "ulimit \$0; exec \"\$@\"")
    draw $kinds
    case $drawn in
    0)
        draw 24
        limit="-n $((drawn + 3))"
        ;;
    1)
        draw 300
        limit="-v $((50000 + 3000 * drawn))"
        ;;
    2) limit="-s 128" ;;
    3)
        draw 200
        limit="-f $drawn"
        ;;
    4)
        draw 300
        limit="$drawn KB free on the disk"
        limited=(unshare -m /bin/sh -c "$own_disk" sh "$drawn" rw)
        ;;
    5)
        limit="a disk that is read-only"
        limited=(unshare -m /bin/sh -c "$own_disk" sh 0 ro)
        ;;
    esac
    status=0
    [[ $limit != -* ]] || limited+=("$limit")
    run_program "$program" "${limited[@]}" || status=$?
    if [[ $limit == -v* ]] && ((status == 124 || status == 137)); then
        waiting=$((waiting + 1))
        continue
    fi
    check_program $status "$program with $limit" "$program"
done
((waiting == 0)) || echo "$name: in $waiting more trials OpenBLAS waited for memory until it was stopped"
finish
