// A card of the model: what it is, what it was made of, and how to make it again.
import { button, el } from "../common/dom.js";
import { copyText } from "./export.js";
import { count, NONE, plural } from "./numbers.js";

function shownValue(value) {
    if (value === null || value === undefined) return NONE;
    if (Array.isArray(value)) return value.map(shownValue).join(", ");
    return typeof value === "number" && Number.isInteger(value) && Math.abs(value) < 1e6 ? count(value) : String(value);
}

// An object, or an array with objects in it, such as the members of an ensemble.
function isNested(value) {
    return value !== null && typeof value === "object" && (!Array.isArray(value) || value.some(isNested));
}

// The entries of an array are counted from 1.
function entriesOf(object) {
    return Array.isArray(object) ? object.map((value, i) => [String(i + 1), value]) : Object.entries(object);
}

// What is nested once has a list of its own, and so has each object of an array there.
function lists(title, object, chosen) {
    const entries = entriesOf(object),
        titled = (name) => `${title}${Array.isArray(object) ? "" : ":"} ${name}`;
    return [
        list(title, flatten(Object.fromEntries(entries.filter(([, value]) => !isNested(value))))),
        ...entries
            .filter(([, value]) => isNested(value))
            .flatMap(([name, value]) =>
                Array.isArray(value)
                    ? lists(titled(name), value)
                    : list(titled(name), flatten(value), name === "options" ? chosen : null),
            ),
    ];
}

// Nested names are joined: decoder.layers.
function flatten(object, before = "") {
    return entriesOf(object).flatMap(([name, value]) =>
        isNested(value) ? flatten(value, `${before}${name}.`) : [[before + name, shownValue(value)]],
    );
}

function tableOfFacts(entries) {
    return el(
        "table.facts",
        el(
            "tbody",
            ...entries.map(([name, value]) =>
                el(
                    "tr",
                    el("th", { scope: "row", dir: "auto" }, name.replaceAll("_", " ")),
                    el("td", { dir: "auto" }, value),
                ),
            ),
        ),
    );
}

// The entries that are not among the `chosen` ones are folded; null: all are in sight.
function list(title, entries, chosen = null) {
    if (entries.length === 0) return null;
    const seen = entries.filter(([name]) => chosen?.has(name) ?? true),
        folded = entries.filter((entry) => !seen.includes(entry));
    return el(
        "section.block",
        el("h3", title),
        seen.length > 0 && tableOfFacts(seen),
        folded.length > 0 &&
            el(
                "details",
                el("summary", `${plural(folded.length, "option", "options")} as by default`),
                tableOfFacts(folded),
            ),
    );
}

// The names of the options in a command.
function optionsOf(command) {
    return new Set([...(command ?? "").matchAll(/\s--([\w-]+)/g)].map(([, name]) => name));
}

function symbolList(report, title, ids) {
    if (!ids || ids.length === 0) return null;
    return el(
        "section.block.wide",
        el("h3", `${title}: ${count(ids.length)}`),
        el("p.symbols", ...ids.map((id) => el("bdi.chip", { title: report.label(id).title }, report.label(id).text))),
    );
}

// A command that one can copy.
export function commandBlock(title, command, note) {
    const said = el("span.status", { role: "status" });
    const copy = button("Copy", {
        click: async () => (said.textContent = (await copyText(command)) ? "copied" : "cannot copy"),
    });
    return el(
        "section.block.wide",
        el("h3", title),
        note && el("p.note", note),
        el("pre.command", { tabindex: 0 }, command),
        el("div.tools", copy, said),
    );
}

export function makeModelCard(report) {
    const { about } = report;
    const facts = [
        ["kind", shownValue(about.kind)],
        ["attention", shownValue(about.attention)],
        ["parameters", shownValue(about.parameters)],
        ["layers of attention", shownValue(about.layers)],
        ["heads", shownValue(about.heads)],
        ["beam", shownValue(about.beam)],
        ["model", shownValue(about.model)],
        ["data", shownValue(about.file)],
        ["Lookback", shownValue(about.lookback)],
    ];
    return el(
        "section.card.stacked",
        { "aria-label": "a card of the model" },
        el("h2", "The model"),
        about.training_command
            ? commandBlock(
                  "The command that trained the model",
                  about.training_command,
                  "From the record in the model file, which has no folders, and no options that leave the model as it is.",
              )
            : el("p.note", "The model file does not tell the command of its training."),
        commandBlock("The command that made this report", about.command ?? "", "Without the folders of its files."),
        el(
            "div.blocks.flow",
            list("Summary", facts),
            ...lists("Training", about.training ?? {}, optionsOf(about.training_command)),
            el(
                "details.block.wide",
                el("summary", "The whole configuration"),
                el("div.blocks.flow", ...lists("Configuration", about.configuration ?? {})),
            ),
            symbolList(report, "Symbols of the source", about.source_symbols),
            symbolList(report, "Symbols of the target", about.target_symbols),
        ),
    );
}
