# A public header as Doxygen reads it. Declarations stay as they are, and every line keeps its number. Only comments change:
#   the first one                     becomes the group of the layer
#   /* ---- Title. Text ---- */       becomes a group of its own below that
#   Shapes: Errors: Memory: ...       become paragraphs with a heading
#   /* beside or above a field */     becomes its documentation
# Lists that are expanded by X macros are written out, each entry with the rest of its columns as documentation.
# To be read behind names.awk.

function slug(text) {
    text = tolower(text)
    gsub(/[^a-z0-9]+/, "_", text)
    return text
}

# A row of a table: a name, at least two blanks, what it is.
function is_row(text) {
    return text ~ /^ \*     +[^ ].*[^ ]  +[^ ]/ && text !~ /^ \* +[A-Z][a-z]+:/
}

# What a comment says, as Doxygen is to read it.
function prose(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/</, "\\<", text)
    text = linked(text)
    # A row becomes a list's item. What is less indented ends the list.
    if (is_row(text)) {
        sub(/^ \* +/, "", text)
        match(text, /  +/)
        text = " *  - `" substr(text, 1, RSTART - 1) "`: " substr(text, RSTART + RLENGTH)
        in_list = 1
    } else if (in_list && text ~ /^ \*  ?[^ ]/) {
        sub(/^ \* +/, "", text)
        text = " *  \\gap " text
        in_list = 0
    }
    if (match(text, /^(\/\*\*| \*) +[A-Z][a-z]+: +/)) text = headed(text, RSTART, RLENGTH)
    while (match(text, /[.] +(Shapes|Mask|Lengths|Errors|Memory|Cost|Source|Differs): +/))
        text = substr(text, 1, RSTART) headed(substr(text, RSTART + 1), 1, RLENGTH - 1)
    return text
}

# The text with the label that stands there, in front of it a comment's beginning or blanks, as a heading.
function headed(text, start, length_,   label) {
    label = substr(text, start, length_)
    match(label, /[A-Z][a-z]+/)
    return substr(label, 1, RSTART - 1) "\\headed{" substr(label, RSTART, RLENGTH) "} " substr(text, start + length_)
}

# A section's first sentence, or what stands before its first colon, is its title.
function section(text,   title) {
    sub(/^\/\* ---- /, "", text)
    sub(/ *---- \*\/$/, "", text)
    if (!match(text, /[:.]( |\n|$)/)) RSTART = length(text) + 1
    title = substr(text, 1, RSTART - 1)
    gsub(/\n +\* +/, " ", title)
    # What is too long for one goes on behind its first comma, and so does the text.
    if (length(title) > 48 && title ~ /,/) sub(/,.*/, "", title)
    else text = substr(text, RSTART + 1)
    sub(/^ +/, "", text)
    return end_of_section() "/** \\group{" layer "_" slug(title) "," escaped(title) "} " toupper(substr(text, 1, 1)) substr(text, 2) " @{ */"
}

# As an argument of an alias.
function escaped(text) {
    gsub(/,/, "\\,", text)
    return text
}

function end_of_section() {
    return in_section++ ? "/** @} */ " : ""
}

FNR == 1 {
    layer = FILENAME
    sub(/.*\//, "", layer)
    sub(/[.]h$/, "", layer)
    head = 1
    in_section = 0
}
head {
    sub(/^\/\* /, "")
    ended = sub(/ *\*\/$/, "")
    # What is indented and not a row is code.
    if (!/^ \*     / || is_row($0)) $0 = prose($0)
    if (FNR == 1) printf "/** \\group{layer_%s,%s} ", layer, layer
    printf "%s%s\n", $0, ended ? " */ /** @{ */" : ""
    head = !ended
    next
}
/^\/\* ---- / { pending = "" ; collecting = 1 }
collecting {
    pending = pending (pending == "" ? "" : "\n") prose($0)
    if ($0 !~ /---- \*\/$/) next
    collecting = 0
    print section(pending)
    next
}

# X macros: the list, its use within an enum, and the helper that the use is made of.
/^#define LB_[A-Z]+_LIST\(X\)/ { list = $2; sub(/[(].*/, "", list); entries[list] = 0 }
list != "" && match($0, /X\(.*\)/) && !/^#define/ {
    entry[list, ++entries[list]] = substr($0, RSTART + 2, RLENGTH - 3)
    if ($0 !~ /\\$/) list = ""
}
body && /^ *LB_[A-Z]+_LIST\(/ {
    name = $1
    sub(/[(].*/, "", name)
    for (i = 1; i <= entries[name]; i++) {
        count = split(entry[name, i], column, /, */)
        text = column[2]
        for (c = 3; c <= count; c++) text = text ", " column[c]
        gsub(/"/, "", text)
        printf "%s%s /**< %s */, ", prefix, column[1], text
    }
    print ""
    next
}
body && /^#define .*\) *LB_[A-Z]+_##name,/ { prefix = $0; sub(/.*\) */, "", prefix); sub(/##.*/, "", prefix); print ""; next }
body && /^#define [A-Z_]+\(.*\) [a-z]+,$/ { prefix = ""; print ""; next }

# What is defined under a condition is for compilers.
/^# +define/ { conditional = 1 }
conditional { conditional = /\\$/; print ""; next }

/^(typedef )?(struct|enum)( [a-z0-9_]+)? \{$/ { body = 1 }
body && /^\}/ { body = 0 }
/^\/\*\*/ || (body && /^ +\/\*\*/) { comment = 1 }
# What stands beside several fields belongs to each.
!comment && body && /^ +[a-z][a-z0-9_ ]* [a-z_0-9]+(, [a-z_0-9]+)+; +\/\*.*\*\/$/ {
    start = index($0, "/*")
    text = "/**<" prose(substr($0, start + 2))
    count = split(substr($0, 1, start - 1), field, /, |;/)
    type = field[1]
    sub(/[^ ]+$/, "", type)
    printf "%s; %s", field[1], text
    for (i = 2; i < count; i++) printf " %s%s; %s", type, field[i], text
    print ""
    next
}
!comment && body && (start = index($0, "/*")) {
    printf "%s%s", substr($0, 1, start - 1), $0 ~ /^ *\/\*/ ? "/**" : "/**<"
    $0 = substr($0, start + 2)
    comment = 1
}
comment {
    print prose($0)
    if (/\*\//) comment = 0
    next
}
{ print }
END { print end_of_section() "/** @} */" }
