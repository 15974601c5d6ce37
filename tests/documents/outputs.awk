# Makes a shell script of a Markdown page. The script runs the commands of the page and compares what they print with what
# the page shows.
#   -v section="Three commands"   only what is under this heading
#   -v whole=1                    also programs in C and Python, and commands of ./run in sentences
#   -v compare=FILE               the path of same_output.awk
# Commands are indented by four spaces. A fence with the word text shows what the last commands before it print, on
# standard output and standard error. A comment before the fence says how far numbers may differ:
#   <!-- within 10 % -->   or   <!-- within 10 %, times free -->
# A line that is only ... stands for any lines, and ... at the end of a line for the rest of it. set -e overlooks what fails
# before &&, so each command has its exit.
function flush() {
    printf "%s", commands
    commands = ""
}

function fail(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what >"/dev/stderr"
    failed = 1
    exit 1
}

BEGIN {
    active = section == ""
    print "found=$(mktemp) && exec 3>&1 && trap 'cat \"$found\" >&3; rm -f \"$found\"' EXIT"
}

# Within a fence
fence != "" && /^```$/ {
    if (fence == "text" && active) {
        print "END_OF_OUTPUT\n: >\"$found\""
    } else if (whole && (fence == "c" || fence == "python")) {
        print "END"
    }
    fence = ""
    next
}
fence != "" {
    if ((fence == "text" && active) || (whole && (fence == "c" || fence == "python"))) print
    next
}

/^```/ {
    fence = substr($0, 4) == "" ? "other" : substr($0, 4)
    if (fence == "text" && active) {
        if (commands == "") fail("an output without commands")
        printf "{\n%s} >\"$found\" 2>&1\ncat \"$found\"\n", commands
        printf "awk -v place='%s:%d' -v within=%s -v free=%d -f '%s' - \"$found\" <<'END_OF_OUTPUT' || { : >\"$found\"; exit 1; }\n", FILENAME, FNR,
            within + 0, free, compare
        commands = ""
    } else if (whole && fence == "c") {
        flush()
        print "cat >program.c <<'END'"
    } else if (whole && fence == "python") {
        flush()
        print "python <<'END'"
    }
    within = free = open = 0
    next
}

/^#/ { active = section == "" || index($0, section) }
!active || /^ *$/ { next }

/^    / {
    if (!open) flush()
    open = 1
    sub(/  +#.*/, "")
    seen[substr($0, 5)]
    commands = commands substr($0, 5) ($0 ~ /\\$/ ? "" : " || exit") "\n"
    next
}

{ open = 0 }
/^<!-- within / {
    if ($0 !~ /^<!-- within [0-9.]+ %(, times free)? -->$/) fail("expected <!-- within N % --> or <!-- within N %, times free -->")
    within = $3
    free = /times free/
    next
}

# Each command of ./run that a sentence names runs once.
whole {
    while (match($0, /`\.\/run [^`]*`/)) {
        line = substr($0, RSTART + 1, RLENGTH - 2)
        $0 = substr($0, RSTART + RLENGTH)
        if (line in seen) continue
        seen[line]
        flush()
        print line " || exit"
    }
}

END {
    if (failed) exit 1
    if (fence != "") fail("a fence without an end")
    flush()
}
