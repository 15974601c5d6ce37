// One model: its worker, its choices and its heatmap.
import { select, slider } from "../common/controls.js";
import { button, el, isRightToLeft } from "../common/dom.js";
import { heatmapOf, MOST_ROWS, wholePercent } from "./heatmap.js";
import { ATTENTIONS, MODEL_DEFAULTS, OF_LISTS } from "./settings.js";

const FEW = 20;

export class Learner {
    // `page` hears of what changes: changed(), begin(learner), restart(learners), say(text), failed(text).
    constructor(name, kind, page, chosen = {}) {
        Object.assign(this, {
            name,
            kind,
            page,
            chosen: { ...MODEL_DEFAULTS, ...chosen },
            head: -1,
            running: false,
            ready: false,
            done: false,
        });
        this.losses = [];
        this.matches = [];
        this.facts = null;
        this.look = null;
        this.opened = null;
        this.file = null; // of the model that was opened last
        this.training = 0; // their number
        this.kept = 0; // the step that has been saved
        this.build();
    }

    build() {
        this.status = el("p.status", "starting");
        this.progress = el("progress", { max: 1, value: 0, "aria-label": `progress of ${this.name}` });
        this.warning = el("p.warning", { role: "status" });
        this.picture = el("div.picture");
        this.size = el("span.note");
        this.save = button("Save as .safetensors", { click: () => this.worker.postMessage({ type: "save" }) });
        this.heads = select("head", [["-1", "mean of all"]], "-1", (head) => {
            this.head = Number(head);
            this.draw();
        });
        this.heads.node.hidden = true;
        this.attention = select("attention", ATTENTIONS, this.chosen.attention, (attention) =>
            this.choose({ attention }),
        );
        this.node = el(
            `section.learner.${this.kind}`,
            { "aria-label": this.name },
            el("h2", el("span.swatch", { "aria-hidden": "true" }), this.name),
            this.status,
            this.progress,
            this.warning,
            this.picture,
        );
        this.settings = el(
            `section.settings.${this.kind}`,
            { "aria-label": `settings of ${this.name}` },
            el("h2", el("span.swatch", { "aria-hidden": "true" }), this.name),
            el(
                "div.controls",
                this.attention.node,
                slider("width", [16, 192, 16], this.chosen.hidden, (hidden) => this.choose({ hidden })).node,
                slider(
                    "learning rate",
                    [-4, -1.5, 0.1],
                    Math.log10(this.chosen.lr),
                    (power) => this.setRate(10 ** power),
                    (power) => (10 ** power).toPrecision(2),
                ).node,
                this.heads.node,
            ),
            el("div.controls", this.save, this.size),
        );
    }

    choose(change) {
        Object.assign(this.chosen, change);
        this.page.restart([this]);
    }

    // The only choice that a training can change on its way.
    setRate(lr) {
        this.chosen.lr = lr;
        this.worker?.postMessage({ type: "lr", lr });
    }

    boot(url, wasm) {
        this.worker = new Worker(url);
        this.worker.onmessage = ({ data }) => this.hear(data);
        this.worker.onerror = (event) => this.page.failed(`${this.name}: ${event.message}`);
        this.worker.postMessage({ type: "boot", wasm });
    }

    // These kinds multiply a query with keys of its width. Pairs are read in both directions, which makes keys wider.
    offer(lists) {
        for (const option of this.attention.node.querySelectorAll("option"))
            option.hidden = option.disabled = !lists && OF_LISTS.includes(option.value);
        if (lists || !OF_LISTS.includes(this.chosen.attention)) return;
        const [, name] = ATTENTIONS.find(([kind]) => kind === this.chosen.attention);
        this.chosen.attention = MODEL_DEFAULTS.attention;
        this.attention.set(this.chosen.attention);
        this.page.say(`${this.name} has ${this.chosen.attention} attention now: ${name} is for lists only.`);
    }

    begin(settings, pairs) {
        this.offer(!pairs);
        Object.assign(this, { losses: [], matches: [], opened: null, done: false, running: false, kept: 0 });
        this.training++;
        this.worker.postMessage({
            type: "begin",
            settings: { ...settings, ...this.chosen, heads: 4 },
            pairs,
            training: this.training,
        });
    }

    // Whether a training would be lost with the page.
    isUnsaved() {
        return !this.opened && this.losses.length > this.kept;
    }

    send(type, values = {}) {
        const trains = type === "run" || type === "step";
        if (trains && (this.done || this.opened)) return;
        if (trains || type === "pause") this.running = trains;
        this.worker.postMessage({ type, ...values });
        this.page.changed();
    }

