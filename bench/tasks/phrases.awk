# English phrases in French, where articles and adjectives follow the noun's gender, and most adjectives the noun itself:
# the old tree hides my green car TAB le vieil arbre cache ma voiture verte.

function add_nouns(gender, words, list, count, i) {
    count = split(words, list, " ")
    for (i = 1; i < count; i += 2) {
        french[list[i]] = list[i + 1]
        female[list[i]] = gender
        nouns = nouns " " list[i]
    }
}

# Of an adjective: its three forms, that before a vowel in the middle, and whether it precedes the noun.
function add_adjectives(first, words, list, count, i) {
    count = split(words, list, " ")
    for (i = 1; i < count; i += 4) {
        male_form[list[i]] = list[i + 1]
        vowel_form[list[i]] = list[i + 2]
        female_form[list[i]] = list[i + 3]
        precedes[list[i]] = first
        adjectives = adjectives " " list[i]
    }
}

function begins_with_vowel(text) {
    return text ~ /^([aeiou]|é|î)/
}

function article(english, is_female, vowel) {
    if (english == "the") return vowel ? "l'" : is_female ? "la " : "le "
    if (english == "a") return is_female ? "une " : "un "
    if (english == "my") return is_female && !vowel ? "ma " : "mon "
    return is_female ? "cette " : vowel ? "cet " : "ce "
}

# Draws a noun with its article and perhaps an adjective into english_part and french_part.
function draw_noun(noun, name, adjective, form, what) {
    noun = pick(nouns)
    name = french[noun]
    what = pick("the the a my this")
    adjective = below(3) ? pick(adjectives) : ""
    english_part = what " " (adjective ? adjective " " : "") noun
    if (adjective) {
        form = female[noun] ? female_form[adjective] : male_form[adjective]
        if (!female[noun] && precedes[adjective] && begins_with_vowel(name)) form = vowel_form[adjective]
        name = precedes[adjective] ? form " " name : name " " form
    }
    french_part = article(what, female[noun], begins_with_vowel(name)) name
}

BEGIN {
    add_nouns(0, "cat chat dog chien book livre tree arbre bird oiseau horse cheval garden jardin child enfant knife couteau")
    add_nouns(1, "house maison car voiture door porte church église star étoile apple pomme city ville island île key clé")
    add_adjectives(1, "small petit petit petite big grand grand grande old vieux vieil vieille new nouveau nouvel nouvelle " \
                   "beautiful beau bel belle")
    add_adjectives(0, "red rouge rouge rouge black noir noir noire white blanc blanc blanche green vert vert verte blue bleu " \
                   "bleu bleue heavy lourd lourd lourde")
    split("sees voit eats mange takes prend wants veut finds trouve likes aime sells vend hides cache", list, " ")
    for (i = 1; i in list; i += 2) {
        verb[list[i]] = list[i + 1]
        verbs = verbs " " list[i]
    }
    while (pairs < wanted) {
        draw_noun()
        source = english_part
        target = french_part
        action = pick(verbs)
        draw_noun()
        pair(source " " action " " english_part, target " " verb[action] " " french_part)
    }
}
