// The made-up reports, by name.
import { deflateSync } from "node:zlib";
import { lettersOf, Maker } from "./data.js";

const WORDS = [
    ["château", "ʃɑto"],
    ["maison", "mɛzɔ̃"],
    ["fenêtre", "fənɛtʁ"],
    ["bonjour", "bɔ̃ʒuʁ"],
    ["montagne", "mɔ̃taɲ"],
    ["oiseau", "wazo"],
    ["chanson", "ʃɑ̃sɔ̃"],
    ["grenouille", "ɡʁənuj"],
    ["heureux", "øʁø"],
    ["travail", "tʁavaj"],
    ["campagne", "kɑ̃paɲ"],
    ["question", "kɛstjɔ̃"],
    ["printemps", "pʁɛ̃tɑ̃"],
    ["aujourd’hui", "oʒuʁdɥi"],
    ["famille", "famij"],
    ["lumière", "lymjɛʁ"],
    ["poisson", "pwasɔ̃"],
    ["rêveur", "ʁɛvœʁ"],
    ["soleil", "sɔlɛj"],
    ["ville", "vil"],
    ["femme", "fam"],
    ["monsieur", "məsjø"],
    ["second", "səɡɔ̃"],
    ["examen", "ɛɡzamɛ̃"],
];

const joined = (words) => words.map(([source, target]) => [lettersOf(source), lettersOf(target)]);

function frenchOf(seed, count, options = {}) {
    const maker = new Maker(seed, options),
        words = joined(WORDS);
    for (let i = 0; i < count; i++) {
        const [source, target] = words[i % words.length];
        // Each word once as it is; after that with others behind it, so that texts differ.
        const more = i < words.length ? [] : words[(i * 7 + Math.floor(i / words.length)) % words.length];
        maker.add([...source, ...(more[0] ?? [])], [...target, ...(more[1] ?? [])], {
            detailed: i < (options.detailed ?? count),
            wrong: i === 2 ? true : i < 2 ? false : undefined,
        });
    }
    return maker;
}

function hostileData() {
    const maker = new Maker(9, { heads: 2 });
    const texts = [
        ["<script>", "globalThis.hacked=1", "</script>"],
        ["&", "&amp;", '"', "'", "<b>", "`${1}`"],
        ["ש", "ל", "ו", "ם"],
        ["م", "ر", "ح", "ب", "ا"],
        ["👩‍🚀", "🇫🇷", "e\u0301", "\u0301", " ", ""],
        ["\ud83d", "\ude00", "x"],
        ["</style><img src=x onerror=globalThis.hacked=1>", "@DATA@", "@BLOB@"],
        ["=1+1", ",", "\n", "\t", "\u202e", "\u0000"],
        ["javascript:globalThis.hacked=1", "__proto__", "constructor"],
        ["<eos>", "<bos>"],
    ];
    for (const [i, text] of texts.entries()) maker.add(text, [...text].reverse(), { wrong: i % 2 === 1 });
    maker.pairs.push({
        source: [],
        expected: null,
        error: "line 10: found <img src=x onerror=globalThis.hacked=1>, expected a tab",
        edits: null,
        outputs: [],
        likeliest: null,
        self: null,
    });
    return [
        maker,
        maker.data({
            about: {
                title: '<script>globalThis.hacked=1</script> & "sons"',
                command: "lookback report '</script><script>globalThis.hacked=1'",
                configuration: { "<b>": { __proto__x: "<img src=x onerror=globalThis.hacked=1>" } },
                source_separator: " ",
                target_separator: " ",
            },
        }),
    ];
}

