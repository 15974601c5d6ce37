// Does it look where it says? Attention beside what the output loses without each symbol of the source.
import { chartWidth, intervalChart } from "./charts.js";
import { el } from "../common/dom.js";
import { count, fixed } from "./numbers.js";
import { figureOf } from "./picture.js";

// How two maps can agree: field of the rows, title, axis and its range, note.
const AGREEMENTS = [
    [
        "tau",
        "Kendall’s tau",
        "tau",
        [-1, 1],
        "1: they put the symbols in the same order; 0: no relation; −1: the reverse.",
    ],
    [
        "first",
        "Same first symbol",
        "share of steps",
        [0, 1],
        "The share of steps that look most at what they need most.",
    ],
];

// The first row is what a reader sees, the mean of the heads; the last two are controls.
function drawAgreement(rows, width, [field, title, xName, x, note]) {
    const known = rows.filter((row) => Number.isFinite(row[field][0])),
        digits = (row) => row[field].map((value) => fixed(value, 3));
    return figureOf(`agreement-${field}`, title, note, {
        picture: intervalChart({
            width,
            x,
            xName,
            rows: known.map((row) => ({
                name: row.name,
                values: row[field],
                style: rows.indexOf(row) >= rows.length - 2 ? 1 : 0,
                title: `${row.name}: ${digits(row).join(", ")}`,
            })),
        }),
        label: `${title} of attention and erasure, with 95 % intervals. A table follows.`,
        suffix: "all",
        rows: () => [["weights", title, "low", "high"], ...known.map((row) => [row.name, ...digits(row)])],
    });
}

// Whether one mean is above another: their intervals do not meet.
function isAbove([, low], [, , high]) {
    return low > high;
}

// The charts in words: is 0.39 beside 0.38 good? Where another pair has the same, the step alone says where to look.
function inWords(rows) {
    const [mean, ...others] = rows,
        other = rows.find((row) => row.name === "another pair"),
        heads = others.filter((row) => row !== other && row.name !== "uniform");
    if (!Number.isFinite(other?.first[1]) || !Number.isFinite(mean.first[1]))
        return "There are too few pairs of one length to compare the weights with those of another pair.";
    const beside = `${fixed(mean.first[0])} of the steps, beside ${fixed(other.first[0])} for another pair`,
        above = heads.filter((row) => isAbove(row.first, other.first)).map((row) => row.name);
    const verdict = isAbove(mean.first, other.first)
        ? "That is clearly more: the weights tell something about each output."
        : isAbove(other.first, mean.first)
          ? "That is clearly less: the weights tell nothing about an output."
          : "That is no difference: the weights tell where such outputs usually look, and nothing about this one.";
    const ofHeads = above.length > 0 ? ` Clearly above are ${above.join("; ")}.` : " No head is clearly above.";
    return `The mean of the heads has the same first symbol in ${beside}. ${verdict}${heads.length > 0 ? ofHeads : ""}`;
}

export function makeWhy(report) {
    const node = el("section.why.stacked", { "aria-label": "does it look where it says?" });
    const render = () => {
        const why = report.statistics?.why,
            say = (...text) => el("p.note", ...text);
        node.replaceChildren(el("h2", "Does it look where it says?"));
        if (!why) {
            node.append(
                say(
                    "This report does not tell: it needs a model with attention, --why of at least 1, and an output of " +
                        "the model for a source of several symbols.",
                ),
            );
            return;
        }
        node.append(
            say(
                "Attention says where a step looks. Erasure says what it needs: the log-probability that it loses if a " +
                    `symbol of the source is erased. Here are both compared over ${count(why.pairs)} pairs, with 95 % ` +
                    "intervals, beside equal weights and the weights that the model has for another pair of that length.",
            ),
            say(el("b", "In words. "), inWords(why.rows)),
            say(
                el("b", "How to read it. "),
                "Where a head is not clearly above another pair, its weights tell where such outputs usually look, not " +
                    "what this one depends on. Erasure is only a measure, too: it finds no loss where another symbol " +
                    "says the same. The terms are those of docs/why.md.",
            ),
            el("div.blocks.flow", ...AGREEMENTS.map((one) => drawAgreement(why.rows, chartWidth(node), one))),
        );
    };
    return { node, render };
}
