// Curves, bars and dots over two axes.
import { FONT, svg, textWidth } from "../common/dom.js";
import { fixed, ticks } from "./numbers.js";

const FRAME = { left: 48, right: 14, top: 26, bottom: 40 },
    WIDEST = 520,
    LEGEND = { wide: 110, high: 15 },
    STYLES = 4; // of series, in pictures.css

// A chart is as wide as on a desk, or as the page.
export function chartWidth(place) {
    return Math.min(WIDEST, place.clientWidth);
}

function short(value) {
    if (Math.abs(value) >= 10000) return `${+(value / 1000).toFixed(1)}k`;
    return String(+value.toPrecision(6)).replace("-", "−");
}

// The axes, and from values to places. Without a y, there are only those of x.
function axes({ width, height, x, y, xName, yName }) {
    const root = svg("svg.chart", { viewBox: `0 0 ${width} ${height}`, width, height });
    const { left, right, top, bottom } = FRAME,
        wide = width - left - right,
        high = height - top - bottom;
    const atX = (v) => left + (wide * (v - x[0])) / (x[1] - x[0] || 1),
        atY = (v) => top + high * (1 - (v - y[0]) / (y[1] - y[0] || 1));
    for (const tick of y ? ticks(y[0], y[1], 4) : []) {
        root.append(
            svg("path.rule", { d: `M${left} ${atY(tick)}h${wide}` }),
            svg("text.tick.end", { x: left - 7, y: atY(tick) + 3.5, "font-size": 10.5 }, short(tick)),
        );
    }
    for (const tick of ticks(x[0], x[1], 6)) {
        root.append(svg("text.tick.middle", { x: atX(tick), y: top + high + 16, "font-size": 10.5 }, short(tick)));
    }
    root.append(
        svg("path.axis", { d: `M${left} ${top + high}h${wide}` }),
        svg("text.name.middle", { x: left + wide / 2, y: height - 7, "font-size": 11 }, xName),
        svg("text.name", { x: left - 40, y: 11, "font-size": 11 }, yName),
    );
    return { root, atX, atY, wide, high };
}

const finite = (v) => v !== null && v !== undefined && Number.isFinite(v);

// series: [{name, points: [[x, y]]}]; a y that does not exist is left out. mark: {x, text}.
export function lineChart({ series, xName, yName, y, mark, width = WIDEST, height = 250 }) {
    const points = series.flatMap((one) => one.points.filter(([, v]) => finite(v)));
    const xs = points.map((p) => p[0]),
        ys = points.map((p) => p[1]);
    const xRange = [Math.min(0, ...xs), Math.max(1, ...xs)],
        yRange = y ?? [0, Math.max(1e-9, ...ys) * 1.05];
    const { root, atX, atY, high } = axes({ width, height, x: xRange, y: yRange, xName, yName });
    // Names that do not fit side by side take rows above the first.
    const beside = Math.max(2, Math.floor((width - FRAME.left - 90) / LEGEND.wide)),
        above = LEGEND.high * (Math.ceil(series.length / beside) - 1);
    if (above > 0) {
        root.setAttribute("viewBox", `0 ${-above} ${width} ${height + above}`);
        root.setAttribute("height", height + above);
    }
    if (mark) {
        const late = atX(mark.x) > width * 0.7;
        root.append(
            svg("path.kept", { d: `M${atX(mark.x)} ${FRAME.top}v${high}` }),
            late
                ? svg("text.tick.end", { x: atX(mark.x) + 4, y: FRAME.top - 3, "font-size": 10.5 }, mark.text)
                : svg("text.tick", { x: atX(mark.x) - 4, y: FRAME.top - 3, "font-size": 10.5 }, mark.text),
        );
    }
    series.forEach((one, i) => {
        const seen = one.points.filter(([, v]) => finite(v)),
            style = i % STYLES;
        if (seen.length === 0) return;
        root.append(
            svg(`path.series.s${style}`, {
                fill: "none",
                d: "M" + seen.map(([a, b]) => `${atX(a).toFixed(1)} ${atY(b).toFixed(1)}`).join("L"),
            }),
        );
        for (const [a, b] of seen.length <= 60 ? seen : []) {
            root.append(
                svg(
                    `circle.dot.s${style}`,
                    { cx: atX(a), cy: atY(b), r: 2.4 },
                    svg("title", `${one.name}, ${a}: ${fixed(b, 4)}`),
                ),
            );
        }
        if (one.name === yName) return;
        const left = FRAME.left + 90 + (i % beside) * LEGEND.wide,
            top = 8 - above + LEGEND.high * Math.floor(i / beside);
        root.append(
            svg(`path.series.s${style}`, { d: `M${left} ${top}h18` }),
            svg("text.legend", { x: left + 23, y: top + 3.5, "font-size": 11 }, one.name),
        );
    });
    return root;
}

