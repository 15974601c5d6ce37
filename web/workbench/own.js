// Own words: answers that the model shall write exactly. They become the lexicon of a model that is made of it.
import { bdi, button, el, fill, textField } from "../common/dom.js";
import { plural } from "../report/numbers.js";
import { faultOf, run } from "./jobs.js";
import { hasFeatures, hasLexicon, makeSource } from "./model.js";
import { notify, onChange, project, settingWords } from "./project.js";

const LEXICON = "own_words.tsv";
const MOST_SHOWN = 200;

// Of a file of its own, whatever the columns of the training were.
function lexiconColumns(features) {
    const columns = features ? ["source", "features", "target"] : ["source", "target"];
    return ["--format", "tsv", ...columns.flatMap((name, i) => [`--${name}-column`, String(i + 1)])];
}

// Source and answer; null: one is missing. With features, the source has two of the columns.
function ownOf(columns) {
    const least = hasFeatures(project.current) ? 3 : 2,
        texts = columns.slice(0, least).map((text) => text.replace(/[\r\n]+/g, " ").trim());
    if (texts.length < least || texts.includes("")) return null;
    return [texts.slice(0, -1).join("\t"), texts.at(-1)];
}

// Another answer for a source; "" takes it back.
export function setOwn(source, answer) {
    const own = ownOf([...source.split("\t"), answer.replaceAll("\t", " ")]);
    if (own) project.own.set(...own);
    else project.own.delete(source);
    notify("own");
}

function freeFolder(folder, files) {
    const taken = (name) => Object.keys(files).some((path) => path.startsWith(`${name}/`));
    let name = `${folder}_words`;
    for (let i = 2; taken(name); i++) name = `${folder}_words_${i}`;
    return name;
}

// A model like this one that has the own words, too. What its lexicon has of other sources stays.
async function joinOwn(current) {
    const { folder, files } = current,
        old = hasLexicon(current) ? (await run(["inspect", folder, "--lexicon"], files).ended).out : [],
        kept = old.filter((line) => !project.own.has(ownOf(line.split("\t"))?.[0])),
        own = [...project.own].map((pair) => pair.join("\t")),
        lexicon = new TextEncoder().encode([...kept, ...own, ""].join("\n")),
        joined = freeFolder(folder, files);
    const words = [
        "join",
        folder,
        "--lexicon",
        LEXICON,
        ...lexiconColumns(hasFeatures(current)),
        ...settingWords(["lexicon-case"]),
        "-o",
        joined,
    ];
    const ended = await run(words, { ...files, [LEXICON]: lexicon }, [joined]).ended;
    if (ended.status !== 0) throw new Error(faultOf(ended));
    // It stays as it is when the training of the other one goes on.
    return { folder: joined, files: ended.files, words, own: { [LEXICON]: lexicon }, model: null };
}

export function makeOwn({ say }) {
    const source = makeSource("source"),
        answer = textField(),
        chooser = el("input.unseen", { type: "file", id: "own-file", change: () => take(chooser.files[0]) }),
        list = el("ul.own-words.flow", { tabindex: "-1" }),
        told = el("p.note", { role: "status" }),
        use = button("Use these words", { class: "primary", click: apply });

    async function apply() {
        const { current } = project,
            plain = current.plain ?? current;
        use.disabled = true;
        told.textContent = "joining";
        say("");
        try {
            const joined = project.own.size > 0 ? { ...plain, ...(await joinOwn(plain)), plain } : plain;
            if (project.current === current) {
                project.current = joined;
                notify("current");
            }
            told.textContent =
                project.own.size > 0
                    ? `The model ${joined.folder} writes ${plural(project.own.size, "word", "words")} as you gave them.`
                    : `The model ${joined.folder} is in use, without own words.`;
        } catch (error) {
            told.textContent = "";
            say(`The words cannot be used: ${error.message}`);
        }
        use.disabled = false;
    }

    async function take(file) {
        if (!file) return;
        say("");
        chooser.value = "";
        const lines = (await file.text()).split(/\r?\n/),
            read = lines.map((line) => ownOf(line.split("\t"))),
            wrong = lines.findIndex((line, i) => line !== "" && read[i] === null);
        if (wrong >= 0) {
            say(`${file.name}:${wrong + 1}: found no tab between a source and its answer; expected one.`);
            return;
        }
        for (const own of read.filter(Boolean)) project.own.set(...own);
        notify("own");
    }

    function showOwn() {
        const { own, current } = project;
        use.disabled = own.size === 0 && !current?.plain;
        if (current) source.look();
        fill(
            list,
            ...[...own].slice(0, MOST_SHOWN).map(([from, to]) =>
                el(
                    "li",
                    bdi(from),
                    " → ",
                    bdi(to),
                    button("Remove", {
                        "aria-label": `remove ${from}`,
                        click: () => {
                            setOwn(from, "");
                            list.focus();
                        },
                    }),
                ),
            ),
            own.size > MOST_SHOWN && el("li", `and ${plural(own.size - MOST_SHOWN, "word", "words")} more`),
        );
    }

    const node = el(
        "section.own",
        {
            "aria-label": "own words",
            drop: (event) => {
                event.preventDefault();
                event.stopPropagation();
                take(event.dataTransfer.files[0]);
            },
        },
        el("h3", "Words of your own"),
        el(
            "p.note",
            "The model writes these exactly as you give them, whatever it has learned. " +
                "Correct an answer in the table, add a word here, or drop a file: source, tab, answer.",
        ),
        el(
            "form.controls",
            {
                submit: (event) => {
                    event.preventDefault();
                    if (answer.value.trim() === "") return;
                    setOwn(source.value(), answer.value);
                    answer.value = "";
                    source.clear();
                },
            },
            ...source.nodes,
            el("label.choice", el("span", "answer"), answer),
            button("Add", { type: "submit" }),
            chooser,
            el("label.file", { for: "own-file" }, "Choose words"),
        ),
        list,
        el("div.controls", use, told),
    );
    onChange("own", showOwn);
    onChange("current", showOwn);
    showOwn();
    return node;
}
