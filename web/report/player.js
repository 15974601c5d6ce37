// Plays what has steps, the writing of an output or a film: a button, a slider, and a sentence about where it is.
import { button, el } from "../common/dom.js";
import { untilClosed } from "./state.js";

// at() and last() are steps, from 0, and go(step) goes to one; name and title: those of the slider and the button.
export function makePlayer({ name, title, pause, at, last, go }) {
    let timer = 0;
    const toggle = button("▶ Play", { class: "play", title, click: play }),
        says = el("output.says.aside"),
        slider = el("input", { type: "range", min: 0, step: 1, "aria-label": name, input: seek });

    function stop() {
        clearInterval(timer);
        timer = 0;
        toggle.textContent = "▶ Play";
    }

    function play() {
        if (timer) return stop();
        toggle.textContent = "❚❚ Pause";
        go(at() >= last() ? 0 : at());
        timer = setInterval(() => {
            const next = Math.min(last(), at() + 1);
            if (next === last()) stop();
            go(next);
        }, pause);
    }

    function seek() {
        stop();
        go(Number(slider.value));
    }

    // text: what is read beside the slider; value: what a screen reader says of the slider.
    function show(text, value) {
        slider.max = last();
        slider.value = at();
        slider.setAttribute("aria-valuetext", value);
        says.textContent = text;
    }
    untilClosed().addEventListener("abort", stop);
    return { nodes: [toggle, slider, says], play, stop, show };
}