    // What was saved is saved, whatever has begun since.
    hear(data) {
        if (data.training !== this.training && data.type !== "saved") return;
        const heard = {
            ready: () => {
                this.ready = true;
                this.page.begin(this);
            },
            begun: () => {
                this.facts = data.error ? null : data;
                if (data.error) this.look = null;
            },
            step: () => this.learned(data),
            measure: () => {
                if (!data.error) this.matches.push([data.step, data.exact_match]);
            },
            look: () => {
                this.look = data;
            },
            idle: () => {
                this.running = false;
                this.done = data.done;
            },
            saved: () => {
                if (data.error) return;
                this.page.download(data.file, `${this.kind}-${data.step}.safetensors`);
                if (data.training === this.training) this.kept = data.step;
            },
            opened: () => {
                if (!data.error) this.show(data);
            },
            broken: () => {
                this.running = false;
            },
        };
        heard[data.type]();
        const bad = data.error && data.type !== "look";
        if (bad) this.page.failed(`${this.name}: ${data.error}`);
        this.draw();
        this.page.changed();
    }

    learned(data) {
        if (data.error) return;
        const first = data.step - data.losses.length;
        data.losses.forEach((loss, i) => this.losses.push([first + i + 1, loss]));
        this.facts = data;
    }

    show(found) {
        Object.assign(this, { opened: found, file: found.file, losses: [], matches: [], running: false });
    }

    describe() {
        if (this.opened) {
            const { sorts, kind, source_symbols, target_symbols, shortest, longest } = this.opened;
            return sorts
                ? `opened: a ${kind} that sorts lists of ${shortest} to ${longest} numbers`
                : `opened: a ${kind} that reads ${source_symbols} symbols and writes ${target_symbols}`;
        }
        if (!this.facts) return this.ready ? "no training" : "starting";
        const { step, steps } = this.facts,
            match = this.matches.at(-1);
        const parts = [`step ${step} of ${steps}`];
        if (step === 0) parts.push("nothing learned yet");
        if (match) parts.push(this.share(match[1]));
        return parts.join(", ") + (this.done ? ": done" : "");
    }

    // A share of a few texts would promise too much.
    share(right) {
        const { held_out } = this.facts;
        if (held_out === 0) return `${wholePercent(right)} of new lists right`;
        return held_out < FEW
            ? `${Math.round(right * held_out)} of ${held_out} new text${held_out === 1 ? "" : "s"} right`
            : `${wholePercent(right)} of new texts right`;
    }

    // As lookback predict does.
    warn() {
        const { source, sorts, shortest, longest, error } = this.look;
        if (error) return "";
        const length = source.length,
            things = `${length} ${sorts ? "number" : "symbol"}${length === 1 ? "" : "s"}`,
            longer = longest > 0 && length > longest;
        if (!longer && length >= shortest) return "";
        return `${things}: the ${longer ? "longest" : "shortest"} ${sorts ? "list" : "text"} in training has ${longer ? longest : shortest}. Expect mistakes.`;
    }

    // What it has written, and whether that is the sorted list.
    answer() {
        const { input, text, sorts, source, target } = this.look;
        const shown = sorts && target.length > MOST_ROWS ? `${target.slice(0, MOST_ROWS).join(" ")} …` : text;
        const right = [...source].sort((a, b) => a - b).join(" ") === text;
        const verdict = right ? "✓ sorted" : text === "" ? "✗ it writes nothing" : "✗ not sorted";
        return el(
            "div.answer.flow",
            el("p.written", { dir: "auto" }, `${input} ${isRightToLeft(input) ? "←" : "→"} ${shown}`),
            sorts ? el(`span.verdict.${right ? "right" : "wrong"}`, verdict) : "",
        );
    }

    draw() {
        this.save.disabled = !this.facts || this.opened !== null;
        this.status.textContent = this.describe();
        this.progress.hidden = !this.facts || this.opened !== null || this.done || this.facts.step === 0;
        this.progress.value = this.facts ? this.facts.step / this.facts.steps : 0;
        this.size.textContent =
            this.facts && !this.opened ? `${this.facts.parameters.toLocaleString("en")} parameters` : "";
        if (!this.look) {
            this.warning.textContent = "";
            this.picture.replaceChildren();
            return;
        }
        const heads = this.look.error ? 0 : this.look.heads;
        this.heads.node.hidden = heads < 2;
        const options = this.heads.node.querySelector("select");
        if (options.length !== heads + 1) {
            options.replaceChildren(
                ...Array.from({ length: heads + 1 }, (_, i) =>
                    el("option", { value: i - 1 }, i ? `${i}` : "mean of all"),
                ),
            );
            this.head = -1;
        }
        this.heads.set(String(this.head));
        this.warning.textContent = this.warn();
        this.picture.replaceChildren(
            ...(this.look.error
                ? [el("p.trouble", this.look.error)]
                : [this.answer(), ...heatmapOf(this.look, this.head, this.name)]),
        );
    }
}
