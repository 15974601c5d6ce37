// One lesson at a time, by the number after # in the address. Whatever one changes is a question to the library.
import { useMap } from "../common/colors.js";
import { check, select, slider } from "../common/controls.js";
import { button, el, textField } from "../common/dom.js";
import { embedded } from "../common/embedded.js";
import { formulasOf } from "./formula.js";
import { bottleneck, transformer } from "./models.js";
import { multiHead, textOfReviews, threeScores, translation } from "./modules.js";
import { changing, dotProduct, masking, scaling } from "./vectors.js";

const LESSONS = [
    dotProduct,
    changing,
    masking,
    scaling,
    multiHead,
    threeScores,
    translation,
    textOfReviews,
    bottleneck,
    transformer,
];
const root = document.documentElement;
const main = document.getElementById("main");
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const picture = el("div.lesson");
const trouble = el("p.trouble", { role: "alert" });
let engine = null; // the worker
let shown = 0; // the number of the lesson
let settings = {};
let handles = new Map(); // of the controls, by their keys
let last = null; // the answer that is drawn
let asked = null; // the question that the worker has
let waiting = null; // the one after it

const lesson = () => LESSONS[shown - 1];
const valuesOf = (controls) => Object.fromEntries(controls.map(({ key, value }) => [key, value]));

// One question at a time; of those that come meanwhile only the last counts.
function ask(question) {
    if (asked) {
        waiting = question;
        return;
    }
    asked = question;
    root.dataset.busy = "";
    engine.postMessage({ type: "lesson", ...question });
}

function askLesson(values) {
    ask({ number: shown, settings: values });
}

function begin() {
    askLesson(lesson().ask ? lesson().ask(settings) : settings);
}

function hear({ data }) {
    if (data.type === "ready") return begin();
    const stale = waiting !== null,
        [next, of] = [waiting, asked?.number];
    asked = waiting = null;
    delete root.dataset.busy;
    if (next) ask(next);
    if (data.type !== "lesson") {
        trouble.textContent = data.error ?? "";
        return;
    }
    if (of !== shown) return;
    trouble.textContent = data.found.error ?? "";
    if (data.found.error) return;
    // A question that waits begins anew: what has come before it does not count.
    if (lesson().hear && !stale) lesson().hear(data.found, settings, askLesson);
    last = data.found;
    draw();
}

function draw() {
    if (!last) return;
    useMap("page", dark.matches);
    picture.replaceChildren(...lesson().draw(last, settings, change));
    root.dataset.ready = String(shown);
}

// What depends on another control is there only if it matters.
function showControls() {
    for (const { key, when = {} } of lesson().controls)
        handles.get(key).node.hidden = !Object.entries(when).every(([other, value]) => settings[other] === value);
}

function change(values) {
    Object.assign(settings, values);
    for (const [key, value] of Object.entries(values)) handles.get(key).set(value);
    showControls();
    begin();
}

function textInput(label, value, onchange) {
    const input = textField({ value, input: () => onchange(input.value) });
    return {
        node: el("label.choice.wide", el("span", label), input),
        set(next) {
            if (input.value !== next) input.value = next;
        },
    };
}

// A box for each digit of the value.
function cellsInput(label, [rows, columns], value, onchange) {
    const boxes = rows.flatMap((row) =>
        columns.map((column) => el("input", { type: "checkbox", "aria-label": `${row}, ${column}`, change: tell })),
    );
    function tell() {
        onchange(boxes.map((box) => (box.checked ? "1" : "0")).join(""));
    }
    function set(next) {
        boxes.forEach((box, i) => {
            box.checked = next[i] === "1";
        });
    }
    set(value);
    const line = (row, i) =>
        el(
            "div.controls",
            el("span.note", row),
            ...columns.map((column, k) => el("label.choice", boxes[i * columns.length + k], column)),
        );
    return { node: el("fieldset", el("legend", label), ...rows.map(line)), set };
}

function control({ key, label, range, format, options, cells, text, value }) {
    const set = (next) => change({ [key]: next });
    if (range) return slider(label, range, value, set, format, true);
    if (options) return select(label, Object.entries(options), value, set);
    if (cells) return cellsInput(label, cells, value, set);
    return text ? textInput(label, value, set) : check(label, value, set);
}

function reset() {
    change(valuesOf(lesson().controls));
}

function navigation() {
    return el(
        "nav",
        { "aria-label": "Lessons" },
        el(
            "ol",
            ...LESSONS.map(({ name }, i) =>
                el("li", el("a", { href: `#${i + 1}`, "aria-current": i + 1 === shown ? "page" : null }, name)),
            ),
        ),
    );
}

function show() {
    const chosen = Number(location.hash.slice(1));
    shown = chosen >= 1 && chosen <= LESSONS.length && Number.isInteger(chosen) ? chosen : 1;
    settings = valuesOf(lesson().controls);
    handles = new Map(lesson().controls.map((one) => [one.key, control(one)]));
    last = null;
    picture.replaceChildren();
    trouble.textContent = "";
    document.title = `${shown}. ${lesson().name} – Lookback lessons`;
    main.replaceChildren(
        el("h1", "Ten lessons on attention, with sliders"),
        navigation(),
        el("h2", `${shown}. ${lesson().name}`),
        el("p.note.about", lesson().about),
        el(
            "div.scroll.formula.flow",
            { tabindex: "0", role: "region", "aria-label": "the formula" },
            ...formulasOf(lesson().formula),
        ),
        trouble,
        el(
            "div.bar.controls",
            { role: "group", "aria-label": "Settings" },
            ...[...handles.values()].map(({ node }) => node),
            button("Reset", { click: reset }),
            ...(lesson().tools?.(settings, askLesson) ?? []),
        ),
        picture,
        el(
            "p.note.source",
            "The text of this lesson explains the formula, with the code: ",
            el("a", { href: root.dataset.texts.replace("NAME", lesson().page) }, `${shown}. ${lesson().name}`),
            `. The settings at the beginning are its own and those of examples/${lesson().page}.c. The library computes all numbers in this page.`,
        ),
    );
    showControls();
    if (engine) begin();
}

async function carried() {
    const elements = [...document.querySelectorAll(".carried")];
    return Object.fromEntries(await Promise.all(elements.map(async ({ id }) => [`/${id}`, await embedded(id)])));
}

async function boot() {
    if (window.top !== window.self) root.dataset.framed = "";
    show();
    const [wasm, code, files] = await Promise.all([embedded("wasm"), embedded("worker"), carried()]);
    engine = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
    engine.onmessage = hear;
    engine.onerror = (event) => {
        trouble.textContent = event.message;
    };
    engine.postMessage({ type: "boot", wasm, files });
    window.addEventListener("hashchange", show);
    dark.addEventListener("change", draw);
}

boot().catch((error) => {
    trouble.textContent = `The page cannot start: ${error.message}`;
});
