// All pairs as a table. Only the rows that are seen exist, so that 10,000 of them scroll as ten do.
import { bdi, button, choice, el, fill, later, scrollNote, textField } from "../common/dom.js";
import { markEdits } from "./aligned.js";
import { NOTHING } from "./edits.js";
import { isKnown, ORDERS, selectPairs, SHOWN, WRITERS } from "./filter.js";
import { clamp, count, fixed, plural, SCORE } from "./numbers.js";
import { listen, NO_STEP, state, untilClosed, update } from "./state.js";
import { oneLine } from "./symbols.js";

const ROW_HEIGHT = 30,
    SPARE = 8;
const COLUMNS = [
    ["number", "№", "file"],
    ["text", "source", null],
    ["text", "found", null],
    ["text", "expected", null],
    ["number", "length", "length"],
    ["number", "errors", "errors"],
    ["number", "confidence", "confidence"],
    ["number", "score", "score"],
];

export function confusionName(report, expected, found) {
    const name = (id) => (id === NOTHING ? "nothing" : report.label(id).text);
    return `${name(found)} for ${name(expected)}`;
}

// The output with its wrong symbols marked.
function marked(report, pair, index) {
    const text = report.textsOf(index).output;
    if (!(pair.edits > 0) || !pair.expected) return [oneLine(text)];
    return markEdits(report, pair.expected, pair.outputs[0].symbols);
}

const lexiconMark = () => el("span.badge.known", { title: "from the lexicon, not the model" }, "lexicon");

