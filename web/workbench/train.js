// The second part: what the recipe chooses, how long it takes here, and the models in training.
import { slider } from "../common/controls.js";
import { button, el, later } from "../common/dom.js";
import { faultOf, run, startWorker, withoutName } from "./jobs.js";
import { onChange, project, rolesFiles, shellLine, trainWords } from "./project.js";
import { settingControls } from "./settings.js";
import { freeName, Model } from "./training.js";
import { makeCard } from "./card.js";

const PROBE = 2500; // milliseconds of steps that tell how long one takes
const NO_PAIRS = "There are no pairs yet. Drop a file anywhere on this page, or choose one under Data.";
const VOTES = [
    ["", "one model"],
    ["3", "three models that vote"],
    ["auto", "an ensemble by the recipe"],
];

function minutesText(seconds) {
    if (seconds < 90) return `${Math.max(1, Math.round(seconds))} seconds`;
    return seconds < 5400 ? `${Math.round(seconds / 60)} minutes` : `${(seconds / 3600).toFixed(1)} hours`;
}

// Seconds of a step of a training with these words, measured in its first ones.
async function paceOf(words, files) {
    let worker = null;
    try {
        return await new Promise((resolve, reject) => {
            const errors = [];
            let first = null;
            startWorker({
                line: ({ text, stream }) => stream === "error" && errors.push(text),
                begun: ({ status }) => status !== 0 && reject(new Error(withoutName(faultOf({ errors, out: [] })))),
                broken: ({ error }) => reject(new Error(error)),
                stepped: ({ step, error, done }) => {
                    const now = performance.now();
                    if (error) return reject(new Error(error));
                    first ??= [step, now];
                    const [from, since] = first;
                    if (step > from && (now - since > PROBE || done)) resolve((now - since) / 1000 / (step - from));
                },
            }).then((started) => {
                worker = started;
                worker.postMessage({ type: "begin", words, member: 0, files, out: words.at(-1) });
            }, reject);
        });
    } finally {
        worker?.terminate();
    }
}

export function makeTrain({ say, next }) {
    let recipe = null,
        pace = null,
        job = null;
    const sentence = el("p", { class: "recipe", role: "status" }),
        time = el("div", { class: "bar" }),
        models = el("div", { class: "trainings" }),
        grids = el("div", {});
    const votes = el(
        "select",
        {
            id: "votes",
            change: () => {
                project.votes = votes.value;
                describe();
            },
        },
        ...VOTES.map(([value, text]) => el("option", { value }, text)),
    );
    const go = button("Train now", { class: "primary", disabled: true, click: begin });
    const command = el("code", { class: "command" });
    const begins = el(
            "div",
            {},
            time,
            el("div", { class: "bar" }, el("label", { class: "unseen", for: "votes" }, "how many models"), votes, go),
        ),
        more = el(
            "div",
            {},
            el("details", {}, el("summary", {}, "All settings"), grids),
            el("p", { class: "note" }, "In a terminal: ", command),
        );

    function begin() {
        const model = new Model(freeName());
        project.models.push(model);
        showModels();
        model.begin();
    }

    function showModels() {
        const known = new Map([...models.children].map((node) => [node.model, node]));
        models.replaceChildren(
            ...project.models.map((model) => {
                const node = known.get(model) ?? makeCard(model, next);
                node.model = model;
                node.draw();
                return node;
            }),
        );
        go.textContent = project.models.length > 0 ? "Train another beside it" : "Train now";
    }

    function describe() {
        const none = project.roles.train === undefined;
        begins.hidden = more.hidden = none;
        command.textContent = none ? "" : shellLine(trainWords(freeName()));
        if (none || !recipe) {
            sentence.textContent = none ? NO_PAIRS : "";
            return;
        }
        const { model, hidden, attention, steps, batch } = recipe,
            chosen = Number(project.settings.get("steps") ?? steps);
        const kind = model === "transformer" ? "a transformer" : `GRUs with ${attention} attention`;
        const lasts = pace
            ? `, which takes about ${minutesText(pace * chosen)} here`
            : project.models.some(({ state }) => state === "running")
              ? ""
              : ", and is timed now";
        sentence.textContent = `The recipe for these pairs: ${kind} of width ${hidden}, ${chosen.toLocaleString("en")} steps of ${batch} pairs each${lasts}${project.votes === "" ? "" : " for each member"}.`;
        if (!pace) return time.replaceChildren();
        const whole = (pace * steps) / 60;
        const control = slider(
            "minutes",
            [Math.max(0.1, whole / 8).toFixed(2), (whole * 4).toFixed(2), "any"],
            ((pace * chosen) / 60).toFixed(2),
            (minutes) => {
                project.settings.set("steps", Math.max(1, Math.round((minutes * 60) / pace)));
                showSettings();
                describe();
            },
            (minutes) => `${Number(minutes).toFixed(1)}`,
        );
        time.replaceChildren(control.node);
    }

    function showSettings() {
        const headings = [...new Set(project.options.map(({ heading }) => heading))].filter((h) => h !== "Data");
        const open = new Set([...grids.querySelectorAll("details[open]")].map((node) => node.dataset.heading));
        grids.replaceChildren(
            ...headings.flatMap((heading) => {
                const controls = settingControls(heading, recipe);
                return controls.length === 0
                    ? []
                    : [
                          el(
                              "details",
                              { "data-heading": heading, open: open.has(heading) },
                              el("summary", {}, `${heading}: ${controls.length} settings`),
                              el("div", { class: "settings-grid" }, ...controls),
                          ),
                      ];
            }),
        );
    }

    // The recipe for these files and settings, and how long a step takes.
    const look = later(async () => {
        job?.stop();
        if (project.roles.train === undefined) return;
        const words = trainWords("probe", ""),
            mine = (job = run([...words, "--print-config"], rolesFiles()));
        go.disabled = true;
        try {
            const ended = await mine.ended;
            if (ended.status !== 0) throw new Error(withoutName(faultOf(ended)));
            recipe = JSON.parse(ended.out.join("\n"));
            pace = null;
            say("");
            showSettings();
            describe();
            go.disabled = false;
            if (project.models.every(({ state }) => state !== "running")) pace = await paceOf(words, rolesFiles());
            if (job === mine) describe();
        } catch (error) {
            if (error.message !== "stopped") say(error.message);
        }
    }, 300);

    let stale = true;
    const node = el(
        "section",
        { "aria-label": "Train" },
        el("h2", {}, "A model of your pairs"),
        sentence,
        begins,
        models,
        more,
    );
    const changed = () => {
        stale = true;
        if (!node.hidden) show();
    };
    function show() {
        showModels();
        describe();
        if (stale) look();
        stale = false;
    }
    onChange("files", changed);
    onChange("settings", changed);
    onChange("training", () => !node.hidden && showModels());
    return { node, show };
}
