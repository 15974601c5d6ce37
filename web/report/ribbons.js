// What is read above, what is written below, and ribbons between them as strong as the attention.
import { css, inkOn, scale } from "../common/colors.js";
import { cut, FONT, svg, textWidth } from "../common/dom.js";
import { clamp, fixed } from "./numbers.js";
import { NO_STEP } from "./state.js";
import { readsLeft } from "./symbols.js";

const WEAKEST = 0.03,
    MOST = 3000, // ribbons: a browser takes seconds for the 90,000 of 300 symbols
    MARGIN = 16;

// The middle and the width of each symbol in its row.
function place(labels, room) {
    const unit = clamp(Math.floor((room - 2 * MARGIN) / labels.length), 15, 34),
        size = clamp(unit * 0.66, 11, 17);
    const widths = labels.map((label) =>
        Math.max(unit, Math.ceil(textWidth(cut(label.text, 20), `${size}px ${FONT}`)) + 8),
    );
    const total = widths.reduce((sum, w) => sum + w, 0),
        leftward = readsLeft(labels);
    let at = 0;
    const middles = widths.map((w) => {
        at += w;
        return leftward ? total - at + w / 2 : at - w / 2;
    });
    return { middles, widths, size, total };
}

export function drawRibbons({ matrix, above, below, range, room, onpoint, onpin }) {
    const rows = [place(above, room), place(below, room)],
        inner = Math.max(rows[0].total, rows[1].total, 120);
    const width = inner + 2 * MARGIN,
        gap = clamp(inner / 5, 90, 170),
        box = 28,
        top = 20;
    const ends = [top + box, top + box + gap],
        height = ends[1] + box + 8;
    const middle = (row, i) => MARGIN + (inner - rows[row].total) / 2 + rows[row].middles[i];
    const root = svg("svg.ribbons", { viewBox: `0 0 ${width} ${height}`, width, height });

    const bands = [],
        all = svg("g", { fill: "none" }),
        weak = svg("g", { fill: "none" });
    const widest = clamp(Math.min(...rows.map((row) => row.total / row.middles.length)) * 0.7, 5, 17);
    const partOf = (t, s) => scale(matrix.values[t * matrix.columns + s], range);
    const ribbon = (t, s, part) => {
        const x0 = middle(0, s),
            x1 = middle(1, t),
            half = (ends[0] + ends[1]) / 2;
        return svg("path", {
            class: part < 0 ? "ribbon below" : "ribbon",
            d: `M${x0} ${ends[0]}C${x0} ${half} ${x1} ${half} ${x1} ${ends[1]}`,
            stroke: css(Math.sign(part) * 0.22 + 0.78 * part),
            "stroke-width": (0.6 + Math.abs(part) * (widest - 0.6)).toFixed(2),
        });
    };
    const sizes = matrix.values.map((value) => -Math.abs(scale(value, range))).sort(),
        weakest = Math.max(WEAKEST, -(sizes[MOST] ?? 0));
    for (let t = 0; t < below.length; t++) {
        for (let s = 0; s < above.length; s++) {
            const part = partOf(t, s);
            if (Math.abs(part) >= weakest) bands.push({ t, s, part, node: ribbon(t, s, part) });
        }
    }
    bands.sort((a, b) => Math.abs(a.part) - Math.abs(b.part));
    all.append(...bands.map((band) => band.node));
    root.append(weak, all);

    const symbols = (row, labels, y, side) =>
        labels.map((label, i) => {
            const w = rows[row].widths[i],
                x = middle(row, i);
            const back = svg("rect.back", { x: x - w / 2 + 1, y, width: w - 2, height: box, rx: 4 });
            const text = svg(
                label.mark ? "text.middle.mark" : "text.middle.symbol",
                { x, y: y + box / 2 + rows[row].size * 0.36, "font-size": rows[row].size },
                cut(label.text, 20),
            );
            const number = svg("text.weight.middle", { x, y: y - 5, "font-size": 9.5 });
            const node = svg(
                `g.${side}`,
                {
                    pointerenter: () => onpoint(row === 1 ? i : NO_STEP, row === 0 ? i : NO_STEP),
                    pointerleave: () => onpoint(NO_STEP, NO_STEP),
                    click: row === 1 && (() => onpin(i)),
                },
                svg("title", label.title),
                back,
                text,
                row === 0 && number,
            );
            return { node, back, text, number };
        });
    const sources = symbols(0, above, top, "read"),
        targets = symbols(1, below, ends[1], "written");
    root.append(...sources.map((s) => s.node), ...targets.map((t) => t.node));

    const tint = (symbol, part, weight) => {
        const lit = part !== null;
        symbol.node.classList.toggle("lit", lit && Math.abs(part) > weakest);
        symbol.back.style.fill = lit ? css(part) : "";
        symbol.text.style.fill = lit ? inkOn(part) : "";
        symbol.number.textContent = lit && Math.abs(weight) >= 0.05 ? fixed(weight, matrix.most ? 1 : 2) : "";
    };
    // Weak ones would hide the others, so that there are only those of the symbol under the pointer.
    const drawWeak = (step, source) => {
        const nodes = [],
            count = step >= 0 ? above.length : source >= 0 ? below.length : 0;
        for (let i = 0; i < count; i++) {
            const [t, s] = step >= 0 ? [step, i] : [i, source],
                part = partOf(t, s);
            if (part !== 0 && Math.abs(part) < weakest) nodes.push(ribbon(t, s, part));
        }
        nodes.forEach((node) => node.classList.add("lit"));
        weak.replaceChildren(...nodes);
    };
    const highlight = (step, source) => {
        drawWeak(step, source);
        root.classList.toggle("dimmed", step >= 0 || source >= 0);
        for (const { t, s, node } of bands)
            node.classList.toggle("lit", step >= 0 ? t === step : source >= 0 && s === source);
        sources.forEach((symbol, s) => {
            const weight = step >= 0 ? matrix.values[step * matrix.columns + s] : null;
            tint(symbol, weight === null || weight === undefined ? null : scale(weight, range), weight);
            symbol.node.classList.toggle("picked", s === source);
        });
        targets.forEach((symbol, t) => {
            const weight = step < 0 && source >= 0 ? matrix.values[t * matrix.columns + source] : null;
            tint(symbol, weight === null ? null : scale(weight, range), 0);
            symbol.node.classList.toggle("picked", t === step);
        });
    };
    const limit = (count) => {
        for (const { t, node } of bands) node.classList.toggle("unwritten", t >= count);
        targets.forEach((symbol, t) => symbol.node.classList.toggle("unwritten", t >= count));
    };
    return { picture: root, highlight, limit, even: bands.length === 0 };
}
