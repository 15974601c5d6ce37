# Queries in words: SELECT name FROM users WHERE age > 30 TAB list the name of all users whose age is greater than 30.

# One condition, added to the end of the query and of the text.
function add_condition(column, sign, value) {
    column = pick(columns[table])
    sign = pick("= != > < >= <=")
    value = 5 * (1 + below(20))
    query = query " " column " " sign " " value
    text = text "whose " column " is " means[sign] " " value
}

BEGIN {
    tables = "users orders books cars cities"
    columns["users"] = "name age city salary"
    columns["orders"] = "price date status weight"
    columns["books"] = "title year author price"
    columns["cars"] = "colour speed owner year"
    columns["cities"] = "name size country mayor"
    count = split("=|equal to|!=|different from|>|greater than|<|less than|>=|at least|<=|at most", list, "|")
    for (i = 1; i < count; i += 2) means[list[i]] = list[i + 1]
    count = split("COUNT|the number of different values of|MAX|the highest|MIN|the lowest|AVG|the mean", list, "|")
    for (i = 1; i < count; i += 2) means[list[i]] = list[i + 1]
    while (pairs < wanted) {
        table = pick(tables)
        column = pick(columns[table])
        if (below(2)) {
            query = "SELECT " column
            text = "list the " column
        } else {
            by = pick("COUNT MAX MIN AVG")
            query = "SELECT " by " ( " column " )"
            text = "give " means[by] " " column
        }
        query = query " FROM " table
        text = text " of all " table " "
        if (below(4)) {
            query = query " WHERE"
            add_condition()
            if (below(2)) {
                joint = pick("AND OR")
                query = query " " joint
                text = text " " tolower(joint) " "
                add_condition()
            }
        }
        if (below(3) == 0) {
            by = pick(columns[table])
            down = below(2)
            query = query " ORDER BY " by (down ? " DESC" : "")
            text = text " , " (down ? "highest" : "lowest") " " by " first"
        }
        gsub(/  +/, " ", text)
        sub(/ $/, "", text)
        pair(query, text)
    }
}
