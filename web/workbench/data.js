// The first part: the pairs, how they are read, and what `lookback data` finds in them.
import { bdi, button, el, fill, tableOf } from "../common/dom.js";
import { embedded } from "../common/embedded.js";
import { addFiles, forgetFiles, giveRole, isModel, roleOfPath } from "./files.js";
import { faultOf, run, withoutName } from "./jobs.js";
import { dataWords, notify, onChange, project, ROLES, rolesFiles } from "./project.js";
import { settingControls } from "./settings.js";

const SHOWN_PAIRS = 20;

// [text, files, settings] each.
const EXAMPLES = [
    ["Spanish words and their sounds", [["spanish", "spanish.tsv"]], { "target-separator": " " }],
    [
        "Spanish sounds and their spelling",
        [["spanish", "spanish.tsv"]],
        { "source-column": 2, "target-column": 1, "source-separator": " " },
    ],
    [
        "German sentences in English",
        [
            ["german", "german.txt"],
            ["english", "english.txt"],
        ],
        {},
    ],
];

// A remedy of `data` that the page can do itself: 'set --target-separator to " "'.
function remedyOf(line) {
    const found = /\bset --([a-z-]+) to "([^"]*)"/.exec(line);
    return found && project.options.some(({ name }) => name === found[1]) ? found.slice(1) : null;
}

function findingOf(line) {
    const remedy = remedyOf(line);
    return el(
        "li",
        el("span", { dir: "auto" }, withoutName(line)),
        remedy &&
            button("Do that", {
                click: () => {
                    project.settings.set(...remedy);
                    notify("settings");
                },
            }),
    );
}

// Quoted symbols from right to left do not turn the numbers around them.
function quotedOf(line) {
    return line.split(/("[^"]+")/).map((part, i) => (i % 2 === 1 ? el("bdi", part) : part));
}

export function makeData({ openModel, say, next }) {
    let job = null;
    const chooser = el("input.unseen", {
        type: "file",
        id: "files",
        multiple: true,
        change: () => take([...chooser.files]),
    });
    const pasted = el("textarea", {
        id: "pasted",
        rows: 6,
        spellcheck: "false",
        placeholder: "source, tab, target",
        "aria-label": "pairs, one in each line: source, tab, target",
    });
    const list = el("ul.files"),
        reading = el("div.settings-grid"),
        progress = el("p.progress", { role: "status" }),
        stop = button("Stop", { hidden: true, click: () => job?.stop() }),
        found = el("div.found"),
        onward = button("Train a model", { class: "primary", hidden: true, click: next });
    const how = el("details", { hidden: true }, el("summary", "How the file is read"), reading);

    async function take(files) {
        say("");
        try {
            for (const file of files) if (await isModel(file)) return await openModel(file);
            if (files.length > 0 && project.roles.train !== undefined && files.length > 1) forgetFiles();
            await addFiles(files);
        } catch (error) {
            say(`The file cannot be read: ${error.message}`);
        }
    }

    async function useExample([, parts, settings]) {
        forgetFiles();
        for (const [name, value] of Object.entries(settings)) project.settings.set(name, value);
        await take(await Promise.all(parts.map(async ([id, name]) => new File([await embedded(id)], name))));
    }

    function showFiles() {
        list.replaceChildren(
            ...[...project.files].map(([path, file]) =>
                el(
                    "li",
                    bdi(path),
                    ` ${Math.ceil(file.size / 1000).toLocaleString("en")} kB `,
                    el(
                        "select",
                        { "aria-label": `what ${path} is`, change: ({ target }) => giveRole(path, target.value) },
                        el("option", { value: "" }, "not used"),
                        ...Object.entries(ROLES).map(([role, { text }]) =>
                            el("option", { value: role, selected: roleOfPath(path) === role }, text),
                        ),
                    ),
                    button("Remove", {
                        "aria-label": `remove ${path}`,
                        click: () => {
                            project.files.delete(path);
                            giveRole(path, "");
                        },
                    }),
                ),
            ),
        );
    }

    function showFound({ status, out, errors }) {
        const pairs = out.filter((line) => line.includes("\t")).map((line) => line.split("\t"));
        const facts = out.filter((line) => !line.includes("\t"));
        fill(
            found,
            errors.length > 0 && [el("h3", "Worth a look"), el("ul", ...errors.map(findingOf))],
            status === 0 &&
                el(
                    "div.stage",
                    el(
                        "div.scroll",
                        el("h3", "The first pairs, symbol by symbol"),
                        tableOf([["line", "source", "target"], ...pairs]),
                    ),
                    el(
                        "div",
                        el("h3", "All pairs"),
                        el("pre", { tabindex: "0" }, ...facts.flatMap((line) => [...quotedOf(line), "\n"])),
                    ),
                ),
        );
        onward.hidden = status !== 0;
    }

    async function look() {
        job?.stop();
        showFiles();
        reading.replaceChildren(...settingControls("Data"));
        how.hidden = found.hidden = project.roles.train === undefined;
        if (how.hidden) {
            onward.hidden = true;
            return;
        }
        const hears = { progress: (text) => (progress.textContent = text) };
        const mine = (job = run([...dataWords(), "--pairs", String(SHOWN_PAIRS)], rolesFiles(), [], hears));
        progress.textContent = "reading";
        stop.hidden = false;
        try {
            const ended = await mine.ended;
            showFound(ended);
            say(ended.status === 0 ? "" : withoutName(faultOf(ended)));
        } catch (error) {
            if (job === mine && error.message !== "stopped") say(error.message);
        }
        if (job !== mine) return;
        progress.textContent = "";
        stop.hidden = true;
    }

    onChange("files", look);
    onChange("settings", () => project.roles.train !== undefined && look());
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
        event.preventDefault();
        if (event.dataTransfer.files.length > 0) take([...event.dataTransfer.files]);
    });
    return el(
        "section",
        { "aria-label": "Data" },
        el("h2", "Your pairs"),
        el(
            "p",
            "Drop a file anywhere on this page: a list of words and their sounds, questions and answers, or two files of sentences. It stays on this computer.",
        ),
        el(
            "div.bar",
            chooser,
            el("label.file", { for: "files" }, "Choose files"),
            el("span.note", "or try"),
            ...EXAMPLES.map((example) => button(example[0], { click: () => useExample(example) })),
        ),
        el(
            "details",
            el("summary", "Paste pairs"),
            pasted,
            button("Use these", {
                click: () => {
                    forgetFiles();
                    take([new File([pasted.value], "pasted.tsv")]);
                },
            }),
        ),
        list,
        how,
        el("div.bar", progress, stop, onward),
        found,
    );
}
