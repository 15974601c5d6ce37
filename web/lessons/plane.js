// Vectors of width two as arrows. The first query can be dragged; sliders do the same for the keyboard.
import { svg } from "../common/dom.js";

const SIZE = 280,
    REACH = 2.2; // the plane goes from -REACH to REACH

const across = (x) => SIZE / 2 + (x / REACH) * (SIZE / 2);
const down = (y) => SIZE / 2 - (y / REACH) * (SIZE / 2);

// Names of keys are at their tips, and that of the query is at its side, so that they do not meet.
function arrow([x, y], kind, name, atSide) {
    const length = Math.hypot(x, y) || 1,
        back = 0.13,
        side = 0.06,
        [ux, uy] = [x / length, y / length];
    const head = [
        [x, y],
        [x - back * ux - side * uy, y - back * uy + side * ux],
        [x - back * ux + side * uy, y - back * uy - side * ux],
    ];
    const place = atSide
        ? { x: across(0.6 * x - 0.1 * uy), y: down(0.6 * y + 0.1 * ux), "text-anchor": uy > 0 ? "end" : "start" }
        : { x: across(x + 0.1), y: down(y + (x ? -0.25 : 0.1)) };
    return [
        svg(`line.arrow.${kind}`, { x1: across(0), y1: down(0), x2: across(x), y2: down(y) }),
        svg(`polygon.head.${kind}`, { points: head.map(([a, b]) => `${across(a)},${down(b)}`).join(" ") }),
        svg(`text.${kind}`, place, name),
    ];
}

// Where a pointer is, in the plane that is drawn at the moment: it is drawn anew while one drags.
function place(event) {
    const box = document.querySelector(".plane").getBoundingClientRect();
    return [
        ((event.clientX - box.left) / box.width - 0.5) * 2 * REACH,
        (0.5 - (event.clientY - box.top) / box.height) * 2 * REACH,
    ];
}

function drag(onmove) {
    return (event) => {
        event.preventDefault();
        const move = (later) => onmove(...place(later));
        const end = () => {
            window.removeEventListener("pointermove", move);
            window.removeEventListener("pointerup", end);
        };
        window.addEventListener("pointermove", move);
        window.addEventListener("pointerup", end);
        move(event);
    };
}

export function drawPlane(keys, query, onmove) {
    const edge = REACH - 0.1;
    return svg(
        "svg.plane",
        {
            viewBox: `0 0 ${SIZE} ${SIZE}`,
            role: "img",
            "aria-label": `The first query is (${query.map((x) => x.toFixed(2)).join(", ")}); keys are at ${keys.map((key) => `(${key.join(", ")})`).join(", ")}`,
            pointerdown: drag(onmove),
        },
        svg("line.grid", { x1: across(-edge), x2: across(edge), y1: down(0), y2: down(0) }),
        svg("line.grid", { x1: across(0), x2: across(0), y1: down(-edge), y2: down(edge) }),
        ...keys.flatMap((key) => arrow(key, "of-key", `key (${key.join(", ")})`, false)),
        ...arrow(query, "of-query", "query", true),
    );
}
