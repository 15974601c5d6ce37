// What the model has learned, over the whole file.
import { barChart, chartWidth, diagonalChart } from "./charts.js";
import { css } from "../common/colors.js";
import { button, el, fill, scrollNote } from "../common/dom.js";
import { drawHeatmap, matrixRows } from "./heatmap.js";
import { clamp, count, fixed, measureOf, percent, plural, upperFirst } from "./numbers.js";
import { figureOf } from "./picture.js";
import { NO_STEP, update } from "./state.js";
import { confusionName } from "./table.js";

// A model writes one output for a source.
export function possibleOf({ ambiguous_sources: sources, possible }) {
    return sources
        ? `at most ${percent(possible)} can be right: ${plural(sources, "source has", "sources have")} several targets`
        : "";
}

// Words of the lexicon are not the work of the model.
export function aloneOf(report) {
    const { of_lexicon: known, without_lexicon: alone } = report.statistics,
        { key, says, text, texts } = measureOf(report),
        value = texts ? `${says} ${text(alone[key])}` : `${text(alone[key])} ${says}`;
    return `${value} without the lexicon, which wrote ${plural(known, "output", "outputs")}`;
}

function figures(report) {
    const { statistics } = report,
        { key, says, text } = measureOf(report);
    const one = (value, name) => el("div.figure", el("dd", value), el("dt", name));
    const possible = possibleOf(statistics),
        alone = statistics.without_lexicon;
    return [
        el(
            "dl.figures.flow",
            one(count(statistics.pairs), "pairs"),
            one(text(statistics[key]), alone ? `${says}, with the lexicon` : says),
            key !== "symbol_error" &&
                one(percent(statistics.symbol_error), alone ? "symbols wrong, with the lexicon" : "symbols wrong"),
            alone && one(text(alone[key]), `${says}, the model alone`),
            alone && key !== "symbol_error" && one(percent(alone.symbol_error), "symbols wrong, the model alone"),
        ),
        statistics.exact === null &&
            el("p.aside", "No pair has an expected output, so nothing could be right or wrong."),
        alone &&
            el(
                "p.aside",
                `The lexicon wrote ${plural(statistics.of_lexicon, "output", "outputs")}, which no chart counts.`,
            ),
        possible !== "" &&
            el("p.aside", `${upperFirst(possible)}. With `, el("code", "--any-target"), ", any of them counts."),
    ];
}

function drawAlignment(report, place) {
    const { source, target, mean } = report.statistics.alignment,
        note = "The mean attention of a written symbol (row) to a read symbol (column), over the file.";
    const matrix = report.matrix(mean, target.length, source.length);
    const rowLabels = target.map((id) => report.label(id)),
        columnLabels = source.map((id) => report.label(id));
    const most = Math.max(0.01, ...matrix.values);
    const drawn = drawHeatmap({
        matrix,
        rowLabels,
        columnLabels,
        range: [0, most],
        room: Math.min(700, place.clientWidth),
        onpoint: (row, column) => drawn.highlight(row, column),
        onpin: () => NO_STEP,
    });
    return figureOf("alignment", "Source of each symbol", note, {
        ...drawn,
        label: `Mean attention of ${target.length} written symbols to ${source.length} read symbols. A table follows.`,
        rows: () => matrixRows(matrix, rowLabels, columnLabels, "written \\ read"),
        suffix: "all",
    });
}

// A bar as long as the share is large.
function track(share) {
    const filled = el("span.fill");
    filled.style.width = `${Math.round(100 * clamp(share, 0, 1))}%`;
    return el("span.track", { "aria-hidden": "true" }, filled);
}

function bar(value) {
    return el("td.number", fixed(value), value !== null && value !== undefined && track(value));
}

