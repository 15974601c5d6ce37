// One model in training: its progress, its chart, what it writes for held-out pairs, and where it looks.
import { rangeOf } from "../common/colors.js";
import { button, el } from "../common/dom.js";
import { chartWidth, lineChart } from "../report/charts.js";
import { drawHeatmap } from "../report/heatmap.js";
import { visible } from "../report/symbols.js";

const MOST_WAIT = 400; // milliseconds between two charts
const POINTS = 200; // of a curve; more are averaged

function bytesOf(base64) {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

// Where a row of the attention history looks: a picture.
function mapOf({ source, output, finished, weights }, room) {
    const label = (text) => ({ text: visible(text), title: text, mark: false }),
        end = { text: "end", title: "end of the output", mark: true },
        values = Float32Array.from(bytesOf(weights), (value) => value / 255);
    const matrix = { rows: output.length + (finished ? 1 : 0), columns: source.length, values };
    if (values.length === 0 || values.length !== matrix.rows * matrix.columns) return null;
    const rowLabels = [...output.map(label), ...(finished ? [end] : [])];
    return drawHeatmap({ matrix, rowLabels, columnLabels: source.map(label), range: rangeOf(matrix, "auto"), room });
}

// [step, value] each, averaged in equal pieces.
function thinnedCurve(points) {
    const piece = Math.ceil(points.length / POINTS),
        out = [];
    for (let i = 0; i < points.length; i += piece) {
        const some = points.slice(i, i + piece);
        out.push([some.at(-1)[0], some.reduce((sum, point) => sum + point[1], 0) / some.length]);
    }
    return out;
}

function timeText(seconds) {
    const whole = Math.max(0, Math.round(seconds));
    return whole < 3600
        ? `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`
        : `${(whole / 3600).toFixed(1)} hours`;
}

function valueText(measures) {
    const kept = measures.points.find(([step]) => step === measures.kept) ?? measures.points.at(-1);
    const value = kept[3];
    return value === null
        ? `${measures.title} not known`
        : `${measures.title} ${value.toFixed(measures.percent ? 1 : 2)}${measures.percent ? " %" : ""}`;
}

function statusOf(model) {
    const { trainings } = model,
        [first] = trainings;
    if (model.error) return model.error;
    const failed = trainings.find(({ error }) => error);
    if (failed) return failed.error;
    if (!first?.facts) return model.done ? "done" : "begins";
    const done = trainings.filter(({ state }) => state === "done").length;
    const busy = trainings.find(({ state }) => state === "running") ?? first,
        { step, steps } = busy.facts ?? first.facts;
    const parts = [
        trainings.length > 1 && `${done} of ${trainings.length} members done`,
        `step ${step.toLocaleString("en")} of ${steps.toLocaleString("en")}`,
        busy.measures?.points.length > 0 && valueText(busy.measures),
        model.state === "running" && busy.pace && `${timeText(busy.pace * (steps - step))} left`,
        model.state === "paused" && "stopped",
        model.done && "done",
    ];
    return parts.filter(Boolean).join(" · ");
}

function tableOfShown(shown, chosen, choose) {
    return el(
        "table",
        { class: "held" },
        el(
            "thead",
            {},
            el(
                "tr",
                {},
                ...["right", "source", "written now", "expected"].map((text) => el("th", { scope: "col" }, text)),
            ),
        ),
        el(
            "tbody",
            {},
            ...shown.map((row, i) => {
                const right = row.output.join(" ") === row.expected.join(" ");
                const cell = (symbols) => el("td", { dir: "auto" }, symbols.join(" "));
                return el(
                    "tr",
                    {},
                    el("td", { class: right ? "right" : "wrong" }, right ? "✓" : "✗"),
                    el(
                        "td",
                        { dir: "auto" },
                        button(row.source.join(" "), {
                            class: "link",
                            "aria-pressed": String(i === chosen),
                            click: () => choose(i),
                        }),
                    ),
                    cell(row.output),
                    cell(row.expected),
                );
            }),
        ),
    );
}

// A node with draw(), which shows the model as it is now. next() leads to where it is used.
export function makeCard(model, next) {
    let chosen = 0,
        drawn = 0,
        shownOf = null;
    const status = el("p", { class: "status", role: "status" }),
        bar = el("progress", { max: 1, value: 0, "aria-label": `progress of ${model.name}` }),
        note = el("p", { class: "problem" }),
        notes = el("details", { hidden: true }),
        loss = el("div", { class: "canvas" }),
        measure = el("div", { class: "canvas" }),
        caption = el("figcaption", {}, ""),
        held = el("div", { class: "scroll" }),
        picture = el("div", { class: "picture" });
    const stop = button("Stop", { click: () => (model.state === "paused" ? model.resume() : model.pause()) });
    const use = button("Use this model", {
        click: () => {
            model.use();
            next();
        },
    });
    const node = el(
        "article",
        { class: "training", "aria-label": `model ${model.name}` },
        el("h3", {}, model.name),
        status,
        bar,
        note,
        el("div", { class: "bar" }, stop, use, button("Forget it", { click: () => model.forget() })),
        el(
            "div",
            { class: "stage" },
            el(
                "div",
                { class: "charts" },
                el("figure", {}, caption, measure),
                el("figure", {}, el("figcaption", {}, "Loss of the training"), loss),
            ),
            el("div", { class: "shown-pairs" }, held, picture),
        ),
        notes,
    );

    function drawNotes(messages) {
        if (notes.hidden === (messages.length === 0) && notes.children.length === messages.length + 1) return;
        notes.hidden = messages.length === 0;
        notes.replaceChildren(
            el("summary", {}, `Notes of the program: ${messages.length}`),
            ...messages.map((text) => el("p", { class: "note", dir: "auto" }, text)),
        );
    }

    function drawShown(training) {
        const shown = training?.shown ?? [];
        held.replaceChildren();
        picture.replaceChildren();
        if (shown.length === 0) return;
        chosen = Math.min(chosen, shown.length - 1);
        held.append(
            tableOfShown(shown, chosen, (i) => {
                chosen = i;
                drawShown(training);
            }),
        );
        const map = mapOf(shown[chosen], Math.max(280, picture.clientWidth));
        if (!map) return;
        map.picture.setAttribute("role", "img");
        map.picture.setAttribute(
            "aria-label",
            `where the model looks for each symbol of ${shown[chosen].source.join(" ")}`,
        );
        picture.append(el("p", { class: "note" }, "Read above, written at the left."), map.picture);
    }

    node.draw = () => {
        const training = model.trainings.find(({ state }) => state === "running") ?? model.trainings.at(-1);
        status.textContent = statusOf(model);
        note.textContent = model.note;
        drawNotes(training?.messages ?? []);
        stop.textContent = model.state === "paused" ? "Go on" : "Stop";
        stop.hidden = model.done || model.state === "failed";
        use.hidden = !Object.keys(model.files).some((path) => path.endsWith("/model.safetensors"));
        const facts = training?.facts;
        bar.hidden = !facts || model.done;
        if (!facts) return;
        bar.value = facts.step / facts.steps;
        const now = performance.now();
        if (now - drawn > MOST_WAIT || model.state !== "running") {
            drawn = now;
            const width = chartWidth(measure),
                show = (place, name, points, y) =>
                    place.replaceChildren(
                        lineChart({ series: [{ name, points }], xName: "step", yName: name, y, width }),
                    );
            show(loss, "loss", thinnedCurve(training.losses));
            if (training.measures?.points.length > 0) {
                const { title, percent, points } = training.measures;
                caption.textContent = `${title}${percent ? ", %" : ""}, on held-out pairs`;
                show(
                    measure,
                    title,
                    points.map(([step, , , value]) => [step, value]),
                    percent ? [0, 100] : undefined,
                );
            }
        }
        if (shownOf !== training.measures) {
            shownOf = training.measures;
            drawShown(training);
        }
    };
    return node;
}
