// Where a model looks: a row for each symbol that it writes, a column for each that it reads. It is a table, so that
// screen readers and the keyboard have it as well.
import { el, isRightToLeft, scrollNote } from "../common/dom.js";

export const MOST_ROWS = 16; // an untrained model may write on without an end

// It has stopped before all numbers of the list: the rows after that are what it would write.
const stopsEarly = (look) => look.target.length > look.length;

// The symbols that it writes and the end. Of a list that stops early only the symbols: the end has come before.
function rowsOf(look) {
    return look.target.length + (look.finished && !stopsEarly(look) ? 1 : 0);
}

// [rows][columns] of one head, or the mean of all.
function weightsOf(look, head) {
    const rows = rowsOf(look),
        columns = look.source.length;
    const size = (look.likeliest?.length ?? rows) * columns,
        planes = look.layers * look.heads,
        first = (look.layers - 1) * look.heads;
    const chosen =
        head < 0 ? Array.from({ length: look.heads }, (_, i) => first + i) : [first + Math.min(head, look.heads - 1)];
    if (planes === 0 || size === 0) return null;
    return Array.from({ length: rows }, (_, row) =>
        Array.from(
            { length: columns },
            (_, column) =>
                chosen.reduce((sum, plane) => sum + look.weights[plane * size + row * columns + column], 0) /
                chosen.length,
        ),
    );
}

function cell(weight) {
    const td = el("td", el("span.unseen", weight.toFixed(2)));
    td.style.setProperty("--weight", `${Math.round(100 * weight)}%`);
    td.title = weight.toFixed(3);
    return td;
}

export function wholePercent(value) {
    return `${Math.round(100 * value)} %`;
}

function rowOf(look, row, weights) {
    const symbol = row < look.target.length ? look.target[row] : "end";
    const place = look.likeliest?.[row].indexOf(symbol) ?? 0; // -1: the end, or an unknown symbol, and the likeliest
    const certain = look.probabilities?.[row]?.[Math.max(0, place)];
    const others = (look.likeliest?.[row] ?? [])
        .map((name, i) => `${name} ${wholePercent(look.probabilities[row][i])}`)
        .join(", ");
    const last = el("td.certain", { title: others }, certain === undefined ? "" : wholePercent(certain));
    return el(
        row >= look.length && row < look.target.length ? "tr.unwritten" : "tr",
        el("th", { scope: "row", dir: "auto" }, symbol),
        weights && weights[row].map(cell),
        last,
    );
}

// What the colours mean, the table, and what is left out.
export function heatmapOf(look, head, name) {
    const weights = weightsOf(look, head),
        rows = rowsOf(look),
        shown = Math.min(rows, MOST_ROWS),
        leftward = isRightToLeft(look.source.join(""));
    const columns = weights ? look.source.map((symbol) => el("th", { scope: "col", dir: "auto" }, symbol)) : [];
    const legend = [
        weights
            ? "Each row is one output symbol. The stronger a colour, the more the model looks there."
            : "This model has no attention.",
        stopsEarly(look) ? "It stops too early: the grey numbers are what it would write next." : "",
    ];
    const table = el(
        look.source.length > 10 ? "table.heatmap.many" : "table.heatmap",
        { dir: leftward && "rtl" },
        el(
            "thead",
            el(
                "tr",
                el("td.corner", el("span", "writes ↓"), weights && ` reads ${leftward ? "←" : "→"}`),
                ...columns,
                el("th.certain", { scope: "col", title: "probability of this symbol" }, "sure"),
            ),
        ),
        el("tbody", ...Array.from({ length: shown }, (_, row) => rowOf(look, row, weights))),
    );
    table.style.setProperty("--columns", columns.length);
    const box = el("div.scroll", { tabindex: "0", role: "region", "aria-label": `Heatmap of ${name}` }, table);
    return [
        el("p.note.legend", legend.join(" ")),
        box,
        scrollNote(box).note,
        shown < rows ? el("p.note", `… and ${rows - shown} more: it does not find an end yet.`) : "",
    ];
}
