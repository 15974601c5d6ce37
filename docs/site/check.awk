# Reads the site's pages: whatever they load or lead to must lie beside them. Only a reader's click may leave the machine.
function is_there(path,   line) {
    if (!(path in there)) {
        there[path] = (getline line < path) >= 0
        close(path)
    }
    return there[path]
}
function complain(what) {
    print FILENAME ": " what >"/dev/stderr"
    failed = 1
}
{
    rest = $0
    while (match(rest, /<[a-z]+ [^>]*(href|src)="[^"]*"/)) {
        tag = target = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        sub(/ .*/, "", tag)
        sub(/.* (href|src)="/, "", target)
        sub(/[#"].*/, "", target)
        if (target ~ /^https?:/) {
            if (tag != "<a") complain("loads " target)
        } else if (target !~ /^(javascript:|$)/) {
            folder = FILENAME
            sub(/[^\/]*$/, "", folder)
            if (!is_there(folder target)) complain("no such file: " target)
        }
    }
}
END { exit failed }
