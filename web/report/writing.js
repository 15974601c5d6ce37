// Plays the writing of the output: step by step, with what is not written yet left out.
import { button, el } from "../common/dom.js";
import { NO_STEP, state, untilClosed, update } from "./state.js";

const PAUSE = 550;

// onchange(count): the first `count` steps are written.
export function makeWriting(onchange) {
    let steps = 0,
        count = 0,
        timer = 0;
    const slider = el("input", { type: "range", min: 0, step: 1, "aria-label": "symbols written" });
    const says = el("output.says");
    const toggle = button("▶ Play", { class: "play", title: "Play the writing (p)" });

    const show = () => {
        slider.value = count;
        slider.setAttribute("aria-valuetext", `${count} of ${steps} symbols written`);
        says.textContent = count >= steps ? `all ${steps} steps` : `step ${count} of ${steps}`;
        onchange(count);
    };
    const stop = () => {
        clearInterval(timer);
        timer = 0;
        toggle.replaceChildren("▶ Play");
    };
    const go = (to) => {
        count = to;
        update({ step: count > 0 && count < steps ? count - 1 : NO_STEP });
        show();
    };
    const play = () => {
        if (timer) {
            stop();
            return;
        }
        toggle.replaceChildren("❚❚ Pause");
        go(count >= steps ? 0 : count);
        timer = setInterval(() => {
            if (count + 1 >= steps) {
                stop();
                go(steps);
            } else {
                go(count + 1);
            }
        }, PAUSE);
    };
    toggle.addEventListener("click", play);
    untilClosed().addEventListener("abort", stop);
    slider.addEventListener("input", () => {
        stop();
        go(Number(slider.value));
    });
    return {
        node: el("div.writing", { role: "group", "aria-label": "the writing of the output" }, toggle, slider, says),
        play,
        // A new output is shown whole.
        reset(length) {
            stop();
            steps = count = length;
            slider.max = length;
            show();
        },
        // A pin while part of the output is hidden would be a pin on nothing.
        all() {
            stop();
            if (count !== steps) {
                count = steps;
                show();
            }
        },
        hidesStep: () => count < steps && state.step >= count,
    };
}
