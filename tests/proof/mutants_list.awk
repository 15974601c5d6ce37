# Lists the faults that can be planted into C files formatted as those of src/: a function begins with a line `{` and ends
# with a line `}`. The first file is mutants_operators.txt. One fault is a line of fields separated by tabs:
#   file, line, operator, "original => mutated", and for each edit: line, column, length, text
# Comments, strings, directives, declarations and assertions are left alone.
BEGIN {
    OFS = "\t"
    word_list("keyword", "return case else do sizeof goto")
    word_list("no_statement", "if for while do switch case default return goto else assert static_assert const static struct enum " \
        "union unsigned signed typedef extern { } ;")
}

function word_list(name, words, list, n) {
    n = split(words, list, " ")
    while (n > 0) is[name, list[n--]] = 1
}

FILENAME == ARGV[1] {
    for (k = 2; k < NF && !/^#/; k += 2) {
        swapped[$k] = $(k + 1)
        operator_of[$k] = $1
    }
    wanted[/^dropped/ ? $0 : $1]
    next
}

FNR == 1 { inside = comment = directive = 0 }

!inside {
    if ($0 == "{") {
        inside = 1
        count = 0
    }
    next
}

$0 == "}" {
    plant_all()
    inside = comment = directive = 0
    next
}

{
    text_of[FNR] = $0
    if (directive || /^ *#/) {
        directive = /\\$/
        next
    }
    cut_into_tokens($0)
}

