// Symbols as one sees them. The text of a symbol can be anything: a blank, a lone mark, half of a surrogate pair.
import { isRightToLeft } from "../common/dom.js";

export const END_MARK = "∎",
    START_MARK = "▷";

// The symbols of the start and the end, and the first of texts. A text may hold "<eos>" as an ordinary symbol.
export const START_SYMBOL = 1,
    END_SYMBOL = 2,
    FIRST_SYMBOL = 4;

// What stands for a symbol that the model does not know.
export const UNKNOWN = "\uFFFD",
    UNKNOWN_TITLE = `${UNKNOWN} (U+FFFD) stands for a symbol that the model does not know.`;

const NAMED = new Map([
    ["", "∅"],
    [" ", "␣"],
    ["\n", "↵"],
    ["\t", "⇥"],
]);

export function wellFormed(text) {
    return text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, UNKNOWN);
}

const encoder = new TextEncoder(),
    decoder = new TextDecoder("utf-8", { ignoreBOM: true }),
    BYTE = /^<0x([0-9A-F]{2})>$/;

// The text of pieces of words, "▁the", "▁cat", "s", of which some are bytes, "<0xC3>".
export function joinPieces(pieces) {
    const bytesOf = (piece) => {
        const byte = BYTE.exec(piece);
        return byte ? [parseInt(byte[1], 16)] : [...encoder.encode(piece)];
    };
    const text = pieces.some((piece) => BYTE.test(piece))
        ? decoder.decode(Uint8Array.from(pieces.flatMap(bytesOf)))
        : pieces.join("");
    return text.replaceAll("▁", " ").replace(/^ /, "").normalize("NFC");
}

function codes(text) {
    return [...text].map((c) => "U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")).join(" ");
}

// A text in one line of a table.
export function oneLine(text) {
    return text.replace(/\p{Cc}/gu, (c) => NAMED.get(c) ?? "·");
}

// Blanks other than the usual one, joiners, marks of direction, controls, and what chooses a variant. Within a picture of
// several characters, such as a flag, they show.
const INVISIBLE = /[\p{Cc}\p{Cf}\u00A0\p{Zl}\p{Zp}\u1680\u2000-\u200A\u202F\u205F\u3000\p{Variation_Selector}]+/gu,
    PICTURE = /^[\p{So}\p{Extended_Pictographic}]|\u20E3/u;

// What stands for a symbol in a picture.
export function visible(text) {
    if (NAMED.has(text)) return NAMED.get(text);
    const shown = PICTURE.test(text) ? text : text.replace(INVISIBLE, codes);
    return /^\p{M}/u.test(shown) ? "◌" + shown : shown;
}

// A sequence of labels reads from right to left if its first letter does.
export function readsLeft(labels) {
    const first = labels.find((label) => !label.mark && /\p{L}/u.test(label.text));
    return first !== undefined && isRightToLeft(first.text);
}
