# English nouns with irregular plurals, class by class: tooth TAB teeth.

# Adds nouns that change their ending.
function add(from, to, nouns, list, count, i) {
    count = split(nouns, list, " ")
    for (i = 1; i <= count; i++) noun[++all] = list[i] "\t" substr(list[i], 1, length(list[i]) - length(from)) to
}

BEGIN {
    add("man", "men", "man woman fireman policeman fisherman postman milkman salesman craftsman sportsman chairman doorman " \
        "gentleman nobleman workman yachtsman statesman spokesman snowman seaman layman horseman herdsman handyman gunman " \
        "guardsman foreman footman ferryman clergyman cameraman businessman boatman barman anchorman airman swordsman " \
        "watchman weatherman tradesman superman stuntman showman serviceman repairman ploughman plainsman nurseryman " \
        "policewoman businesswoman sportswoman saleswoman spokeswoman chairwoman gentlewoman needlewoman noblewoman")
    add("f", "ves", "calf half leaf loaf scarf self sheaf shelf thief wolf elf hoof dwarf wharf werewolf bookshelf " \
        "flyleaf tealeaf meatloaf mooncalf")
    add("fe", "ves", "knife life wife penknife midwife housewife jackknife afterlife alewife fishwife")
    add("us", "i", "cactus focus fungus nucleus radius stimulus alumnus bacillus locus terminus syllabus hippopotamus " \
        "octopus torus abacus papyrus uterus thesaurus nautilus rhombus calculus cumulus discus esophagus sarcophagus tumulus")
    add("um", "a", "bacterium curriculum datum erratum medium memorandum ovum stratum symposium addendum aquarium " \
        "stadium millennium referendum spectrum sanatorium compendium consortium emporium gymnasium honorarium maximum " \
        "minimum momentum moratorium optimum podium quantum sternum terrarium")
    add("is", "es", "analysis axis basis crisis diagnosis ellipsis emphasis hypothesis oasis paralysis parenthesis " \
        "synopsis synthesis thesis antithesis catharsis dialysis electrolysis genesis hydrolysis metamorphosis nemesis " \
        "neurosis prognosis prosthesis psychosis testis symbiosis")
    add("on", "a", "criterion phenomenon automaton ganglion polyhedron tetrahedron mitochondrion prolegomenon octahedron")
    add("a", "ae", "alga antenna formula larva nebula vertebra alumna amoeba persona lacuna nova fibula tibia scapula pupa")
    add("ex", "ices", "index vertex vortex codex apex cortex latex")
    add("ix", "ices", "appendix matrix helix directrix cicatrix")
    add("eau", "eaux", "bureau chateau plateau tableau beau gateau portmanteau trousseau bandeau")
    add("foot", "feet", "foot forefoot crowfoot flatfoot clubfoot")
    add("tooth", "teeth", "tooth eyetooth bucktooth sawtooth")
    add("goose", "geese", "goose snow-goose")
    add("ouse", "ice", "mouse louse dormouse titmouse woodlouse fieldmouse booklouse")
    add("child", "children", "child grandchild stepchild schoolchild godchild brainchild lovechild")
    add("o", "oes", "potato tomato hero echo torpedo veto embargo mosquito volcano tornado cargo domino buffalo mango")
    add("ox", "oxen", "ox musk-ox")
    add("", "", "sheep deer species series aircraft salmon trout bison moose swine shrimp offspring spacecraft hovercraft")
    for (i = all; i > 1; i--) {
        j = 1 + below(i)
        kept = noun[i]; noun[i] = noun[j]; noun[j] = kept
    }
    for (i = 1; i <= all && pairs < wanted; i++) {
        split(noun[i], word, "\t")
        pair(word[1], word[2])
    }
}
