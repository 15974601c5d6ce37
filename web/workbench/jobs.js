// The program in workers: a command, a training in parts, or an open model. Each worker has files of its own.
import { embedded } from "../common/embedded.js";

let library = null;

function openLibrary() {
    library ??= Promise.all([embedded("wasm"), embedded("worker")]).then(async ([wasm, script]) => ({
        module: await WebAssembly.compile(wasm),
        url: URL.createObjectURL(new Blob([script], { type: "text/javascript" })),
    }));
    return library;
}

// A worker whose messages are heard by the function of their type: on.ended(message). on.broken hears of its end.
export async function startWorker(on) {
    const { module, url } = await openLibrary(),
        worker = new Worker(url);
    worker.onmessage = ({ data }) => on[data.type]?.(data);
    worker.onerror = (event) => on.broken({ error: event.message || "the worker has ended" });
    worker.postMessage({ type: "boot", wasm: module });
    return worker;
}

// Sends a message with these values to a worker of its own. `ended` is the message of type `last` that ends it, with the
// lines that a terminal would show: `out` are results, `errors` notes, warnings and errors. `stop()` ends it at once.
function ask(message, last, { line = () => {}, progress = () => {} } = {}) {
    const out = [],
        errors = [];
    let worker = null,
        stopped = false,
        refuse = null;
    const ended = new Promise((resolve, reject) => {
        refuse = reject;
        startWorker({
            line({ stream, text }) {
                (stream === "out" ? out : errors).push(text);
                line(text, stream);
            },
            progress: ({ text }) => progress(text),
            broken: ({ error }) => reject(new Error(error)),
            [last]: (data) => resolve({ ...data, out, errors }),
        }).then((started) => {
            worker = started;
            if (stopped) worker.terminate();
            else worker.postMessage(message);
        }, reject);
    }).finally(() => worker?.terminate());
    return {
        ended,
        stop() {
            stopped = true;
            worker?.terminate();
            refuse(new Error("stopped"));
        },
    };
}

// Runs a command of the program on `files`, {path: bytes or Blob}. `results` are the paths of files or folders that it
// may write: `ended` has them as `files`, and the exit status as `status`.
export function run(words, files, results = [], hears = {}) {
    return ask({ type: "run", words, files, results }, "ended", hears);
}

// The options of `train`, a row each: see workbench_options.
export async function optionsOfTrain() {
    return (await ask({ type: "options" }, "options").ended).options;
}

// The names of the members of an ensemble.
export function membersOf(words, files) {
    return ask({ type: "members", words, files }, "members").ended;
}

// The message of a command that has failed: its last line, without the name of the command.
export function faultOf({ errors, out }) {
    return withoutName(errors.at(-1) ?? out.at(-1) ?? "the command has failed");
}

export function withoutName(line) {
    return line.replace(/^[a-z]+: /, "");
}
