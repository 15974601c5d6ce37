// A list of texts: what `predict` makes of each, as a table in which an answer can be corrected, and as files.
import { button, el, later, textField } from "../common/dom.js";
import { saveFile } from "../report/export.js";
import { count, fixed, plural } from "../report/numbers.js";
import { unzipped } from "./files.js";
import { faultOf, run, withoutName } from "./jobs.js";
import { setOwn } from "./own.js";
import { onChange, project } from "./project.js";
import { chosenRows, rowOfLine } from "./rows.js";

const PAGE_ROWS = 100;
const LIST_COLUMNS = [
    ["number", "№"],
    ["source", "source"],
    ["output", "output"],
    ["probability", "probability"],
    ["others", "other answers"],
    ["mark", "worth a look"],
];

// The name by which the program knows the form of the file.
function plainName(name) {
    return `list.${/\.(csv|tsv|jsonl|conllu?)$/i.exec(name)?.[1].toLowerCase() ?? "txt"}`;
}

export function makeLists({ say }) {
    let list = null, // { name, file }
        rows = [],
        chosen = { find: "", by: "number", down: false },
        page = 0,
        shown = [], // [row, input] of the page
        job = null;
    const chooser = el("input.unseen", { type: "file", id: "list-file", change: () => take(chooser.files[0]) }),
        pasted = el("textarea", { rows: 5, dir: "auto", spellcheck: "false", "aria-label": "texts, one in each line" }),
        told = el("p.note", { role: "status" }),
        stop = button("Stop", { hidden: true, click: () => job?.stop() }),
        notes = el("ul.notes"),
        find = textField({
            type: "search",
            "aria-label": "find in the list",
            placeholder: "find",
            input: later(() => choose({ find: find.value }), 150),
        }),
        pages = el("span.says.aside", { role: "status" }),
        body = el("tbody"),
        back = button("‹", { "aria-label": "previous page", click: () => turn(-1) }),
        on = button("›", { "aria-label": "next page", click: () => turn(1) });
    const heads = LIST_COLUMNS.map(([by, text]) =>
        el(
            "th",
            { scope: "col" },
            button(text, { class: "sort", click: () => choose({ by, down: chosen.by === by && !chosen.down }) }),
        ),
    );

    function choose(change) {
        chosen = { ...chosen, ...change };
        page = 0;
        draw();
    }

    function turn(by) {
        page += by;
        draw();
        table.scrollIntoView({ block: "nearest" });
    }

    function markOwn() {
        for (const [row, input] of shown) {
            input.value = project.own.get(row.source) ?? row.output;
            input.classList.toggle("chosen", project.own.has(row.source));
        }
    }

    function rowNode(row) {
        const input = textField({
            "aria-label": `output for ${row.source}`,
            change: () => setOwn(row.source, input.value === row.output ? "" : input.value),
        });
        shown.push([row, input]);
        return el(
            "tr",
            el("td.number", count(row.number)),
            el("th", { scope: "row", dir: "auto" }, row.source || "∅"),
            el("td", row.source !== "" && input),
            el("td.number", fixed(row.probability)),
            el("td", { dir: "auto" }, row.others),
            el("td", { dir: "auto" }, row.mark),
        );
    }

    function draw() {
        const found = chosenRows(rows, chosen),
            first = page * PAGE_ROWS,
            last = Math.min(found.length, first + PAGE_ROWS);
        shown = [];
        body.replaceChildren(...found.slice(first, last).map(rowNode));
        markOwn();
        heads.forEach((head, i) => {
            if (LIST_COLUMNS[i][0] === chosen.by)
                head.setAttribute("aria-sort", chosen.down ? "descending" : "ascending");
            else head.removeAttribute("aria-sort");
        });
        pages.textContent =
            found.length === 0
                ? "no text"
                : `${count(first + 1)} to ${count(last)} of ${plural(found.length, "text", "texts")}`;
        back.disabled = page === 0;
        on.disabled = last === found.length;
        result.hidden = rows.length === 0;
    }

    // A message with the name that the file came with.
    const named = (text) => text.replaceAll(list.path, list.name);

    // A command on the list; one at a time.
    async function work(words, results, hears) {
        job?.stop();
        const { folder, files } = project.current,
            mine = (job = run(
                ["predict", folder, list.path, ...words],
                { ...files, [list.path]: list.file },
                results,
                hears,
            ));
        stop.hidden = false;
        say("");
        try {
            const ended = await mine.ended;
            if (ended.status !== 0) say(named(faultOf(ended)));
            return ended;
        } catch (error) {
            if (error.message !== "stopped") say(error.message);
            return null;
        } finally {
            if (job === mine) {
                stop.hidden = true;
                told.textContent = "";
            }
        }
    }

    async function predictAll() {
        if (!list || !project.current) return;
        const mine = (rows = []);
        page = 0;
        list.of = project.current;
        notes.replaceChildren();
        const ended = await work(["--jsonl", "--n-best", "3"], [], {
            line(text, stream) {
                if (stream !== "out" || rows !== mine) return;
                mine.push(rowOfLine(text, mine.length + 1));
                if (mine.length === PAGE_ROWS) draw();
            },
            progress: (text) => rows === mine && (told.textContent = text || plural(mine.length, "text", "texts")),
        });
        if (rows !== mine) return;
        notes.replaceChildren(
            ...(ended?.status === 0 ? ended.errors : []).map((line) =>
                el("li", { dir: "auto" }, named(withoutName(line))),
            ),
        );
        draw();
    }

    async function download(name) {
        const ended = await work(["-o", name], [name], { progress: (text) => (told.textContent = text) });
        if (ended?.files[name]) saveFile(name, new Blob([ended.files[name]]));
    }

    async function take(file) {
        chooser.value = "";
        if (!file) return;
        try {
            const plain = await unzipped(file);
            list = { path: plainName(plain.name), name: plain.name, file: plain };
            await predictAll();
        } catch (error) {
            say(`The list cannot be read: ${error.message}`);
        }
    }

    const table = el(
        "table.list",
        el("caption.unseen", "what the model writes for each text"),
        el("thead", el("tr", ...heads)),
        body,
    );
    const result = el(
        "div",
        { hidden: true },
        el("div.controls", find, back, on, pages),
        el("div.scroll", table),
        el(
            "div.controls",
            ...["answers.csv", "answers.tsv"].map((name) => button(`Save ${name}`, { click: () => download(name) })),
        ),
        el(
            "p.note",
            "A file is what lookback predict writes with the model in use. " +
                "It has your corrections after “Use these words”.",
        ),
    );
    const node = el(
        "section.lists",
        { "aria-label": "a list of texts" },
        el("h3", "A list of texts"),
        el("p.note", "Drop a file here: a text in each line, or a table in CSV."),
        el("div.controls", chooser, el("label.file", { for: "list-file" }, "Choose a list"), told, stop),
        el(
            "details",
            el("summary", "Paste a list"),
            pasted,
            button("Write the outputs", { click: () => take(new File([pasted.value], "list.txt")) }),
        ),
        notes,
        result,
    );
    // The list is for the model in use, which may be another one by now.
    const show = () => list && list.of !== project.current && predictAll();
    onChange("own", markOwn);
    onChange("current", () => node.offsetParent !== null && show());
    return { node, take, show };
}
