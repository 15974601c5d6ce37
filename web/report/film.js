// A film: the attention to one source, frame by frame over the training.
import { rangeOf } from "../common/colors.js";
import { choice, el, fill } from "../common/dom.js";
import { drawHeatmap, matrixRows } from "./heatmap.js";
import { clamp, count, fixed } from "./numbers.js";
import { makePicture } from "./picture.js";
import { textLine } from "./pair.js";
import { makePlayer } from "./player.js";
import { listen, state, update } from "./state.js";

export function makeFilm(report) {
    const { target_separator: t, source_separator: s } = report.about;
    const picture = makePicture(
        "film",
        "The attention over the training",
        "The same source at each snapshot, mean over the heads of the last layer.",
    );
    const shownFilm = () => report.film[clamp(state.film, 0, report.film.length - 1)];
    const last = () => shownFilm().frames.length - 1;
    // Without a frame in the address it is the last one.
    const at = () => (state.frame < 0 ? last() : Math.min(state.frame, last()));
    const go = (frame) => update({ frame });
    const player = makePlayer({ name: "snapshot", title: "Play the film (p)", pause: 420, at, last, go });
    const controls = el("div.controls"),
        texts = el("dl.texts.film-texts");
    picture.node.querySelector("figcaption").after(controls, el("div.writing.flow", player.nodes), texts);
    // Of the evaluation, where the training compared texts.
    const measured = (step) => {
        const point = report.history?.points.find((one) => one.step === step);
        return typeof point?.chrf2 === "number"
            ? `, BLEU ${fixed(point.bleu_13a, 2)}, chrF2 ${fixed(point.chrf2, 2)}`
            : "";
    };
    const weightsOf = (film, frame) => {
        const rows = report.stepLabels(frame).length;
        return rows > 0 && film.source.length > 0 && frame.weights >= 0
            ? report.matrix(frame.weights, rows, film.source.length)
            : null;
    };
    const draw = () => {
        const film = shownFilm(),
            frame = film.frames[at()];
        if (!frame) return;
        player.show(`training step ${count(frame.step)}${measured(frame.step)}`, `training step ${frame.step}`);
        const found = report.text(frame.symbols, t),
            expected = film.expected ? report.text(film.expected, t) : null;
        const badge = found === expected ? el("span.badge.right", "✓ right") : el("span.badge.wrong", "✗ wrong");
        fill(
            texts,
            textLine("source", report.text(film.source, s)),
            textLine("found", found, expected !== null && badge),
            expected !== null && textLine("expected", expected),
        );
        const rowLabels = report.stepLabels(frame),
            columnLabels = film.source.map((id) => report.label(id));
        const matrix = weightsOf(film, frame);
        if (!matrix) return;
        const drawn = drawHeatmap({
            matrix,
            rowLabels,
            columnLabels,
            range: rangeOf({ values: film.frames.flatMap((one) => [...(weightsOf(film, one)?.values ?? [])]) }, "auto"),
            room: Math.max(300, picture.node.clientWidth),
            onpoint: (row, column) => drawn.highlight(row, column),
            onpin: () => undefined,
        });
        picture.show({
            ...drawn,
            label: `Attention at training step ${frame.step}. A table follows.`,
            suffix: `step-${frame.step}`,
            rows: () => matrixRows(matrix, rowLabels, columnLabels, "output \\ source"),
        });
    };
    const render = () => {
        fill(
            controls,
            report.film.length > 1 &&
                choice(
                    "Source",
                    report.film.map((film, i) => [i, report.text(film.source, s)]),
                    state.film,
                    (value) => update({ film: Number(value) }),
                ),
        );
        draw();
    };
    listen(["film", "frame"], () => state.view === "history" && draw());
    return {
        node: picture.node,
        render,
        play: player.play,
        move: (by) => go(clamp(at() + by, 0, last())),
    };
}
