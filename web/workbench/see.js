// The fourth part: how good the model in use is on pairs that it has not learned, and what it does with them.
import { button, el } from "../common/dom.js";
import { showReport } from "../report/layout.js";
import { reportOfPage } from "../report/report.js";
import { untilClosed } from "../report/state.js";
import { faultOf, run, withoutName } from "./jobs.js";
import { askCurrent, NO_MODEL } from "./model.js";
import { measuredWords, onChange, project, rolesFiles } from "./project.js";

const REPORT = "report.html";

// The pairs that a report is about, and what is to be said about them. null: there are none.
export function pairsSeen() {
    const held = measuredWords(),
        { train, targets } = project.roles;
    if (held) return { words: held, note: "Measured on pairs that the model has not learned." };
    if (train === undefined) return null;
    return {
        words: [train, ...(targets === undefined ? [] : ["--targets", targets])],
        note: "Nothing was held out: the model has learned these pairs, so that it looks better than it is.",
    };
}

// The words of the two commands of this part.
export function seeWords(command, { folder }, output = REPORT) {
    return [command, folder, ...(pairsSeen()?.words ?? []), ...(command === "report" ? ["-o", output] : [])];
}

// The lines of evaluate before its confusions, which the report has, too.
function scoreLines(lines) {
    const end = lines.findIndex((line) => line.startsWith("most frequent confusions"));
    return end < 0 ? lines : lines.slice(0, end);
}

export function makeSee({ say }) {
    let jobs = [],
        of = null, // the model that is seen
        report = null,
        closed = null, // aborted: another report of this page has been shown since
        hash = "", // what was open in the report before, of this model or another one
        layout = null;
    const progress = el("p", { class: "note", role: "status" }),
        stop = button("Stop", { hidden: true, click: () => jobs.forEach((job) => job.stop()) }),
        again = button("Measure", { hidden: true, click: measure }),
        note = el("p", { class: "note" }),
        score = el("pre", { class: "score", tabindex: "0", "aria-label": "score", hidden: true }),
        warnings = el("ul", { class: "notes" }),
        place = el("div", { class: "report" });

    function layOut() {
        if (!report) return;
        if (layout && !closed.aborted) {
            layout.show();
            return;
        }
        if (layout) hash = layout.hash();
        layout = showReport(report, place, { ask: askCurrent, hash });
        closed = untilClosed();
    }

    function forget() {
        jobs.forEach((job) => job.stop());
        if (layout) {
            hash = layout.hash();
            if (!closed.aborted) layout.close();
        }
        report = layout = null;
        jobs = [];
        score.hidden = again.hidden = true;
        score.textContent = note.textContent = progress.textContent = "";
        warnings.replaceChildren();
    }

    async function measure() {
        forget();
        const { current } = project,
            seen = pairsSeen();
        of = current;
        if (!current || !seen) {
            note.textContent = current
                ? "There are no pairs to measure on. Give some under Data, as “pairs to measure on”."
                : NO_MODEL;
            return;
        }
        const files = { ...rolesFiles(), ...current.files },
            hears = { progress: (text) => (progress.textContent = text) },
            mine = (jobs = [
                run(seeWords("evaluate", current), files),
                run(seeWords("report", current), files, [REPORT], hears),
            ]);
        note.textContent = seen.note;
        progress.textContent = "measuring";
        stop.hidden = false;
        say("");
        const measured = mine[0].ended.then((ended) => {
            if (ended.status !== 0) throw new Error(faultOf(ended));
            score.textContent = scoreLines(ended.out).join("\n");
            score.hidden = false;
            warnings.replaceChildren(...ended.errors.map((line) => el("li", { dir: "auto" }, withoutName(line))));
        });
        try {
            const [{ status, files: made, ...said }] = await Promise.all([mine[1].ended, measured]);
            if (status !== 0) throw new Error(faultOf(said));
            const opened = await reportOfPage(new TextDecoder().decode(made[REPORT]));
            if (jobs !== mine) return;
            report = opened;
            project.report = { html: made[REPORT], of: current };
            if (node.offsetParent !== null) layOut();
        } catch (error) {
            if (jobs !== mine) return;
            mine.forEach((job) => job.stop());
            again.hidden = false;
            if (error.message !== "stopped") say(error.message);
        }
        progress.textContent = "";
        stop.hidden = true;
    }

    const node = el(
        "section",
        { class: "see", "aria-label": "See" },
        el("h2", {}, "How good it is"),
        note,
        el("div", { class: "controls" }, progress, stop, again),
        score,
        warnings,
        place,
    );

    function show() {
        if (of === null || of !== project.current) measure();
        else layOut();
    }
    const renew = () => {
        of = null;
        if (node.offsetParent !== null) show();
    };
    onChange("current", renew);
    onChange("files", renew);
    return { node, show };
}