function cut_into_tokens(rest, column) {
    column = 1
    while (rest != "") {
        if (comment) {
            if (!match(rest, /\*\//)) return
            RLENGTH = RSTART + 1
            comment = 0
        } else if (match(rest, /^\/\//)) {
            return
        } else if (match(rest, /^\/\*/)) {
            comment = 1
        } else if (!match(rest, /^[ \t]+/)) {
            if (!match(rest, /^("([^"\\]|\\.)*"|'([^'\\]|\\.)+'|[0-9]([eEpP][-+]|[0-9A-Za-z_.])*|[A-Za-z_][A-Za-z_0-9]*)/) &&
                !match(rest, /^(<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*\/%&|^]=)/))
                RLENGTH = 1
            token[++count] = substr(rest, 1, RLENGTH)
            line[count] = FNR
            column_of[count] = column
        }
        column += RLENGTH
        rest = substr(rest, RLENGTH + 1)
    }
}

# The partner of each bracket, and whether a brace begins a block.
function match_brackets(i, depth, open) {
    depth = 0
    for (i = 1; i <= count; i++) {
        block[i] = 0
        if (token[i] ~ /^[({[]$/) {
            open[++depth] = i
            block[i] = token[i] == "{" && (i == 1 || token[i - 1] ~ /^([;{}]|else|do)$/ || ends_control(i - 1)) && \
                (depth == 1 || block[open[depth - 1]])
        } else if (token[i] ~ /^[)}\]]$/) {
            partner[open[depth]] = i
            partner[i] = open[depth]
            block[i] = block[open[depth--]]
        }
        around[i] = depth ? open[depth] : 0
    }
}

# A `)` that ends the head of an if, a loop or a switch.
function ends_control(i) {
    return token[i] == ")" && partner[i] > 1 && token[partner[i] - 1] ~ /^(if|for|while|switch)$/
}

function is_operand(i) {
    return i > 0 && token[i] ~ /^[A-Za-z_0-9"')\]]/ && !(("keyword", token[i]) in is)
}

function is_spaced(i, before, after) {
    before = substr(text_of[line[i]], column_of[i] - 1, 1)
    after = substr(text_of[line[i]], column_of[i] + length(token[i]), 1)
    return (before == " " || before == "") && (after == " " || after == "")
}

function edit(at, column, size, text) {
    edits++
    edit_line[edits] = at
    edit_column[edits] = column
    edit_size[edits] = size
    edit_text[edits] = text
}

function trim(text) {
    gsub(/^ +| +$/, "", text)
    return text
}

# Prints the fault of the edits since the last one.
function plant(operator, i, from, to, k, at, changed, row) {
    row = ""
    if (!(operator in wanted)) edits = 0
    for (k = edits; k > 0; k--) {
        at = edit_line[k]
        changed = k < edits && edit_line[k + 1] == at ? changed : text_of[at]
        changed = substr(changed, 1, edit_column[k] - 1) edit_text[k] substr(changed, edit_column[k] + edit_size[k])
        if (k > 1 && edit_line[k - 1] == at) continue
        from = trim(text_of[at]) (from == "" ? "" : " " from)
        to = trim(changed) (to == "" || trim(changed) == "" ? "" : " ") to
    }
    for (k = 1; k <= edits; k++) row = row OFS edit_line[k] OFS edit_column[k] OFS edit_size[k] OFS edit_text[k]
    if (edits) print FILENAME, line[i], operator, from " => " to row
    edits = 0
}

function plant_swap(i, operator) {
    operator = operator_of[token[i]]
    if (token[i] ~ /^([-+*\/%&|]|<<|>>)$/ && !(is_operand(i - 1) && is_spaced(i))) {
        if (token[i] != "-" || is_operand(i - 1) || is_spaced(i)) return
        edit(line[i], column_of[i], 1, "")
    } else {
        edit(line[i], column_of[i], length(token[i]), swapped[token[i]])
    }
    plant(operator, i)
}

function plant_index(i, before) {
    if (!is_operand(i - 1) || token[i - 1] ~ /^["0-9]/ || partner[i] == i + 1) return
    before = token[i - 2]
    # A declaration: TYPE NAME[...] or TYPE *NAME[...].
    if (before ~ /^[A-Za-z_]/ && !(("keyword", before) in is)) return
    if (before == "*" && is_operand(i - 3) && !is_spaced(i - 2)) return
    edit(line[partner[i]], column_of[partner[i]], 0, " + 1")
    plant("index", i)
}

function plant_check(i) {
    edit(line[i + 1], column_of[i + 1] + 1, 0, "0 && (")
    edit(line[partner[i + 1]], column_of[partner[i + 1]], 0, ")")
    plant("dropped check", i)
}

function begins_statement(i) {
    if (around[i] && !block[around[i]] && !(token[i] ~ /^[({[]$/ && around[partner[i]])) return 0
    if (i == 1 || token[i - 1] ~ /^(;|else|do)$/ || ends_control(i - 1)) return 1
    if (token[i - 1] ~ /^[{}]$/) return block[i - 1]
    return token[i - 1] == ":" && (token[i - 2] == "default" || token[i - 3] == "case")
}

function end_of_statement(i) {
    while (i <= count && token[i] != ";") i = token[i] ~ /^[({[]$/ ? partner[i] + 1 : i + 1
    return i
}

function plant_statement(i, last, k, first) {
    last = end_of_statement(i)
    if (token[i] == "return" ? last != i + 1 : ("no_statement", token[i]) in is) return
    # Without the only statement of an if: the same as without its check.
    if (ends_control(i - 1) && token[partner[i - 1] - 1] == "if" && token[last + 1] != "else") return
    if (token[i] !~ /^(return|break|continue)$/ && token[i] ~ /^[A-Za-z_]/ && token[i + 1] ~ /^([A-Za-z_].*|\*|:)$/) return
    for (k = first = i; k <= last; k++) {
        if (k < last && line[k + 1] == line[first]) continue
        edit(line[first], column_of[first], column_of[k] + length(token[k]) - column_of[first], first == i ? ";" : "")
        first = k + 1
    }
    plant("dropped statement", i)
}

function plant_all(i) {
    match_brackets()
    edits = 0
    for (i = 1; i <= count; i++) {
        if (token[i] ~ /^(static_)?assert$/) {
            i = end_of_statement(i)
            continue
        }
        if (begins_statement(i)) plant_statement(i)
        if (token[i] == "if") plant_check(i)
        if (token[i] == "[") plant_index(i)
        if (token[i] == "!") {
            edit(line[i], column_of[i], 1, "")
            plant("comparison", i)
        }
        if (token[i] in swapped) plant_swap(i)
    }
}
