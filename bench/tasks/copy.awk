# Forty symbols as they are, or from the last to the first with -v reverse=1: abc... TAB cba...

BEGIN {
    letters = "abcdefghijklmnopqrst"
    while (pairs < wanted) {
        source = target = ""
        for (i = 0; i < 40; i++) {
            letter = substr(letters, 1 + below(length(letters)), 1)
            source = source letter
            target = reverse ? letter target : target letter
        }
        pair(source, target)
    }
}
