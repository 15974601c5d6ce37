// A film: the attention to one source, frame by frame over the training.
import { rangeOf } from "../common/colors.js";
import { button, choice, el, fill } from "../common/dom.js";
import { drawHeatmap, matrixRows } from "./heatmap.js";
import { clamp, count, fixed } from "./numbers.js";
import { makePicture } from "./picture.js";
import { listen, state, untilClosed, update } from "./state.js";

const FRAME_TIME = 420;

export function makeFilm(report) {
    const { target_separator: t, source_separator: s } = report.about;
    const picture = makePicture(
        "film",
        "The attention over the training",
        "The same source at each snapshot, mean over the heads of the last layer.",
    );
    const controls = el("div.controls"),
        slider = el("input", { type: "range", min: 0, step: 1, "aria-label": "snapshot" });
    const toggle = button("▶ Play", { class: "play", title: "Play the film (p)" }),
        says = el("output.says");
    const texts = el("dl.texts.film-texts");
    picture.node.querySelector("figcaption").after(controls, el("div.writing", toggle, slider, says), texts);
    // Of the evaluation, where the training compared texts.
    const measured = (step) => {
        const point = report.history?.points.find((one) => one.step === step);
        return typeof point?.chrf2 === "number"
            ? `, BLEU ${fixed(point.bleu_13a, 2)}, chrF2 ${fixed(point.chrf2, 2)}`
            : "";
    };
    let timer = 0;

    const stop = () => {
        clearInterval(timer);
        timer = 0;
        toggle.replaceChildren("▶ Play");
    };
    const shownFilm = () => report.film[clamp(state.film, 0, report.film.length - 1)];
    // Without a frame in the address it is the last one.
    const at = () => {
        const last = shownFilm().frames.length - 1;
        return state.frame < 0 ? last : Math.min(state.frame, last);
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
        slider.max = film.frames.length - 1;
        slider.value = at();
        slider.setAttribute("aria-valuetext", `training step ${frame.step}`);
        says.textContent = `training step ${count(frame.step)}${measured(frame.step)}`;
        const found = report.text(frame.symbols, t),
            expected = film.expected ? report.text(film.expected, t) : null;
        texts.replaceChildren(
            el("dt", "source"),
            el("dd", el("bdi", { dir: "auto" }, report.text(film.source, s))),
            el("dt", "found"),
            el(
                "dd",
                el("bdi", { dir: "auto" }, found),
                expected === null
                    ? null
                    : el(
                          `span.badge.${found === expected ? "right" : "wrong"}`,
                          found === expected ? "✓ right" : "✗ wrong",
                      ),
            ),
            ...(expected === null ? [] : [el("dt", "expected"), el("dd", el("bdi", { dir: "auto" }, expected))]),
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
    const play = () => {
        if (timer) {
            stop();
            return;
        }
        const last = shownFilm().frames.length - 1;
        toggle.replaceChildren("❚❚ Pause");
        update({ frame: at() >= last ? 0 : at() });
        timer = setInterval(() => {
            if (at() + 1 >= last) stop();
            update({ frame: Math.min(last, at() + 1) });
        }, FRAME_TIME);
    };
    toggle.addEventListener("click", play);
    untilClosed().addEventListener("abort", stop);
    slider.addEventListener("input", () => {
        stop();
        update({ frame: Number(slider.value) });
    });
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
        play,
        move: (by) => update({ frame: clamp(at() + by, 0, shownFilm().frames.length - 1) }),
    };
}
