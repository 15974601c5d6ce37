// The hypotheses of the beam as a tree: what they share is drawn once.
import { css, inkOn } from "../common/colors.js";
import { cut, FONT, svg, textWidth } from "../common/dom.js";
import { fixed } from "./numbers.js";

const END_OF_OUTPUT = -2;

// A node for each prefix. `first` is the best hypothesis in it, and gives its row.
export function prefixTree(outputs) {
    const root = { id: null, depth: -1, first: 0, children: [], members: outputs.map((_, i) => i), probability: 1 };
    outputs.forEach((output, rank) => {
        let node = root;
        const path = [...output.symbols, ...(output.finished ? [END_OF_OUTPUT] : [])];
        path.forEach((id, depth) => {
            let next = node.children.find((child) => child.id === id);
            if (!next) {
                next = { id, depth, first: rank, children: [], members: [], probability: output.steps[depth] ?? null };
                node.children.push(next);
            }
            next.members.push(rank);
            node = next;
        });
        node.leaf = rank;
    });
    return root;
}

function sharedLength(outputs) {
    const [first, ...others] = outputs;
    let length = 0;
    while (length < first.symbols.length && others.every((output) => output.symbols[length] === first.symbols[length]))
        length++;
    return length;
}

export function beamRows(report, outputs) {
    return [
        ["rank", "output", "probability", "score", "finished"],
        ...outputs.map((output, i) => [
            i + 1,
            report.outputText(output),
            fixed(output.probability, 4),
            fixed(output.score, 4),
            output.finished ? "yes" : "no",
        ]),
    ];
}

export function drawBeam(report, pair, selected, onselect) {
    const outputs = pair.outputs,
        tree = prefixTree(outputs),
        font = 13.5,
        high = 30,
        top = 14;
    // What all share is of interest only where they part.
    const shared = sharedLength(outputs),
        skipped = shared > 8 ? shared - 3 : 0;
    const text = (node) => (node.id === END_OF_OUTPUT ? "∎" : cut(report.label(node.id).text, 12));
    const depths = Math.max(1, ...outputs.map((o) => o.symbols.length + (o.finished ? 1 : 0)));
    const widths = new Array(depths).fill(24);
    const each = (node, work) => node.children.forEach((child) => (work(child, node), each(child, work)));
    each(tree, (node) => {
        widths[node.depth] = Math.max(widths[node.depth], Math.ceil(textWidth(text(node), `${font}px ${FONT}`)) + 12);
    });
    const starts = [30];
    widths.forEach((w, i) => starts.push(i < skipped ? starts[i] : starts[i] + w + 12));
    const leafText = (output, rank) =>
        `${rank + 1}.  probability ${fixed(output.probability)}, score ${fixed(output.score)}` +
        (output.finished ? "" : ", cut") +
        (output.lexicon ? ", from the lexicon" : "");
    const room = Math.max(...outputs.map((output, rank) => textWidth(leafText(output, rank), `600 11px ${FONT}`)));
    const width = starts[depths] + Math.ceil(room) + 20,
        height = top + outputs.length * high + 6;
    const root = svg("svg.beam", { viewBox: `0 0 ${width} ${height}`, width, height });
    const row = (node) => top + node.first * high + high / 2;
    const edges = svg("g", { fill: "none" }),
        nodes = svg("g");
    root.append(edges, nodes);
    const right = (node) => (node.depth < skipped ? 16 : starts[node.depth] + widths[node.depth]);
    nodes.append(svg("circle.root", { cx: 12, cy: row(tree), r: 4 }));
    if (skipped > 0) {
        nodes.append(
            svg(
                "text.middle",
                { x: 12, y: row(tree) - 9, "font-size": 12 },
                svg(
                    "title",
                    outputs[0].symbols
                        .slice(0, skipped)
                        .map((id) => report.label(id).text)
                        .join(" "),
                ),
                "…",
            ),
        );
    }
    each(tree, (node, parent) => {
        if (node.depth < skipped) return;
        const x = starts[node.depth],
            width = widths[node.depth],
            y = row(node),
            from = right(parent),
            y0 = row(parent),
            bend = from + 10;
        const on = node.members.includes(selected) && "on";
        edges.append(
            svg("path.edge", {
                class: on,
                d: y0 === y ? `M${from} ${y}H${x}` : `M${from} ${y0}C${bend} ${y0} ${from} ${y} ${x} ${y}`,
            }),
        );
        const p = node.probability;
        nodes.append(
            svg(
                "g.node",
                { class: on, click: () => onselect(node.first) },
                svg(
                    "title",
                    `${node.id === END_OF_OUTPUT ? "end of the output" : report.label(node.id).title}: ${fixed(p, 3)}`,
                ),
                svg("rect", { x, y: y - 11, width, height: 22, rx: 4, fill: p === null ? "none" : css(p) }),
                svg(
                    "text.middle",
                    { x: x + width / 2, y: y + 4.8, "font-size": font, ink: p === null ? null : inkOn(p) },
                    text(node),
                ),
            ),
        );
    });
    outputs.forEach((output, rank) => {
        const end = output.symbols.length + (output.finished ? 1 : 0),
            x = end > 0 ? starts[end - 1] + widths[end - 1] + 12 : 30;
        root.append(
            svg(
                rank === selected ? "text.leaf.on" : "text.leaf",
                { x, y: top + rank * high + high / 2 + 4, "font-size": 11, click: () => onselect(rank) },
                leafText(output, rank),
            ),
        );
    });
    return { picture: root };
}
