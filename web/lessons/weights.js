// Weights as a table with colours, and other numbers as a plain one.
import { css, plainInkOn } from "../common/colors.js";
import { el, scrollNote } from "../common/dom.js";

const WIDE = 12; // columns whose numbers would not fit: the colour shows them

// A tensor of the library as [plane][row][column]; what comes before the last two axes counts the planes.
export function planesOf({ shape, values }) {
    const columns = shape.at(-1),
        rows = shape.length > 1 ? shape.at(-2) : 1;
    return Array.from({ length: values.length / (rows * columns) }, (_, plane) =>
        Array.from({ length: rows }, (_, row) =>
            values.slice((plane * rows + row) * columns, (plane * rows + row + 1) * columns),
        ),
    );
}

// Four digits, as the pages of the lessons have them.
export function digits(value) {
    return value.toFixed(4);
}

function coloured(weight, wide) {
    const td = el("td.weight", { title: digits(weight) }, wide ? el("span.unseen", digits(weight)) : digits(weight));
    td.style.background = css(weight);
    td.style.color = plainInkOn(weight);
    return td;
}

function table(kind, caption, names, rows, cell) {
    const [rowNames, columnNames] = names;
    const box = el(
        "div.scroll",
        { tabindex: "0", role: "region", "aria-label": caption },
        el(
            `table.${kind}`,
            el("caption", caption),
            columnNames.length > 0 &&
                el(
                    "thead",
                    el("tr", el("td"), ...columnNames.map((name) => el("th", { scope: "col", dir: "auto" }, name))),
                ),
            el(
                "tbody",
                ...rows.map((row, i) =>
                    el("tr", el("th", { scope: "row", dir: "auto" }, rowNames[i]), ...row.map(cell)),
                ),
            ),
        ),
    );
    return el("div.table", box, scrollNote(box).note);
}

// names: [of the rows, of the columns].
export function weightsTable(caption, names, rows) {
    const wide = rows[0].length > WIDE;
    return table(wide ? "weights.wide-weights" : "weights", caption, names, rows, (weight) => coloured(weight, wide));
}

export function numbersTable(caption, names, rows) {
    return table("numbers", caption, names, rows, (value) =>
        el("td", typeof value === "number" ? digits(value) : value),
    );
}
