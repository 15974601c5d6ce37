// Curves over the steps of a training, one for each model.
import { svg } from "../common/dom.js";

const WIDTH = 420,
    HEIGHT = 170,
    LEFT = 44,
    BOTTOM = 26,
    TOP = 10,
    RIGHT = 8;
const POINTS = 300; // more are averaged

// [step, value] each, averaged in equal pieces.
function thinned(points) {
    const piece = Math.ceil(points.length / POINTS),
        out = [];
    for (let i = 0; i < points.length; i += piece) {
        const some = points.slice(i, i + piece);
        out.push([some[some.length - 1][0], some.reduce((sum, point) => sum + point[1], 0) / some.length]);
    }
    return out;
}

function tick(value) {
    return value >= 10 ? value.toFixed(0) : String(Math.round(value * 100) / 100);
}

export function drawChart(chart, label, curves, top, steps) {
    const all = curves.flatMap((curve) => curve.points.map((point) => point[1]));
    const highest =
        top ?? Math.max(0.1, ...thinned(curves[0]?.points ?? []).map((point) => point[1]), all.length ? all[0] : 0);
    const x = (step) => LEFT + ((WIDTH - LEFT - RIGHT) * step) / Math.max(1, steps);
    const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.min(1, value / highest));
    const nodes = [0, 0.5, 1].flatMap((share) => [
        svg("line.grid", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(share * highest), y2: y(share * highest) }),
        svg("text", { x: LEFT - 6, y: y(share * highest) + 4, "text-anchor": "end" }, tick(share * highest)),
    ]);
    nodes.push(
        svg("text", { x: LEFT, y: HEIGHT - 6 }, "0"),
        svg("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, `${steps} steps`),
    );
    for (const curve of curves) {
        if (curve.points.length === 0) continue;
        const path = thinned(curve.points)
            .map(([step, value], i) => `${i ? "L" : "M"}${x(step).toFixed(1)} ${y(value).toFixed(1)}`)
            .join("");
        nodes.push(svg(`path.curve.${curve.kind}`, { d: path }));
    }
    const last = curves
        .filter((curve) => curve.points.length)
        .map((curve) => {
            const [step, value] = curve.points[curve.points.length - 1];
            return `${curve.name} ${value.toFixed(3)} after ${step} steps`;
        });
    chart.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    chart.setAttribute("aria-label", `${label}: ${last.join("; ") || "no steps yet"}`);
    chart.replaceChildren(...nodes);
}
