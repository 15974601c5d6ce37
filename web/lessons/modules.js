// Lessons 5 to 8: modules with weights.
import { el } from "../common/dom.js";
import { SENTENCE } from "./vectors.js";
import { numbersTable, planesOf, weightsTable } from "./weights.js";

const VECTOR_NAMES = ["x0", "x1", "x2", "x3"];
const numbered = (count, name) => Array.from({ length: count }, (_, i) => `${name} ${i}`);

function headTables(what, names, tensor) {
    return planesOf(tensor).map((rows, head) => weightsTable(`${what}, head ${head}`, names, rows));
}

function powersOfTwo(most) {
    return Object.fromEntries(Array.from({ length: Math.log2(most) + 1 }, (_, i) => [2 ** i, 2 ** i]));
}

export const multiHead = {
    name: "Several heads",
    page: "05_multi_head",
    formula: String.raw`\text{head}_h = \text{attention}(x W^Q_h, x W^K_h, x W^V_h), \qquad y = [\text{head}_1; \ldots; \text{head}_n] W^O`,
    about: "The same matrices, split into more or fewer heads: each head has its share of the columns, and looks at the vectors in its own way.",
    controls: [
        { key: "heads", label: "heads of the four vectors", options: powersOfTwo(8), value: "2" },
        { key: "row", label: "row of the batch", options: { 0: "first", 1: "second" }, value: "0" },
        { key: "more", label: "heads of the sentence", options: powersOfTwo(16), value: "4" },
    ],
    ask: ({ heads, row, more }) => ({ heads: Number(heads), row: Number(row), more: Number(more) }),
    draw: (found) => [
        el("div.pictures.flow", ...headTables("weights", [VECTOR_NAMES, VECTOR_NAMES], found.weights)),
        numbersTable("output", [VECTOR_NAMES, numbered(8, "column")], planesOf(found.output)[0]),
        el("div.pictures.flow", ...headTables("weights of the sentence", [SENTENCE, SENTENCE], found.sentence)),
    ],
};

const SCORES = ["dot", "scaled dot", "general", "additive"];

export const threeScores = {
    name: "Three scores",
    page: "06_three_scores",
    formula: String.raw`q \cdot k, \qquad \frac{q \cdot k}{\sqrt d}, \qquad (W q) \cdot k, \qquad v \cdot \tanh(W_q q + W_k k)`,
    about: "Make the query longer: products grow with it until one key has all the weight. The additive score cannot, because tanh stays between −1 and 1.",
    controls: [
        {
            key: "length",
            label: "length of the query, times",
            range: [0, 4, 0.05],
            value: 1,
            format: (x) => x.toFixed(2),
        },
        { key: "row", label: "query", options: { 0: "1", 1: "2", 2: "3", 3: "4" }, value: "0" },
        {
            key: "vectors",
            label: "vectors",
            options: { page: "of the lesson, width 64", drawn: "drawn at random" },
            value: "page",
        },
        { key: "width", label: "width", range: [4, 256, 4], value: 64, when: { vectors: "drawn" } },
        { key: "seed", label: "seed", range: [1, 20, 1], value: 1, when: { vectors: "drawn" } },
    ],
    ask: (settings) => ({ ...settings, row: Number(settings.row) }),
    draw: (found) => [
        weightsTable(
            "weights",
            [SCORES, numbered(10, "key")],
            SCORES.map((name) => planesOf(found[name])[0][0]),
        ),
    ],
};

const ENGLISH = ["The", "cat", "is", "sleeping", "on", "the", "mat"];
const SPANISH = ["El", "gato", "está", "durmiendo", "en", "la", "estera"];

function likeliestWords(rows) {
    return rows.map((row, i) => `${SPANISH[i]} looks at ${ENGLISH[row.indexOf(Math.max(...row))]}`);
}

export const translation = {
    name: "Translation",
    page: "07_translation",
    formula: String.raw`\text{attention}(q, k, v) = \sum_j w_j v_j, \qquad w = \text{softmax}\left(\frac{q \cdot k_j}{\sqrt d}\right)`,
    about: "Random vectors know no Spanish. Move each Spanish word towards the English word that it translates, as training would: the diagonal appears. Through a head it does not, because its matrices are still random.",
    controls: [
        {
            key: "learned",
            label: "moved towards its English word",
            range: [0, 1, 0.01],
            value: 0,
            format: (x) => `${Math.round(100 * x)} %`,
        },
        {
            key: "length",
            label: "length of the queries, times",
            range: [0.25, 6, 0.25],
            value: 1,
            format: (x) => x.toFixed(2),
        },
        {
            key: "how",
            label: "compared",
            options: { words: "the vectors themselves", one: "through one head", two: "through two heads" },
            value: "words",
        },
    ],
    draw(found, settings) {
        const planes = planesOf(found.alignment);
        const title = settings.how === "words" ? "weights of the translation" : "weights of head";
        return [
            el(
                "div.pictures.flow",
                ...planes.map((rows, head) =>
                    weightsTable(settings.how === "words" ? title : `${title} ${head}`, [SPANISH, ENGLISH], rows),
                ),
                el(
                    "ul.looks",
                    { "aria-label": "The word with the most weight" },
                    ...likeliestWords(planes[0]).map((line) => el("li", line)),
                ),
            ),
            el(
                "div.pictures.flow",
                weightsTable("weights", [["output 1", "output 2"], numbered(3, "input")], planesOf(found.weights)[0]),
                numbersTable("output", [["output 1", "output 2"], numbered(6, "column")], planesOf(found.output)[0]),
            ),
        ];
    },
};

export const textOfReviews = {
    name: "Text",
    page: "08_text",
    formula: String.raw`\text{attention}(x) = \text{softmax}\left(\frac{x x^\top}{\sqrt d}\right) x`,
    about: "Untrained attention finds equal words. With positions added, two copies of the same word differ. The mask hides padding, and a high temperature shows what comes second.",
    controls: [
        { key: "source", label: "words of", options: { review: "a review", own: "your own text" }, value: "review" },
        { key: "review", label: "review", range: [1, 10, 1], value: 1, when: { source: "review" } },
        {
            key: "text",
            label: "text",
            text: true,
            value: "the plot is thin and the end is thin",
            when: { source: "own" },
        },
        { key: "temperature", label: "temperature", range: [0.25, 8, 0.25], value: 1, format: (x) => x.toFixed(2) },
        { key: "positions", label: "add positions", value: false },
        { key: "hide", label: "hide padding", value: false },
    ],
    ask: (settings) => ({ ...settings, review: settings.review - 1 }),
    draw: (found) => [
        weightsTable("weights", [found.words, found.words], planesOf(found.weights)[0]),
        numbersTable("words and their numbers", [["number"], found.words], [found.ids.map(String)]),
        el(
            "p.note",
            `${found.reviews} reviews, ${found.vocabulary} words; the first are ${found.frequent.map((word, id) => `${id} ${word}`).join(", ")}`,
        ),
    ],
};
