// The data of a report, read once, and its weights, read where they are looked at.
import { embedded, embeddedIn } from "../common/embedded.js";
import { alignEdits } from "./edits.js";
import {
    END_MARK,
    END_SYMBOL,
    FIRST_SYMBOL,
    joinPieces,
    START_MARK,
    START_SYMBOL,
    UNKNOWN,
    UNKNOWN_TITLE,
    visible,
    wellFormed,
} from "./symbols.js";

export const ALL_HEADS = -1;

// What an output depends on, in place of where it looks.
export const MEASURES = {
    erasure: "nats that are lost without a symbol",
    gradient: "gradient at a symbol, times its embedding",
};

// Weights of `rows` over `columns`, 0..1; with `most`, numbers from -most to most.
function matrixOf(bytes, offset, rows, columns, most) {
    const values = new Float32Array(rows * columns);
    for (let i = 0; i < values.length; i++)
        values[i] = most === undefined ? bytes[offset + i] / 255 : (most * (bytes[offset + i] - 128)) / 127;
    return { rows, columns, values, most };
}

function meanOf(matrices) {
    const [first] = matrices,
        values = new Float32Array(first.values.length);
    for (const matrix of matrices) matrix.values.forEach((v, i) => (values[i] += v / matrices.length));
    return { rows: first.rows, columns: first.columns, values };
}

export class Report {
    constructor(data) {
        this.about = data.about;
        this.pairs = data.pairs;
        this.detailed = data.detailed;
        this.warnings = data.warnings ?? [];
        this.statistics = data.statistics;
        this.history = data.history;
        this.film = data.film ?? [];
        this.headsOff = data.heads_off ?? null;
        this.symbols = data.symbols.map(wellFormed);
        this.labels = this.symbols.map((text) => ({
            text: visible(text),
            title: text === UNKNOWN ? UNKNOWN_TITLE : text,
            mark: false,
        }));
        this.labels[START_SYMBOL] = { text: START_MARK, title: "start of the output", mark: true };
        this.labels[END_SYMBOL] = { text: END_MARK, title: "end of the output", mark: true };
        this.ids = new Map(this.symbols.map((text, id) => [text, id]));
        this.blob = null;
        this.loading = null;
        this.texts = new Map();
    }

    // Weights arrive after the texts, unless they came with them.
    loadWeights() {
        this.loading ??= embedded("blob").then((blob) => (this.blob ??= blob ?? new Uint8Array(0)));
        return this.loading;
    }

    // Adds the pairs of other data, whose symbols and weights become some of this report. Returns the first one's index.
    add(data, blob) {
        const first = this.pairs.length,
            moved = this.blob.length;
        const ids = data.symbols.map((symbol, id) => (id < FIRST_SYMBOL ? id : this.idOf(wellFormed(symbol))));
        const renamed = (list) => list?.map((id) => ids[id]) ?? null,
            place = (offset) => (offset < 0 ? offset : offset + moved),
            moveMeasure = (measure) => measure && { ...measure, values: place(measure.values) };
        for (const pair of data.pairs) {
            this.pairs.push({
                ...pair,
                source: renamed(pair.source),
                unknown: renamed(pair.unknown),
                expected: renamed(pair.expected),
                also: pair.also?.map(({ symbols }) => ({ symbols: renamed(symbols) })),
                outputs: pair.outputs.map((output) => ({
                    ...output,
                    symbols: renamed(output.symbols),
                    weights: place(output.weights),
                })),
                likeliest: pair.likeliest && { ...pair.likeliest, symbols: renamed(pair.likeliest.symbols) },
                self: pair.self && {
                    ...pair.self,
                    encoder: place(pair.self.encoder),
                    decoder: place(pair.self.decoder),
                    rollout: place(pair.self.rollout),
                },
                why: pair.why && {
                    erasure: moveMeasure(pair.why.erasure),
                    gradient: moveMeasure(pair.why.gradient),
                },
            });
        }
        const bytes = new Uint8Array(moved + blob.length);
        bytes.set(this.blob);
        bytes.set(blob, moved);
        this.blob = bytes;
        return first;
    }

    // Whether what outputs depend on was measured for some pairs.
    get measured() {
        return this.pairs.some((pair) => pair.why);
    }

    idOf(text) {
        if (!this.ids.has(text)) {
            this.ids.set(text, this.symbols.push(text) - 1);
            this.labels.push({ text: visible(text), title: text, mark: false });
        }
        return this.ids.get(text);
    }

    // Without a separator, not even "", symbols are pieces of words.
    get ofPieces() {
        return this.about.target_separator === null;
    }

    // Expected and found, aligned by symbols, or by words if these are pieces of them.
    edits(expected, found) {
        const units = (ids) =>
            this.ofPieces
                ? this.text(ids, null)
                      .split(/\s+/u)
                      .filter(Boolean)
                      .map((word) => this.idOf(word))
                : ids;
        return alignEdits(units(expected), units(found));
    }

    // The step of an output that begins each of these words, or is one of these symbols.
    stepsOf(ids) {
        const begins = (id) => (this.symbols[id] ?? "▁").startsWith("▁");
        return ids.flatMap((id, i) => {
            const blank = this.symbols[id] === "▁" && begins(ids[i + 1]);
            return !this.ofPieces || ((i === 0 || begins(id)) && !blank) ? [i] : [];
        });
    }

