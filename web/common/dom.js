// Elements without markup: whatever a text holds, it is set as text.
const HTML = "http://www.w3.org/1999/xhtml",
    SVG = "http://www.w3.org/2000/svg",
    MATHML = "http://www.w3.org/1998/Math/MathML";

// Children can be lists of some, and what is null, undefined or false is none.
function present(children) {
    return children.flat().filter((child) => child !== null && child !== undefined && child !== false);
}

// Sets the children of a node.
export function fill(node, ...children) {
    node.replaceChildren(...present(children));
}

// "p.note.wider" is a p of two classes. Attributes come before the children, if there are any: one that is a function
// listens to the event of its name, and `ink` is the colour of a text.
function make(namespace, selector, children) {
    const [tag, ...classes] = selector.split("."),
        node = document.createElementNS(namespace, tag),
        { class: more, ...attributes } = children[0]?.constructor === Object ? children.shift() : {};
    if (more) classes.push(more);
    if (classes.length > 0) node.setAttribute("class", classes.join(" "));
    for (const [name, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (typeof value === "function") node.addEventListener(name, value);
        // The style sheet would win over the attribute.
        else if (name === "ink") node.style.fill = value;
        else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...present(children));
    return node;
}

export const el = (selector, ...children) => make(HTML, selector, children);
export const svg = (selector, ...children) => make(SVG, selector, children);
export const math = (selector, ...children) => make(MATHML, selector, children);

// A text of which nobody knows in which direction it reads.
export function bdi(...children) {
    return el("bdi", { dir: "auto" }, ...children);
}

export function button(text, attributes, ...children) {
    return el("button", { type: "button", ...attributes }, text, ...children);
}

// A field for a text in whatever language.
export function textField(attributes) {
    return el("input", { type: "text", dir: "auto", autocomplete: "off", spellcheck: "false", ...attributes });
}

// [value, text] each.
export function choice(label, options, value, onchange) {
    const select = el(
        "select",
        { "aria-label": label, change: () => onchange(select.value) },
        ...options.map(([key, text]) => el("option", { value: key, selected: String(key) === String(value) }, text)),
    );
    return el("label.choice", el("span", label), select);
}

// The first row is the head.
export function tableOf(rows, attributes = {}) {
    const [head, ...body] = rows,
        th = (scope, cell) => el("th", { scope, dir: "auto" }, String(cell)),
        td = (cell) => el("td", { dir: "auto" }, String(cell));
    return el(
        "table",
        attributes,
        el("thead", el("tr", ...head.map((cell) => th("col", cell)))),
        el("tbody", ...body.map(([name, ...cells]) => el("tr", th("row", name), ...cells.map(td)))),
    );
}

// A note that is seen while the box is narrower than what it holds.
export function scrollNote(box) {
    const note = el("p.note.wider", { hidden: true }, "Wider than the page: it scrolls sideways.");
    const look = () => (note.hidden = box.scrollWidth <= box.clientWidth + 1);
    new ResizeObserver(look).observe(box);
    return { note, look };
}

export function later(work, milliseconds) {
    let timer = 0;
    return (...values) => {
        clearTimeout(timer);
        timer = setTimeout(() => work(...values), milliseconds);
    };
}

let measure = null;
const widths = new Map();

export function textWidth(text, font) {
    const key = `${font} ${text}`;
    if (!widths.has(key)) {
        measure ??= document.createElement("canvas").getContext("2d");
        measure.font = font;
        widths.set(key, measure.measureText(text).width);
    }
    return widths.get(key);
}

let segmenter = null;

// At most so many letters, with their marks.
export function cut(text, most) {
    if (text.length <= most) return text;
    segmenter ??= Intl.Segmenter ? new Intl.Segmenter() : null;
    const letters = segmenter ? [...segmenter.segment(text)].map((s) => s.segment) : [...text];
    return letters.length <= most ? text : letters.slice(0, most - 1).join("") + "…";
}

// A text reads from right to left if its first letter does.
export function isRightToLeft(text) {
    const strong = /[\p{L}]/u.exec(text);
    return (
        strong !== null &&
        /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF]|[\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u.test(strong[0])
    );
}

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';
