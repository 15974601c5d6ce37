/* Says which column of a file is the source, the target or the features, by its names and its lines. */
#include "data/formats/recognise.h"

#include "base/bytes.h"
#include "data/text/symbols.h"

/* Features without a separator are divided as the file shows, or by semicolons. */
bool lb_pair_format_has_features(const lb_pair_format *format)
{
    return format->source.features ? *format->source.features != '\0' : format->features_column > 0;
}

lb_pair_columns lb_pair_columns_complete(lb_pair_columns columns, bool features)
{
    if (columns.source == 0) columns.source = 1;
    if (!features)
        columns.features = 0;
    else if (columns.features == 0)
        columns.features = 2;
    if (columns.target == 0) columns.target = columns.features == 2 ? 3 : 2;
    return columns;
}

/* Whether a word is one of these, in small letters or capitals, maybe between blanks. */
static bool is_one_of(lb_span word, const char *const *words)
{
    word = lb_span_trim(word, " ");
    while (*words && (strlen(*words) != word.length || !lb_same_letters(*words, word.text, word.length)))
        words++;
    return *words;
}

size_t lb_kind_length(const char *name)
{
    const char *header = strstr(name, LB_PAIR_KIND_HEADER);
    return header ? (size_t)(header - name) : strlen(name);
}

bool lb_is_same_kind(const char *a, const char *b)
{
    if (!*a) a = "tsv";
    if (!*b) b = "tsv";
    size_t length = lb_kind_length(a);
    return length == lb_kind_length(b) && memcmp(a, b, length) == 0;
}

/* A name as such words; none if it is "". */
#define ONE_NAME(name) ((const char *const[]){*(name) ? (name) : NULL, NULL})

static const char *const sources[] = {"source",    "src",         "input", "word",  "grapheme",
                                      "graphemes", "orthography", "text",  "lemma", NULL};
static const char *const targets[] = {"target",        "tgt",         "trg",    "output",
                                      "pronunciation", "phonemes",    "ipa",    "transcription",
                                      "form",          "translation", "phones", NULL};
static const char *const features_names[] = {"features", "feats", "feat",     "tags", "tag",
                                             "msd",      "morph", "unimorph", "pos",  NULL};
static const char *const weights[] = {"count",   "counts",      "freq", "frequency", "weight",
                                      "weights", "probability", "prob", NULL};

bool lb_is_weight_name(lb_span text)
{
    return is_one_of(text, weights);
}

bool lb_is_column_name(lb_span text)
{
    return is_one_of(text, sources) || is_one_of(text, targets) || is_one_of(text, features_names);
}

bool lb_is_usual_name(const lb_pair_columns *usual, lb_span text)
{
    return lb_is_column_name(text) || is_one_of(text, ONE_NAME(usual->source_name)) ||
           is_one_of(text, ONE_NAME(usual->target_name));
}

bool lb_columns_named(const lb_first_lines *s)
{
    int names = 0;
    for (int i = 0; i < s->fields.count; i++) names += lb_is_usual_name(s->usual, lb_field(&s->fields, i));
    return names > 1;
}

static int32_t find_name(const lb_fields *names, const char *const *words)
{
    for (int i = 0; i < names->count; i++)
        if (is_one_of(lb_field(names, i), words)) return i + 1;
    return 0;
}

int32_t lb_columns_weight(const lb_fields *names)
{
    return find_name(names, weights);
}

/* Finds the columns by the names that they had in training or, NULL, usually have, if all that are needed are there. */
static bool take_names(const lb_fields *names, const lb_pair_columns *training, bool no_target,
                       lb_recognised *found)
{
    int32_t source = find_name(names, training ? ONE_NAME(training->source_name) : sources);
    int32_t target = find_name(names, training ? ONE_NAME(training->target_name) : targets);
    int32_t features = find_name(names, training ? ONE_NAME(training->features_name) : features_names);
    if (!source || (!target && !no_target) || (!features && training && *training->features_name))
        return false;
    found->source = source;
    found->target = target;
    found->features = features;
    return true;
}

bool lb_columns_have_header(lb_first_lines *s, bool usual)
{
    lb_recognised found = {0};
    bool fields = lb_sample_divide(s, 0) == LB_LINE_IS_FIELDS, json = s->kind.keys.count > 0;
    const lb_fields *first = json ? &s->kind.keys : &s->fields;
    return fields && (json || first->count > 1) &&
           (take_names(first, s->usual, true, &found) || (!usual && take_names(first, NULL, false, &found)));
}

/* Sentences of Tatoeba have their origin in a third column. */
static bool has_origins(lb_first_lines *s)
{
    static const char licence[] = "CC-BY";
    for (int i = 0; i < s->count; i++) {
        lb_sample_divide(s, i);
        if (s->fields.count != 3) return false;
        lb_span third = lb_field(&s->fields, 2);
        if (third.length < sizeof licence || memcmp(third.text, licence, sizeof licence - 1) != 0)
            return false;
    }
    return s->count > 0;
}

