// The keyboard.
import { button, el } from "../common/dom.js";
import { NO_STEP, state, update } from "./state.js";

const HELP = [
    ["↑ ↓ or k j", "the previous and the next pair of the table"],
    ["← →", "the previous and the next symbol of the output, or snapshot of the film"],
    ["[ ]", "the previous and the next output of the beam"],
    ["p", "play or pause"],
    ["/", "find a text"],
    ["Escape", "unpin"],
    ["1 2 3 4 5", "pairs, learned, does it look where it says, training, model"],
    ["?", "this list"],
];
const VIEWS = ["pairs", "learned", "why", "history", "card"];

// keepsView: in the address.
export function makeHelp(keepsView) {
    const dialog = el("dialog.help", { "aria-label": "keys" });
    dialog.append(
        el("h2", "Keys"),
        el("dl", ...HELP.flatMap(([key, does]) => [el("dt", el("kbd", key)), el("dd", does)])),
        el(
            "p",
            "Point at a symbol to see where the model looked, and click to pin it. ∎ is the end of the output, " +
                "▷ its start, ␣ a space." +
                (keepsView ? " The address keeps the view, so you can share it." : ""),
        ),
        button("Close", { click: () => dialog.close() }),
    );
    return dialog;
}

// Keys are for the report while the focus or the pointer is in it.
export function startKeys({ table, pair, history, help, place, signal }) {
    const inText = (node) => node.matches("input:not([type=range]), textarea, select");
    const step = (by) => {
        if (state.view === "history") {
            history.move?.(by);
            return;
        }
        const count = pair.steps();
        if (count === 0) return;
        const from = state.step === NO_STEP ? (by > 0 ? -1 : count) : state.step;
        update({ step: Math.max(0, Math.min(count - 1, from + by)) });
    };
    const actions = {
        ArrowUp: () => table.move(-1),
        ArrowDown: () => table.move(1),
        k: () => table.move(-1),
        j: () => table.move(1),
        ArrowLeft: () => step(-1),
        ArrowRight: () => step(1),
        "[": () => update({ output: Math.max(0, state.output - 1), step: NO_STEP }),
        "]": () => update({ output: Math.min(pair.outputs() - 1, state.output + 1), step: NO_STEP }),
        p: () => (state.view === "history" ? history.play?.() : pair.play()),
        "/": () => {
            update({ view: "pairs" });
            table.find.focus();
            table.find.select();
        },
        "?": () => help.showModal(),
        Escape: () => {
            pair.showAll();
            update({ step: NO_STEP });
        },
    };
    VIEWS.forEach((view, i) => (actions[i + 1] = () => update({ view })));

    const onkey = (event) => {
        const { target } = event,
            inside = place.contains(target);
        if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
        if (!inside && !place.matches(":hover")) return;
        if (inText(target)) {
            if (event.key === "Escape" && inside) target.blur();
            return;
        }
        // A slider and a figure that scrolls have arrows of their own.
        if (
            event.key.startsWith("Arrow") &&
            (target.matches("input") || target.matches(".canvas[tabindex], .numbers[tabindex], pre"))
        )
            return;
        if (["ArrowUp", "ArrowDown", "j", "k"].includes(event.key) && state.view !== "pairs") return;
        const action = actions[event.key];
        if (!action) return;
        event.preventDefault();
        action();
    };
    document.addEventListener("keydown", onkey, { signal });
}
