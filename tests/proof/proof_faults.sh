#!/bin/bash
# System calls that fail, one at a time: each program ends with a message and a status, or with the right result; it never
# crashes, and what was saved before is whole.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
strace -o /dev/null true 2>/dev/null || not_run "strace is missing, or may not trace"
make_model
((${more:-0} == 0)) || programs=("${more_programs[@]}")

declare -A errors=(
    [openat]="EIO ENOSPC EACCES EMFILE EINTR" [read]="EIO EINTR" [write]="EIO ENOSPC EINTR EACCES"
    [fsync]="EIO ENOSPC EINTR EACCES" [linkat]="EIO ENOSPC EPERM EINTR" [rename]="EIO ENOSPC EACCES EINTR"
    [close]="EIO EINTR EACCES" [mkdir]="EACCES ENOSPC EIO EINTR" [newfstatat]="EIO EACCES EINTR" [fstat]="EIO"
    [flock]="EIO ENOLCK EINTR EACCES" [mmap]="ENOMEM EACCES ENODEV" [ftruncate]="EIO EINTR" [fchmod]="EIO EPERM EACCES"
    [getdents64]="EIO" [access]="EACCES" [pwrite64]="EIO ENOSPC EINTR" [unlink]="EACCES"
)
calls=("${!errors[@]}")
mapfile -t calls < <(printf '%s\n' "${calls[@]}" | sort)

calls_of() { # CALL TRACE
    grep -cE "^[0-9]+ +$1\(" "$2" || true
}

# Every call of every program, with each of its errors. Those of the loader of shared libraries are left out; after the
# last of them it releases its list.
all_faults() {
    local program call error n count first
    for program in "${programs[@]}"; do
        expect_results "$program" strace -qq -f -o "$folder/trace"
        awk 'NR == FNR { if (/openat\(.*[.]so/) last = FNR; next } { print } FNR > last && /munmap\(/ { exit }' \
            "$folder/trace" "$folder/trace" >"$folder/loader"
        for call in "${!errors[@]}"; do
            first=$(calls_of "$call" "$folder/loader") count=$(calls_of "$call" "$folder/trace")
            for error in ${errors[$call]}; do
                for ((n = first + 1; n <= count; n++)); do echo "$program $call $error $n" >&3; done
            done
        done
    done
}

all_faults 3>"$folder/all"
sort "$folder/all" | shuffled >"$folder/faults"
while ! time_is_up && read -r program call error n <&8; do
    status=0
    run_program "$program" strace --seccomp-bpf -qq -f -o /dev/null -e "trace=$call" -e "inject=$call:error=$error:when=$n" ||
        status=$?
    check_program $status "$program, call $n of $call fails with $error" "$program"
done 8<"$folder/faults"
echo "$name: $trials of $(wc -l <"$folder/faults") faults"
finish
