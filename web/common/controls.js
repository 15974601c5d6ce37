// What one can set: each is a label with its input.
import { choice, el } from "./dom.js";

// `live`: onchange is called while the slider moves, too.
export function slider(label, range, value, onchange, format = String, live = false) {
    const shown = el("output", format(value));
    const input = el("input", {
        type: "range",
        min: range[0],
        max: range[1],
        step: range[2],
        value,
        "aria-label": label,
        input: () => {
            shown.textContent = format(Number(input.value));
            if (live) onchange(Number(input.value));
        },
        change: () => live || onchange(Number(input.value)),
    });
    return {
        node: el("label.choice", el("span", label), input, shown),
        set(next) {
            input.value = next;
            shown.textContent = format(next);
        },
    };
}

export function number(label, least, most, value, onchange) {
    const input = el("input", {
        type: "number",
        min: least,
        max: most,
        step: 1,
        value,
        "aria-label": label,
        change: () => {
            const given = Math.round(Number(input.value));
            input.value = Math.min(most, Math.max(least, Number.isFinite(given) ? given : least));
            onchange(Number(input.value));
        },
    });
    return el("label.choice", el("span", label), input);
}

export function select(label, options, value, onchange) {
    const node = choice(label, options, value, onchange);
    return {
        node,
        set(next) {
            node.querySelector("select").value = next;
        },
    };
}

export function check(label, value, onchange) {
    const input = el("input", { type: "checkbox", checked: value, change: () => onchange(input.checked) });
    return {
        node: el("label.choice", input, el("span", label)),
        set(next) {
            input.checked = next;
        },
    };
}