export function makeTable(report) {
    let order = [],
        pool = new Map();
    const grid = el("div.grid", { role: "grid", tabindex: 0, "aria-label": "pairs", "aria-colcount": COLUMNS.length });
    const body = el("div.rows", { role: "rowgroup" });
    const heads = COLUMNS.map(([kind, title, sort]) =>
        el(
            "div",
            { role: "columnheader", class: kind },
            sort
                ? button(title, {
                      class: "sort",
                      tabindex: -1,
                      title: `sort: ${ORDERS.find(([name]) => name === sort)[1]}${sort === "score" ? `\n${SCORE}` : ""}`,
                      click: () => update({ sort }),
                  })
                : title,
        ),
    );
    grid.append(
        el("div.head", { role: "rowgroup" }, el("div.row", { role: "row", "aria-rowindex": 1 }, ...heads)),
        body,
    );

    const shown = el("p.shown.aside", { role: "status" });
    const find = textField({
        type: "search",
        placeholder: "find a text ( / )",
        "aria-label": "find a text in the pairs",
        id: "find",
        input: later(() => update({ find: find.value }), 90),
    });
    const tools = el("div.filters.flow", { role: "search" });

    const orders = ORDERS.filter(
        ([name]) => name !== "disagree" || report.pairs.some((pair) => Number.isFinite(pair.why?.tau)),
    );
    const drawTools = () => {
        const had = [...tools.querySelectorAll("select, input")].indexOf(document.activeElement);
        const list = (report.statistics?.confusions ?? [])
            .slice(0, 300)
            .map(({ expected, found, count: n }) => [
                `${expected}.${found}`,
                `${confusionName(report, expected, found)} (${n})`,
            ]);
        if (find.value !== state.find) find.value = state.find;
        fill(
            tools,
            find,
            choice("Show", SHOWN, state.show, (show) => update({ show })),
            report.pairs.some(isKnown) && choice("Written by", WRITERS, state.from, (from) => update({ from })),
            list.length > 0 &&
                choice("Confusion", [["", "any"], ...list], state.confusion, (confusion) => update({ confusion })),
            choice("Sort by", orders, state.sort, (sort) => update({ sort })),
            print,
            shown,
        );
        tools.querySelectorAll("select, input")[had]?.focus();
    };

    const rowOf = (at) => {
        const index = order[at],
            pair = report.pairs[index],
            output = pair.outputs[0],
            { source, expected } = report.textsOf(index);
        const cell = (kind, ...children) => el("div", { role: "gridcell", class: kind }, ...children);
        const text = (...children) => cell("text", bdi(...children));
        const wrong = pair.edits > 0 || Boolean(pair.error);
        const errors = pair.error ? "unreadable" : pair.edits === 0 ? "✓" : pair.edits > 0 ? `✗ ${pair.edits}` : "";
        const row = el(
            wrong ? "div.row.wrong" : "div.row",
            {
                role: "row",
                id: `row-${index}`,
                "aria-rowindex": at + 2,
                "aria-selected": String(index === state.pair),
                click: () => choose(index),
            },
            cell("number", String(index + 1)),
            text(oneLine(source)),
            pair.error
                ? cell("text problem", pair.error)
                : cell("text", isKnown(pair) && lexiconMark(), bdi(...marked(report, pair, index))),
            text(oneLine(expected)),
            cell("number", String(pair.source.length)),
            cell("number", errors),
            cell("number", output ? fixed(output.probability) : ""),
            cell("number", output ? fixed(output.score) : ""),
        );
        row.style.transform = `translateY(${at * ROW_HEIGHT}px)`;
        return row;
    };

    const draw = () => {
        const whole = "printed" in document.documentElement.dataset;
        const first = whole ? 0 : Math.max(0, Math.floor(grid.scrollTop / ROW_HEIGHT) - SPARE);
        const end = Math.ceil((grid.scrollTop + grid.clientHeight) / ROW_HEIGHT) + SPARE;
        const last = whole ? order.length : Math.min(order.length, end);
        const next = new Map();
        for (let at = first; at < last; at++) next.set(at, pool.get(at) ?? rowOf(at));
        for (const [at, row] of pool) if (!next.has(at)) row.remove();
        for (const [at, row] of next) if (whole || !pool.has(at)) body.append(row);
        pool = next;
    };

    // All rows that are shown, in place of the open pair.
    const print = button("Print", {
        title: "Print this table; the browser itself prints the open pair",
        click: () => {
            document.documentElement.dataset.printed = "table";
            draw();
            window.print();
        },
    });
    window.addEventListener(
        "afterprint",
        () => {
            delete document.documentElement.dataset.printed;
            draw();
        },
        { signal: untilClosed() },
    );

    const choose = (index) => update({ pair: index, output: 0, step: NO_STEP });

    const reveal = () => {
        const at = order.indexOf(state.pair);
        if (at < 0) return;
        const top = at * ROW_HEIGHT,
            room = grid.clientHeight - ROW_HEIGHT;
        if (top < grid.scrollTop) grid.scrollTop = top;
        else if (top + ROW_HEIGHT > grid.scrollTop + room) grid.scrollTop = top + ROW_HEIGHT - room;
    };

    const select = () => {
        for (const [at, row] of pool) row.setAttribute("aria-selected", String(order[at] === state.pair));
        reveal();
        draw();
        if (order.includes(state.pair)) grid.setAttribute("aria-activedescendant", `row-${state.pair}`);
        else grid.removeAttribute("aria-activedescendant");
    };

    const refresh = () => {
        order = selectPairs(report, state);
        for (const row of pool.values()) row.remove();
        pool.clear();
        body.style.height = `${order.length * ROW_HEIGHT}px`;
        // A short file needs no tall table.
        grid.style.maxHeight = `${(report.pairs.length + 1) * ROW_HEIGHT + 2}px`;
        grid.setAttribute("aria-rowcount", order.length + 1);
        shown.textContent =
            order.length === report.pairs.length
                ? plural(order.length, "pair", "pairs")
                : `${count(order.length)} of ${plural(report.pairs.length, "pair", "pairs")}`;
        heads.forEach((head, i) =>
            head.setAttribute(
                "aria-sort",
                COLUMNS[i][2] === state.sort
                    ? ["errors", "length"].includes(state.sort)
                        ? "descending"
                        : "ascending"
                    : "none",
            ),
        );
        drawTools();
        grid.scrollTop = 0;
        select();
    };

    const move = (by) => {
        if (order.length === 0) return;
        const at = order.indexOf(state.pair);
        choose(order[at < 0 ? 0 : clamp(at + by, 0, order.length - 1)]);
    };
    const page = () => Math.max(1, Math.floor(grid.clientHeight / ROW_HEIGHT) - 2);
    grid.addEventListener("keydown", (event) => {
        const by = { PageDown: page(), PageUp: -page(), Home: -order.length, End: order.length }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        move(by);
    });
    let frame = 0;
    grid.addEventListener(
        "scroll",
        () => {
            frame ||= requestAnimationFrame(() => {
                frame = 0;
                draw();
            });
        },
        { passive: true },
    );
    new ResizeObserver(() => draw()).observe(grid);
    // What is open is one of the pairs that are shown, unless the address names another one.
    listen(["find", "show", "from", "confusion", "sort"], (changed) => {
        refresh();
        if (!changed.includes("pair") && order.length > 0 && !order.includes(state.pair)) choose(order[0]);
    });
    listen(["pair"], select);
    return {
        node: el("section.pairs.stacked", { "aria-label": "all pairs" }, tools, grid, scrollNote(grid).note),
        refresh,
        reveal,
        move,
        find,
    };
}
