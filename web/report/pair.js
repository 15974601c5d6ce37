// One pair: its texts, its attention in linked pictures, and where a mistake began.
import { drawAligned, whereItBegan } from "./aligned.js";
import { beamRows, drawBeam } from "./beam.js";
import { rangeOf } from "../common/colors.js";
import { bdi, button, el, fill } from "../common/dom.js";
import { drawChoices } from "./choices.js";
import { drawHeatmap, matrixRows, pixels } from "./heatmap.js";
import { drawLikeliest, likeliestRows } from "./likeliest.js";
import { count, fixed, plural, SCORE, upperFirst } from "./numbers.js";
import { makePicture } from "./picture.js";
import { ALL_HEADS, MEASURES } from "./report.js";
import { drawRibbons } from "./ribbons.js";
import { listen, listenPointer, litStep, NO_STEP, pin, point, pointer, state, update } from "./state.js";
import { readsLeft, UNKNOWN, UNKNOWN_TITLE } from "./symbols.js";
import { drawThumbnails, headName } from "./thumbnails.js";
import { drawVotes } from "./votes.js";
import { drawWithout } from "./without.js";
import { makeWriting } from "./writing.js";

// Why there are no ribbons.
const EVEN = {
    one: "The weights are too small to be seen: choose the data range.",
    auto: "All weights are equal.",
};

function verdict(pair) {
    if (pair.error !== null && pair.error !== undefined) return el("span.badge.wrong", "unreadable");
    if (pair.edits === null || pair.edits === undefined) return null;
    return pair.edits === 0
        ? el("span.badge.right", "✓ right")
        : el("span.badge.wrong", `✗ ${plural(pair.edits, "edit", "edits")}`);
}

// The symbols that the model took from the source because it does not know them: ", copied X and Y".
function saysCopied(report, output) {
    const copied = (output.copied ?? []).flatMap((from, step) =>
        from < 0 ? [] : [report.label(output.symbols[step]).text],
    );
    return copied.length === 0 ? "" : `, copied ${copied.join(" and ")}`;
}

function saysKnown(output) {
    return output.lexicon ? ", from the lexicon" : "";
}

// Why there is a dash in place of a number.
function saysNull(output) {
    return output.why_null && output.score === null ? `: ${output.why_null}` : "";
}

// The warnings of `predict`.
function warningsOf(report, pair, output) {
    if (!output || output.lexicon) return [];
    const { about } = report,
        [symbols, texts] = about.sorts ? ["number", "list"] : ["symbol", "text"],
        many = (n) => plural(n, symbols, `${symbols}s`),
        { length } = pair.source,
        [most, limit] =
            length < about.shortest_source ? ["shortest", about.shortest_source] : ["longest", about.longest_source],
        unknown = [...new Set(pair.unknown)].map((id) => `“${report.label(id).text}”`);
    return [
        (most === "shortest" || (limit > 0 && length > limit)) &&
            `It has ${many(length)}; the ${most} ${texts} in training had ${count(limit)}. Expect mistakes.`,
        unknown.length > 0 && `The model does not know ${unknown.join(", ")}.`,
        pair.unlike && "It is unlike the texts of the training. Expect mistakes.",
        !output.finished && `The output has no end: it is cut off after ${many(output.symbols.length)}.`,
    ].filter(Boolean);
}

// A line of a list of texts.
export function textLine(name, text, more) {
    return [el("dt", name), el("dd", bdi(text), more)];
}

function textsOfPair(report, pair, output) {
    const { source_separator: s, target_separator: t } = report.about;
    const says = output
        ? `probability ${fixed(output.probability)}, score ${fixed(output.score)}${saysCopied(report, output)}${saysKnown(output)}${saysNull(output)}`
        : "";
    return el(
        "dl.texts",
        textLine("source", report.text(pair.source, s)),
        output && textLine("found", report.outputText(output), el("span.aside", { title: SCORE }, says)),
        pair.expected && textLine("expected", report.text(pair.expected, t)),
        ...(pair.also ?? []).flatMap(({ symbols }) => textLine("also right", report.text(symbols, t))),
    );
}

function whatIsMissing(report, pair, output, kinds) {
    const says = [],
        has = (name) => kinds.some((kind) => kind.name === name);
    if (kinds.some((kind) => kind.mean))
        says.push(
            "To stay small, this report has the mean over the heads for this pair. With --all-heads, it has each head.",
        );
    if (output.lexicon && output.why_null) says.push(`It has no attention, erasure and gradient: ${output.why_null}.`);
    else if (!has("source"))
        says.push(
            report.about.layers > 0 && state.pair >= report.detailed
                ? `Only the first ${report.detailed} pairs have their attention in this report.`
                : "This model has no attention to show.",
        );
    if (pair.why && output === pair.outputs[0] && !has("gradient"))
        says.push(
            "To stay small, this report has no erasure and gradient for this pair. With --all-heads, it has them.",
        );
    else if (report.measured && !has("gradient") && !output.why_null)
        says.push("Only the best outputs of the first pairs have erasure and gradient: --why says how many.");
    else if (has("gradient") && !has("erasure") && output.why_null) says.push(`${upperFirst(output.why_null)}.`);
    return says.join(" ");
}

