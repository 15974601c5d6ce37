// Lessons 1 to 4: vectors that are given.
import { el } from "../common/dom.js";
import { drawLines } from "./lines.js";
import { drawPlane } from "./plane.js";
import { digits, numbersTable, planesOf, weightsTable } from "./weights.js";

const KEYS = [
    [1, 0],
    [0, 1],
    [1, 1],
];
const KEY_NAMES = ["key (1, 0)", "key (0, 1)", "key (1, 1)"];
const QUERY_NAMES = ["query (1, 0)", "query (0, 1)", "query (1, 1)"];
const COLUMN_NAMES = ["first", "second"];
export const SENTENCE = ["The", "cat", "sat", "on", "the", "mat"];

const short = (value) => String(Math.round(value * 100) / 100);
const namesOf = (query) => [`query (${query.map(short).join(", ")})`, ...QUERY_NAMES.slice(1)];

export const dotProduct = {
    name: "The dot product and softmax",
    page: "01_dot_product",
    formula: String.raw`\text{attention}(q, k, v) = \sum_j w_j v_j, \qquad w = \text{softmax}\left(\frac{q \cdot k_j}{\sqrt d}\right)`,
    about: "Each value vⱼ counts by its weight wⱼ. Turn the first query: the nearer it points to a key, the more weight that key gets. A low temperature leaves only the best key; a high one makes all weights equal.",
    controls: [
        { key: "angle", label: "angle of the query", range: [-180, 180, 1], value: 0, format: (x) => `${x}°` },
        { key: "length", label: "its length", range: [0, 2, 0.05], value: 1, format: (x) => x.toFixed(2) },
        { key: "temperature", label: "temperature", range: [0.02, 4, 0.02], value: 1, format: (x) => x.toFixed(2) },
        { key: "divisor", label: "divisor of the sentence", range: [1, 64, 1], value: 64 },
    ],
    draw(found, settings, change) {
        const query = planesOf(found.query)[0][0];
        const turn = (x, y) =>
            change({
                angle: Math.round((Math.atan2(y, x) * 180) / Math.PI),
                length: Math.min(2, Math.round(20 * Math.hypot(x, y)) / 20),
            });
        return [
            el(
                "div.pictures.flow",
                drawPlane(KEYS, query, turn),
                weightsTable("weights", [namesOf(query), KEY_NAMES], planesOf(found.weights)[0]),
                numbersTable("output", [namesOf(query), COLUMN_NAMES], planesOf(found.output)[0]),
            ),
            weightsTable("weights of the sentence", [SENTENCE, SENTENCE], planesOf(found.sentence)[0]),
        ];
    },
};

export const changing = {
    name: "Changing a query",
    page: "02_changing_a_query",
    formula: String.raw`w_j = \frac{e^{q \cdot k_j / \sqrt d}}{\sum_i e^{q \cdot k_i / \sqrt d}}`,
    about: "wⱼ is the weight of a query q on the key kⱼ. Move the first query from (1, 0), the first key, to (0, 1), the second: weight moves with it, without a jump. A longer query is surer of its key.",
    controls: [
        { key: "share", label: "share of the way", range: [0, 1, 0.01], value: 0.9, format: (x) => x.toFixed(2) },
        { key: "length", label: "length", range: [0.5, 8, 0.25], value: 1, format: (x) => x.toFixed(2) },
    ],
    draw(found, settings, change) {
        const query = planesOf(found.query)[0][0],
            way = planesOf(found.way)[0];
        const move = (x, y) => {
            const along = Math.max(0, Math.min(1, (1 - x / settings.length + y / settings.length) / 2));
            change({ share: Math.round(100 * along) / 100 });
        };
        return [
            el(
                "div.pictures.flow",
                drawPlane(KEYS, query, move),
                weightsTable("weights before", [QUERY_NAMES, KEY_NAMES], planesOf(found["weights before"])[0]),
                weightsTable("weights after", [namesOf(query), KEY_NAMES], planesOf(found["weights after"])[0]),
            ),
            el(
                "div.pictures.flow",
                drawLines({
                    caption: "the weights of the first query along the way",
                    label: "share of the way from (1, 0) to (0, 1)",
                    xs: way.map((_, i) => i / (way.length - 1)),
                    series: KEY_NAMES.map((name, key) => ({ name, values: way.map((row) => row[key]) })),
                    mark: settings.share,
                }),
                numbersTable("output before", [QUERY_NAMES, COLUMN_NAMES], planesOf(found["output before"])[0]),
                numbersTable("output after", [namesOf(query), COLUMN_NAMES], planesOf(found["output after"])[0]),
            ),
        ];
    },
};

