// What one can choose. `live` ones change a training that runs; all others begin a new one.
import { el } from "../common/dom.js";

export const ATTENTIONS = [
    ["multi-head", "multi-head"],
    ["additive", "additive"],
    ["dot", "dot product"],
    ["general", "general"],
    ["scaled-dot", "scaled dot product"],
    ["none", "none (the bottleneck)"],
];

export const DEFAULTS = {
    max_value: 20,
    min_length: 2,
    max_length: 6,
    repeats: 0.3,
    seed: 1,
    steps: 750,
    batch: 48,
    embed: 32,
    one_direction: 1,
};
export const MODEL_DEFAULTS = { attention: "multi-head", hidden: 64, lr: 0.01 };

export function slider(label, range, value, onchange, format = String) {
    const shown = el("output", {}, format(value));
    const input = el("input", {
        type: "range",
        min: range[0],
        max: range[1],
        step: range[2],
        value,
        "aria-label": label,
        input: () => {
            shown.textContent = format(Number(input.value));
        },
        change: () => onchange(Number(input.value)),
    });
    return {
        node: el("label", { class: "choice" }, el("span", {}, label), input, shown),
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
    return el("label", { class: "choice" }, el("span", {}, label), input);
}

export function select(label, options, value, onchange) {
    const input = el(
        "select",
        { "aria-label": label, change: () => onchange(input.value) },
        ...options.map(([key, text]) => el("option", { value: key, selected: key === value }, text)),
    );
    return {
        node: el("label", { class: "choice" }, el("span", {}, label), input),
        set(next) {
            input.value = next;
        },
    };
}
