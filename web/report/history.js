// The training: its curves, and a film of its attention.
import { chartWidth, lineChart } from "./charts.js";
import { el } from "../common/dom.js";
import { makeFilm } from "./film.js";
import { fixed, measureOf } from "./numbers.js";
import { figureOf } from "./picture.js";

// What makes training steps harder than evaluations; "" for nothing.
function whatRaisesLoss(report) {
    const options = report.about.training?.options ?? {};
    const found = [
        ["dropout", "Dropout"],
        ["label-smoothing", "Label smoothing"],
    ].filter(([name]) => options[name] > 0);
    if (found.length === 0) return "";
    const names = found.map(([, text], i) => (i === 0 ? text : text.toLowerCase())).join(" and ");
    return `${names} ${found.length === 1 ? "raises" : "raise"} the loss in training, and not at evaluations.`;
}

// A measure from 0 to 100 among shares; null and undefined stay what they are.
const hundredth = (value) => (typeof value === "number" ? value / 100 : value);

// With `most`, the axis goes that far, or as far as the curves.
function curves({ points, kept }, wanted, { name, title, most, yName, note, width }) {
    const series = wanted
        .map(([field, label, of = (p) => p[field]]) => ({ name: label, points: points.map((p) => [p.step, of(p)]) }))
        .filter((one) => one.points.some(([, v]) => v !== null && v !== undefined));
    if (series.length === 0) return null;
    return figureOf(name, title, note, {
        picture: lineChart({
            series,
            xName: "step",
            yName,
            y: most && [0, Math.max(most, ...series.flatMap((one) => one.points.map(([, v]) => v ?? 0)))],
            width,
            mark: kept === null || kept === undefined ? null : { x: kept, text: "kept" },
        }),
        label: `${title} over the steps of the training. A table follows.`,
        suffix: "training",
        rows: () => [
            ["step", ...series.map((one) => one.name)],
            ...points.map((p, i) => [p.step, ...series.map((one) => fixed(one.points[i][1], 4))]),
        ],
    });
}

export function makeHistory(report) {
    const node = el("section.history.stacked", { "aria-label": "how it was trained" });
    const film = report.film.length > 0 ? makeFilm(report) : null;
    const render = () => {
        const { history } = report;
        node.replaceChildren(el("h2", "How it was trained"));
        if (!history && !film) {
            node.append(el("p.note", "The folder of this model has no record of its training."));
            return;
        }
        if (history?.points.length > 0) {
            const width = chartWidth(node),
                note = whatRaisesLoss(report),
                tests = Object.keys(history.points[0].tests ?? {});
            const { texts, name } = measureOf(report),
                byLoss = report.about.choose === "loss",
                testCurves = tests.map((test) => [
                    test,
                    `${texts ? "symbol error" : byLoss ? "loss" : name === "exact" ? "exact match" : name}, ${test}`,
                    (p) => p.tests?.[test],
                ]);
            const heldOut = report.about.training?.options?.["hold-out"] !== false;
            const losses = [
                ["loss", "training"],
                ["dev_loss", heldOut ? "dev" : "evaluation"],
                ...(byLoss ? testCurves : []),
            ];
            const measures = [
                ...(texts ? [] : [["exact_match", "exact match"]]),
                ["symbol_error", "symbol error"],
                ["bleu_13a", "BLEU / 100", (p) => hundredth(p.bleu_13a)],
                ["chrf2", "chrF2 / 100", (p) => hundredth(p.chrf2)],
                ...(byLoss ? [] : testCurves),
            ];
            const title =
                (heldOut ? "Measures on the dev set" : "Measures on training pairs") +
                (tests.length > 0 && !byLoss ? " and on tests" : "");
            node.append(
                el(
                    "div.blocks.flow",
                    curves(history, losses, { name: "loss", title: "Loss", yName: "loss", note, width }),
                    curves(history, measures, { name: "measures", title, yName: "share", most: 1, width }),
                ),
            );
        }
        if (film && report.blob) {
            node.append(film.node);
            film.render();
        } else if (!film) {
            node.append(el("p.note", "The training kept no snapshots, so there is no film of its attention."));
        }
    };
    return { node, render, play: film?.play, move: film?.move };
}
