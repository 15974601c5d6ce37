// What the model writes without one of its heads.
import { bdi, el } from "../common/dom.js";
import { markEdits } from "./aligned.js";
import { isEdit } from "./edits.js";
import { plural } from "./numbers.js";
import { state } from "./state.js";
import { headName } from "./thumbnails.js";

// Whether someone has chosen one head of several of those that look at the source.
function isChosen(kind, head) {
    if (kind.name !== "source" || kind.mean) return false;
    return kind.heads > 1 ? head >= 0 : kind.layers > 1 && state.layer >= 0;
}

// A sentence about the pair that is open. output: what it shows; kind, layer and head: of its attention.
export function drawWithout(report, output, kind, { layer, head }) {
    const known = isChosen(kind, head) ? report.withoutHead(state.pair, layer, head) : null;
    if (!known) return [];
    const { whole, without } = known,
        edits = report.edits(whole, without).filter(isEdit).length,
        from = String(whole) === String(output.symbols) ? "" : ` from ${report.outputText({ symbols: whole })}`;
    return [
        `Without ${headName(kind, layer, head)}:`,
        bdi(...(without.length > 0 ? markEdits(report, whole, without) : ["∅"])),
        el("span.aside", `${edits > 0 ? plural(edits, "edit", "edits") : "no edit"}${from}, by greedy decoding`),
    ];
}
