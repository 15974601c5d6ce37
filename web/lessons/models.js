// Lessons 9 and 10: models. That of lesson 9 learns in the page.
import { button, el } from "../common/dom.js";
import { drawLines } from "./lines.js";
import { numbersTable, planesOf, weightsTable } from "./weights.js";

const SHORTEST = 2,
    LONGEST = 12,
    AVERAGED = 20, // steps in a point of the curve
    LENGTHS = Array.from({ length: LONGEST - SHORTEST + 1 }, (_, i) => SHORTEST + i);

function averaged(losses) {
    const points = [];
    for (let i = 0; i + AVERAGED <= losses.length; i += AVERAGED)
        points.push(losses.slice(i, i + AVERAGED).reduce((sum, loss) => sum + loss, 0) / AVERAGED);
    return points;
}

function shapesTable(begun, length) {
    const columns = ["weights", `what the decoder gets of ${length} numbers`];
    return numbersTable(
        "two models",
        [["without attention", "with attention"], columns],
        [
            [String(begun.weights[0]), begun.state],
            [String(begun.weights[1]), `${begun["state with"]} and ${begun.memory}`],
        ],
    );
}

function curves(without, having, steps) {
    const [a, b] = [averaged(without), averaged(having)];
    return drawLines({
        caption: "loss while both learn from the same lists",
        label: "steps",
        xs: a.map((_, i) => Math.min(steps, (i + 1) * AVERAGED)),
        series: [
            { name: "without attention", values: a },
            { name: "with attention", values: b },
        ],
        top: Math.max(1, ...a),
    });
}

function measures(exact) {
    const lengths = LENGTHS.slice(0, exact.length);
    return drawLines({
        caption: "500 unseen lists of each length: the share sorted without a mistake",
        label: "numbers in the list",
        xs: lengths,
        series: [
            { name: "without", values: exact.map(([without]) => without) },
            { name: "with", values: exact.map(([, having]) => having) },
        ],
    });
}

// Every answer leads to the next question, so that a pause is no more than not asking.
export const bottleneck = {
    name: "The bottleneck",
    page: "09_bottleneck",
    formula: String.raw`c_i = \sum_t w_{it} h_t, \qquad w_i = \text{softmax}_t(\text{score}(s_{i-1}, h_t))`,
    about: "Both models learn to sort in this page, from the same lists. Without attention, everything must pass through one vector: make it wider, and longer lists come out right.",
    controls: [
        { key: "hidden", label: "width of the state", range: [8, 96, 8], value: 32 },
        { key: "steps", label: "steps", range: [100, 2000, 100], value: 2000 },
        { key: "length", label: "numbers in a list", range: [2, 12, 1], value: 12 },
    ],
    tools(settings, ask) {
        this.train = button("Train both", {
            class: "primary",
            click: () => {
                this.running = !this.running;
                if (this.running) this.next(settings, ask);
                this.describe(settings);
            },
        });
        this.progress = el("span", { role: "status" });
        return [this.train, this.progress];
    },
    describe({ steps }) {
        const done = this.exact.length === LENGTHS.length;
        this.train.textContent = this.running ? "Pause" : "Train both";
        this.train.disabled = done;
        this.progress.textContent =
            this.step < steps
                ? `step ${this.step} of ${steps}`
                : `${this.exact.length} of ${LENGTHS.length} lengths measured`;
    },
    ask(settings) {
        Object.assign(this, { begun: null, without: [], having: [], exact: [], step: 0, running: false });
        return { ...settings, do: "begin" };
    },
    hear(found, settings, ask) {
        if (found.weights) this.begun = found;
        this.step = found.step;
        if (found.without) {
            this.without.push(...found.without);
            this.having.push(...found.with);
        }
        if (found.exact) this.exact.push(found.exact);
        if (this.running) this.next(settings, ask);
        this.describe(settings);
    },
    next(settings, ask) {
        const { length: measured } = this.exact;
        if (this.step < settings.steps) ask({ ...settings, do: "learn", slice: 40 });
        else if (measured < LENGTHS.length) ask({ ...settings, do: "measure", length: LENGTHS[measured] });
        else this.running = false;
    },
    draw(found, settings) {
        if (!this.begun) return [];
        return [
            shapesTable(this.begun, settings.length),
            el(
                "div.pictures.flow",
                this.without.length >= 2 * AVERAGED ? curves(this.without, this.having, settings.steps) : "",
                this.exact.length > 1 ? measures(this.exact) : "",
            ),
        ];
    },
};

const MAPS_OF_HEADS = ["layer 0, head 0", "layer 0, head 1", "layer 1, head 0", "layer 1, head 1"];

function mapsOf(tensor, names) {
    return planesOf(tensor).map((rows, map) => weightsTable(MAPS_OF_HEADS[map], names, rows));
}

export const transformer = {
    name: "A transformer that sorts",
    page: "10_transformer",
    formula: String.raw`x \leftarrow x + \text{attention}(\text{norm}(x)), \qquad x \leftarrow x + W_2\,\text{relu}(W_1\,\text{norm}(x) + b_1) + b_2`,
    about: "Look at every map of a trained transformer: each list has its own maps. Its decoder looks at the input and, through a causal mask, at what it has written. Switch heads off and see whether it still sorts.",
    controls: [
        { key: "list", label: "list, digits", text: true, value: "7 3 9 1 5" },
        {
            key: "what",
            label: "attention",
            options: {
                cross: "of the decoder to the input",
                encoder: "of the input to itself",
                decoder: "of the output to itself",
            },
            value: "cross",
        },
        {
            key: "heads",
            label: "heads that look at the input",
            cells: [
                ["layer 0", "layer 1"],
                ["head 0", "head 1"],
            ],
            value: "1111",
        },
    ],
    ask: (settings) => ({
        heads: settings.heads,
        list: settings.list
            .split(/[\s,]+/)
            .filter((word) => word !== "")
            .map(Number),
    }),
    draw(found, settings) {
        const input = settings.list.split(/[\s,]+/).filter((word) => word !== ""),
            sorted = found.sorted.map(String);
        const names = {
            cross: [[...sorted, "end"], input],
            encoder: [input, input],
            decoder: [
                ["begin", ...sorted],
                ["begin", ...sorted],
            ],
        }[settings.what];
        return [
            el("p.written", `sorted: ${sorted.join(" ")}`),
            el("div.pictures.flow", ...mapsOf(found[settings.what], names)),
        ];
    },
};
