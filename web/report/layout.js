// A report laid out in a page, its own or another one, and drawn again when what it shows changes.
import { makeModelCard } from "./card.js";
import { bdi, button, el, later } from "../common/dom.js";
import { isKnown } from "./filter.js";
import { makeHistory } from "./history.js";
import { makeHelp, startKeys } from "./keys.js";
import { aloneOf, makeLearned, possibleOf } from "./learned.js";
import { count, measureOf, plural } from "./numbers.js";
import { makePairView } from "./pair.js";
import { nameFilesBy } from "./picture.js";
import { beginReport, hashOf, listen, NO_STEP, state, update } from "./state.js";
import { makeTable } from "./table.js";
import { startTheme } from "./theme.js";
import { makeTyping } from "./typing.js";
import { makeWhy } from "./why.js";

const TABS = [
    ["pairs", "Pairs"],
    ["learned", "Learned"],
    ["why", "Does it look where it says?"],
    ["history", "Training"],
    ["card", "Model"],
];

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

// Without an address, a tab is a button.
function makeTabs(ownsPage) {
    const tabs = TABS.map(([view, text]) => {
        if (!ownsPage) return button(text, { click: () => update({ view }) });
        const click = (event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            update({ view });
        };
        return el("a", { href: `#view=${view}`, click }, text);
    });
    const mark = () =>
        tabs.forEach((tab, i) => {
            if (TABS[i][0] === state.view) tab.setAttribute("aria-current", "page");
            else tab.removeAttribute("aria-current");
        });
    listen(["view"], mark);
    mark();
    return el("nav.flow", { "aria-label": "views" }, ...tabs);
}

// Shows a report inside the element `place`, in place of the one that has been shown before.
// ownsPage: the report is the page. Its title, its address and its theme are those of the report; otherwise the page has
// called startTheme, and calls show() when colours change or `place` is seen again.
// ask: writes the output of a text that one types, see makeTyping; without it, there is nothing to type in.
// hash: what is seen first, as hash() has told it of this report or another one, also after its end.
// show() draws what is seen again, close() takes all away.
export function showReport(report, place, { ownsPage = false, ask = null, hash = "" } = {}) {
    const first = report.pairs.findIndex((pair) => pair.edits > 0 && !isKnown(pair)),
        closing = beginReport(Math.max(0, first), { followsAddress: ownsPage, hash }),
        { signal } = closing;
    if (!TABS.some(([view]) => view === state.view)) update({ view: "pairs" });
    const table = makeTable(report),
        pair = makePairView(report, (by) => table.move(by));
    const added = (index) => {
        update({ find: "", show: "all", from: "", confusion: "" });
        table.refresh();
        update({ pair: index, output: 0, step: NO_STEP });
    };
    if (ask) table.node.prepend(makeTyping(report, ask, added));
    const learned = makeLearned(report),
        why = makeWhy(report),
        history = makeHistory(report),
        help = makeHelp(ownsPage);
    const views = {
        pairs: el("div.view.stacked", table.node, pair.node),
        learned: el("div.view.stacked", learned.node),
        why: el("div.view.stacked", why.node),
        history: el("div.view.stacked", history.node),
        card: el("div.view.stacked", makeModelCard(report)),
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
        if (signal.aborted) return;
        for (const [name, node] of Object.entries(views)) node.hidden = name !== state.view;
        draw[state.view]();
    };
    const { title } = report.about,
        choices = ownsPage ? startTheme(show, signal) : [];
    if (ownsPage) document.title = `${title} · Lookback`;
    nameFilesBy(title);
    const header = el(
        ownsPage ? "header.top.flow" : "div.top.flow",
        el("div.title", el(ownsPage ? "h1" : "h2", bdi(title)), el("p.aside", summaryOf(report))),
        makeTabs(ownsPage),
        el(
            "div.settings.flow",
            ...choices,
            button("?", { class: "round", "aria-label": "keys", title: "Keys (?)", click: () => help.showModal() }),
        ),
    );
    const warnings = el(
        "section.warnings",
        { "aria-label": "warnings", hidden: report.warnings.length === 0 },
        ...report.warnings.map((text) => el("p.problem", { dir: "auto" }, text)),
    );
    const body = el(ownsPage ? "main.views" : "div.views", warnings, ...Object.values(views));
    place.append(header, body, help);
    let left = "";
    signal.addEventListener("abort", () => {
        left = hashOf(state);
        [header, body, help].forEach((node) => node.remove());
    });
    table.refresh();
    show();
    listen(["view"], show);
    const outputs = () => report.pairs[state.pair]?.outputs.length ?? 1;
    startKeys({ table, pair: { ...pair, outputs }, history, help, place, signal });
    let wide = place.clientWidth;
    window.addEventListener(
        "resize",
        later(() => {
            if (place.clientWidth !== wide) show();
            wide = place.clientWidth;
        }, 150),
        { signal },
    );
    return { show, close: () => closing.abort(), hash: () => (signal.aborted ? left : hashOf(state)) };
}
