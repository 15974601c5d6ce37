# Forms of Spanish verbs, with vowels and spellings that change: contar TAB PRS;1;SG TAB cuento.

function add_verbs(change, words, list, count, i) {
    count = split(words, list, " ")
    for (i = 1; i <= count; i++) {
        changes[list[i]] = change
        verbs = verbs " " list[i]
    }
}

function add_endings(kind, tense, list, endings, count, i) {
    count = split(endings, list, " ")
    for (i = 1; i <= count; i++) ending[kind, tense, i] = list[i]
}

# The stem with its last e or o replaced.
function changed(stem, from, to, at) {
    for (at = length(stem); at > 0 && substr(stem, at, 1) != from; at--);
    return substr(stem, 1, at - 1) to substr(stem, at + 1)
}

# Vowels that change where they are stressed, and those of -ir where the next syllable has a diphthong.
function stem_of(verb, tense, cell, kind, stem, change) {
    stem = substr(verb, 1, length(verb) - 2)
    change = changes[verb]
    if (change == "") return stem
    if (tense == "PRS" && cell != 4 && cell != 5)
        return changed(stem, substr(change, 1, 1), substr(change, 3))
    if (tense == "PST" && kind == "ir" && cell % 3 == 0)
        return changed(stem, substr(change, 1, 1), substr(change, 1, 1) == "o" ? "u" : "i")
    return stem
}

# Letters that keep their sound in front of another vowel.
function spelt(stem, kind, tense, cell) {
    if (tense == "PST" && cell == 1 && kind == "ar") {
        if (stem ~ /c$/) return substr(stem, 1, length(stem) - 1) "qu"
        if (stem ~ /g$/) return stem "u"
        if (stem ~ /z$/) return substr(stem, 1, length(stem) - 1) "c"
    }
    if (tense == "PRS" && cell == 1 && kind != "ar" && stem ~ /g$/) return substr(stem, 1, length(stem) - 1) "j"
    return stem
}

function form(verb, tense, cell, kind) {
    if (tense == "FUT" || tense == "COND") return verb ending["", tense, cell]
    kind = substr(verb, length(verb) - 1)
    return spelt(stem_of(verb, tense, cell, kind), kind, tense, cell) ending[kind, tense, cell]
}

BEGIN {
    add_verbs("", "hablar cantar bailar trabajar estudiar comprar llamar llevar dejar esperar entrar tomar cambiar escuchar " \
              "mirar viajar ganar amar lavar cocinar buscar tocar sacar explicar practicar pagar llegar entregar " \
              "apagar cruzar alcanzar lanzar utilizar comer beber correr vender aprender comprender temer deber romper " \
              "meter coger proteger escoger recoger vivir escribir abrir recibir subir partir permitir decidir cubrir " \
              "unir discutir dirigir exigir surgir")
    add_verbs("e ie", "pensar cerrar sentar despertar negar empezar comenzar perder entender encender defender sentir mentir " \
              "preferir sugerir")
    add_verbs("o ue", "contar encontrar mostrar probar recordar volar costar volver mover morder resolver dormir morir")
    add_verbs("e i", "pedir servir repetir vestir medir despedir competir")
    add_endings("ar", "PRS", list, "o as a amos áis an")
    add_endings("er", "PRS", list, "o es e emos éis en")
    add_endings("ir", "PRS", list, "o es e imos ís en")
    add_endings("ar", "PST", list, "é aste ó amos asteis aron")
    add_endings("er", "PST", list, "í iste ió imos isteis ieron")
    add_endings("ir", "PST", list, "í iste ió imos isteis ieron")
    add_endings("ar", "IPFV", list, "aba abas aba ábamos abais aban")
    add_endings("er", "IPFV", list, "ía ías ía íamos íais ían")
    add_endings("ir", "IPFV", list, "ía ías ía íamos íais ían")
    add_endings("", "FUT", list, "é ás á emos éis án")
    add_endings("", "COND", list, "ía ías ía íamos íais ían")
    while (pairs < wanted) {
        verb = pick(verbs)
        tense = pick("PRS PRS PST PST IPFV FUT COND")
        cell = 1 + below(6)
        pair(verb "\t" tense ";" ((cell - 1) % 3 + 1) ";" (cell < 4 ? "SG" : "PL"), form(verb, tense, cell))
    }
}
