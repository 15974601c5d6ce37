// The page of a report: opened, laid out, and drawn again when what it shows changes.
import { makeCard } from "./card.js";
import { button, el, later } from "../common/dom.js";
import { isKnown } from "./filter.js";
import { makeHistory } from "./history.js";
import { canInflate } from "../common/embedded.js";
import { makeHelp, startKeys } from "./keys.js";
import { aloneOf, makeLearned, possibleOf } from "./learned.js";
import { count, measureOf, plural } from "./numbers.js";
import { makePairView } from "./pair.js";
import { nameFilesBy } from "./picture.js";
import { openReport } from "./report.js";
import { followHash, listen, NO_STEP, startAt, state, update } from "./state.js";
import { makeTable } from "./table.js";
import { startTheme } from "./theme.js";
import { carriesModel, makeTyping } from "./typing.js";
import { makeWhy } from "./why.js";

const TABS = [
    ["pairs", "Pairs"],
    ["learned", "Learned"],
    ["why", "Does it look where it says?"],
    ["history", "Training"],
    ["card", "Model"],
];

function say(text) {
    document.getElementById("opening").textContent = text;
}

function summaryOf(report) {
    const { about, statistics } = report,
        { key, says, text, texts } = measureOf(report),
        parts = [plural(report.pairs.length, "pair", "pairs")],
        value = statistics?.[key] ?? null;
    if (value !== null) parts.push(texts ? `${says} ${text(value)}` : `${text(value)} ${says}`);
    if (statistics?.without_lexicon) parts.push(aloneOf(report));
    if (statistics?.ambiguous_sources) parts.push(possibleOf(statistics));
    if (about.kind) parts.push(`${about.kind}${about.attention ? ` with ${about.attention} attention` : ""}`);
    if (about.parameters) parts.push(`${count(about.parameters)} parameters`);
    return parts.join(" · ");
}

function makeTabs() {
    const links = TABS.map(([view, text]) =>
        el(
            "a",
            {
                href: `#view=${view}`,
                click: (event) => {
                    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                    event.preventDefault();
                    update({ view });
                },
            },
            text,
        ),
    );
    const mark = () =>
        links.forEach((link, i) => {
            if (TABS[i][0] === state.view) link.setAttribute("aria-current", "page");
            else link.removeAttribute("aria-current");
        });
    listen(["view"], mark);
    mark();
    return el("nav", { "aria-label": "views" }, ...links);
}

function layOut(report) {
    startAt(
        Math.max(
            0,
            report.pairs.findIndex((pair) => pair.edits > 0 && !isKnown(pair)),
        ),
    );
    followHash();
    if (!TABS.some(([view]) => view === state.view)) update({ view: "pairs" });
    const table = makeTable(report),
        pair = makePairView(report, (by) => table.move(by));
    const added = (index) => {
        update({ find: "", show: "all", from: "", confusion: "" });
        table.refresh();
        update({ pair: index, output: 0, step: NO_STEP });
    };
    if (carriesModel()) table.node.prepend(makeTyping(report, added));
    const learned = makeLearned(report),
        why = makeWhy(report),
        history = makeHistory(report),
        help = makeHelp();
    const views = {
        pairs: el("div", { class: "view" }, table.node, pair.node),
        learned: el("div", { class: "view" }, learned.node),
        why: el("div", { class: "view" }, why.node),
        history: el("div", { class: "view" }, history.node),
        card: el("div", { class: "view" }, makeCard(report)),
    };
    const draw = {
        pairs: () => {
            table.reveal();
            pair.render();
        },
        learned: () => learned.render(),
        why: () => why.render(),
        history: () => history.render(),
        card: () => undefined,
    };
    const show = () => {
        for (const [name, node] of Object.entries(views)) node.hidden = name !== state.view;
        draw[state.view]();
    };
    const choices = startTheme(() => draw[state.view]());
    const { title } = report.about;
    document.title = `${title} · Lookback`;
    nameFilesBy(title);
    const header = el(
        "header",
        { class: "top" },
        el("div", { class: "title" }, el("h1", {}, el("bdi", { dir: "auto" }, title)), el("p", {}, summaryOf(report))),
        makeTabs(),
        el(
            "div",
            { class: "settings" },
            ...choices,
            button("?", { class: "round", "aria-label": "keys", title: "Keys (?)", click: () => help.showModal() }),
        ),
    );
    document.getElementById("opening").remove();
    const warnings = el(
        "section",
        { class: "warnings", "aria-label": "warnings", hidden: report.warnings.length === 0 },
        ...report.warnings.map((text) => el("p", { class: "problem", dir: "auto" }, text)),
    );
    document.body.append(header, el("main", {}, warnings, ...Object.values(views)), help);
    table.refresh();
    show();
    listen(["view"], show);
    const outputs = () => report.pairs[state.pair]?.outputs.length ?? 1;
    startKeys({ table, pair: { ...pair, outputs }, history, help });
    let wide = document.body.clientWidth;
    window.addEventListener(
        "resize",
        later(() => {
            if (document.body.clientWidth !== wide) draw[state.view]();
            wide = document.body.clientWidth;
        }, 150),
    );
    return show;
}

async function start() {
    if (!canInflate()) {
        say(
            "This browser cannot open the report: it lacks DecompressionStream. Firefox has it since version 113, Chromium since 80.",
        );
        return;
    }
    try {
        const report = await openReport(),
            show = layOut(report);
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
