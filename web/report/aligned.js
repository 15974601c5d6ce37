// Expected and found below each other, and where the mistake began.
import { el } from "../common/dom.js";
import { alignEdits, isEdit, NOTHING } from "./edits.js";
import { fixed, plural } from "./numbers.js";
import { NO_STEP, pin, point } from "./state.js";
import { END_MARK, END_SYMBOL, oneLine, readsLeft } from "./symbols.js";

const ORDINAL = [
    "the most likely",
    "the second most likely",
    "the third most likely",
    "the fourth most likely",
    "the fifth most likely",
];

function kindOf({ expected, found }) {
    if (expected === found) return ["same", ""];
    if (expected === NOTHING) return ["extra", "+"];
    return found === NOTHING ? ["missing", "−"] : ["other", "≠"];
}

// The first edit, in words, with what the model thought at that step. Before it, both texts are equal.
export function whereItBegan(report, pair, which) {
    const output = pair.outputs[which];
    if (!output || !pair.expected) return null;
    const step = alignEdits(pair.expected, output.symbols).findIndex(isEdit);
    if (step < 0) return null;
    const name = (id) => (id === NOTHING ? END_MARK : report.label(id).text),
        written = output.symbols[step] ?? NOTHING,
        wanted = pair.expected[step] ?? NOTHING;
    const parts = [
        `The first difference is at symbol ${step + 1}: the ${output.lexicon ? "lexicon has" : "model wrote"} `,
        el("b", { dir: "auto" }, name(written)),
    ];
    if (output.steps[step] !== undefined) parts.push(` (probability ${fixed(output.steps[step])})`);
    parts.push("; expected ", el("b", { dir: "auto" }, name(wanted)));
    const list = which === 0 ? pair.likeliest : null;
    if (list && step < output.steps.length) {
        const ids = list.symbols.slice(step * list.count, (step + 1) * list.count);
        const rank = ids.findIndex((id) => (wanted === NOTHING ? id === END_SYMBOL : id === wanted));
        parts.push(
            rank < 0
                ? `, which is not among the ${list.count} most likely there`
                : `, ${ORDINAL[rank] ?? `number ${rank + 1}`} there (${fixed(list.probability[step * list.count + rank])})`,
        );
    }
    parts.push(".");
    return { step, sentence: parts };
}

// A text in one line, with what differs from the expected one marked; not by colour alone.
export function markEdits(report, expected, found) {
    const parts = [];
    let between = "";
    for (const edit of report.edits(expected, found)) {
        if (edit.found === NOTHING) {
            parts.push(el("del", { title: "missing" }, "‸"));
            continue;
        }
        const { text } = report.label(edit.found);
        parts.push(between, isEdit(edit) ? el("mark", text) : oneLine(report.symbols[edit.found]));
        between = report.about.target_separator ?? " ";
    }
    return parts;
}

export function drawAligned(report, pair, which) {
    const output = pair.outputs[which];
    if (!output || !pair.expected) return null;
    const edits = report.edits(pair.expected, output.symbols),
        wrong = edits.filter(isEdit).length,
        unit = report.ofPieces ? "word" : "symbol",
        steps = report.stepsOf(output.symbols);
    const cell = (id, edit) => {
        const [kind] = kindOf(edit),
            label = id === NOTHING ? { text: "·", title: "nothing" } : report.label(id);
        return el(
            "td",
            { class: kind, title: label.title, dir: "auto", "data-step": steps[edit.step] ?? output.symbols.length },
            label.text,
        );
    };
    const row = (name) => el("tr", el("th", { scope: "row" }, name), ...edits.map((edit) => cell(edit[name], edit)));
    const signs = edits.map((edit) => {
        const [kind, sign] = kindOf(edit);
        const words = { same: "same", other: `another ${unit}`, extra: "too many", missing: "missing" }[kind];
        return el(`td.sign.${kind}`, { title: words }, sign, kind === "same" ? el("span.unseen", "same") : null);
    });
    const stepOf = (event) => Number(event.target.closest("[data-step]")?.dataset.step ?? NO_STEP),
        leftward = readsLeft(edits.map((edit) => report.label(edit.expected === NOTHING ? edit.found : edit.expected)));
    const table = el(
        "table.aligned",
        {
            "aria-label": "expected and found, aligned",
            dir: leftward && "rtl",
            pointermove: (event) => point(stepOf(event), NO_STEP),
            pointerleave: () => point(NO_STEP, NO_STEP),
            click: (event) => pin(stepOf(event)),
        },
        el("tbody", row("expected"), el("tr", el("td.none"), ...signs), row("found")),
    );
    return el(
        "div.canvas",
        { "aria-label": "expected and found, aligned", role: "group" },
        table,
        el(
            "p.note",
            wrong === 0
                ? "No word differs, only spaces or subwords."
                : `${plural(wrong, "edit", "edits")}: ≠ another ${unit}, + too many, − missing.`,
        ),
    );
}
