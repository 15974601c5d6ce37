// One model in a worker: it answers questions between slices of its training.
"use strict";
const SLICE = 40; // milliseconds between two looks for messages
const LOOK_EVERY = 200; // milliseconds between two pictures while it learns
const MEASURE_EVERY = 50; // steps
let lookback = null,
    training = 0, // what is still on its way to the page when another one begins is of the one before
    next = 0, // the timer of the next slice; 0: it does not learn
    single = false,
    input = "",
    looked = 0,
    measured = -1;
// Messages name these files.
const PAIRS = "your pairs",
    MODEL = "your model";

function ask(name, ...values) {
    const types = values.map((value) => typeof value);
    return JSON.parse(lookback.ccall(`playground_${name}`, "string", types, values));
}

// ccall takes half of a surrogate pair and what follows it for one symbol, and ends a text at NUL. The reason why a text is
// none; undefined if it is one.
function faultOf(text) {
    if (/\p{Surrogate}/u.test(text)) return "not UTF-8: found a surrogate without its other half";
    return text.includes("\0") ? "found the character NUL, which no text can have" : undefined;
}

function tell(type, values, moved = []) {
    postMessage({ type, training, ...values }, moved);
}

function look() {
    looked = Date.now();
    const error = faultOf(input);
    tell("look", { input, ...(error ? { error } : ask("look", input)) });
}

function measure(step) {
    measured = step;
    tell("measure", ask("measure", 0));
}

// Steps for one slice. The first step is measured alone: it tells how long the others take.
function learn() {
    const begin = Date.now(),
        losses = [];
    let now = null;
    next = 0;
    do {
        now = ask("step", 1);
        losses.push(...(now.losses ?? []));
        if (now.step % MEASURE_EVERY === 0) break;
    } while (!now.error && !single && now.step < now.steps && Date.now() - begin < SLICE);
    tell("step", { ...now, losses });
    const last = now.error || now.step >= now.steps || single;
    const due = now.step % MEASURE_EVERY === 0 || now.step >= now.steps;
    if (!now.error && due && now.step !== measured) measure(now.step);
    if (last || Date.now() - looked > LOOK_EVERY) look();
    if (last) tell("idle", { done: now.step >= now.steps });
    else next = setTimeout(learn, 0);
}

function start(one) {
    if (next) return;
    single = one;
    next = setTimeout(learn, 0);
}

// No slice may come after this: it would train what the next message opens.
function stop() {
    clearTimeout(next);
    next = 0;
}

// Messages come one at a time, so none comes in the middle of a step.
const answers = {
    async boot({ wasm, files = {} }) {
        lookback = await createLookback({ wasmBinary: wasm, print() {}, printErr() {} });
        for (const [path, bytes] of Object.entries(files)) lookback.FS.writeFile(path, bytes);
        tell("ready", {});
    },
    begin({ settings, pairs, training: number }) {
        stop();
        training = number;
        measured = -1;
        if (pairs) lookback.FS.writeFile(PAIRS, pairs);
        const now = ask("begin", JSON.stringify({ ...settings, pairs: pairs && PAIRS }));
        tell("begun", now);
        if (!now.error && input) look();
    },
    run() {
        start(false);
    },
    step() {
        start(true);
    },
    pause() {
        if (!next) return;
        stop();
        tell("idle", { done: false });
    },
    lr({ lr }) {
        lookback.ccall("playground_set_lr", null, ["number"], [lr]);
    },
    type({ text }) {
        input = text;
        look();
    },
    report({ text, beam, penalty }) {
        const files = ["/text.data", "/text.blob"];
        const types = ["string", "number", "number", "string", "string"];
        const error = faultOf(text) ?? lookback.ccall("report_text", "string", types, [text, beam, penalty, ...files]);
        if (error) return tell("report", { error });
        const [data, blob] = files.map((name) => lookback.FS.readFile(name));
        tell("report", { data, blob }, [data.buffer, blob.buffer]);
    },
    save() {
        const done = ask("save", "/model.safetensors");
        if (done.error) return tell("saved", done);
        const file = lookback.FS.readFile("/model.safetensors");
        tell("saved", { file, step: done.step }, [file.buffer]);
    },
    open({ file }) {
        lookback.FS.writeFile(MODEL, file);
        const found = ask("open", MODEL);
        if (!found.error) stop();
        tell("opened", { ...found, file }, [file.buffer]);
        if (!found.error && input) look();
    },
    lesson({ number, settings }) {
        const values = [number, JSON.stringify(settings)];
        const found = JSON.parse(lookback.ccall("lesson_answer", "string", ["number", "string"], values));
        tell("lesson", { number, settings, found });
    },
};

onmessage = async ({ data }) => {
    try {
        await answers[data.type](data);
    } catch (error) {
        stop();
        tell("broken", { error: String(error?.message ?? error) });
    }
};
