// The formulas of a lesson: the part of TeX that the pages in docs/lessons/ use, as MathML.
import { math } from "../common/dom.js";

const SIGNS = {
    cdot: "·",
    infty: "∞",
    ldots: "…",
    leftarrow: "←",
    sum: "∑",
    top: "⊤",
};

const row = (nodes) => (nodes.length === 1 ? nodes[0] : math("mrow", ...nodes));

// What is left of a formula, word by word.
class Words {
    constructor(tex) {
        this.left = tex.match(/\\[a-zA-Z]+|\\.|[^\\]/g) ?? [];
    }

    take() {
        while (this.left[0] === " ") this.left.shift();
        return this.left.shift();
    }

    // The text between braces, as it is written.
    text() {
        const end = this.left.indexOf("}");
        return this.left
            .splice(0, end + 1)
            .join("")
            .slice(1, -1);
    }
}

function casesOf(words) {
    const rows = [[[]]];
    for (let word = words.take(); word !== "\\end"; word = words.take()) {
        if (word === "\\\\") rows.push([[]]);
        else if (word === "&") rows.at(-1).push([]);
        else rows.at(-1).at(-1).push(atom(word, words));
    }
    words.text();
    const cells = (row) => row.map((nodes) => math("mtd", ...nodes));
    return math(
        "mrow",
        math("mo", { fence: "true", stretchy: "true" }, "{"),
        math("mtable", ...rows.map((one) => math("mtr", ...cells(one)))),
    );
}

function command(name, words) {
    const one = () => atom(words.take(), words);
    if (name === "text") return math("mtext", words.text());
    if (name === "frac") return math("mfrac", one(), one());
    if (name === "sqrt") return math("msqrt", one());
    if (name === "begin") {
        words.text();
        return casesOf(words);
    }
    if (name === "left" || name === "right") return math("mo", { stretchy: "true" }, words.take());
    if (name === ",") return math("mspace", { width: "0.17em" });
    if (name in SIGNS) return math("mo", SIGNS[name]);
    return math("mi", name);
}

function atom(word, words) {
    if (word === "{") return row(sequence(words));
    if (word.startsWith("\\")) return command(word.slice(1), words);
    if (/[0-9]/.test(word)) return math("mn", word);
    if (/[a-zA-Z]/.test(word)) return math("mi", word);
    return math("mo", { stretchy: "false" }, word === "-" ? "−" : word);
}

// Up to the end, or to the brace that ends a group.
function sequence(words) {
    const nodes = [];
    for (let word = words.take(); word !== undefined && word !== "}"; word = words.take()) {
        if (word !== "_" && word !== "^") {
            nodes.push(atom(word, words));
            continue;
        }
        const base = nodes.pop(),
            index = atom(words.take(), words),
            [tag, inner] = [word === "_" ? "msub" : "msup", base?.localName];
        // A base with both.
        if (["msub", "msup"].includes(inner) && inner !== tag) {
            const [first, other] = base.children;
            nodes.push(math("msubsup", first, ...(inner === "msub" ? [other, index] : [index, other])));
        } else {
            nodes.push(math(base?.textContent === "∑" ? "munder" : tag, {}, base, index));
        }
    }
    return nodes;
}

// One for each part between wide spaces, so that a narrow page has them below each other.
export function formulasOf(tex) {
    return tex.split("\\qquad").map((part) => math("math", { display: "block" }, ...sequence(new Words(part))));
}
