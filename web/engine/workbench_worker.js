// The program in a worker of the workbench: one command, one training in parts, or one open model, on files in memory.
"use strict";
const SLICE = 40; // milliseconds between two looks for messages
const TOLD_EVERY = 100; // milliseconds between two messages about progress
let library = null, // WebAssembly.Module
    lookback = null,
    timer = 0, // of the next slice; 0: nothing is trained
    evaluations = 0,
    stepped = 0,
    folder = "",
    told = 0;

// ccall takes half of a surrogate pair and what follows it for one symbol, and ends a text at NUL. The reason why a text is
// none; undefined if it is one.
function faultOf(text) {
    if (/\p{Surrogate}/u.test(text)) return "not UTF-8: found a surrogate without its other half";
    return text.includes("\0") ? "found the character NUL, which no text can have" : undefined;
}

function call(name, result, ...values) {
    const types = values.map((value) => typeof value);
    return lookback.ccall(`workbench_${name}`, result, types, values);
}

// What a terminal would show, line by line. A line that is drawn again and again is the progress of a long work.
function listen(descriptor, stream) {
    let bytes = [];
    const decoder = new TextDecoder();
    const text = () => decoder.decode(new Uint8Array(bytes)).replace(/\x1b\[[0-9;]*[A-Za-z]/g, "");
    lookback.FS.streams[descriptor].tty.ops = {
        put_char(tty, byte) {
            if (byte === 10) {
                postMessage({ type: "line", stream, text: text() });
                bytes = [];
            } else if (byte === 13) {
                const now = Date.now();
                if (bytes.length > 0 && now - told > TOLD_EVERY) {
                    told = now;
                    postMessage({ type: "progress", text: text().trim() });
                }
                bytes = [];
            } else bytes.push(byte);
        },
        fsync() {
            if (bytes.length > 0 && bytes[0] !== 27) postMessage({ type: "progress", text: text().trim() });
        },
    };
}

// A new instance with these files. An instance runs one command, as a process does.
async function instantiate(files) {
    lookback = await createLookback({
        instantiateWasm(imports, done) {
            WebAssembly.instantiate(library, imports).then((instance) => done(instance, library));
            return {};
        },
        preRun(module) {
            Object.assign(module.ENV, { TERM: "page", LANG: "C.UTF-8", LOOKBACK_ISA: "portable" });
        },
    });
    listen(1, "out");
    listen(2, "error");
    for (const [path, bytes] of Object.entries(files)) await write(path, bytes);
}

// Bytes or a Blob.
async function write(path, bytes) {
    const folder = path.split("/").slice(0, -1).join("/");
    if (folder !== "") lookback.FS.mkdirTree(folder);
    const data = bytes instanceof Blob ? new Uint8Array(await bytes.arrayBuffer()) : bytes;
    lookback.FS.writeFile(path, data, { canOwn: bytes instanceof Blob });
}

// The files of a folder, and of those below it.
function filesOf(path) {
    const found = {};
    for (const name of lookback.FS.readdir(path)) {
        if (name.startsWith(".")) continue;
        const at = `${path}/${name}`;
        if (lookback.FS.isDir(lookback.FS.stat(at).mode)) Object.assign(found, filesOf(at));
        else found[at] = lookback.FS.readFile(at);
    }
    return found;
}

function exists(path) {
    return lookback.FS.analyzePath(path).exists;
}

// Files or folders that a command has written.
function written(paths) {
    const found = {};
    for (const path of paths) {
        if (!exists(path)) continue;
        if (lookback.FS.isDir(lookback.FS.stat(path).mode)) Object.assign(found, filesOf(path));
        else found[path] = lookback.FS.readFile(path);
    }
    return found;
}

function send(message, files = {}) {
    postMessage(
        { ...message, files },
        Object.values(files).map((bytes) => bytes.buffer),
    );
}

// The rows of the last evaluation in the attention history.
function lastShown() {
    const path = `${folder}/film.jsonl`,
        lines = exists(path) ? lookback.FS.readFile(path, { encoding: "utf8" }).trim().split("\n") : [""];
    if (lines.at(-1) === "") return [];
    const { step } = JSON.parse(lines.at(-1));
    return lines.filter((line) => line.startsWith(`{"step":${step},`)).map((line) => JSON.parse(line));
}

// What a training has after an evaluation: all files as Blobs, which the page keeps and gives to other workers without a
// copy, and the bytes of those that are used, in `used`.
function evaluated() {
    const all = Object.entries(filesOf(folder)),
        blobs = all.map(([path, bytes]) => [path, new Blob([bytes])]),
        used = Object.fromEntries(all.filter(([path]) => !path.endsWith("/checkpoint.safetensors"))),
        measures = JSON.parse(call("points", "string"));
    return { files: Object.fromEntries(blobs), used, measures, shown: lastShown() };
}

function learn() {
    const begin = Date.now(),
        losses = [];
    let now = null;
    timer = 0;
    do {
        now = JSON.parse(call("step", "string"));
        if (!now.error && now.step !== stepped) losses.push([now.step, now.loss]); // no part of an evaluation
        stepped = now.step;
    } while (!now.error && !now.done && now.evaluations === evaluations && Date.now() - begin < SLICE);
    const news = !now.error && (now.evaluations !== evaluations || now.done) ? evaluated() : {};
    evaluations = now.evaluations;
    const buffers = Object.values(news.used ?? {}).map(({ buffer }) => buffer);
    postMessage({ type: "stepped", ...now, losses, ...news }, buffers);
    if (!now.error && !now.done) timer = setTimeout(learn, 0);
}

// Messages come one at a time, so none comes in the middle of a step.
const answers = {
    async boot({ wasm }) {
        library = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
        postMessage({ type: "ready" });
    },
    // A command; `results` are the paths that it may write.
    async run({ words, files, results }) {
        await instantiate(files);
        const status = call("run", "number", JSON.stringify(words));
        send({ type: "ended", status }, written(results));
    },
    async options() {
        await instantiate({});
        postMessage({ type: "options", options: JSON.parse(call("options", "string")) });
    },
    async members({ words, files }) {
        await instantiate(files);
        postMessage({ type: "members", ...JSON.parse(call("members", "string", JSON.stringify(words))) });
    },
    // Begins a training, or goes on with the one of these files.
    async begin({ words, member, files, out }) {
        await instantiate(files);
        const status = call("begin", "number", JSON.stringify(words), member);
        folder = out;
        evaluations = -1; // of a training that goes on, there are some
        postMessage({ type: "begun", status });
        if (status === 0) timer = setTimeout(learn, 0);
    },
    pause() {
        clearTimeout(timer);
        timer = 0;
        postMessage({ type: "paused" });
    },
    resume() {
        if (!timer) timer = setTimeout(learn, 0);
    },
    // For texts that one types, as the worker of a report does.
    async open({ file }) {
        await instantiate({ "model.safetensors": file });
        const status = call("open", "number", "model.safetensors");
        postMessage(status ? { type: "opened", error: "the model cannot be opened" } : { type: "opened" });
    },
    report({ text, beam, penalty }) {
        const files = ["/text.data", "/text.blob"];
        const types = ["string", "number", "number", "string", "string"];
        const error = faultOf(text) ?? lookback.ccall("report_text", "string", types, [text, beam, penalty, ...files]);
        if (error) return postMessage({ type: "report", error });
        const [data, blob] = files.map((name) => lookback.FS.readFile(name));
        postMessage({ type: "report", data, blob }, [data.buffer, blob.buffer]);
    },
};

onmessage = async ({ data }) => {
    try {
        await answers[data.type](data);
    } catch (error) {
        clearTimeout(timer);
        timer = 0;
        postMessage({ type: "broken", error: String(error?.message ?? error) });
    }
};
