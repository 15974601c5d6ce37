// The page: what both models share, and the buttons.
import { drawChart } from "./chart.js";
import { number } from "../common/controls.js";
import { button, choice, el, svg, textField } from "../common/dom.js";
import { embedded } from "../common/embedded.js";
import { Learner } from "./learner.js";
import { DEFAULTS, LONGER, TYPED } from "./settings.js";

const PLACE = "source, tab, target";
const MOST_SHOWN = 100000; // characters of pairs
const shared = { ...DEFAULTS };
let pairs = null; // the bytes of one's own pairs; null: lists of numbers
let typed = false; // whether the text of pairs is nowhere else
let unseen = null; // the bytes of pairs that are too many to be shown
let shorter = DEFAULTS; // the lists before two models were compared
let separators = { source_separator: "", target_separator: "" };
let workerUrl = null,
    wasm = null,
    frame = 0;
const learners = [];

const main = document.getElementById("main");
const heading = el("h1");
const asked = el("span");
const trouble = el("p.trouble", { role: "alert" });
const train = button("Train", { class: "primary", click: toggle });
const one = button("Step", { click: () => learners.forEach((learner) => learner.send("step")) });
const reset = button("Reset", { click: beginAll });
const second = el("input", { type: "checkbox", change: compare });
const said = el("p.note.said", { role: "status" });
const largest = number("largest number", 5, 200, shared.max_value, change("max_value"));
const shortest = number("shortest", 1, 12, shared.min_length, change("min_length"));
const longest = number("longest", 1, 12, shared.max_length, change("max_length"));
const again = button("Open the model again", { click: () => openModel(learners[0].file) });
const input = textField({
    id: "input",
    value: TYPED.short,
    size: 24,
    input: () => learners.forEach((learner) => learner.ready && learner.send("type", { text: input.value })),
});
const lossChart = svg("svg.chart", { role: "img" }),
    matchChart = svg("svg.chart", { role: "img" });
const models = el("div.models");
const settings = el("div.models");
const hint = el("p.note");
// For those who have never heard of attention.
const whatNow = el("p");
const explanation = el(
    "aside.explanation",
    el("h2", "What you see"),
    ...[
        "The model reads the list and writes it again in order, one number at a time. Before each number it looks back at the list: this is attention. A row of the picture shows where.",
        "Nobody tells it how to sort. Before it has learned, it looks everywhere equally, and stops before the first number.",
    ].map((line) => el("p", line)),
    whatNow,
);
const charts = el(
    "div.charts",
    { hidden: true },
    el("figure", el("figcaption", "Loss: how far it is from the right answers"), lossChart),
    el("figure", el("figcaption", "Exact match: the share of new examples that are right"), matchChart),
);

const page = {
    begin(learner) {
        trouble.textContent = "";
        learner.worker.postMessage({ type: "type", text: input.value });
        const { seed, steps, batch, embed } = shared,
            ofPairs = { seed, steps, batch, embed, dropout: 0.2, ...separators };
        learner.begin(pairs === null ? shared : ofPairs, pairs ?? undefined);
    },
    // What has been changed is not what the models have learned so far.
    restart(some) {
        const lost = some.some((learner) => learner.losses.length > 0);
        const running = some.filter((learner) => learner.running);
        some.forEach((learner) => learner.ready && page.begin(learner));
        running.forEach((learner) => learner.send("run"));
        if (lost) page.say("With this change, the training starts again from step 0.");
    },
    say(text) {
        said.textContent = [said.textContent, text].filter(Boolean).join(" ");
    },
    // Without the flags of the program, which a page does not have.
    failed(text) {
        said.textContent = "";
        trouble.textContent = text.replace(/; (try:|[^;]*--).*$/s, "");
    },
    // At most once in a frame.
    changed() {
        if (!frame) frame = requestAnimationFrame(refresh);
    },
    download(file, name) {
        const url = URL.createObjectURL(new Blob([file], { type: "application/octet-stream" }));
        el("a", { href: url, download: name }).click();
        setTimeout(() => URL.revokeObjectURL(url), 60000);
    },
};

function refresh() {
    frame = 0;
    const running = learners.some((learner) => learner.running);
    const over = learners.some((learner) => learner.opened) ? "Back to training" : "Start over";
    train.textContent = running ? "Pause" : isOver() ? over : "Train";
    again.hidden = !learners[0]?.file || learners[0].opened !== null;
    for (const ofLists of [largest, shortest, longest]) ofLists.hidden = pairs !== null;
    train.disabled = !learners.length || learners.some((learner) => !learner.facts && !learner.opened);
    one.disabled = train.disabled || running || isOver();
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
    whatNow.textContent = isOver()
        ? `It has seen ${(shared.steps * shared.batch).toLocaleString("en")} lists with their answers. Type lists of your own, and look for mistakes.`
        : `${learners.some((learner) => learner.running) ? "Now" : "Press Train:"} it sees thousands of lists with their answers. Watch its mistakes go, and each row find its number.`;
    asked.textContent = sorts ? "Sort this list" : "Try this text";
    hint.textContent =
        opened || !sorts
            ? "Type another one, and see its output."
            : `Type your own: ${shared.min_length} to ${shared.max_length} numbers from 0 to ${shared.max_value}. ` +
              "Nothing that you type leaves this page.";
}

function toggle() {
    if (isOver()) return beginAll();
    said.textContent = "";
    const running = learners.some((learner) => learner.running);
    learners.forEach((learner) => learner.send(running ? "pause" : "run"));
}

function beginAll() {
    said.textContent = "";
    learners.forEach((learner) => learner.ready && page.begin(learner));
}

