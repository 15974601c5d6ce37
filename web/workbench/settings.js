// Settings of a training as controls, one for each row of the program's table.
import { el } from "../common/dom.js";
import { notify, project } from "./project.js";

// Files have roles instead, and a page has neither folders nor other models.
const OF_FILES = ["FILE", "DIR", "MODEL", "PATH"];
const BLANK = " ";

function isOffered(row) {
    return row.kind !== "other" && !OF_FILES.includes(row.metavar) && row.heading !== "Files";
}

function set(row, value) {
    if (value === undefined) project.settings.delete(row.name);
    else project.settings.set(row.name, value);
    notify("settings");
}

// Symbols without a separator are the rule, and a blank is the other one that people need; it cannot be seen in a field.
function separatorControl(row, value, id) {
    const other = value !== undefined && value !== BLANK ? [[value, `“${value}” between symbols`]] : [];
    const options = [["", "each character is a symbol"], [BLANK, "blanks between symbols"], ...other];
    return el(
        "select",
        { id, change: ({ target }) => set(row, target.value === "" ? undefined : target.value) },
        ...options.map(([key, text]) => el("option", { value: key, selected: key === (value ?? "") }, text)),
    );
}

function controlOf(row, value, usual, id) {
    if (row.kind === "flag")
        return el("input", {
            type: "checkbox",
            id,
            checked: value ?? usual ?? false,
            change: ({ target }) => set(row, target.checked === (usual ?? false) ? undefined : target.checked),
        });
    if (row.kind === "choice")
        return el(
            "select",
            { id, change: ({ target }) => set(row, target.value === usual ? undefined : target.value) },
            ...row.choices.map((choice) =>
                el("option", { value: choice, selected: choice === (value ?? usual) }, choice),
            ),
        );
    if (row.kind === "text" && row.name.endsWith("-separator")) return separatorControl(row, value, id);
    const isNumber = row.kind !== "text";
    return el("input", {
        type: isNumber ? "number" : "text",
        id,
        value: value ?? null,
        placeholder: usual === undefined || usual === null ? "by the recipe" : String(usual),
        min: row.min ?? null,
        max: row.max ?? null,
        step: row.kind === "integer" ? 1 : "any",
        autocomplete: "off",
        change: ({ target }) => set(row, target.value === "" ? undefined : target.value),
    });
}

// `recipe`: {option: value} of --print-config, where it is known.
export function settingControls(heading, recipe) {
    return project.options
        .filter((row) => row.heading === heading && isOffered(row))
        .map((row) => {
            const id = `set-${heading}-${row.name}`;
            return el(
                project.settings.has(row.name) ? "div.setting.chosen" : "div.setting",
                el("label", { for: id }, row.name),
                controlOf(row, project.settings.get(row.name), recipe?.[row.name], id),
                el("p.note", row.help),
            );
        });
}