export function makePairView(report, neighbours) {
    let parts = [],
        attention = null;
    const head = el("header.pair-head.flow"),
        texts = el("div.texts-holder"),
        votes = el("div.votes-holder"),
        began = el("p.began");
    const aligned = el("div.aligned-holder"),
        controls = el("div.controls");
    const heads = el("div.heads", { role: "group", "aria-label": "heads" });
    const without = el("p.without", { role: "status" });
    const ribbons = makePicture("ribbons", "Attention");
    const heatmap = makePicture("heatmap", "Attention as a matrix");
    const likeliest = makePicture("likeliest", "The most likely symbols at each step", "A frame marks the output.");
    const beam = makePicture(
        "beam",
        "The beam as a tree",
        "Common beginnings are drawn once. Colours are the probabilities of the symbols.",
    );
    const hypotheses = el("div.hypotheses", { role: "group", "aria-label": "hypotheses" });
    beam.node.append(hypotheses);
    const live = el("p.unseen", { "aria-live": "polite" }),
        missing = el("p.note.missing");
    const writing = makeWriting((count) => parts.forEach((part) => part.limit?.(count)));
    const node = el(
        "section.pair.stacked",
        { "aria-label": "the pair" },
        head,
        el("div.verdict.flow", texts, aligned),
        votes,
        began,
        el("div.bench.flow", controls, writing.node),
        missing,
        heads,
        without,
        el("div.pictures.flow", ribbons.node, heatmap.node, likeliest.node, beam.node),
        live,
    );

    const room = () => Math.max(300, node.clientWidth - 2);
    const light = () => {
        const step = litStep(),
            source = pointer.source;
        for (const part of parts) part.highlight?.(step, source);
    };
    const announce = () => {
        const { step } = state;
        if (step < 0 || !attention || step >= attention.below.length || !report.blob) return;
        const { layer, head: h } = chosen(attention),
            matrix = report.weights(attention, layer, h);
        const row = [...matrix.values.slice(step * matrix.columns, (step + 1) * matrix.columns)];
        const best = row.indexOf(Math.max(...row));
        live.textContent =
            `Step ${step + 1}, ${attention.below[step].text}: most on ${attention.above[best].text}, ` +
            `position ${best + 1}, ${fixed(row[best])}`;
    };

    const chosen = (kind) => {
        const layer = state.layer >= 0 && state.layer < kind.layers ? state.layer : kind.layers - 1;
        return { layer, head: kind.heads === 1 ? 0 : state.head < kind.heads ? state.head : ALL_HEADS };
    };

    const drawAttention = (suffix, kinds, agreement) => {
        const { layer, head: h } = chosen(attention),
            matrix = report.weights(attention, layer, h);
        const range = rangeOf(matrix, state.range),
            { above, below } = attention,
            measures = attention.name in MEASURES,
            called = measures ? upperFirst(attention.name) : "Attention";
        const name =
            !measures && (attention.heads * attention.layers > 1 || attention.mean)
                ? `, ${headName(attention, layer, h)}`
                : "";
        const rows = () => matrixRows(matrix, below, above, `${attention.belowName} \\ ${attention.aboveName}`);
        const label = `${called}, ${attention.title}${name}: ${matrix.rows} by ${matrix.columns} numbers. A table follows.`;
        const file = measures ? `${suffix}-${attention.name}` : suffix;
        const band = drawRibbons({ matrix, above, below, range, room: room(), onpoint: point, onpin: pin });
        ribbons.show({
            ...band,
            label,
            rows,
            suffix: file,
            called,
            under:
                `Read above, written below: ${attention.title}${name}.` +
                (band.even ? ` ${EVEN[state.range] ?? EVEN.auto}` : ""),
        });
        const beside = room() - band.picture.viewBox.baseVal.width - 40;
        const map = drawHeatmap({
            matrix,
            rowLabels: below,
            columnLabels: above,
            range,
            room: beside > 420 ? beside : room(),
            onpoint: point,
            onpin: pin,
        });
        heatmap.show({
            ...map,
            label,
            rows,
            suffix: file,
            called: `${called} as a matrix`,
            under: [
                measures && "Dashed, or with −: less than 0.",
                attention.name === "erasure" &&
                    agreement !== null &&
                    `Kendall’s tau with the attention: ${fixed(agreement)}.`,
            ]
                .filter(Boolean)
                .join(" "),
        });
        // Beside a measure, the heads stay where they were.
        const looks = measures ? kinds[0] : attention;
        fill(
            heads,
            looks.layers * looks.heads > 1 &&
                drawThumbnails(report, looks, measures ? -1 : layer, h, state.range, (l, i) =>
                    update({ attention: looks.name, head: i, ...(looks.layers > 1 ? { layer: l } : {}) }),
                ),
        );
        // Only what is written can be unwritten.
        const ofOutput = attention.belowName === "output";
        parts.push(...[band, map].map((part) => (ofOutput ? part : { highlight: part.highlight })));
    };

    const drawHypotheses = (pair) => {
        hypotheses.replaceChildren(
            ...pair.outputs.map((output, i) => {
                const canvas = el("canvas", { "aria-hidden": "true" });
                if (report.hasWeights(output) && report.blob && pair.source.length > 0 && output.steps.length > 0) {
                    const [kind] = report.attentions(pair, i),
                        matrix = report.weights(kind, kind.layers - 1, kind.heads === 1 ? 0 : ALL_HEADS);
                    pixels(matrix, rangeOf(matrix, state.range), canvas, readsLeft(kind.above));
                }
                return button(
                    "",
                    {
                        class: "hypothesis",
                        "aria-pressed": String(i === state.output),
                        click: () => update({ output: i, step: NO_STEP }),
                    },
                    canvas,
                    el("span.rank", `${i + 1}.`),
                    bdi(report.outputText(output) || "∅"),
                    el("span.aside", fixed(output.probability)),
                );
            }),
        );
    };

    const render = () => {
        const pair = report.pairs[state.pair];
        parts = [];
        if (!pair) {
            head.replaceChildren(
                el(
                    "h2",
                    report.pairs.length === 0 ? "This report has no pairs." : `There is no pair ${state.pair + 1}.`,
                ),
            );
            for (const part of [ribbons, heatmap, likeliest, beam]) part.node.hidden = true;
            for (const part of [texts, votes, began, aligned, controls, heads, without]) part.replaceChildren();
            writing.node.hidden = true;
            return;
        }
        const which = Math.min(state.output, pair.outputs.length - 1),
            output = pair.outputs[which],
            suffix = `pair-${state.pair + 1}`;
        const kinds = report.attentions(pair, which).filter((kind) => kind.above.length > 0 && kind.below.length > 0);
        attention = kinds.find((kind) => kind.name === state.attention) ?? kinds[0] ?? null;
        const ready = report.blob !== null;
        const move = (by, text, title) => button(text, { title, "aria-label": title, click: () => neighbours(by) });
        head.replaceChildren(
            el("h2", `Pair ${state.pair + 1}`),
            verdict(pair) ?? "",
            el(
                "span.moves",
                move(-1, "‹", "previous pair of the table (k)"),
                move(1, "›", "next pair of the table (j)"),
            ),
        );
        texts.replaceChildren(textsOfPair(report, pair, output));
        if (texts.textContent.includes(UNKNOWN)) texts.append(el("p.note", UNKNOWN_TITLE));
        for (const warning of warningsOf(report, pair, output)) texts.append(el("p.problem", warning));
        if (pair.error) texts.append(el("p.problem", pair.error));
        fill(votes, pair.votes && drawVotes(report, pair));
        const start = whereItBegan(report, pair, which);
        fill(
            began,
            start && [
                ...start.sentence,
                " ",
                button("Show", { class: "link", click: () => update({ step: start.step }) }),
            ],
        );
        fill(aligned, output && pair.expected && pair.edits > 0 && drawAligned(report, pair, which));
        missing.textContent = output ? whatIsMissing(report, pair, output, kinds) : "";

        ribbons.node.hidden = heatmap.node.hidden = attention === null;
        // A choice that is made keeps the focus.
        const had = [...controls.querySelectorAll("select, button")].indexOf(document.activeElement);
        controls.replaceChildren(...drawChoices(report, pair, kinds, attention, chosen));
        controls.querySelectorAll("select, button")[had]?.focus();
        heads.replaceChildren();
        fill(without, attention && drawWithout(report, output, attention, chosen(attention)));
        if (attention && ready) drawAttention(suffix, kinds, pair.why?.tau ?? null);

        likeliest.node.hidden = !(pair.likeliest && which === 0 && output);
        if (!likeliest.node.hidden) {
            const drawn = drawLikeliest(report, pair, room(), point, pin);
            likeliest.show({
                ...drawn,
                suffix,
                rows: () => likeliestRows(report, pair),
                label: "The most likely symbols at each step, with their probabilities. A table follows.",
            });
            const ofOutput = !attention || attention.belowName === "output";
            parts.push({ ...drawn, highlight: (step) => drawn.highlight(ofOutput ? step : NO_STEP) });
        }
        beam.node.hidden = pair.outputs.length < 2;
        if (!beam.node.hidden) {
            beam.show({
                ...drawBeam(report, pair, which, (rank) => update({ output: rank, step: NO_STEP })),
                suffix,
                rows: () => beamRows(report, pair.outputs),
                label: `The ${pair.outputs.length} hypotheses of the beam as a tree of their prefixes. A table follows.`,
            });
            drawHypotheses(pair);
        }
        writing.node.hidden = parts.length === 0;
        writing.reset(output ? output.steps.length : 0);
        light();
    };

    listen(["pair", "output", "attention", "layer", "head", "range"], () => state.view === "pairs" && render());
    listen(["step"], () => {
        if (writing.hidesStep()) writing.all();
        light();
        announce();
    });
    listenPointer(light);
    return {
        node,
        render,
        play: () => !writing.node.hidden && writing.play(),
        showAll: writing.all,
        steps: () => attention?.below.length ?? 0,
    };
}
