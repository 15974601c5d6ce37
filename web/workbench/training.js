// Models in training: one worker for each, as many at once as there are processors, and what is kept of them.
import { faultOf, membersOf, run, startWorker, withoutName } from "./jobs.js";
import { measuredWords, notify, project, rolesFiles, trainWords } from "./project.js";
import { forgetModel, keepData, keepModel } from "./store.js";

// One training: of a model, or of a member of an ensemble.
class Training {
    constructor(model, member, folder, files = {}) {
        Object.assign(this, { model, member, folder, files, worker: null, error: "", messages: [] });
        this.state = "waiting"; // "running", "paused", "done", "failed"
        this.losses = []; // [step, loss]
        this.measures = null; // of workbench_points
        this.used = {}; // bytes of `files`, which are Blobs, but for the checkpoint
        this.shown = []; // held-out pairs of the last evaluation: {source, expected, output, weights}
        this.facts = null;
        this.began = null; // [step, milliseconds]: to find how long a step takes
    }

    async start() {
        this.state = "running";
        this.worker = await startWorker({
            line: ({ text }) => text.startsWith("train: ") && this.messages.push(withoutName(text)),
            begun: ({ status }) => status !== 0 && this.fail(faultOf({ errors: this.messages, out: [] })),
            stepped: (data) => this.hear(data),
            broken: ({ error }) => this.fail(error),
        });
        if (this.state !== "running") return this.worker.terminate();
        this.worker.postMessage({
            type: "begin",
            words: this.model.words,
            member: this.member,
            files: { ...this.model.data, ...this.files },
            out: this.folder,
        });
    }

    hear(data) {
        if (data.error) return this.fail(data.error);
        const now = performance.now();
        this.began ??= [data.step, now];
        this.facts = data;
        this.losses.push(...data.losses);
        if (data.measures) {
            const { measures, shown, files, used } = data;
            Object.assign(this, { measures, shown, files, used });
        }
        if (data.done) {
            this.state = "done";
            this.worker.terminate();
        }
        if (data.measures) this.model.evaluated();
        if (data.done) this.model.ended();
        notify("training");
    }

    // Seconds that a step takes here, evaluations included; null: not known yet.
    get pace() {
        if (!this.began || !this.facts || this.facts.step - this.began[0] < 5) return null;
        return (performance.now() - this.began[1]) / 1000 / (this.facts.step - this.began[0]);
    }

    pause() {
        if (this.state !== "running") return;
        this.state = "paused";
        this.worker.postMessage({ type: "pause" });
    }

    resume() {
        if (this.state !== "paused") return;
        this.state = "running";
        this.began = null;
        this.worker.postMessage({ type: "resume" });
    }

    fail(error) {
        this.state = "failed";
        this.error = error;
        this.worker?.terminate();
        this.model.ended();
        notify("training");
    }

    stop() {
        this.worker?.terminate();
        this.worker = null;
    }
}

// A model: one training, or the members of an ensemble, which are joined at the end.
export class Model {
    // `kept`: a record of the store, to go on with.
    constructor(name, kept) {
        this.name = name;
        this.folder = kept?.folder ?? name;
        this.words = kept?.words ?? trainWords(this.folder);
        this.data = kept?.data ?? rolesFiles();
        this.roles = kept?.roles ?? { ...project.roles };
        this.settings = kept?.settings ?? [...project.settings];
        this.measured = kept?.measured ?? measuredWords();
        this.votes = this.words.includes("--ensemble");
        this.files = kept?.files ?? {};
        this.done = kept?.done ?? false;
        this.error = "";
        this.note = "";
        this.trainings = (kept?.members ?? []).map(
            ({ member, folder, files }) => new Training(this, member, folder, files),
        );
    }

    async begin() {
        if (this.done) return;
        try {
            if (this.trainings.length === 0) await keepData(this);
            if (this.trainings.length === 0) await this.makeTrainings();
        } catch (error) {
            this.error = error.message;
        }
        this.startNext();
        notify("training");
    }

    async makeTrainings() {
        if (!this.votes) {
            this.trainings = [new Training(this, 0, this.folder)];
            return;
        }
        const found = await membersOf(this.words, this.data);
        if (found.members.length === 0) throw new Error(faultOf(found));
        this.trainings = found.members.map((name, i) => new Training(this, i, `${this.folder}/${name}`));
    }

    // As many at once as there are processors.
    startNext() {
        const running = this.trainings.filter(({ state }) => state === "running").length,
            room = Math.max(1, navigator.hardwareConcurrency ?? 1) - running;
        this.trainings
            .filter(({ state }) => state === "waiting")
            .slice(0, room)
            .forEach((training) => training.start());
    }

    get state() {
        const states = this.trainings.map(({ state }) => state);
        if (this.error || states.includes("failed")) return "failed";
        if (this.done) return "done";
        return states.includes("running") ? "running" : states.includes("paused") ? "paused" : "waiting";
    }

    pause() {
        this.trainings.forEach((training) => training.pause());
        notify("training");
    }

    resume() {
        this.trainings.forEach((training) => training.resume());
        this.startNext();
        notify("training");
    }

    evaluated() {
        if (!this.votes) this.take(this.trainings[0]);
        keepModel(this).then((note) => {
            this.note = note;
            notify("training");
        });
    }

    // The best model so far can be used.
    take({ used, folder }) {
        this.files = used;
        if (used[`${folder}/model.safetensors`] && (project.current === null || project.current.model === this))
            this.use();
    }

    use() {
        project.current = { folder: this.folder, files: this.files, model: this };
        notify("current");
    }

    async ended() {
        if (this.state === "failed") return;
        this.startNext();
        if (!this.trainings.every(({ state }) => state === "done")) return;
        try {
            if (this.votes) await this.join();
            this.done = true;
        } catch (error) {
            this.error = error.message;
        }
        this.note = await keepModel(this);
        if (this.done) this.use();
        notify("training");
    }

    // As `train --ensemble` does at its end.
    async join() {
        const files = { ...this.data };
        for (const training of this.trainings) Object.assign(files, training.files);
        const dev =
            this.measured === null
                ? []
                : ["--dev", ...this.measured.map((word) => (word === "--targets" ? "--dev-targets" : word))];
        const words = ["join", ...this.trainings.map(({ folder }) => folder), ...dev, "-o", `${this.folder}-joined`];
        const ended = await run(words, files, [`${this.folder}-joined`], {
            progress: (text) => {
                this.note = text;
                notify("training");
            },
        }).ended;
        if (ended.status !== 0) throw new Error(faultOf(ended));
        this.folder = `${this.folder}-joined`;
        this.files = ended.files;
    }

    async forget() {
        this.trainings.forEach((training) => training.stop());
        project.models = project.models.filter((model) => model !== this);
        await forgetModel(this);
        notify("training");
    }
}

// A name that no model has, nor one that is kept: "out", "out-2", and so on.
export function freeName() {
    const taken = [...project.kept, ...project.models.map((model) => model.name)];
    let name = "out";
    for (let i = 2; taken.includes(name); i++) name = `out-${i}`;
    return name;
}
