// A greedy search over the two files of `lookback export NAME.onnx`, with onnxruntime-node, for many texts at once. The
// outputs are those of `predict --beam 1`.
import { readFile } from "node:fs/promises";
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
    if (about["lookback.source_subwords"]) throw new Error(`${name}: this search does not cut words in pieces`);
    return {
        ...JSON.parse(about["lookback.task"]),
        read: JSON.parse(about["lookback.source_vocabulary"]),
        written: JSON.parse(about["lookback.target_vocabulary"]),
        backward: about["lookback.direction"] === "backward",
        encoder: await InferenceSession.create(`${name}.encoder.onnx`),
        decoder: await InferenceSession.create(`${name}.decoder.onnx`),
    };
}

/** The ids of a text. */
function idsOf({ source, read }, text) {
    const normal = source.normalize === "none" ? text : text.normalize(source.normalize.toUpperCase());
    const symbols = source.separator ? normal.split(source.separator) : [...normal];
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
    return { texts: written.map((output) => output.join(model.target.separator).normalize()), attention };
}
