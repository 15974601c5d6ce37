# A page of Markdown as Doxygen reads it: each page is known by its path, links between pages lead to these names, names of
# functions lead to their documentation, and formulas become MathML. To be read behind names.awk.

function id_of(path) {
    sub(/[.]md$/, "", path)
    gsub(/\//, "_", path)
    return path == "README" || path == "docs_README" ? "index" : path
}

# The path of a link's target from the root of the checkout.
function path_of(target,   count, part, i, depth, kept, path) {
    count = split(folder target, part, "/")
    depth = 0
    for (i = 1; i <= count; i++) {
        if (part[i] == "..") depth--
        else if (part[i] != "" && part[i] != ".") kept[++depth] = part[i]
    }
    path = kept[1]
    for (i = 2; i <= depth; i++) path = path "/" kept[i]
    return path
}

function is_there(path,   line, there) {
    there = (getline line < path) >= 0
    close(path)
    return there
}

function name_of(path) {
    sub(/.*\//, "", path)
    return path
}

# The name of a heading, or of the anchor that leads to it: "## Many models" and "#many-models".
function heading_of(page, text) {
    text = tolower(text)
    gsub(/[^a-z0-9 -]/, "", text)
    gsub(/[ -]/, "_", text)
    return id_of(page) "_" text
}

# A link as Doxygen writes it. An index leads to the pages that are below it.
function link(text, target,   path, anchor) {
    if (target ~ /^https?:/) return "[" text "](" target ")"
    anchor = target ~ /#/ ? target : ""
    sub(/^[^#]*#/, "", anchor)
    sub(/#.*/, "", target)
    path = target == "" ? page : path_of(target)
    if (path !~ /[.][a-z]+$/ && is_there(path "/README.md")) path = path "/README.md"
    if (!is_there(path)) return "\\ref no_such_file_" path
    if (path ~ /^examples\/[^\/]*[.]c$/) return "\\ref " name_of(path) " \"" text "\""
    if (path ~ /[.]png$/) return "<a href=\"" name_of(path) "\">" text "</a>"
    if (path !~ /^(docs\/.*|[A-Z]+)[.]md$/) return text
    if (anchor != "") return "\\ref " heading_of(path, anchor) " \"" text "\""
    return (is_index && (path ~ "^" folder || path !~ /\//) ? "\\subpage " : "\\ref ") id_of(path) " \"" text "\""
}

function formula(tex, display,   command, line, mathml) {
    gsub(/'/, "'\\''", tex)
    command = "printf '%s' '" tex "' | blahtexml --mathml"
    while ((command | getline line) > 0)
        if (line ~ /^<m(row|i|n|sub|sup|frac|sqrt)/) mathml = line
    close(command)
    if (mathml == "") return "\\no_such_formula " tex
    if (!display) return "\\htmlonly<math>" mathml "</math>\\endhtmlonly"
    return "\\htmlonly[block]<div class=\"formula\"><math display=\"block\">" mathml "</math></div>\\endhtmlonly"
}

# Text without code.
function plain(text,   done, found, rest, display) {
    while (match(text, /\$\$[^$]+\$\$|\$[^ $]([^$]*[^ $])?\$/)) {
        found = substr(text, RSTART, RLENGTH)
        rest = substr(text, RSTART + RLENGTH)
        display = found ~ /^\$\$/
        gsub(/^\$+|\$+$/, "", found)
        done = done substr(text, 1, RSTART - 1) formula(found, display)
        text = rest
    }
    return done text
}

# Text without links.
function linkless(text,   done, code, rest) {
    while (match(text, /`[^`]+`/)) {
        code = substr(text, RSTART, RLENGTH)
        rest = substr(text, RSTART + RLENGTH)
        done = done plain(substr(text, 1, RSTART - 1))
        # For Doxygen an apostrophe ends what a single backtick has begun.
        if (code ~ /'/) code = "`" code "`"
        if (code ~ /^`lb_[a-z0-9_]+`$/) code = "<tt>" linked(substr(code, 2, length(code) - 2)) "</tt>"
        done = done code
        text = rest
    }
    return done plain(text)
}

function converted(text,   done, found, rest, name, target) {
    while (match(text, /(^|[^!])\[[^]]*\]\([^) ]*\)/)) {
        if (substr(text, RSTART, 1) != "[") { RSTART++; RLENGTH-- }
        found = substr(text, RSTART, RLENGTH)
        rest = substr(text, RSTART + RLENGTH)
        name = target = found
        sub(/^\[/, "", name)
        sub(/\]\(.*/, "", name)
        sub(/.*\]\(/, "", target)
        sub(/\)$/, "", target)
        done = done linkless(substr(text, 1, RSTART - 1)) link(name, target)
        text = rest
    }
    return done linkless(text)
}

# Code in a line of HTML.
function in_html(text,   code) {
    while (match(text, /`[^`]+`/)) {
        code = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, 1, RSTART - 1) "<code>" code "</code>" substr(text, RSTART + RLENGTH)
    }
    return text
}

FNR == 1 {
    path = FILENAME
    sub("^" ENVIRON["PWD"] "/", "", path)
    page = path
    folder = path
    sub(/[^\/]*$/, "", folder)
    is_index = path ~ /\/README[.]md$/
}
/^ *```/ { fenced = !fenced; print; next }
fenced { print; next }
# Doxygen 1.9.4 would end a part that folds before the table in it.
/^<\/?(details|summary)>/ { print "\n\\htmlonly[block]" in_html($0) "\\endhtmlonly\n"; next }
# After a number's dot stands a blank that does not begin a list.
/^# / && !titled {
    titled = 1
    if (match($0, /^# [0-9]+[.] /)) $0 = substr($0, 1, RLENGTH - 1) "\302\240" substr($0, RLENGTH + 1)
    print $0 " {#" (path == "README.md" ? "mainpage" : id_of(path)) "}"
    next
}
/^##+ / && path != "README.md" && !named[heading_of(path, $0)]++ {
    title = $0
    sub(/^#+ /, "", title)
    $0 = $0 " {#" heading_of(path, title) "}"
}
# The main page's own headings would stand in the navigation beside the pages.
path == "README.md" && /^## / { print "<h2>" substr($0, 4) "</h2>"; next }
# A link that is broken over two lines becomes whole.
held != "" && /^ *$/ { print converted(held); held = "" }
held != "" { sub(/^ +/, ""); $0 = held " " $0; held = "" }
/\[[A-Za-z][^][()|]*$/ { held = $0; next }
# The site shows the light twin of a picture.
/^ *<(source |\/?picture>)/ { next }
/^ *<img / {
    name = target = $0
    sub(/.* alt="/, "", name)
    sub(/.* src="/, "", target)
    sub(/".*/, "", name)
    sub(/".*/, "", target)
    $0 = "![" name "](" target ")"
}
# Doxygen puts all pictures beside the pages.
/^!\[/ && match($0, /\]\(.*\//) { $0 = substr($0, 1, RSTART + 1) substr($0, RSTART + RLENGTH) }
{ print converted($0) }

# A page of build/live/, which `./run docs` copies to the others; nothing if it has not been built.
function live(file, text,   name) {
    name = file
    sub(/#.*/, "", name)
    if (is_there("build/live/" name)) print "\n<a href=\"" file "\">" text "</a>\n"
}

# The lesson with sliders that belongs to a page.
function sliders(   number) {
    number = name_of(path) + 0
    if (number < 1 || number > 10 || !is_there("build/live/lessons.html")) return
    print "\n## Try it\n"
    live("lessons.html#" number, "The same with sliders, on a page of its own")
    print "\\htmlonly<iframe class=\"live\" loading=\"lazy\" title=\"Lesson " number " with sliders\"" \
        " src=\"lessons.html#" number "\"></iframe>\\endhtmlonly"
}

# The index of the pages ends the main page; links from it make the navigation.
END {
    if (held != "") print converted(held)
    if (path ~ /^docs\/lessons\/[0-9]/) sliders()
    if (path == "docs/lessons/README.md") live("lessons.html", "The lessons with sliders")
    if (path == "docs/workbench.md") live("workbench.html", "The workbench")
    if (path == "docs/report.md") live("report.html", "An example: a model of dates that has learned for a few seconds")
    if (path != "README.md") exit
    live("lessons.html", "The lessons with sliders")
    live("playground.html", "The playground, in which a model learns")
    live("workbench.html", "The workbench, which trains on your pairs")
    live("report.html", "A report about a model of dates")
    folder = "docs/"
    is_index = 1
    print ""
    while ((getline line < "docs/README.md") > 0) {
        title = line
        if (!sub(/^##? /, "", title)) print converted(line)
        else print "\n\\anchor " heading_of("docs/README.md", title) "\n<h2>" title "</h2>"
    }
}