/* Codes of languages and their English names, between blanks. Sources: ISO 639-1, and ISO 639-3 for parallel texts. */
static const char language_names[] =
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de "
    "dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id "
    "ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu "
    "lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu "
    "rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr "
    "ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu "
    "afr amh ara arb ary arz asm ast azj aze bel ben bos bre bul cat ceb ces ckb cmn cym dan deu ell "
    "eng epo est eus ewe fao fas fil fin fra gla gle glg grc guj hat hau haw heb hin hrv hsb hun hye "
    "ibo ilo ind isl ita jav jpn kab kan kat kaz khm kin kir kmr kor lao lat lav lin lit ltz lug mal "
    "mar mkd mlg mlt mon mri msa mya nep nld nno nob nor npi oci ori orm pan pbt pcm pes pol por pus "
    "quy que ron run rus san sin slk slv sme smo sna snd som sot spa sqi srp sun swa swe swh tam tat "
    "tel tgk tgl tha tir tok tso tsn tuk tur uig ukr urd uzb uzn vie wol xho yid yor yue zho zsm zul "
    "afrikaans albanian amharic arabic armenian basque belarusian bengali bosnian breton bulgarian "
    "catalan chinese croatian czech danish dutch english esperanto estonian finnish french galician "
    "georgian german greek gujarati hausa hebrew hindi hungarian icelandic igbo indonesian irish "
    "italian japanese kazakh khmer korean lao latin latvian lithuanian macedonian malay malayalam "
    "maltese mandarin marathi mongolian nepali norwegian pashto persian polish portuguese punjabi "
    "romanian russian serbian sinhala slovak slovenian somali spanish swahili swedish tagalog tamil "
    "telugu thai tibetan turkish ukrainian urdu uzbek vietnamese welsh xhosa yoruba zulu";

/* Whether a text is a language, such as en, pcm, zh-Hans, eng_Latn or English. Source: BCP 47. */
static bool is_language(lb_span text)
{
    enum { SCRIPT = 4 };
    lb_span name;
    size_t letters = 0;
    while (letters < text.length && !strchr("-_", text.text[letters])) letters++;
    lb_pieces names = lb_pieces_at(lb_span_of(language_names), " ");
    while (lb_pieces_next(&names, &name))
        if (name.length == letters && lb_same_letters(name.text, text.text, letters))
            return text.length <= letters + 1 + SCRIPT;
    return false;
}

/* Whether the first line, and no other, has two languages: among words they may be words. */
static bool has_languages(lb_first_lines *s)
{
    enum { LINES = 20 };
    bool others = false, both = false;
    for (int i = s->count - 1; i >= 0; i--) {
        bool two = lb_sample_divide(s, i) == LB_LINE_IS_FIELDS && s->fields.count == 2;
        others = others || both;
        both = two && is_language(lb_field(&s->fields, 0)) && is_language(lb_field(&s->fields, 1));
    }
    return both && !others && s->count >= LINES;
}

/* An older model knows that its file had a header, but not which. */
static bool has_usual_header(const lb_first_lines *s, const lb_pair_format *format,
                             const lb_recognised *found)
{
    const char *usual = s->usual->kind;
    bool given = format->kind && *format->kind;
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): there are always usual columns */
    return !given && !format->no_target && strstr(usual, LB_PAIR_KIND_HEADER) && !*s->usual->source_name &&
           lb_is_same_kind(found->kind, usual);
}

/* Finds the columns by their names, or by what the lines look like. */
static void find_columns(lb_first_lines *s, const lb_pair_format *format, lb_recognised *found)
{
    bool json = s->kind.keys.count > 0, given = format->kind && *format->kind;
    bool tabs = s->kind.row->tabs, plain = given && tabs && !s->kind.header && !format->targets;
    const lb_fields *first = json ? &s->kind.keys : &s->fields;
    found->by_name = (json || first->count > 1) && take_names(first, s->usual, format->no_target, found);
    found->lone_name = first->count == 1 && !json && find_name(first, ONE_NAME(s->usual->source_name)) > 0;
    bool table = format->no_target && !*s->usual->source_name && (s->kind.row->quotes || json);
    bool named = found->by_name || (!plain && take_names(first, NULL, table, found)),
         languages = !named && !plain && !json && !format->no_target && has_languages(s);
    found->header = !json && (named || languages || s->kind.header || has_usual_header(s, format, found));
    found->recognised = found->recognised || (found->header && !s->kind.header);
    for (int i = 0; i < first->count && (json || found->header); i++)
        lb_fields_add(&found->names, lb_field(first, i));
    if (found->header) found->look.names = s->line[0].number;
    if (found->header) lb_sample_drop_first(s);
    if (named && !found->features) lb_features_find_beside(s, found->columns, found);
    if (named || !tabs || found->header) return;
    lb_features_find(s, found);
    if (found->features && !given && !format->features_column) {
        memcpy(found->kind, "unimorph", sizeof "unimorph");
        found->recognised = true;
    }
    if (!found->features && has_origins(s)) {
        found->source = 1;
        found->target = 2;
    }
}

void lb_columns_find(lb_first_lines *s, const lb_pair_format *format, lb_recognised *found)
{
    const lb_pair_kind_row *row = s->kind.row;
    if (s->count == 0) return;
    found->fixed = row->source > 0;
    found->source = row->source;
    found->target = row->target;
    found->weight = row->weight;
    lb_sample_divide(s, 0);
    found->columns = s->kind.keys.count > 0 ? s->kind.keys.count : s->fields.count;
    if (found->fixed)
        found->header = s->kind.header;
    else
        find_columns(s, format, found);
    int32_t features = format->features_column ? format->features_column : found->features;
    if (features > 0)
        found->between_features = row->features ? row->features : lb_features_between(s, features);
}
