# Numbers as the Romans wrote them: 1987 TAB MCMLXXXVII.

function roman(number, text, i) {
    for (i = 1; i <= 13; i++)
        for (; number >= value[i]; number -= value[i]) text = text letters[i]
    return text
}

BEGIN {
    split("1000 900 500 400 100 90 50 40 10 9 5 4 1", value, " ")
    split("M CM D CD C XC L XL X IX V IV I", letters, " ")
    while (pairs < wanted) {
        number = 1 + below(3999)
        pair(number, roman(number))
    }
}
