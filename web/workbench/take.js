// The fifth part: the model as files, and the commands that do the same in a terminal.
import { button, choice, el } from "../common/dom.js";
import { commandBlock } from "../report/card.js";
import { saveFile } from "../report/export.js";
import { faultOf, run } from "./jobs.js";
import { hasLexicon, makeSource, modelOf, NO_MODEL } from "./model.js";
import { dataWords, onChange, project, rolesFiles, shellLine, trainWords } from "./project.js";
import { pairsSeen, seeWords } from "./see.js";

const ENGINE_FILE = "engine.html";
const ANSWERING_REPORT = "answering_report.html";
const ENGINE_OF_TERMINAL = "build/playground/engine.html";

const TYPES = [
    ["int8", "a byte for each weight"],
    ["bf16", "two bytes"],
    ["f32", "four bytes: the outputs are those of predict"],
];

// What this page carries itself: the program and its worker, for a page that is made here.
function engineOfPage() {
    const html = ["wasm", "worker"].map((id) => `${document.getElementById(id).outerHTML}\n`).join("");
    return new TextEncoder().encode(html);
}

// In a terminal, the engine is a file that is built.
function terminalLine(words) {
    return shellLine(words.map((word) => (word === ENGINE_FILE ? ENGINE_OF_TERMINAL : word)));
}

// One thing to take: words() are its command, results() the files that it writes; without words, files() are at hand.
function makeThing({ title, note, controls = [], words, results, files, missing = () => "" }, say) {
    const told = el("p", { class: "note", role: "status" }),
        saved = el("div", { class: "controls" }),
        make = button("Save", { "aria-label": `save: ${title}`, click: save });

    // A browser may refuse a second file that comes by itself: each has a button, too.
    function give(made) {
        const entries = Object.entries(made).map(([name, bytes]) => [name.split("/").at(-1), new Blob([bytes])]);
        for (const entry of entries) saveFile(...entry);
        saved.replaceChildren(
            ...(entries.length < 2
                ? []
                : entries.map((entry) => button(entry[0], { click: () => saveFile(...entry) }))),
        );
        const sizes = entries.map(([name, { size }]) => `${name}, ${Math.ceil(size / 1000)} kB`);
        told.textContent = `Made: ${sizes.join("; ")}.`;
    }

    async function save() {
        const lacks = missing();
        if (lacks !== "") {
            told.textContent = lacks;
            return;
        }
        const ready = files?.();
        if (ready) {
            give(ready);
            return;
        }
        make.disabled = true;
        told.textContent = "in the making";
        saved.replaceChildren();
        say("");
        try {
            const given = { ...rolesFiles(), ...project.current.files, [ENGINE_FILE]: engineOfPage() },
                hears = { progress: (text) => (told.textContent = text) },
                ended = await run(words(), given, results(), hears).ended;
            if (ended.status === 0) give(ended.files);
            else told.textContent = faultOf(ended);
        } catch (error) {
            told.textContent = error.message;
        }
        make.disabled = false;
    }

    function show() {
        told.textContent = "";
        saved.replaceChildren();
    }
    const node = el(
        "section",
        { class: "thing", "aria-label": title },
        el("h3", {}, title),
        el("p", { class: "note" }, note),
        el("div", { class: "controls" }, ...controls, make, told),
        saved,
    );
    return { node, show, line: () => words && missing() === "" && `# ${title}\n${terminalLine(words())}` };
}

export function makeTake({ say }) {
    let type = "int8";
    const text = makeSource("text", { change: show }),
        none = el("p", {}, NO_MODEL),
        job = el("div"),
        some = el("div", { hidden: true });
    const folder = () => project.current.folder,
        noPairs = () => (pairsSeen() ? "" : "There are no pairs to measure on: give some under Data."),
        // A page has no compiler, which would find the exceptions.
        lexicon = (which) => (hasLexicon(project.current) ? ["--lexicon", which] : []),
        exportWords = () => ["export", folder(), "-o", "model.c", "--type", type, ...lexicon("all")],
        answering = ["--engine", ENGINE_FILE];

    const things = [
        {
            title: "The model",
            note: "One file, which the program in a terminal, C, Python and npm open, and this page, too.",
            files: () => ({ "model.safetensors": modelOf(project.current), ...project.current.own }),
        },
        {
            title: "The report",
            note: "A page that needs no network: what See shows.",
            words: () => seeWords("report", project.current),
            results: () => ["report.html"],
            files: () => project.report?.of === project.current && { "report.html": project.report.html },
            missing: noPairs,
        },
        {
            title: "The report that answers",
            note: "The same with the model in it: one can type new texts.",
            words: () => [...seeWords("report", project.current, ANSWERING_REPORT), ...answering],
            results: () => [ANSWERING_REPORT],
            missing: noPairs,
        },
        {
            title: "A page that only answers",
            note: "It has the model, and none of your pairs. It opens with this text.",
            controls: text.nodes,
            words: () => ["report", folder(), "--input", text.value(), "-o", "answers.html", ...answering],
            results: () => ["answers.html"],
            missing: () => (text.value().trim() === "" ? "Write a text that the page opens with." : ""),
        },
        {
            title: "C code",
            note: "A function in C99 that needs no library, and its header.",
            controls: [
                choice("weights", TYPES, type, (value) => {
                    type = value;
                    show();
                }),
            ],
            words: exportWords,
            results: () => ["model.c", "model.h"],
        },
        {
            title: "ONNX",
            note: "Two files for other programs. ONNX has no place for a lexicon.",
            words: () => [
                "export",
                folder(),
                "-o",
                "model.onnx",
                ...(hasLexicon(project.current) ? ["--lexicon", "none"] : []),
            ],
            results: () => ["model.encoder.onnx", "model.decoder.onnx"],
        },
    ].map((thing) => makeThing(thing, say));

    // Own words are joined to a model that has been trained.
    function jobLines() {
        const plain = project.current.plain ?? project.current,
            trained = project.roles.train !== undefined,
            measured = trained || project.roles.dev !== undefined;
        return [
            ...(trained ? [dataWords(), plain.words ?? trainWords(plain.folder)] : []),
            ...(plain === project.current ? [] : [project.current.words]),
            ...(measured ? [seeWords("evaluate", project.current)] : []),
            ["predict", folder(), "list.txt", "-o", "answers.csv"],
        ].map(terminalLine);
    }

    function show() {
        none.hidden = project.current !== null;
        some.hidden = project.current === null;
        if (project.current === null) return;
        text.look();
        for (const thing of things) thing.show();
        job.replaceChildren(
            commandBlock(
                "The same in a terminal",
                [...jobLines(), ...things.map(({ line }) => line())].filter(Boolean).join("\n"),
            ),
        );
    }
    some.append(el("div", { class: "things" }, ...things.map(({ node }) => node)), job);
    const node = el("section", { class: "take", "aria-label": "Take home" }, el("h2", {}, "Take it home"), none, some);
    onChange("current", () => node.offsetParent !== null && show());
    return { node, show };
}
