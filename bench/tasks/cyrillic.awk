# Invented Russian words in Latin letters, each by rule; only the letter e depends on the one before it: ель TAB yel'.

BEGIN {
    count = split("а a б b в v г g д d е e ё yo ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts " \
                  "ч ch ш sh щ shch ъ \" ы y ь ' э e ю yu я ya", list, " ")
    for (i = 1; i < count; i += 2) latin[list[i]] = list[i + 1]
    vowels = "а а а о о о е е е и и и у у ы э ю я ё"
    consonants = "б в в г д ж з к к л л м м н н н п п р р с с т т т ф х ц ч ш щ"
    split("а о е и у ы э ю я ё ъ ь", list, " ")
    for (i in list) opens[list[i]] = 1
    while (pairs < wanted) {
        source = target = ""
        size = 0
        for (syllables = 1 + below(4); syllables > 0; syllables--) {
            if (below(8)) {
                letter[++size] = pick(consonants)
                if (below(10) == 0) letter[++size] = pick("ь ъ")
            }
            letter[++size] = pick(vowels)
            if (below(3) == 0) letter[++size] = pick(consonants " й й")
        }
        if (below(8) == 0) {
            letter[++size] = pick(consonants)
            letter[++size] = "ь"
        }
        for (i = 1; i <= size; i++) {
            source = source letter[i]
            yotated = letter[i] == "е" && (i == 1 || letter[i - 1] in opens)
            target = target (yotated ? "ye" : latin[letter[i]])
        }
        if (size > 2) pair(source, target)
    }
}
