// The page of a report: it opens the report that it carries, and is all of it.
import { el } from "../common/dom.js";
import { canInflate } from "../common/embedded.js";
import { showReport } from "./layout.js";
import { openReport } from "./report.js";
import { askModel, carriesModel } from "./typing.js";

function say(text) {
    document.getElementById("opening").textContent = text;
}

async function start() {
    if (!canInflate()) {
        say(
            "This browser cannot open the report: it lacks DecompressionStream. Firefox has it since version 113, Chromium since 80.",
        );
        return;
    }
    try {
        const report = await openReport();
        document.getElementById("opening").remove();
        const { show } = showReport(report, document.body, { ownsPage: true, ask: carriesModel() && askModel });
        await report.loadWeights();
        show();
        document.documentElement.dataset.ready = Math.round(performance.now());
    } catch (error) {
        const place = document.getElementById("opening") ?? document.body.appendChild(el("p", { id: "opening" }));
        place.textContent = `The report cannot be opened: ${error.message}.`;
        throw error;
    }
}

start();