function headsTable(report) {
    const { heads, with_all_heads: whole } = report.statistics,
        { key, name, text } = measureOf(report),
        found = whole?.[key] ?? null,
        layered = report.about.layers > 1;
    const withLoss = found !== null && heads.some((head) => typeof head.without?.[key] === "number");
    const columns = [
        ...(layered ? ["layer"] : []),
        "head",
        "entropy",
        "monotonicity",
        "coverage",
        ...(withLoss ? [`${name} without it`, "lost"] : []),
    ];
    const lacks = heads.some((head) => head.entropy === null || (withLoss && !head.without));
    const row = (head) => {
        const without = head.without?.[key] ?? null,
            lost = key === "symbol_error" ? without - found : found - without;
        return el(
            "tr",
            layered && el("td.number", String(head.layer)),
            el(
                "th",
                { scope: "row" },
                button(`${head.head}`, {
                    class: "link",
                    title: "show this head in the pairs",
                    click: () => update({ view: "pairs", attention: "source", layer: head.layer, head: head.head }),
                }),
            ),
            bar(head.entropy),
            bar(head.monotonicity),
            bar(head.coverage),
            withLoss && [el("td.number", text(without)), el("td.number", without === null ? "–" : text(lost))],
        );
    };
    const box = el(
        "div.canvas.some",
        { tabindex: 0, role: "group", "aria-label": "heads" },
        el(
            "table.data",
            el("thead", el("tr", ...columns.map((name) => el("th", { scope: "col" }, name)))),
            el("tbody", ...heads.map(row)),
        ),
    );
    return el(
        "section.block",
        el("h3", "Heads"),
        el(
            "p.note",
            "Entropy: 0 is all attention on one symbol, 1 is the same on each. " +
                "Monotonicity: the share of steps that look no further back than the step before. " +
                "Coverage: the share of source symbols that are looked at most at some step." +
                (withLoss
                    ? (key === "exact"
                          ? ` Lost: how much fewer of the first ${count(whole.pairs)} pairs are right`
                          : ` Lost: how much worse the ${name} of the first ${count(whole.pairs)} pairs is`) +
                      " with this head switched off, by greedy decoding."
                    : "") +
                (lacks ? " –: no output of the model has this head, or it cannot be switched off." : ""),
        ),
        box,
        scrollNote(box).note,
    );
}

function confusionsTable(report) {
    const list = report.statistics.confusions,
        most = list[0].count,
        shown = list.slice(0, 24);
    const item = ({ expected, found, count: n }) => {
        const confusion = `${expected}.${found}`,
            click = () => update({ view: "pairs", confusion, show: "all", from: "", find: "" }),
            name = el("bdi", confusionName(report, expected, found)),
            number = el("span.number", String(n));
        return el("li", button(name, { class: "confusion", title: "show its pairs", click }, track(n / most), number));
    };
    return el(
        "section.block",
        el("h3", "Confusions"),
        el(
            "p.note",
            "Output instead of target, most frequent first" +
                (list.length > shown.length ? `: ${shown.length} of ${count(list.length)}` : "") +
                ". Each opens its pairs.",
        ),
        el("ol.confusions", ...shown.map(item)),
    );
}

function byLength(list, width) {
    const note = "The number on a bar is how many pairs have this length: a share of few says little.";
    return figureOf("by-length", "Errors by length", note, {
        picture: barChart({
            width,
            xName: "symbols in the source",
            yName: "share of wrong outputs",
            bars: list.map((one) => ({
                x: one.length,
                value: one.wrong / one.pairs,
                text: count(one.pairs),
                title: `length ${one.length}: ${one.wrong} of ${one.pairs} wrong`,
            })),
        }),
        label: "Share of wrong outputs by the length of the source. A table follows.",
        suffix: "all",
        rows: () => [["length", "pairs", "wrong"], ...list.map((one) => [one.length, one.pairs, one.wrong])],
    });
}

function calibration(list) {
    const note =
        "On the line, 80 % of the pairs with a confidence of 0.8 are right. Below it, the model is overconfident. " +
        "Larger dots stand for more pairs.";
    return figureOf("calibration", "Calibration of the confidence", note, {
        picture: diagonalChart({
            xName: "confidence",
            yName: "share that is right",
            dots: list.map((one) => ({
                x: one.confidence,
                y: one.exact,
                weight: one.pairs,
                title: `${one.pairs} pairs: confidence ${fixed(one.confidence)}, right ${fixed(one.exact)}`,
            })),
        }),
        label: "Share of right outputs by confidence, with the diagonal where both are equal. A table follows.",
        suffix: "all",
        rows: () => [
            ["pairs", "confidence", "exact"],
            ...list.map((one) => [one.pairs, fixed(one.confidence, 3), fixed(one.exact, 3)]),
        ],
    });
}

export function makeLearned(report) {
    const node = el("section.learned.stacked", { "aria-label": "what the model has learned" });
    const render = () => {
        const s = report.statistics;
        const blocks = el("div.blocks.flow"),
            { source, target, mean } = s?.alignment ?? {};
        node.style.setProperty("--bar", css(0.62));
        fill(
            node,
            el("h2", "What the model has learned"),
            s ? [...figures(report), blocks] : el("p.note", "This report has no statistics."),
        );
        if (!s) return;
        if (mean >= 0 && source.length > 0 && target.length > 0 && report.blob)
            blocks.append(drawAlignment(report, blocks));
        blocks.append(
            el(
                "div.stack.stacked",
                s.heads?.length > 0 && headsTable(report),
                s.confusions?.length > 0 && confusionsTable(report),
            ),
        );
        if (measureOf(report).texts) return; // what follows is of outputs that are right
        if (s.by_length?.length > 0 && s.by_length.some((one) => one.pairs > 0) && s.exact !== null)
            blocks.append(byLength(s.by_length, chartWidth(node)));
        if (s.calibration?.length > 0) blocks.append(calibration(s.calibration));
    };
    return { node, render };
}
