// What one can choose of a pair: the output, what is shown of it, the head, and the range of colours.
import { button, choice, el } from "../common/dom.js";
import { percent } from "./numbers.js";
import { ALL_HEADS, MEASURES } from "./report.js";
import { NO_STEP, state, update } from "./state.js";

// Attention, or what the output depends on, over the same matrix.
function makeSwitch(kinds, shown) {
    const one = (name, text) => {
        const kind = kinds.find((each) => each.name === name);
        return button(text, {
            "aria-pressed": String(
                text in MEASURES ? shown?.name === name : shown !== null && !(shown.name in MEASURES),
            ),
            disabled: !kind,
            title: kind?.title,
            click: () => update({ attention: name, ...(shown.belowName === "output" ? {} : { step: NO_STEP }) }),
        });
    };
    return el(
        "div.switch",
        { role: "group", "aria-label": "what is shown" },
        one("source", "attention"),
        ...Object.keys(MEASURES).map((name) => one(name, name)),
    );
}

// kinds: those of Report.attentions; shown: one of them, or null; chosen(kind): the layer and the head that are shown.
export function drawChoices(report, pair, kinds, shown, chosen) {
    const items = [],
        looks = kinds.filter((kind) => !(kind.name in MEASURES)),
        numbers = (count) => Array.from({ length: count }, (_, i) => [i, String(i)]);
    if (pair.outputs.length > 1) {
        items.push(
            choice(
                "Output",
                pair.outputs.map((o, i) => [i, `${i + 1} of ${pair.outputs.length}, ${percent(o.probability, 0)}`]),
                state.output,
                (value) => update({ output: Number(value), step: NO_STEP }),
            ),
        );
    }
    if (report.measured) items.push(makeSwitch(kinds, shown));
    if (looks.length === 0) return items;
    // What is of attention alone keeps its place beside a measure.
    const kind = looks.includes(shown) ? shown : looks[0],
        { layer, head } = chosen(kind),
        add = (...one) => {
            items.push(choice(...one));
            items.at(-1).querySelector("select").disabled = kind !== shown;
        };
    if (looks.length > 1)
        add(
            "Attention",
            looks.map(({ name, title }) => [name, title]),
            kind.name,
            (value) => update({ attention: value, step: NO_STEP }),
        );
    if (kind.layers > 1) add("Layer", numbers(kind.layers), layer, (value) => update({ layer: Number(value) }));
    if (kind.heads > 1)
        add("Head", [[ALL_HEADS, "mean of all"], ...numbers(kind.heads)], head, (value) =>
            update({ head: Number(value) }),
        );
    add(
        "Range",
        [
            ["auto", "automatic"],
            ["one", "0 to 1"],
            ["data", "data range"],
        ],
        state.range,
        (value) => update({ range: value }),
    );
    return items;
}
