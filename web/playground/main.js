// The page: what both models share, and the buttons.
import { drawChart } from "./chart.js";
import { number, select } from "../common/controls.js";
import { button, el, svg } from "../common/dom.js";
import { embedded } from "../common/embedded.js";
import { Learner } from "./learner.js";
import { DEFAULTS } from "./settings.js";

const shared = { ...DEFAULTS };
let pairs = null; // the text of one's own pairs; null: lists of numbers
let separators = { source_separator: "", target_separator: "" };
let workerUrl = null,
    wasm = null,
    frame = 0;
const learners = [];

const main = document.getElementById("main");
const heading = el("h1", {});
const asked = el("span", {});
const trouble = el("p", { class: "trouble", role: "alert" });
const train = button("Train", { class: "primary", click: toggle });
const one = button("Step", { click: () => learners.forEach((learner) => learner.send("step")) });
const reset = button("Reset", { click: beginAll });
const second = el("input", { type: "checkbox", change: compare });
const bottleneck = el("input", {
    type: "checkbox",
    change: () => {
        const attention = bottleneck.checked ? "none" : "multi-head";
        learners[0].attention.set(attention);
        learners[0].choose({ attention });
    },
});
const input = el("input", {
    type: "text",
    id: "input",
    value: "14 3 9 20 3",
    size: 24,
    autocomplete: "off",
    spellcheck: "false",
    input: () => learners.forEach((learner) => learner.ready && learner.send("type", { text: input.value })),
});
const lossChart = svg("svg", { role: "img", class: "chart" }),
    matchChart = svg("svg", { role: "img", class: "chart" });
const models = el("div", { class: "models" });
const settings = el("div", { class: "models" });
const hint = el("p", { class: "note" });
// For those who have never heard of attention.
const explanation = el(
    "aside",
    { class: "explanation" },
    el("h2", {}, "What you see"),
    ...[
        "The model reads the list and writes it again in order, one number at a time. Before each number it looks back at the list: this is attention. A row of the picture shows where.",
        "Nobody tells it how to sort. Before it has learned, it looks everywhere alike, and stops before the first number.",
        "Press Train: it sees thousands of lists with their answers. Watch its mistakes go, and each row find its number.",
    ].map((line) => el("p", {}, line)),
);
const charts = el(
    "div",
    { class: "charts", hidden: true },
    el("figure", {}, el("figcaption", {}, "Loss: how far it is from the right answers"), lossChart),
    el("figure", {}, el("figcaption", {}, "Exact match: the share of 200 new ones that it gets right"), matchChart),
);

const page = {
    begin(learner) {
        trouble.textContent = "";
        if (learner === learners[0]) bottleneck.checked = learner.chosen.attention === "none";
        learner.worker.postMessage({ type: "type", text: input.value });
        learner.begin(
            pairs === null
                ? shared
                : {
                      seed: shared.seed,
                      steps: shared.steps,
                      batch: shared.batch,
                      embed: shared.embed,
                      dropout: 0.2,
                      ...separators,
                  },
            pairs ?? undefined,
        );
    },
    failed(text) {
        trouble.textContent = text;
    },
    // At most once in a frame.
    changed() {
        if (!frame) frame = requestAnimationFrame(update);
    },
    download(file, name) {
        const url = URL.createObjectURL(new Blob([file], { type: "application/octet-stream" }));
        el("a", { href: url, download: name }).click();
        setTimeout(() => URL.revokeObjectURL(url), 60000);
    },
};

function update() {
    frame = 0;
    const running = learners.some((learner) => learner.running);
    train.textContent = running ? "Pause" : isOver() ? "Start over" : "Train";
    one.disabled = running || isOver();
    main.classList.toggle("two", learners.length > 1);
    describe();
    const steps = Math.max(1, ...learners.map((learner) => learner.facts?.steps ?? 1));
    const curves = (of) => learners.map((learner) => ({ name: learner.name, kind: learner.kind, points: learner[of] }));
    charts.hidden = !learners.some((learner) => learner.losses.length > 0);
    drawChart(lossChart, "Loss", curves("losses"), undefined, steps);
    drawChart(matchChart, "Exact match", curves("matches"), 1, steps);
    if (learners[0]?.look) document.documentElement.dataset.ready = "";
}

// Nothing is left to train.
function isOver() {
    return learners.length > 0 && learners.every((learner) => learner.done || learner.opened);
}

// What the page says about the model and its input.
function describe() {
    const [{ opened } = {}] = learners,
        sorts = opened ? opened.sorts : pairs === null;
    const task = sorts ? "to sort numbers" : "your pairs";
    heading.textContent = opened
        ? "This model has learned before; watch where it looks"
        : `This model learns ${task}; watch where it looks`;
    explanation.hidden = Boolean(opened) || !sorts;
    asked.textContent = sorts ? "Sort this list" : "Try this text";
    hint.textContent =
        opened || !sorts
            ? "Type another one, and see what the model makes of it."
            : `Type your own: ${shared.min_length} to ${shared.max_length} numbers from 0 to ${shared.max_value}. ` +
              "Nothing that you type leaves this page.";
}