// The text of a bar stands on it, upright where all bars have room for their text.
function textsOnBars(bars, atX, atY, apart) {
    const size = 10,
        turned = bars.some((bar) => textWidth(bar.text, `${size}px ${FONT}`) > apart - 2);
    return bars.map((bar) => {
        const x = atX(bar.x),
            y = atY(bar.value) - 4;
        return turned
            ? svg(
                  "text.tick",
                  { x, y: y + size * 0.36, "font-size": size, transform: `rotate(-90 ${x} ${y})` },
                  bar.text,
              )
            : svg("text.tick.middle", { x, y, "font-size": size }, bar.text);
    });
}

// rows: [{name, values: [mean, low, high], style, title}], each a dot in its interval, if it has one, below its name.
export function intervalChart({ rows, x, xName, width = WIDEST }) {
    const apart = 34,
        { root, atX, high } = axes({
            width,
            height: FRAME.top + FRAME.bottom + apart * rows.length,
            x,
            xName,
            yName: "",
        });
    if (x[0] < 0) root.append(svg("path.kept", { d: `M${atX(0)} ${FRAME.top}v${high}` }));
    rows.forEach(({ name, values: [mean, low, most], style, title }, i) => {
        const y = FRAME.top + apart * (i + 0.7);
        root.append(
            finite(low) ? svg(`path.series.s${style}`, { d: `M${atX(low)} ${y}H${atX(most)}` }) : "",
            svg(`circle.dot.s${style}`, { cx: atX(mean), cy: y, r: 5 }, svg("title", title)),
            svg("text", { x: FRAME.left, y: y - 9, "font-size": 11.5 }, name),
        );
    });
    return root;
}

// bars: [{x, value, text, title}]
export function barChart({ bars, xName, yName, width = WIDEST, height = 230 }) {
    const xs = bars.map((b) => b.x),
        x = [Math.min(...xs) - 0.6, Math.max(...xs) + 0.6];
    const { root, atX, atY } = axes({
        width,
        height,
        x,
        y: [0, Math.max(0.05, ...bars.map((b) => b.value)) * 1.15],
        xName,
        yName,
    });
    const step = Math.abs(atX(1) - atX(0)),
        wide = Math.max(1.5, step * 0.72);
    for (const bar of bars) {
        root.append(
            svg(
                "rect.column",
                {
                    x: atX(bar.x) - wide / 2,
                    y: atY(bar.value),
                    width: wide,
                    height: Math.max(0, atY(0) - atY(bar.value)),
                },
                svg("title", bar.title),
            ),
        );
    }
    root.append(...textsOnBars(bars, atX, atY, step));
    return root;
}

// dots: [{x, y, weight, title}] over the diagonal, where they should be.
export function diagonalChart({ dots, xName, yName, width = 320, height = 320 }) {
    const { root, atX, atY } = axes({ width, height, x: [0, 1], y: [0, 1], xName, yName });
    root.append(
        svg("path.kept", { d: `M${atX(0)} ${atY(0)}L${atX(1)} ${atY(1)}` }),
        svg("path.series.s0", { fill: "none", d: "M" + dots.map((dot) => `${atX(dot.x)} ${atY(dot.y)}`).join("L") }),
    );
    const most = Math.max(...dots.map((dot) => dot.weight));
    for (const dot of dots) {
        root.append(
            svg(
                "circle.dot.s0",
                { cx: atX(dot.x), cy: atY(dot.y), r: 3 + 7 * Math.sqrt(dot.weight / most) },
                svg("title", dot.title),
            ),
        );
    }
    return root;
}
