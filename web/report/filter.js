// Which pairs the table shows, and in which order.
import { isEdit } from "./edits.js";

export const ORDERS = [
    ["file", "file order"],
    ["score", "lowest score"],
    ["confidence", "lowest confidence"],
    ["errors", "most errors"],
    ["length", "longest source"],
    ["sure", "most confident errors"],
    ["disagree", "attention disagrees with erasure"],
];

export const SHOWN = [
    ["all", "all"],
    ["wrong", "wrong"],
    ["right", "right"],
    ["unread", "unreadable"],
];

// Who wrote the best output.
export const WRITERS = [
    ["", "any"],
    ["model", "model"],
    ["lexicon", "lexicon"],
];

const best = (pair) => pair.outputs[0];
export const isKnown = (pair) => best(pair)?.lexicon === true;
// What has no value comes last.
const KEYS = {
    score: (pair) => best(pair)?.score ?? Infinity,
    confidence: (pair) => best(pair)?.probability ?? Infinity,
    errors: (pair) => -(pair.edits ?? -1),
    length: (pair) => -pair.source.length,
    disagree: (pair) => pair.why?.tau ?? Infinity,
    sure: (pair) => (pair.edits > 0 && !isKnown(pair) ? -(best(pair)?.probability ?? 0) : 2),
};

function isShown(pair, show) {
    if (show === "wrong") return pair.edits > 0;
    if (show === "right") return pair.edits === 0;
    return show === "unread" ? Boolean(pair.error) : true;
}

const confusions = new WeakMap();

// The edits of the best output, as "expected.found" of symbols or words.
function confusionsOf(report, pair) {
    if (!confusions.has(pair)) {
        const found = new Set();
        if (pair.edits > 0 && pair.expected && best(pair) && !isKnown(pair)) {
            for (const edit of report.edits(pair.expected, best(pair).symbols)) {
                if (isEdit(edit)) found.add(`${edit.expected}.${edit.found}`);
            }
        }
        confusions.set(pair, found);
    }
    return confusions.get(pair);
}

const plain = (text) => text.normalize("NFC").toLowerCase();

export function selectPairs(report, { find, show, from, confusion, sort }) {
    const wanted = plain(find),
        out = [];
    report.pairs.forEach((pair, index) => {
        if (!isShown(pair, show)) return;
        if (from !== "" && (!best(pair) || isKnown(pair) !== (from === "lexicon"))) return;
        if (confusion !== "" && !confusionsOf(report, pair).has(confusion)) return;
        if (wanted !== "") {
            const { source, output, expected } = report.textsOf(index);
            if (![source, output, expected].some((text) => plain(text).includes(wanted))) return;
        }
        out.push(index);
    });
    const key = Object.hasOwn(KEYS, sort) ? KEYS[sort] : null;
    if (key) {
        const keys = new Map(out.map((index) => [index, key(report.pairs[index])]));
        out.sort((a, b) => keys.get(a) - keys.get(b) || a - b);
    }
    return out;
}