    label(id) {
        return this.labels[id] ?? { text: "", title: "", mark: true };
    }

    text(ids, separator) {
        const symbols = ids?.map((id) => this.symbols[id] ?? "") ?? [];
        return separator === null ? joinPieces(symbols) : symbols.join(separator);
    }

    // The texts of pair `index`: read often, by the table and its filter.
    textsOf(index) {
        let found = this.texts.get(index);
        if (!found) {
            const pair = this.pairs[index],
                { source_separator: s, target_separator: t } = this.about;
            found = {
                source: this.text(pair.source, s),
                expected: this.text(pair.expected, t),
                output: pair.outputs.length > 0 ? this.text(pair.outputs[0].symbols, t) : "",
            };
            this.texts.set(index, found);
        }
        return found;
    }

    outputText(output) {
        return this.text(output.symbols, this.about.target_separator);
    }

    sourceLabels(pair) {
        return pair.source.map((id) => this.label(id));
    }

    // What is written at each step: the symbols, then the end.
    stepLabels(output) {
        const end = { text: END_MARK, title: "end of the output", mark: true };
        return [...output.symbols.map((id) => this.label(id)), ...(output.finished ? [end] : [])];
    }

    // What the decoder has read: the start, then what it has written, in reading order. It has not read its last symbol if
    // that is the end of a cut-off output, or the beginning where it writes from the end.
    readLabels(output) {
        const start = { text: START_MARK, title: "start of the output", mark: true };
        const symbols = output.symbols.map((id) => this.label(id));
        if (output.finished) return [start, ...symbols];
        return [start, ...(this.about.backward ? symbols.slice(1) : symbols.slice(0, -1))];
    }

    hasWeights(output) {
        return output !== undefined && output.weights >= 0 && this.about.layers > 0 && this.about.heads > 0;
    }

    // The kinds of attention of an output: name, title, layers, heads and labels. `mean`: the one head is the mean of all.
    // Then what the best output depends on, with the `most` of each measure.
    attentions(pair, which) {
        const output = pair.outputs[which],
            found = [];
        if (!output) return found;
        const { layers, heads } = this.about,
            source = this.sourceLabels(pair),
            steps = this.stepLabels(output),
            read = this.readLabels(output),
            mean = pair.mean === true,
            own = pair.self,
            one = { layers: 1, heads: 1 };
        const ofOutput = { above: source, below: steps, aboveName: "source", belowName: "output" },
            ofSource = { above: source, below: source, aboveName: "read", belowName: "source" },
            ofItself = { above: read, below: steps, aboveName: "read", belowName: "output" };
        const add = (name, title, labels, values) => found.push({ name, title, ...labels, ...values });
        if (this.hasWeights(output))
            add("source", "output to source", ofOutput, {
                layers,
                heads: mean ? 1 : heads,
                mean,
                offset: output.weights,
            });
        if (own?.encoder >= 0 && own.layers > 0)
            add("encoder", "source to itself", ofSource, {
                layers: own.layers,
                heads: own.heads,
                mean,
                offset: own.encoder,
            });
        if (own?.rollout >= 0)
            add("rollout", "source to itself, rollout of all layers", ofSource, { ...one, offset: own.rollout });
        if (own?.decoder >= 0 && which === 0 && layers > 0)
            add("decoder", "output to itself", ofItself, { layers, heads: own.heads, mean, offset: own.decoder });
        for (const [name, title] of which === 0 ? Object.entries(MEASURES) : []) {
            const measure = pair.why?.[name];
            if (measure) add(name, title, ofOutput, { ...one, offset: measure.values, most: measure.most });
        }
        return found;
    }

    // [below, above] of one head, or the mean over the heads of a layer.
    weights(attention, layer, head) {
        const rows = attention.below.length,
            columns = attention.above.length;
        const one = (h) =>
            matrixOf(
                this.blob,
                attention.offset + (layer * attention.heads + h) * rows * columns,
                rows,
                columns,
                attention.most,
            );
        return head === ALL_HEADS ? meanOf(Array.from({ length: attention.heads }, (_, h) => one(h))) : one(head);
    }

    // What greedy decoding writes for a pair with all heads, and without one; null if it is not known.
    withoutHead(index, layer, head) {
        const at = this.headsOff?.pairs.indexOf(index) ?? -1,
            [whole, ...without] = this.headsOff?.outputs ?? [],
            found = without[layer * this.about.heads + head];
        return at < 0 || !found ? null : { whole: whole[at], without: found[at] ?? whole[at] };
    }

    matrix(offset, rows, columns) {
        return matrixOf(this.blob, offset, rows, columns);
    }
}

// A report from the bytes of its JSON, and of its weights if they are known by now.
export function reportOf(bytes, blob = null) {
    if (bytes === null) throw new Error("this file is an empty page of a report: lookback report fills it with data");
    const data = JSON.parse(new TextDecoder().decode(bytes));
    if (data.version !== 1) throw new Error(`found data of version ${data.version}, expected 1`);
    const report = new Report(data);
    report.blob = blob;
    return report;
}

// The report that the page carries.
export async function openReport() {
    return reportOf(await embedded("data"));
}

// The report that another page carries, from its text.
export async function reportOfPage(text) {
    return reportOf(await embeddedIn(text, "data"), (await embeddedIn(text, "blob")) ?? new Uint8Array(0));
}