// Short lists hardly need attention: two models are compared on longer ones.
function compare() {
    if (second.checked) {
        learners[0].send("pause"); // so that both begin at once
        shorter = { min_length: shared.min_length, max_length: shared.max_length };
        if (shared.max_length < LONGER.max_length) useLengths(LONGER);
        add("model B", "second", { attention: learners[0].chosen.attention === "none" ? "multi-head" : "none" });
    } else {
        const [gone] = learners.splice(1, 1);
        gone.worker.terminate();
        gone.node.remove();
        gone.settings.remove();
        useLengths(shorter);
    }
    page.changed();
}

function useLengths(lengths) {
    if (shared.min_length === lengths.min_length && shared.max_length === lengths.max_length) return;
    Object.assign(shared, lengths);
    const [before, after] = second.checked ? [TYPED.short, TYPED.long] : [TYPED.long, TYPED.short];
    if (input.value === before) input.value = after;
    shortest.querySelector("input").value = lengths.min_length;
    longest.querySelector("input").value = lengths.max_length;
    if (pairs === null && !learners[0].opened) page.restart(learners);
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
        else page.restart(learners);
    };
}

function openModel(file) {
    trouble.textContent = said.textContent = "";
    learners[0].send("open", { file });
}

async function take(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (file.name.toLowerCase().endsWith(".safetensors")) return openModel(bytes);
    typed = false;
    usePairs(bytes);
}

const paste = el("textarea", {
    id: "pairs",
    rows: 6,
    "aria-label": "Own pairs: source, tab, target in each line",
    spellcheck: "false",
    placeholder: PLACE,
    input: () => {
        typed = paste.value !== "";
        unseen = null;
        paste.placeholder = PLACE;
    },
    paste: (event) => {
        const text = event.clipboardData.getData("text");
        if (text.length <= MOST_SHOWN) return;
        event.preventDefault();
        typed = true;
        usePairs(new TextEncoder().encode(text));
    },
});

// A browser lays out all lines of such a field, which takes seconds for many.
function showPairs(text) {
    const seen = text.length <= MOST_SHOWN;
    unseen = seen ? null : pairs;
    paste.value = seen && !text.includes("\ufffd") ? text : "";
    paste.placeholder = seen
        ? PLACE
        : `${text.trim().split("\n").length.toLocaleString("en")} lines, too many to be shown`;
}

// The library reads the bytes, and says what is wrong with those that are no text.
function usePairs(bytes) {
    const text = new TextDecoder().decode(bytes);
    pairs = bytes;
    showPairs(text);
    input.value = text.split("\t")[0].split("\n")[0];
    beginAll();
    const targets = new Set(
        text
            .trim()
            .split(/\r?\n/)
            .map((line) => line.split("\t")[1]),
    );
    if (targets.size === 1 && !targets.has(undefined))
        page.say("All targets are the same: a model that always writes this one is right.");
}

function useLists() {
    pairs = null;
    input.value = second.checked ? TYPED.long : TYPED.short;
    beginAll();
}

function separator(label, key) {
    const ways = { "": "each character is a symbol", " ": "spaces separate symbols" };
    return choice(label, Object.entries(ways), "", (value) => (separators = { ...separators, [key]: value }));
}

function choices() {
    return el("details", el("summary", "Its attention, width and learning rate"), settings);
}

function experiments() {
    return el(
        "details",
        el("summary", "Try without attention, or go step by step"),
        el(
            "p.note",
            "Without attention, a model has to keep the whole list in one vector. Lists of 5 to 10 numbers show what that costs.",
        ),
        el(
            "div.bar.controls",
            el("label.choice", second, el("span", "two models at once, with and without attention")),
            one,
            reset,
        ),
    );
}

function otherLists() {
    return el(
        "details",
        el("summary", "Other lists, or a longer training"),
        el(
            "div.controls",
            largest,
            shortest,
            longest,
            number("seed", 0, 999999, shared.seed, change("seed")),
            number("steps", 100, 20000, shared.steps, change("steps")),
            number("lists in a step", 8, 128, shared.batch, change("batch")),
        ),
    );
}

function files() {
    const file = el("input", {
        type: "file",
        "aria-label": "Open a model, or pairs",
        change: () => file.files[0] && take(file.files[0]),
    });
    return el(
        "details",
        el("summary", "Own pairs, or a model"),
        el(
            "p.note",
            "Paste lines of a source, a tab and a target, or drop a TSV file anywhere on the page. A model is a .safetensors file of this page, or of lookback train and lookback sort.",
        ),
        paste,
        el(
            "div.controls",
            separator("source", "source_separator"),
            separator("target", "target_separator"),
            button("Learn these pairs", { click: () => usePairs(unseen ?? new TextEncoder().encode(paste.value)) }),
            button("Back to lists", { click: useLists }),
        ),
        el("label.choice", el("span", "Open a file"), file),
    );
}

function build() {
    main.append(
        heading,
        el("div.bar.ask.flow", el("label.choice.wide", asked, input), train),
        hint,
        said,
        again,
        trouble,
        el("div.stage", models, el("div.beside", charts, explanation)),
        choices(),
        experiments(),
        otherLists(),
        files(),
    );
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
        event.preventDefault();
        if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
    });
    window.addEventListener("beforeunload", (event) => {
        if (typed || learners.some((learner) => learner.isUnsaved())) event.preventDefault();
    });
    refresh();
}

// Until there is a model, there is nothing to press.
function allow(all) {
    for (const control of [reset, second]) control.disabled = !all;
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
