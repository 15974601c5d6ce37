// All heads of all layers, small: where one looks for the head that is worth a look.
import { rangeOf } from "../common/colors.js";
import { button, el } from "../common/dom.js";
import { pixels } from "./heatmap.js";
import { ALL_HEADS } from "./report.js";
import { readsLeft } from "./symbols.js";

// Layers and heads count from 0, as in `visualize`.
export function headName(attention, layer, head) {
    const which = head === ALL_HEADS || attention.mean ? "mean of all heads" : `head ${head}`;
    return attention.layers > 1 ? `layer ${layer}, ${which}` : which;
}

export function drawThumbnails(report, attention, layer, head, range, onselect) {
    const rows = [];
    for (let l = 0; l < attention.layers; l++) {
        const row = el("div.layer.flow");
        const heads = attention.heads > 1 ? [ALL_HEADS] : [];
        for (let h = 0; h < attention.heads; h++) heads.push(h);
        for (const h of heads) {
            const matrix = report.weights(attention, l, h),
                canvas = el("canvas", { "aria-hidden": "true" });
            pixels(matrix, rangeOf(matrix, range), canvas, readsLeft(attention.above));
            // Never narrower than a finger, never a strip.
            const ratio = Math.min(2.2, Math.max(0.6, matrix.columns / matrix.rows));
            canvas.style.width = `${Math.round(52 * Math.sqrt(ratio))}px`;
            canvas.style.height = `${Math.round(52 / Math.sqrt(ratio))}px`;
            const chosen = l === layer && h === head,
                name = headName(attention, l, h);
            row.append(
                button(
                    "",
                    {
                        class: "thumbnail",
                        "aria-pressed": String(chosen),
                        "aria-label": name,
                        title: name,
                        click: () => onselect(l, h),
                    },
                    canvas,
                    el("span", { "aria-hidden": "true" }, h === ALL_HEADS || attention.mean ? "mean" : String(h)),
                ),
            );
        }
        rows.push(attention.layers > 1 ? el("div.layer-row", el("span.layer-name", `layer ${l}`), row) : row);
    }
    return rows;
}
