// A greedy search over the two files of `lookback export NAME.onnx`, with onnxruntime-node, for many texts at once. The
// outputs are those of `predict --beam 1`. In a shell: node translate.mjs NAME TEXT...
import { realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { InferenceSession, Tensor } from "onnxruntime-node";

const [PAD, BOS, EOS, UNK] = [0, 1, 2, 3];

/** The metadata, with which a file begins: onnxruntime-node does not return them. */
function metadata(bytes) {
    const entries = {};
    let at = 0;
    const number = () => (bytes[at] < 128 ? bytes[at++] : (bytes[at++] % 128) + 128 * number());
    const text = () => {
        at++; // the number of the field
        const length = number();
        return bytes.toString("utf8", at, (at += length));
    };
    while (bytes[at++] === 0x72) {
        number(); // the length of both
        const key = text();
        entries[key] = text();
    }
    return entries;
}

/** Opens NAME.encoder.onnx and NAME.decoder.onnx. */
export async function open(name) {
    const about = metadata(await readFile(`${name}.encoder.onnx`));
    return {
        merges: about["lookback.source_subwords"] && mergesOf(about["lookback.source_subwords"]),
        ...JSON.parse(about["lookback.task"]),
        read: JSON.parse(about["lookback.source_vocabulary"]),
        written: JSON.parse(about["lookback.target_vocabulary"]),
        backward: about["lookback.direction"] === "backward",
        encoder: await InferenceSession.create(`${name}.encoder.onnx`),
        decoder: await InferenceSession.create(`${name}.decoder.onnx`),
    };
}

/** A merge is a line, two pieces with a blank between; the first lines come first. A piece remembers what it is made of. */
function mergesOf(text) {
    const rank = new Map(text.split("\n").map((line, i) => [line, i]));
    const parts = new Map();
    for (const pair of rank.keys()) {
        const [left, right] = pair.split(" ");
        if (!parts.has(left + right)) parts.set(left + right, [left, right]);
    }
    return { rank, parts };
}

// A run of letters, of digits, or of other characters, with the blank before it; of a run of blanks, all but the last.
const WORDS =
    / +(?= )| +$| ?(?:\p{L}[\p{L}\p{M}\u200C\u200D]*|\p{N}[\p{N}\p{M}\u200C\u200D]*|[^\p{L}\p{N} \u2581]+)| |\u2581/gu;
const bytesOf = (text) =>
    [...Buffer.from(text)].map((byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);

/** The pieces of a text: neighbours are joined in the order of the merges, and what the model does not know is taken
 *  apart again, down to bytes. In a piece, U+2581 is a blank; one that is in the text is bytes. */
function piecesOf({ merges: { rank, parts }, read }, text) {
    const apart = (piece) => {
        if (read.includes(piece)) return [piece];
        return parts.has(piece) ? parts.get(piece).flatMap(apart) : bytesOf(piece.replace("\u2581", " "));
    };
    return ` ${text}`.match(WORDS).flatMap((word) => {
        if (word === "\u2581") return bytesOf(word);
        const pieces = [...word.replaceAll(" ", "\u2581")];
        for (;;) {
            const ranks = pieces.slice(1).map((piece, i) => rank.get(`${pieces[i]} ${piece}`) ?? Infinity);
            const first = Math.min(...ranks);
            if (first === Infinity) return pieces.flatMap(apart);
            const at = ranks.indexOf(first);
            pieces.splice(at, 2, pieces[at] + pieces[at + 1]);
        }
    });
}

/** The text of pieces. */
function textOf(pieces) {
    const bytes = pieces.map((piece) =>
        /^<0x[0-9A-F]{2}>$/.test(piece)
            ? Buffer.of(Number(piece.slice(1, -1)))
            : Buffer.from(piece.replaceAll("\u2581", " ")),
    );
    return Buffer.concat(bytes).toString().replace(/^ /, "");
}

/** The ids of a text. */
function idsOf(model, text) {
    const { source, read } = model;
    const normal = source.normalize === "none" ? text : text.normalize(source.normalize.toUpperCase());
    const symbols = model.merges
        ? piecesOf(model, normal)
        : source.separator
          ? normal.split(source.separator)
          : [...normal];
    return symbols.map((symbol) => Math.max(read.indexOf(symbol), UNK));
}

/** The likeliest symbols of the outputs that go on; EOS for the others. */
function likeliest({ data, dims: [, symbols] }, before) {
    return before.map((id, row) => {
        const scores = data.subarray(row * symbols + EOS, (row + 1) * symbols);
        return id === EOS ? EOS : EOS + scores.indexOf(Math.max(...scores));
    });
}

/** The most symbols of an output. It depends on its own text alone, not on those beside it. */
function limitOf({ longest_source, longest_target }, { length }) {
    let trusted = 128; // what the file says of the training counts only so far
    while (trusted < 8 * length) trusted *= 2;
    return 2 * Math.max(length, Math.min(trusted, Math.max(longest_source, longest_target))) + 8;
}

/** Translates texts side by side. `attention` has a tensor [text, layer, head, symbol of the text] for each step. */
export async function translate(model, texts) {
    const ids = texts.map((text) => idsOf(model, text));
    const length = Math.max(...ids.map((row) => row.length));
    const padded = ids.flatMap((row) => [...row, ...Array(length - row.length).fill(PAD)]);
    const state = await model.encoder.run({ source: new Tensor("int64", padded, [texts.length, length]) });
    const limits = ids.map((row) => limitOf(model, row));
    const outputs = texts.map(() => []);
    const attention = [];
    let symbols = texts.map(() => BOS);
    const goesOn = (id, row, step) => id !== EOS && step < limits[row];
    for (let step = 0; symbols.some((id, row) => goesOn(id, row, step)); step++) {
        const made = await model.decoder.run({ ...state, symbol: new Tensor("int64", symbols, [texts.length]) });
        symbols = likeliest(made.logits, symbols).map((id, row) => (goesOn(id, row, step) ? id : EOS));
        symbols.forEach((id, row) => id !== EOS && outputs[row].push(id === UNK ? "\uFFFD" : model.written[id]));
        attention.push(made.attention);
        for (const name in state) state[name] = made[`next_${name}`] ?? state[name];
    }
    const written = outputs.map((output) => (model.backward ? output.reverse() : output));
    const join = (output) => (model.merges ? textOf(output) : output.join(model.target.separator));
    return { texts: written.map((output) => join(output).normalize()), attention };
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
    const [name, ...texts] = process.argv.slice(2);
    if (texts.length === 0) throw new Error("usage: node translate.mjs NAME TEXT...");
    console.log((await translate(await open(name), texts)).texts.join("\n"));
}
