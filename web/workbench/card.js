// One model in training: its progress, its chart, what it writes for held-out pairs, and where it looks.
import { button, el, svg } from "../common/dom.js";
import { drawChart } from "../playground/chart.js";
import { heatmapOf } from "../playground/heatmap.js";

const MOST_WAIT = 400; // milliseconds between two charts

function bytesOf(base64) {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

// A row of the attention history in the form of the playground's map.
function lookOf({ source, output, finished, weights }) {
    return {
        source,
        target: output,
        length: output.length,
        finished,
        layers: weights === "" ? 0 : 1,
        heads: 1,
        weights: [...bytesOf(weights)].map((value) => value / 255),
    };
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
            el("tr", {}, ...["", "source", "written now", "expected"].map((text) => el("th", { scope: "col" }, text))),
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

// A node with draw(), which shows the model as it is now.
export function makeCard(model) {
    let chosen = 0,
        drawn = 0,
        shownOf = null;
    const status = el("p", { class: "status", role: "status" }),
        bar = el("progress", { max: 1, value: 0, "aria-label": `progress of ${model.name}` }),
        note = el("p", { class: "problem" }),
        notes = el("details", { hidden: true }),
        loss = svg("svg", { role: "img", class: "chart" }),
        measure = svg("svg", { role: "img", class: "chart" }),
        caption = el("figcaption", {}, ""),
        held = el("div", { class: "scroll" }),
        picture = el("div", { class: "picture" });
    const stop = button("Stop", { click: () => (model.state === "paused" ? model.resume() : model.pause()) });
    const use = button("Use this model", { click: () => model.use() });
    const node = el(
        "article",
        { class: "training first", "aria-label": `model ${model.name}` },
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
        picture.append(...heatmapOf(lookOf(shown[chosen]), -1, model.name));
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
            const steps = facts.steps;
            drawChart(loss, "Loss", [{ name: model.name, kind: "first", points: training.losses }], undefined, steps);
            if (training.measures) {
                const { title, percent, points } = training.measures;
                caption.textContent = `${title}${percent ? ", %" : ""}, on held-out pairs`;
                const curve = points.map(([step, , , value]) => [step, value ?? 0]);
                const top = percent ? 100 : undefined;
                drawChart(measure, title, [{ name: model.name, kind: "first", points: curve }], top, steps);
            }
        }
        if (shownOf !== training.measures) {
            shownOf = training.measures;
            drawShown(training);
        }
    };
    return node;
}
