# Pairs for measuring large files: words, and their letters backwards. The same on every machine.
#     awk -v count=10000000 -f bench/many_pairs.awk >pairs.tsv
function random(below)
{
    state = (state * 16807) % 2147483647 # the generator of Park and Miller, exact in double
    return state % below
}

BEGIN {
    state = 1
    for (pair = 0; pair < count; pair++) {
        word = letters = ""
        for (left = 5 + random(6); left > 0; left--) {
            letter = substr("abcdefghijklmnopqrstuvwxyz", 1 + random(26), 1)
            word = word letter
            letters = letter (letters == "" ? "" : " ") letters
        }
        print word "\t" letters
    }
}
