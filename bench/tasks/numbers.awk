# Numbers in words: four thousand twelve TAB 4012.

function below_hundred(number) {
    if (number < 20) return small[number]
    return tens[int(number / 10)] (number % 10 ? " " small[number % 10] : "")
}

function words(number, text) {
    if (number >= 1000) text = below_hundred(int(number / 1000)) " thousand "
    number %= 1000
    if (number >= 100) text = text small[int(number / 100)] " hundred "
    text = text below_hundred(number % 100)
    sub(/ $/, "", text)
    return text
}

BEGIN {
    split("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " \
          "eighteen nineteen", small, " ")
    split("ten twenty thirty forty fifty sixty seventy eighty ninety", tens, " ")
    while (pairs < wanted) {
        number = 1 + below(99999)
        pair(words(number), number)
    }
}
