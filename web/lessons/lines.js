// Lines over a range, with a mark at the value that is chosen, and their numbers as a table below.
import { el, svg, tableOf } from "../common/dom.js";

const ACROSS = 460,
    HIGH = 210,
    INSET = { left: 40, right: 10, top: 10, bottom: 38 };

// Tables that someone has opened stay open when the picture is drawn anew.
const opened = new Set();

const nice = (value) => String(Math.round(value * 1000) / 1000);

function path(xs, ys, x, y) {
    return ys.map((value, i) => `${i ? "L" : "M"}${x(xs[i]).toFixed(1)} ${y(value).toFixed(1)}`).join("");
}

function legend(series) {
    return series.map(({ name }, i) =>
        el(
            "span.entry",
            svg(
                "svg.swatch",
                { viewBox: "0 0 28 6", "aria-hidden": "true" },
                svg(`line.line.line-${i}`, { x1: 0, x2: 28, y1: 3, y2: 3 }),
            ),
            name,
        ),
    );
}

// series: {name, values}; `top`: the upper end of the scale; `mark`: a place on the lower axis.
export function drawLines({ caption, label, xs, series, mark, top = 1 }) {
    const [least, most] = [xs[0], xs.at(-1)];
    const x = (value) => INSET.left + ((ACROSS - INSET.left - INSET.right) * (value - least)) / (most - least || 1);
    const y = (value) => INSET.top + (HIGH - INSET.top - INSET.bottom) * (1 - Math.max(0, Math.min(1, value / top)));
    const grid = [0, 0.5, 1].flatMap((share) => [
        svg("line.grid", { x1: INSET.left, x2: ACROSS - INSET.right, y1: y(share * top), y2: y(share * top) }),
        svg("text", { x: INSET.left - 6, y: y(share * top) + 4, "text-anchor": "end" }, nice(share * top)),
    ]);
    const below = [
        svg("text", { x: INSET.left, y: HIGH - 22 }, nice(least)),
        svg("text", { x: ACROSS - INSET.right, y: HIGH - 22, "text-anchor": "end" }, nice(most)),
        svg("text", { x: (ACROSS + INSET.left) / 2, y: HIGH - 6, "text-anchor": "middle" }, label),
    ];
    const here =
        mark === undefined
            ? []
            : [svg("line.mark", { x1: x(mark), x2: x(mark), y1: INSET.top, y2: HIGH - INSET.bottom })];
    return el(
        "figure",
        el("figcaption", caption, el("span.legend.flow", ...legend(series))),
        svg(
            "svg.chart",
            {
                viewBox: `0 0 ${ACROSS} ${HIGH}`,
                role: "img",
                "aria-label": `${caption}; the numbers are in the table below`,
            },
            ...grid,
            ...below,
            ...here,
            ...series.map(({ values }, i) => svg(`path.line.line-${i}`, { d: path(xs, values, x, y) })),
        ),
        el(
            "details.figures",
            {
                open: opened.has(caption),
                toggle: ({ target }) => (target.open ? opened.add(caption) : opened.delete(caption)),
            },
            el("summary", "Numbers"),
            tableOf(
                [
                    [label, ...series.map(({ name }) => name)],
                    ...xs.map((at, i) => [nice(at), ...series.map(({ values }) => values[i]?.toFixed(4) ?? "")]),
                ],
                { class: "numbers", "aria-label": caption },
            ),
        ),
    );
}
