// A figure: a picture, its numbers as a table for those who cannot see it, and the ways to take it along.
import { button, el, later, scrollNote, tableOf } from "../common/dom.js";
import { copyText, csvOf, fileName, pngOf, saveFile, standalone } from "./export.js";

let context = "report";
const MOST_CELLS = 20000; // of a table; CSV has all

// How the names of files begin.
export function nameFilesBy(title) {
    context = title;
}

// A figure whose picture stays as it is.
export function figureOf(name, title, note, shown) {
    const picture = makePicture(name, title, note);
    picture.show(shown);
    return picture.node;
}

export function makePicture(name, title, note = "") {
    let shown = null;
    const canvas = el("div.canvas"),
        status = el("span.status", { role: "status" });
    const table = el("div.numbers.unseen", { role: "region" });
    const aside = el("p.note", note),
        wider = scrollNote(canvas),
        heading = el("h3", title),
        caption = el("figcaption", heading, aside);
    const say = (text) => {
        status.textContent = text;
        setTimeout(() => (status.textContent = ""), 2500);
    };

    const fillTable = later(() => {
        if (!shown) return;
        const rows = shown.rows();
        table.replaceChildren(tableOf(rows.slice(0, Math.max(2, Math.floor(MOST_CELLS / rows[0].length)))));
    }, 250);
    const toggle = button("Table", {
        "aria-pressed": "false",
        title: "Show the numbers as a table",
        click: () => {
            const seen = table.classList.toggle("unseen");
            toggle.setAttribute("aria-pressed", String(!seen));
            if (seen) table.removeAttribute("tabindex");
            else table.setAttribute("tabindex", "0");
        },
    });

    const vector = () => standalone(shown.picture, shown.cells);
    const file = (type) => `${fileName(context, shown.suffix, name)}.${type}`;
    const tools = el(
        "div.tools",
        { role: "group" },
        button("SVG", {
            title: "Save as SVG",
            click: () => {
                saveFile(file("svg"), new Blob([vector()], { type: "image/svg+xml" }));
                say("saved");
            },
        }),
        button("PNG", {
            title: "Save as PNG",
            click: async () => {
                const { width, height } = shown.picture.viewBox.baseVal;
                saveFile(file("png"), await pngOf(vector(), width, height));
                say("saved");
            },
        }),
        button("CSV", {
            title: "Copy the numbers as CSV",
            click: async () => {
                say((await copyText(csvOf(shown.rows()))) ? "copied" : "cannot copy");
            },
        }),
        toggle,
        status,
    );

    // picture: an <svg>. label: what it shows, in words. rows(): its numbers, with a head. cells(): see standalone.
    // under, called: a note and a title in place of the first ones.
    const show = ({ picture, label, rows, cells = () => "", suffix = "", under = note, called = title }) => {
        aside.textContent = under;
        heading.textContent = called;
        canvas.setAttribute("aria-label", called);
        table.setAttribute("aria-label", `${called}, as a table`);
        tools.setAttribute("aria-label", `take along: ${called}`);
        shown = { picture, rows, cells, suffix };
        picture.setAttribute("role", "img");
        picture.setAttribute("aria-label", label);
        canvas.replaceChildren(picture);
        // What is wider than the page scrolls, also by keys.
        requestAnimationFrame(() => {
            if (!wider.look()) canvas.setAttribute("tabindex", "0");
            else canvas.removeAttribute("tabindex");
        });
        canvas.setAttribute("role", "group");
        fillTable();
    };
    return {
        node: el(`figure.picture.${name}`, caption, canvas, wider.note, tools, table),
        canvas,
        show,
    };
}
