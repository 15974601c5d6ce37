// The page: five parts, one after the other, and what an earlier visit has left.
import { button, el } from "../common/dom.js";
import { canInflate } from "../common/embedded.js";
import { makeData } from "./data.js";
import { makeSee } from "./see.js";
import { makeTake } from "./take.js";
import { makeUse } from "./use.js";
import { faultOf, optionsOfTrain, run } from "./jobs.js";
import { notify, project } from "./project.js";
import { forgetEverything, keptModels, openKept } from "./store.js";
import { makeTrain } from "./train.js";
import { Model } from "./training.js";
import { startTheme } from "../report/theme.js";

const main = document.getElementById("main");
const trouble = el("p", { class: "trouble", role: "alert" });

function say(text) {
    trouble.textContent = text;
}

// A model of a file: of this page, a terminal, Python or npm.
async function openModel(file) {
    const files = { "model/model.safetensors": new Uint8Array(await file.arrayBuffer()) },
        ended = await run(["inspect", "model"], files).ended;
    if (ended.status !== 0) throw new Error(faultOf(ended));
    project.current = { folder: "model", files, model: null };
    notify("current");
    openPart("use");
}

const train = makeTrain({ say, next: () => openPart("use") });
const PARTS = [
    ["data", "Data", { node: makeData({ openModel, say, next: () => openPart("train") }), show() {} }],
    ["train", "Train", train],
    ["use", "Use", makeUse({ say })],
    ["see", "See", makeSee({ say })],
    ["take", "Take home", makeTake({ say })],
];
let shown = "data";

const links = PARTS.map(([key, text]) => button(text, { class: "part", click: () => openPart(key) }));

function openPart(key) {
    shown = key;
    PARTS.forEach(([name, , { node, show }], i) => {
        node.hidden = name !== key;
        if (name === key) {
            links[i].setAttribute("aria-current", "step");
            // The keyboard and a screen reader go on with the part that a button of another one has opened.
            if (PARTS.some(([, , part]) => part.node.hidden && part.node.contains(document.activeElement))) {
                const heading = node.querySelector("h2");
                heading.tabIndex = -1;
                heading.focus();
            }
            show();
        } else links[i].removeAttribute("aria-current");
    });
}

async function goOn(record, node) {
    openPart("train"); // at once: the visitor may go elsewhere while it is opened
    node.remove();
    const model = new Model(record.name, await openKept(record));
    project.files = new Map(Object.entries(record.data));
    project.models.push(model);
    project.roles = { ...model.roles };
    project.settings = new Map(model.settings);
    notify("files");
    if (model.done) model.use();
    model.begin();
    notify("training");
}

// Models that an earlier visit has left, in training or done.
async function showKept() {
    const kept = await keptModels().catch(() => []);
    project.kept = kept.map(({ name }) => name);
    const list = el(
        "ul",
        {},
        ...kept.map((record) => {
            const item = el(
                "li",
                {},
                el("bdi", { dir: "auto" }, Object.keys(record.data)[0] ?? record.name),
                ` ${new Date(record.when).toLocaleString()} `,
                button(record.done ? "Open" : "Go on with this training", { click: () => goOn(record, item) }),
            );
            return item;
        }),
    );
    const box = el(
        "aside",
        { class: "kept", hidden: kept.length === 0 },
        el("h2", {}, "From your last visit"),
        list,
        el(
            "p",
            { class: "note" },
            "They are kept in this browser, where other pages that are opened from files can read them. ",
            button("Forget everything", {
                click: async () => {
                    await forgetEverything();
                    project.kept = [];
                    box.remove();
                },
            }),
        ),
    );
    PARTS[0][2].node.prepend(box);
}

async function boot() {
    if (!canInflate())
        throw new Error("this browser lacks DecompressionStream; Firefox has it since version 113, Chromium since 80");
    main.append(
        el("header", { class: "head" }, el("h1", {}, "Lookback workbench"), ...startTheme(() => openPart(shown))),
        el("nav", { class: "parts", "aria-label": "parts" }, ...links),
        trouble,
        ...PARTS.map(([, , { node }]) => node),
    );
    openPart("data");
    project.options = await optionsOfTrain();
    await showKept();
    document.documentElement.dataset.ready = "";
}

boot().catch((error) => say(`The page cannot start: ${error.message}.`));
