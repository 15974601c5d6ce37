// The likeliest symbols at each step of the best output, with their probabilities.
import { css, inkOn } from "../common/colors.js";
import { cut, FONT, svg, textWidth } from "../common/dom.js";
import { clamp, fixed } from "./numbers.js";
import { NO_STEP } from "./state.js";
import { END_SYMBOL, readsLeft } from "./symbols.js";

export function likeliestRows(report, pair) {
    const { count, symbols, probability } = pair.likeliest,
        steps = report.stepLabels(pair.outputs[0]);
    const head = ["written"];
    for (let k = 1; k <= count; k++) head.push(`symbol ${k}`, `probability ${k}`);
    return [
        head,
        ...steps.map((label, t) => {
            const cells = [label.text];
            for (let k = 0; k < count; k++) {
                cells.push(report.label(symbols[t * count + k]).text, fixed(probability[t * count + k], 3));
            }
            return cells;
        }),
    ];
}

export function drawLikeliest(report, pair, room, onpoint, onpin) {
    const { count, symbols, probability } = pair.likeliest,
        output = pair.outputs[0],
        steps = report.stepLabels(output);
    const label = (t, k) => report.label(symbols[t * count + k]);
    const unit = clamp(Math.floor((room - 70) / Math.max(1, steps.length)), 30, 44),
        font = 13,
        high = 32,
        left = 62,
        top = 26;
    const widest = Math.max(0, ...symbols.map((id) => textWidth(cut(report.label(id).text, 9), `${font}px ${FONT}`)));
    const wide = Math.max(unit, Math.min(110, Math.ceil(widest) + 10));
    const width = left + steps.length * wide + 4,
        height = top + count * high + 4;
    const root = svg("svg.likeliest", { viewBox: `0 0 ${width} ${height}`, width, height });
    root.append(svg("text.tick.end", { x: left - 8, y: 15, "font-size": 10.5 }, "written"));
    for (let k = 0; k < count; k++) {
        root.append(
            svg(
                "text.tick.end",
                { x: left - 8, y: top + k * high + high / 2 + 4, "font-size": 10.5 },
                ["first", "second", "third", "fourth", "fifth"][k] ?? String(k + 1),
            ),
        );
    }
    const leftward = readsLeft(steps);
    const columns = steps.map((step, t) => {
        const x = left + (leftward ? steps.length - 1 - t : t) * wide,
            group = svg("g.step", {
                pointerenter: () => onpoint(t, NO_STEP),
                pointerleave: () => onpoint(NO_STEP, NO_STEP),
                click: () => onpin(t),
            }),
            written = (text, y, size, ink) => svg("text.middle", { x: x + wide / 2, y, "font-size": size, ink }, text);
        group.append(
            svg(
                `text.middle${step.mark ? ".mark" : ""}`,
                { x: x + wide / 2, y: 16, "font-size": font },
                cut(step.text, 9),
            ),
        );
        const symbol = t < output.symbols.length ? output.symbols[t] : END_SYMBOL;
        for (let k = 0; k < count; k++) {
            const p = probability[t * count + k],
                y = top + k * high,
                id = symbols[t * count + k];
            if (p === null || p === undefined || !(id >= 0)) continue;
            group.append(
                svg(
                    "g",
                    svg("title", `${label(t, k).title}: ${fixed(p, 3)}`),
                    svg("rect", {
                        x: x + 1.5,
                        y: y + 1.5,
                        width: wide - 3,
                        height: high - 3,
                        rx: 3,
                        fill: css(p),
                        class: id === symbol && "chosen",
                    }),
                    written(cut(label(t, k).text, 9), y + 15, font, inkOn(p)),
                    written(fixed(p), y + 26, 8.5, inkOn(p)),
                ),
            );
        }
        const frame = svg("rect.frame", {
            x: x + 0.5,
            y: 1,
            width: wide - 1,
            height: height - 2,
            rx: 4,
            visibility: "hidden",
        });
        group.append(frame);
        return { group, frame };
    });
    root.append(...columns.map((c) => c.group));
    const highlight = (step) =>
        columns.forEach((c, t) => c.frame.setAttribute("visibility", t === step ? "visible" : "hidden"));
    const limit = (most) => columns.forEach((c, t) => c.group.classList.toggle("unwritten", t >= most));
    return { picture: root, highlight, limit };
}