// Name: the data and the bytes of its weights.
const MAKERS = {
    french: () => withBytes(frenchOf(1, 72, { why: 40 })),
    transformer: () => withBytes(frenchOf(2, 24, { layers: 2, self: true, why: 24 })),
    thousand: () => withBytes(frenchOf(3, 1000)),
    tenThousand: () => {
        const maker = frenchOf(4, 10000, { detailed: 50 });
        return [maker.data({ detailed: 50 }), maker.bytes];
    },
    hostile: () => {
        const [maker, data] = hostileData();
        return [data, maker.bytes];
    },
    // The training compared texts, and chose by chrF2; its first outputs were far too long.
    sentences: () => {
        const maker = frenchOf(9, 6),
            data = maker.data({ about: { choose: "chrf" } }),
            { statistics } = data;
        Object.assign(statistics, { bleu_13a: 21.5, chrf2: 45.25 });
        Object.assign(statistics.with_all_heads, { bleu_13a: 21, chrf2: 45 });
        for (const head of statistics.heads) head.without.chrf2 = 44 - head.head;
        data.history.points[0].symbol_error = 3.5;
        for (const [i, point] of data.history.points.entries()) {
            point.bleu_13a = 2 * i;
            point.chrf2 = 10 + 3 * i;
        }
        return [data, maker.bytes];
    },
    // A model without attention, texts without answers, no statistics, no record.
    bare: () => {
        const maker = new Maker(5, { beam: 1 });
        maker.add(["a", "b"], null, { detailed: false }).add(["c"], null, { detailed: false });
        return [
            maker.data({ about: { layers: 0, heads: 0, attention: null }, statistics: null, history: null, film: [] }),
            maker.bytes,
        ];
    },
    // A model without attention, of which erasure and gradient are known; the second source is one symbol.
    blind: () => {
        const maker = new Maker(5, { layers: 0, heads: 0, beam: 1, why: 2 }).add(["a", "b"], ["b"]).add(["c"], ["c"]);
        return [maker.data({ about: { attention: null }, statistics: null }), maker.bytes];
    },
    // One pair, whose verdict has no intervals, and no other pair to compare with.
    once: () => {
        const maker = frenchOf(14, 1, { why: 1 }),
            data = maker.data();
        for (const row of data.statistics.why.rows)
            for (const field of ["tau", "first"])
                row[field] = [row.name === "another pair" ? null : row[field][0], null, null];
        return [data, maker.bytes];
    },
    // Weights that agree with erasure as far as those of another pair do, but for the first head.
    alike: () => {
        const [data, bytes] = withBytes(frenchOf(15, 2, { why: 2 }));
        data.statistics.why.rows.at(-1).first = [0.79, 0.76, 0.81];
        return [data, bytes];
    },
    // A text that is longer than those of the training and unlike them, with a symbol that the model does not know; no
    // end.
    warned: () => {
        const maker = frenchOf(8, 3),
            [first] = maker.pairs;
        first.unknown = [first.source[0], first.source[0]];
        first.unlike = true;
        Object.assign(first.outputs[0], { finished: false, steps: first.outputs[0].steps.slice(1) });
        return [maker.data({ about: { shortest_source: 7, longest_source: 6 } }), maker.bytes];
    },
    // 300 symbols, read and written.
    endless: () => {
        const text = Array.from({ length: 300 }, (_, i) => "abcdefghi "[(i * 7) % 10]);
        return withBytes(new Maker(16).add(text, text, { wrong: true }));
    },
    // A model of four that vote. The first pair has one opinion, the second has two.
    vote: () => {
        const maker = frenchOf(8, 6);
        const votes = (texts) =>
            ["additive", "additive", "backward", "<b>transformer</b>"].map((member, i) => ({
                member,
                weight: [0.2, 0.1, 0.4, 0.3][i],
                text: texts[i],
                score: -0.5 - 0.25 * i,
            }));
        const [first, second] = maker.pairs;
        first.votes = votes(["ʃɑto", "ʃɑto", "ʃɑto", "ʃɑto"]);
        second.votes = votes(["mɛzɔ̃", "mezɔ̃", "mɛzɔ̃", "mezɔ̃"]);
        // As lookback report writes them for an ensemble.
        const members = [
            { kind: "seq2seq", weight: 0.5, encoder: { layers: 1 } },
            { kind: "transformer", weight: 0.5, sizes: [64, 128], direction: "backward" },
        ];
        const training = { members: [{ seed: 1, options: { steps: 10, tags: [{ name: "a" }] } }, { seed: 2 }] };
        return [maker.data({ about: { configuration: { members }, training } }), maker.bytes];
    },
    // A model with a lexicon, which wrote the second output, rightly, and the third, which the model lacks a symbol of.
    lexicon: () => {
        const maker = frenchOf(17, 24);
        maker.pairs[1].outputs[0].lexicon = true;
        Object.assign(maker.pairs[2].outputs[0], {
            lexicon: true,
            score: null,
            probability: null,
            weights: -1,
            why_null: "the model lacks a symbol of it",
        });
        const data = maker.data({ warnings: ["test.tsv: 2 of 24 <b>lines</b> were left out"] });
        Object.assign(data.statistics, { of_lexicon: 2, without_lexicon: { exact: 0.625, symbol_error: 0.125 } });
        return [data, maker.bytes];
    },
    // A model that copies: the second symbol of the first pair is one of its source.
    copying: () => {
        const maker = frenchOf(8, 6);
        maker.pairs[0].outputs[0].copied = maker.pairs[0].outputs[0].symbols.map((_, i) => (i === 1 ? 3 : -1));
        return withBytes(maker);
    },
    // A model that was trained on all pairs: its evaluations are of some of them.
    allPairs: () => {
        const maker = frenchOf(8, 6);
        return [
            maker.data({
                about: { training: { seed: 1, options: { "hold-out": false, dropout: 0.5, "label-smoothing": 0.1 } } },
            }),
            maker.bytes,
        ];
    },
    // Two layers of four heads, of which the page has the mean.
    means: () => {
        const maker = frenchOf(10, 6, { layers: 2, heads: 1, self: true });
        for (const pair of maker.pairs) pair.mean = true;
        return [maker.data({ about: { heads: 4 } }), maker.bytes];
    },
    // 60 symbols, read and written.
    long: () => {
        const maker = new Maker(6),
            letters = [..."abcdefghijklmnopqrstuvwxyz "],
            text = Array.from({ length: 60 }, (_, i) => letters[(i * 7) % 27]);
        for (let i = 0; i < 200; i++) maker.add(text, text, { wrong: i % 3 === 0 });
        return withBytes(maker);
    },
    // An output that begins again when it should end, and one that ends too early.
    again: () => {
        const maker = new Maker(11, { heads: 1, beam: 1 }),
            once = [..."abc"],
            twice = [..."abcabc"];
        return withBytes(maker.add(once, once, { found: twice }).add(once, twice, { found: once }));
    },
    // Symbols of several characters, and some that cannot be seen; sources with several right answers.
    graphemes: () => {
        const maker = new Maker(12, { heads: 1 }),
            hello = ["👩‍🚀", "🇫🇷", "1️⃣", "नि", "e\u0301\u0323", "👨‍👩‍👧‍👦", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"];
        maker
            .add(hello, hello, { wrong: false })
            .add(["a", "b"], ["a", "\u00a0"], { found: ["a", "\ufe0f"] })
            .add(["a", "c"], ["a\u200d", "c"], { found: ["\u2028", "c"] });
        const data = maker.data();
        data.pairs[0].also = [{ symbols: data.pairs[0].expected.slice(1) }];
        Object.assign(data.statistics, { ambiguous_sources: 1, possible: 0.75 });
        return [data, maker.bytes];
    },
    // A symbol that is wider than any window, and one that the model does not know.
    wide: () => withBytes(new Maker(13).add(["a".repeat(300)], ["b".repeat(300)], { found: ["\ufffd"] })),
    // Texts without answers, whose heads are not known; the page has no room for erasure of the first one.
    unmeasured: () => {
        const maker = new Maker(19, { heads: 2, why: 1 }).add(["a", "b"], null).add(["b", "a"], null);
        Object.assign(maker.pairs[0].why, { erasure: null, gradient: null, tau: null });
        delete maker.pairs[0].outputs[0].why_null;
        const data = maker.data();
        Object.assign(data.statistics, { why: null, with_all_heads: null });
        for (const head of data.statistics.heads) Object.assign(head, { entropy: null, without: null });
        return [data, maker.bytes];
    },
    // Sentences in pieces of words, of which one is bytes; the first output has one word wrong and lacks another.
    pieces: () => {
        const maker = new Maker(18, { heads: 2, why: 2 }),
            source = ["▁Der", "▁Hu", "nd", "▁schläf", "t", "."],
            expected = ["▁The", "▁d", "og", "▁sleeps", "▁in", "▁a", "▁caf", "<0xC3>", "<0xA9>", "."];
        maker
            .add(source, expected, { found: ["▁The", "▁ca", "t", "▁sleeps", "▁in", "▁caf", "<0xC3>", "<0xA9>", "."] })
            .add(source, expected, { wrong: false });
        maker.pairs[0].edits = 2;
        const data = maker.data({ about: { source_separator: null, target_separator: null } }),
            [dog, cat, a] = maker.symbols.ids(["dog", "cat", "a"]);
        data.statistics.confusions = [
            { expected: dog, found: cat, count: 1 },
            { expected: a, found: -1, count: 1 },
        ];
        return [data, maker.bytes];
    },
    // Words, not letters.
    words: () => {
        const maker = new Maker(7, { heads: 1 });
        maker.add(
            "the international committee met yesterday in Strasbourg".split(" "),
            "gestern traf sich das internationale Komitee in Straßburg".split(" "),
            { wrong: true },
        );
        return [maker.data({ about: { source_separator: " ", target_separator: " " } }), maker.bytes];
    },
};

function withBytes(maker) {
    return [maker.data(), maker.bytes];
}

const packed = (bytes) => deflateSync(bytes).toString("base64");

// A function as replacement: the text of a template means nothing to it.
export function fillTemplate(template, [data, bytes]) {
    return template
        .replace("@DATA@", () => packed(Buffer.from(JSON.stringify(data))))
        .replace("@BLOB@", () => packed(Uint8Array.from(bytes)))
        .replace(/@(POLICY|MODEL|ENGINE)@/g, "");
}

export const names = Object.keys(MAKERS);

export function dataOf(name) {
    return MAKERS[name]();
}