const HIDDEN = -10; // of the slider: minus infinity

export const masking = {
    name: "Masking",
    page: "03_masking",
    formula: String.raw`w = \text{softmax}(s + m), \qquad m_j = \begin{cases} 0 & \text{the query may see key } j \\ -\infty & \text{it may not} \end{cases}`,
    about: "Hide keys, and the others share their weight. A row without any key becomes zero, not NaN.",
    controls: [
        {
            key: "kind",
            label: "mask",
            value: "keys",
            options: {
                none: "none",
                keys: "of keys, for all queries",
                length: "padding: the length of the row",
                bias: "bias: added to the scores of the third key",
                causal: "causal",
                cells: "of each query and key",
            },
        },
        { key: "keys", label: "visible", cells: [["all queries"], KEY_NAMES], value: "110", when: { kind: "keys" } },
        { key: "length", label: "length", range: [0, 3, 1], value: 2, when: { kind: "length" } },
        {
            key: "bias",
            label: "bias",
            range: [HIDDEN, 5, 0.25],
            value: HIDDEN,
            format: (x) => (x === HIDDEN ? "−∞" : x.toFixed(2)),
            when: { kind: "bias" },
        },
        {
            key: "cells",
            label: "visible",
            cells: [QUERY_NAMES, KEY_NAMES],
            value: "111000111",
            when: { kind: "cells" },
        },
    ],
    // JSON has no infinity.
    ask: (settings) => ({ ...settings, bias: settings.bias === HIDDEN ? undefined : settings.bias }),
    draw: (found) => [
        el(
            "div.pictures.flow",
            weightsTable("weights", [QUERY_NAMES, KEY_NAMES], planesOf(found.weights)[0]),
            numbersTable("output", [QUERY_NAMES, COLUMN_NAMES], planesOf(found.output)[0]),
        ),
    ],
};

const DIVISORS = ["not divided", "by the root", "by the width"];

function divisorOf(power) {
    if (power === 0) return "1: not divided";
    if (power === 0.5) return "√d";
    return power === 1 ? "d" : `d^${power.toFixed(2)}`;
}

export const scaling = {
    name: "To scale or not",
    page: "04_scaling",
    formula: String.raw`\text{Var}(q \cdot k) = d, \qquad \text{Var}\left(\frac{q \cdot k}{\sqrt d}\right) = 1`,
    about: "The wider the vectors, the surer an undivided score is of one key. Divided by the root of the width, the width has no effect; divided by the width, attention becomes a plain mean.",
    controls: [
        { key: "width", label: "width d", range: [1, 64, 1], value: 64 },
        { key: "power", label: "scores are divided by", range: [0, 1, 0.05], value: 0.5, format: divisorOf },
    ],
    draw(found, settings) {
        const widths = Array.from({ length: 64 }, (_, i) => i + 1),
            powers = widths.filter((width) => Number.isInteger(Math.log2(width)));
        const named = [
            ...DIVISORS.map((name) => ({ name, values: found[name] })),
            { name: "chosen", values: found.chosen },
        ];
        return [
            el(
                "div.pictures.flow",
                weightsTable("weights of the sentence", [SENTENCE, SENTENCE], planesOf(found.weights)[0]),
                drawLines({
                    caption: "the largest weight of a row, on average",
                    label: "width",
                    xs: widths,
                    series: named,
                    mark: settings.width,
                }),
            ),
            el(
                "div.pictures.flow",
                numbersTable(
                    "largest weight",
                    [powers.map((width) => `width ${width}`), DIVISORS],
                    powers.map((width) => DIVISORS.map((name) => digits(found[name][width - 1]))),
                ),
                weightsTable("weights of three vectors", [QUERY_NAMES, KEY_NAMES], planesOf(found["three weights"])[0]),
                numbersTable(
                    "output of three vectors",
                    [QUERY_NAMES, COLUMN_NAMES],
                    planesOf(found["three output"])[0],
                ),
            ),
        ];
    },
};
