"""Writes sentences.de and sentences.en, 300 pairs of German and English sentences, line by line, of our own making: a
small grammar in which both languages put the verb, the time and the object in different places."""
import random

PEOPLE = [("der Mann", "the man"), ("die Frau", "the woman"), ("das Kind", "the child"), ("ein Junge", "a boy"),
          ("ein Mädchen", "a girl"), ("mein Bruder", "my brother"), ("meine Schwester", "my sister"),
          ("unsere Lehrerin", "our teacher"), ("der Bäcker", "the baker"), ("die Ärztin", "the doctor")]
# German in the present, as infinitive and as participle; English in the present, as infinitive and in the past; objects
DEEDS = [("liest", "lesen", "gelesen", "reads", "read", "read",
          [("ein Buch", "a book"), ("die Zeitung", "the newspaper"), ("einen langen Brief", "a long letter")]),
         ("isst", "essen", "gegessen", "eats", "eat", "ate",
          [("einen Apfel", "an apple"), ("das frische Brot", "the fresh bread"), ("eine Suppe", "a soup")]),
         ("kauft", "kaufen", "gekauft", "buys", "buy", "bought",
          [("drei Äpfel", "three apples"), ("ein rotes Fahrrad", "a red bicycle"), ("den Fisch", "the fish")]),
         ("sieht", "sehen", "gesehen", "sees", "see", "saw",
          [("den Zug", "the train"), ("die Katze", "the cat"), ("einen großen Hund", "a big dog")]),
         ("malt", "malen", "gemalt", "paints", "paint", "painted",
          [("ein Bild", "a picture"), ("das alte Haus", "the old house"), ("zwei Vögel", "two birds")]),
         ("sucht", "suchen", "gesucht", "looks for", "look for", "looked for",
          [("den Schlüssel", "the key"), ("ihre Mütze", "her cap"), ("die Straße", "the street")])]
PLACES = [("im Garten", "in the garden"), ("in der Küche", "in the kitchen"), ("am Fluss", "by the river"),
          ("vor dem Haus", "in front of the house"), ("auf dem Markt", "at the market"), ("im Zug", "on the train")]
TIMES = [("heute", "today"), ("jeden Tag", "every day"), ("am Abend", "in the evening"), ("oft", "often")]
PAST = [("gestern", "yesterday"), ("letzte Woche", "last week"), ("am Montag", "on Monday")]


def sentence(draw):
    """A pair of sentences."""
    (mann, man), (wo, where), (heute, today), (gestern, yesterday) = map(draw.choice, (PEOPLE, PLACES, TIMES, PAST))
    liest, lesen, gelesen, reads, read, past, things = draw.choice(DEEDS)
    buch, book = draw.choice(things)
    hour, minutes = draw.randint(1, 12), draw.choice(["15", "30", "45"])
    return draw.choice([
        (f"{mann} {liest} {buch} {wo}.", f"{man} {reads} {book} {where}."),
        (f"{heute} {liest} {mann} {buch}.", f"{today} {man} {reads} {book}."),
        (f"{mann} hat {gestern} {buch} {gelesen}.", f"{man} {past} {book} {yesterday}."),
        (f"{gestern} hat {mann} {wo} {buch} {gelesen}.", f"{yesterday} {man} {past} {book} {where}."),
        (f"ich weiß, dass {mann} {wo} {buch} {liest}.", f"I know that {man} {reads} {book} {where}."),
        (f"{mann} will {buch} {lesen}.", f"{man} wants to {read} {book}."),
        (f"{liest} {mann} {buch}?", f"does {man} {read} {book}?"),
        (f"um {hour}.{minutes} Uhr {liest} {mann} {buch}.", f"at {hour}:{minutes} {man} {reads} {book}.")])


def main():
    draw, pairs = random.Random(7), []
    while len(pairs) < 300:
        pair = tuple(side[0].upper() + side[1:] for side in sentence(draw))
        if pair[0] not in [german for german, _ in pairs]:
            pairs.append(pair)
    for side, language in enumerate(("de", "en")):
        with open(f"sentences.{language}", "w", encoding="utf-8") as file:
            file.writelines(pair[side] + "\n" for pair in pairs)


main()