function toggle() {
    if (isOver()) return beginAll();
    const running = learners.some((learner) => learner.running);
    learners.forEach((learner) => learner.send(running ? "pause" : "run"));
}

function beginAll() {
    learners.forEach((learner) => learner.ready && page.begin(learner));
}

function compare() {
    if (second.checked) {
        add("model B", "second", { attention: learners[0].chosen.attention === "none" ? "multi-head" : "none" });
    } else {
        const [gone] = learners.splice(1, 1);
        gone.worker.terminate();
        gone.node.remove();
        gone.settings.remove();
    }
    page.changed();
}

function add(name, kind, chosen) {
    const learner = new Learner(name, kind, page, chosen);
    learners.push(learner);
    models.append(learner.node);
    settings.append(learner.settings);
    learner.boot(workerUrl, wasm);
}

function change(key) {
    return (value) => {
        shared[key] = value;
        if (shared.min_length > shared.max_length)
            page.failed(
                `found lists of ${shared.min_length} to ${shared.max_length} numbers, expected the shortest first`,
            );
        else beginAll();
    };
}

// A model, or pairs: by the first bytes, since a dropped file may have any name.
async function take(file) {
    const name = file.name.toLowerCase();
    if (name.endsWith(".safetensors")) {
        const bytes = new Uint8Array(await file.arrayBuffer());
        learners[0].send("open", { file: bytes });
    } else {
        usePairs(await file.text());
    }
}

const paste = el("textarea", {
    id: "pairs",
    rows: 6,
    "aria-label": "Own pairs: source, tab, target in each line",
    spellcheck: "false",
    placeholder: "source, tab, target",
});

function usePairs(text) {
    paste.value = text;
    pairs = text.endsWith("\n") ? text : `${text}\n`;
    input.value = text.split("\t")[0].split("\n")[0];
    beginAll();
}

function useLists() {
    pairs = null;
    input.value = "14 3 9 20 3";
    beginAll();
}

function separator(label, key) {
    return select(
        label,
        [
            ["", "each character is a symbol"],
            [" ", "blanks separate symbols"],
        ],
        "",
        (value) => {
            separators = { ...separators, [key]: value };
        },
    ).node;
}

function chooser() {
    const file = el("input", {
        type: "file",
        "aria-label": "Open a model, or pairs",
        change: () => file.files[0] && take(file.files[0]),
    });
    return file;
}

function choices() {
    return el("details", {}, el("summary", {}, "Its attention, width and learning rate"), settings);
}

function experiments() {
    return el(
        "details",
        {},
        el("summary", {}, "Try without attention, compare two models, or go step by step"),
        el(
            "div",
            { class: "bar controls" },
            el("label", { class: "choice" }, bottleneck, el("span", {}, "attention off: the bottleneck")),
            el("label", { class: "choice" }, second, el("span", {}, "a second model on the same seed")),
            one,
            reset,
        ),
    );
}

function lists() {
    return el(
        "details",
        {},
        el("summary", {}, "Other lists, or a longer training"),
        el(
            "div",
            { class: "controls" },
            number("largest number", 5, 200, shared.max_value, change("max_value")),
            number("shortest", 1, 12, shared.min_length, change("min_length")),
            number("longest", 1, 12, shared.max_length, change("max_length")),
            number("seed", 0, 999999, shared.seed, change("seed")),
            number("steps", 100, 20000, shared.steps, change("steps")),
            number("lists in a step", 8, 128, shared.batch, change("batch")),
        ),
    );
}

function files() {
    return el(
        "details",
        {},
        el("summary", {}, "Own pairs, or a model"),
        el(
            "p",
            { class: "note" },
            "Paste lines of a source, a tab and a target, or drop a TSV file anywhere on the page. A model is a .safetensors file of this page, or of lookback train and lookback sort.",
        ),
        paste,
        el(
            "div",
            { class: "controls" },
            separator("source", "source_separator"),
            separator("target", "target_separator"),
            button("Learn these pairs", { click: () => usePairs(paste.value) }),
            button("Back to lists", { click: useLists }),
        ),
        el("label", { class: "choice" }, el("span", {}, "Open a file"), chooser()),
    );
}

function build() {
    main.append(
        heading,
        el("div", { class: "bar ask" }, el("label", { class: "choice wide" }, asked, input), train),
        hint,
        trouble,
        el("div", { class: "stage" }, models, el("div", { class: "beside" }, charts, explanation)),
        choices(),
        experiments(),
        lists(),
        files(),
    );
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
        event.preventDefault();
        if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
    });
    update();
}

// Until there is a model, there is nothing to press.
function allow(all) {
    for (const control of [train, one, reset, bottleneck, second]) control.disabled = !all;
}

async function boot() {
    build();
    allow(false);
    const [library, worker] = await Promise.all([embedded("wasm"), embedded("worker")]);
    wasm = library;
    workerUrl = URL.createObjectURL(new Blob([worker], { type: "text/javascript" }));
    add("model A", "first", {});
    allow(true);
}

boot().catch((error) => page.failed(`The page cannot start: ${error.message}`));
