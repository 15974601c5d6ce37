// Reports with made-up data, in the form that `lookback report` writes.

// The same numbers in every run: mulberry32.
export function randomOf(seed) {
    let a = seed >>> 0;
    return () => {
        a = (a + 0x6d2b79f5) >>> 0;
        let t = Math.imul(a ^ (a >>> 15), 1 | a);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
}

// A combining mark belongs to the letter before it.
export function lettersOf(text) {
    return [...new Intl.Segmenter().segment(text)].map((s) => s.segment);
}

class Symbols {
    constructor() {
        this.list = ["<pad>", "<bos>", "<eos>", "<unk>"];
        // A text "<eos>" is a symbol of its own.
        this.index = new Map();
    }

    ids(texts) {
        return texts.map((text) => {
            if (!this.index.has(text)) {
                this.index.set(text, this.list.length);
                this.list.push(text);
            }
            return this.index.get(text);
        });
    }
}

export class Maker {
    // why: so many pairs have erasure and gradient, and outputs without each head.
    constructor(seed, { layers = 1, heads = 4, beam = 3, self = false, why = 0 } = {}) {
        Object.assign(this, { layers, heads, beam, self, why });
        this.random = randomOf(seed);
        this.other = randomOf(seed + 1000);
        this.symbols = new Symbols();
        this.bytes = [];
        this.pairs = [];
    }

    // Rows that look along the diagonal, each head in its own way.
    attend(rows, columns, causal = false, shift = 0, width = 0.8) {
        const offset = this.bytes.length;
        for (let r = 0; r < rows; r++) {
            const middle = rows > 1 ? (r / (rows - 1)) * (columns - 1) + shift : shift,
                row = [];
            for (let c = 0; c < columns; c++) {
                const hidden = causal && c > r;
                row.push(
                    hidden ? 0 : Math.exp(-((c - middle) ** 2) / (2 * width * width)) + 0.02 + 0.03 * this.random(),
                );
            }
            const sum = row.reduce((a, b) => a + b, 0);
            for (const w of row) this.bytes.push(Math.round((255 * w) / sum));
        }
        return offset;
    }

    attention(layers, heads, rows, columns, causal = false) {
        const offset = this.bytes.length;
        for (let l = 0; l < layers; l++) {
            for (let h = 0; h < heads; h++)
                this.attend(rows, columns, causal, [0, 0, -1, 1][h % 4], [0.45, 2.5, 0.9, 0.9][h % 4] + 0.3 * l);
        }
        return offset;
    }

    output(ids, sourceLength, sure, weighted, finished = true) {
        const steps = [...ids, ...(finished ? [0] : [])].map(() => +(1 - (1 - sure) * this.random()).toFixed(4));
        const probability = steps.reduce((p, v) => p * v, 1);
        return {
            symbols: ids,
            finished,
            score: +(Math.log(probability) / steps.length).toFixed(4),
            probability: +probability.toFixed(4),
            steps,
            weights: weighted ? this.attention(this.layers, this.heads, steps.length, sourceLength) : -1,
        };
    }

    // Numbers from -most to most, largest along the diagonal.
    measure(rows, columns, most) {
        const values = this.bytes.length;
        for (let r = 0; r < rows; r++) {
            const middle = (r / Math.max(1, rows - 1)) * (columns - 1);
            for (let c = 0; c < columns; c++) {
                const number = 1.1 * Math.exp(-((c - middle) ** 2)) - 0.3 * this.other();
                this.bytes.push(128 + Math.round(127 * Math.min(1, number)));
            }
        }
        return { most, values };
    }

    // What the outputs of the first pairs depend on.
    whyOf(index, from, output) {
        if (index >= this.why) return null;
        const size = [output.steps.length, from.length];
        return {
            tau: +(1 - 1.5 * this.other()).toFixed(4),
            erasure: from.length > 1 ? this.measure(...size, 8 + index) : null,
            gradient: this.measure(...size, 2),
        };
    }

    // The second head writes the first symbol twice, and without the third one nothing is written.
    headsOff() {
        const pairs = this.pairs.slice(0, this.why).map((_, i) => i),
            whole = pairs.map((i) => this.pairs[i].outputs[0].symbols);
        const without = [() => null, ([first, ...more]) => [first, first, ...more], () => [], () => null];
        const heads = Array.from({ length: this.layers * this.heads }, (_, i) => whole.map(without[i % 4]));
        return { pairs, outputs: [whole, ...heads] };
    }

    // What it writes: mostly what is expected, now and then one symbol off.
    spoil(ids, others) {
        const out = [...ids],
            at = Math.floor(this.random() * ids.length),
            way = this.random();
        if (way < 0.6) out[at] = others[Math.floor(this.random() * others.length)];
        else if (way < 0.8) out.splice(at, 1);
        else out.splice(at, 0, others[Math.floor(this.random() * others.length)]);
        return out;
    }

    add(source, expected, { wrong = this.random() < 0.25, detailed = true, found = null } = {}) {
        const from = this.symbols.ids(source),
            to = expected && this.symbols.ids(expected),
            others = this.symbols.ids(["e", "ɛ", "o", "i", "a"]);
        const written = found && this.symbols.ids(found),
            best = written ?? (to ? (wrong ? this.spoil(to, others) : to) : from),
            outputs = [this.output(best, from.length, wrong ? 0.6 : 0.97, detailed)];
        for (let k = 1; k < this.beam && detailed; k++)
            outputs.push(this.output(this.spoil(best, others), from.length, 0.7, true, k < 3));
        const distance = to ? distanceOf(to, best) : null;
        let likeliest = null,
            self = null;
        if (detailed) {
            likeliest = { count: 5, symbols: [], probability: [] };
            outputs[0].steps.forEach((p, t) => {
                const chosen = t < best.length ? best[t] : 2,
                    rest = [2, ...others].filter((id) => id !== chosen).slice(0, 4);
                likeliest.symbols.push(chosen, ...rest);
                likeliest.probability.push(p, ...[0.6, 0.25, 0.1, 0.05].map((part) => +(part * (1 - p)).toFixed(4)));
            });
            const steps = outputs[0].steps.length;
            if (this.self) {
                self = {
                    layers: 2,
                    heads: this.heads,
                    encoder: this.attention(2, this.heads, from.length, from.length),
                    decoder: this.attention(this.layers, this.heads, steps, steps, true),
                    rollout: this.attend(from.length, from.length, false, 0, 1.6),
                };
            }
        }
        const why = this.whyOf(this.pairs.length, from, outputs[0]);
        if (why?.erasure === null) outputs[0].why_null = "a source of one symbol has no erasure";
        this.pairs.push({ source: from, expected: to, error: null, edits: distance, outputs, likeliest, self, why });
        return this;
    }

    film() {
        return this.pairs.slice(0, 3).map((pair) => ({
            source: pair.source,
            expected: pair.expected,
            frames: [250, 500, 1000, 2000, 4000].map((step, i) => {
                const symbols = i < 2 ? pair.source.slice(0, 3) : pair.expected;
                return {
                    step,
                    symbols,
                    finished: i > 0,
                    weights: this.attend(
                        symbols.length + (i > 0 ? 1 : 0),
                        pair.source.length,
                        false,
                        0,
                        8 / (i * i + 1),
                    ),
                };
            }),
        }));
    }

    verdict(heads) {
        const row = (name, tau, first) => ({
            name,
            tau: [tau, tau - 0.04, tau + 0.05],
            first: [first, first - 0.03, first + 0.02],
        });
        return {
            pairs: this.why,
            rows: [
                row("mean of the heads", 0.55, 0.8),
                ...Array.from({ length: heads }, (_, i) =>
                    row(`layer ${Math.floor(i / 4)}, head ${i % 4}`, 0.7 - 0.3 * (i % 4), 0.9 - 0.2 * (i % 4)),
                ),
                { name: "uniform", tau: [0, 0, 0], first: [0.15, 0.14, 0.16] },
                row("another pair", 0.12, 0.31),
            ],
        };
    }

    statistics() {
        const known = this.pairs.filter((pair) => pair.edits !== null),
            right = known.filter((pair) => pair.edits === 0).length,
            counts = new Map();
        for (const pair of known) {
            if (pair.edits === 1 && pair.expected.length === pair.outputs[0].symbols.length) {
                const at = pair.expected.findIndex((id, i) => id !== pair.outputs[0].symbols[i]),
                    key = `${pair.expected[at]} ${pair.outputs[0].symbols[at]}`;
                counts.set(key, (counts.get(key) ?? 0) + 1);
            }
        }
        const confusions = [...counts]
            .map(([key, count]) => ({ expected: +key.split(" ")[0], found: +key.split(" ")[1], count }))
            .sort((a, b) => b.count - a.count || a.expected - b.expected || a.found - b.found);
        const seen = (lists) => [...new Set(lists.flat())].slice(0, 28),
            source = seen(this.pairs.map((p) => p.source)),
            target = seen(known.map((p) => p.expected));
        const lengths = [...new Set(this.pairs.map((p) => p.source.length))].sort((a, b) => a - b);
        const heads = [];
        for (let layer = 0; layer < this.layers; layer++) {
            for (let head = 0; head < this.heads; head++) {
                heads.push({
                    layer,
                    head,
                    entropy: [0.12, 0.61, 0.3, 0.33][head % 4],
                    monotonicity: 0.99 - 0.07 * head,
                    coverage: 0.9 - 0.1 * head,
                    without: { exact: 0.7 - 0.15 * head, symbol_error: 0.1 + 0.05 * head },
                });
            }
        }
        return {
            pairs: this.pairs.length,
            exact: known.length > 0 ? right / known.length : null,
            symbol_error: known.length > 0 ? 0.041 : null,
            with_all_heads: { pairs: known.length, exact: 0.82, symbol_error: 0.05 },
            alignment: { source, target, mean: this.attend(target.length, source.length, false, 0, 1.2) },
            heads,
            why: this.why > 0 ? this.verdict(heads.length) : null,
            confusions,
            by_length: lengths.map((length) => {
                const same = this.pairs.filter((p) => p.source.length === length);
                return { length, pairs: same.length, wrong: same.filter((p) => p.edits > 0).length };
            }),
            calibration: [
                [4, 0.35, 0.25],
                [9, 0.55, 0.5],
                [14, 0.74, 0.71],
                [40, 0.93, 0.9],
            ].map(([pairs, confidence, exact]) => ({ pairs, confidence, exact })),
        };
    }

    // `about` is merged, the rest replaces.
    data({ about = {}, ...more } = {}) {
        const statistics = this.statistics(),
            film = this.pairs.every((p) => p.expected) ? this.film() : [];
        return {
            version: 1,
            about: {
                title: "french · test.tsv",
                model: "out/french",
                file: "test.tsv",
                lookback: "0.3.0",
                command: "lookback report out/french test.tsv -o report.html",
                training_command: "lookback train --train train.tsv --steps 4000 --lr 0.001",
                kind: this.self ? "transformer" : "seq2seq",
                attention: this.self ? null : "additive",
                parameters: 412345,
                layers: this.layers,
                heads: this.heads,
                sorts: false,
                beam: this.beam,
                source_separator: "",
                target_separator: "",
                configuration: {
                    hidden: 128,
                    embedding: 64,
                    dropout: 0.1,
                    encoder: { layers: 1, bidirectional: true },
                },
                training: { seed: 1, steps: 4000, train: { file: "train.tsv", pairs: 20000 }, learning_rate: 0.001 },
                source_symbols: [...new Set(this.pairs.flatMap((p) => p.source))],
                target_symbols: [...new Set(this.pairs.flatMap((p) => p.expected ?? []))],
                ...about,
            },
            symbols: this.symbols.list,
            pairs: this.pairs,
            detailed: this.pairs.length,
            heads_off: this.why > 0 ? this.headsOff() : null,
            statistics,
            history: {
                kept: 3500,
                points: Array.from({ length: 16 }, (_, i) => ({
                    step: 250 * (i + 1),
                    loss: 2.4 * Math.exp(-i / 3) + 0.05,
                    dev_loss: 2.3 * Math.exp(-i / 3.2) + 0.12,
                    exact_match: 1 - Math.exp(-i / 4),
                    symbol_error: 0.8 * Math.exp(-i / 3),
                })),
            },
            film,
            ...more,
        };
    }
}

function distanceOf(a, b) {
    let row = Array.from({ length: b.length + 1 }, (_, j) => j);
    a.forEach((x, i) => {
        const next = [i + 1];
        b.forEach((y, j) => next.push(Math.min(row[j] + (x === y ? 0 : 1), row[j + 1] + 1, next[j] + 1)));
        row = next;
    });
    return row[b.length];
}
