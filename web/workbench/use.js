// The third part: what the model in use writes for a text, as one types, and for a list of texts.
import { bdi, el, later } from "../common/dom.js";
import { percent } from "../report/numbers.js";
import { makePairView } from "../report/pair.js";
import { nameFilesBy } from "../report/picture.js";
import { reportOfPage } from "../report/report.js";
import { beginReport, NO_STEP, update } from "../report/state.js";
import { addAnswer } from "../report/typing.js";
import { faultOf, run } from "./jobs.js";
import { makeLists } from "./lists.js";
import { askCurrent, makeSource, NO_MODEL } from "./model.js";
import { makeOwn } from "./own.js";
import { onChange, project } from "./project.js";

const TYPING_PAUSE = 120; // milliseconds without a key

// A report about one text: it knows the model. Those of other texts, which askCurrent answers, become part of it.
async function reportAbout(text, { folder, files }) {
    const name = "typed.html",
        ended = await run(["report", folder, "--input", text, "-o", name], files, [name]).ended;
    if (ended.status !== 0) throw new Error(faultOf(ended));
    return reportOfPage(new TextDecoder().decode(ended.files[name]));
}

export function makeUse({ say }) {
    let report = null,
        by = null, // the model of the report
        view = null, // of the pair
        closing = null, // the view, which another report of this page may have closed
        answered = { text: "", by: null },
        busy = false;
    const field = makeSource("Write a text", { id: "use-text", size: 32, input: later(answerLast, TYPING_PAUSE) }),
        told = el("p.trouble", { role: "status" }),
        best = el("p.best", { role: "status" }),
        others = el("ol.others.flow", { "aria-label": "other answers" }),
        place = el("div.typed", { hidden: true });

    async function answer(text, current) {
        if (text.trim() === "") return;
        if (by !== current) {
            report = view = null;
            report = await reportAbout(text, current);
            by = current;
            nameFilesBy(report.about.title);
            return;
        }
        const { beam, length_penalty: penalty } = report.about,
            given = await askCurrent(text, beam, penalty);
        report.pairs.length = 0;
        report.texts.clear();
        report.blob = new Uint8Array(0);
        await addAnswer(report, given);
    }

    function drawAnswer() {
        const shown = report !== null && field.value().trim() !== "" && told.textContent === "",
            outputs = shown ? (report.pairs[0]?.outputs ?? []) : [];
        place.hidden = !shown;
        const [first, ...rest] = outputs.map((output) => [
            bdi(report.outputText(output) || "∅"),
            " ",
            el("span.aside", output.lexicon ? "from the lexicon" : percent(output.probability)),
        ]);
        best.replaceChildren(...(first ?? []));
        others.replaceChildren(...rest.map((parts) => el("li", ...parts)));
        if (!shown) return;
        if (view === null || closing.signal.aborted) {
            closing = beginReport(0);
            view = makePairView(report, () => {});
            place.replaceChildren(view.node);
        }
        update({ output: 0, step: NO_STEP });
        view.render();
    }

    // What has been typed while the model wrote is the next text; what came between is left out.
    async function answerLast() {
        if (busy || !project.current) return;
        busy = true;
        while (answered.text !== field.value() || answered.by !== project.current) {
            const text = field.value(),
                { current } = project;
            try {
                await answer(text, current);
                told.textContent = "";
            } catch (error) {
                told.textContent = error.message;
            }
            answered = { text, by: current };
            if (node.offsetParent !== null) drawAnswer();
        }
        busy = false;
    }

    const lists = makeLists({ say });
    const none = el("p", NO_MODEL),
        some = el(
            "div",
            { hidden: true },
            el("div.controls", ...field.nodes),
            told,
            best,
            others,
            place,
            lists.node,
            makeOwn({ say }),
        );
    const node = el(
        "section.use",
        {
            "aria-label": "Use",
            drop: (event) => {
                const [file] = event.dataTransfer.files;
                if (!file || !project.current || file.name.endsWith(".safetensors")) return;
                event.preventDefault();
                event.stopPropagation();
                lists.take(file);
            },
        },
        el("h2", "What the model writes"),
        none,
        some,
    );

    function show() {
        none.hidden = project.current !== null;
        some.hidden = project.current === null;
        if (project.current === null) return;
        field.look();
        drawAnswer();
        answerLast();
        lists.show();
    }
    onChange("current", () => node.offsetParent !== null && show());
    window.addEventListener(
        "resize",
        later(() => node.offsetParent !== null && drawAnswer(), 150),
    );
    return { node, show };
}
