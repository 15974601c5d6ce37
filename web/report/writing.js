// Plays the writing of the output: step by step, with what is not written yet left out.
import { el } from "../common/dom.js";
import { makePlayer } from "./player.js";
import { NO_STEP, state, update } from "./state.js";

// onchange(count): the first `count` steps are written.
export function makeWriting(onchange) {
    let steps = 0,
        count = 0;
    const player = makePlayer({
        name: "symbols written",
        title: "Play the writing (p)",
        pause: 550,
        at: () => count,
        last: () => steps,
        go(to) {
            count = to;
            update({ step: count > 0 && count < steps ? count - 1 : NO_STEP });
            show();
        },
    });
    const show = () => {
        const all = count >= steps;
        player.show(all ? `all ${steps} steps` : `step ${count} of ${steps}`, `${count} of ${steps} symbols written`);
        onchange(count);
    };
    return {
        node: el("div.writing.flow", { role: "group", "aria-label": "the writing of the output" }, player.nodes),
        play: player.play,
        // A new output is shown whole.
        reset(length) {
            player.stop();
            steps = count = length;
            show();
        },
        // A pin while part of the output is hidden would be a pin on nothing.
        all() {
            player.stop();
            if (count !== steps) {
                count = steps;
                show();
            }
        },
        hidesStep: () => count < steps && state.step >= count,
    };
}
