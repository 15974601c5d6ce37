// How a test uses the workbench, the same program natively, and the same WebAssembly in Node.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { openFile, until } from "./browser.js";

export const { WORKBENCH, LOOKBACK } = process.env;
const { CHECKOUT, WORKBENCH_ENGINE } = process.env;
export const exampleOf = (name) => readFileSync(join(CHECKOUT, "examples/data", name));

// ---- In Node. ----

const createLookback = createRequire(import.meta.url)(WORKBENCH_ENGINE);
const wasmBinary = readFileSync(WORKBENCH_ENGINE.replace(/js$/, "wasm"));

// An instance with these files, {path: bytes}, as the worker of the page makes it.
async function instantiate(files) {
    const lines = [];
    const engine = await createLookback({
        wasmBinary,
        print: (line) => lines.push(line),
        printErr: () => {},
        preRun: ({ ENV }) => Object.assign(ENV, { TERM: "page", LANG: "C.UTF-8", LOOKBACK_ISA: "portable" }),
    });
    for (const [path, bytes] of Object.entries(files)) {
        const folder = path.split("/").slice(0, -1).join("/");
        if (folder) engine.FS.mkdirTree(folder);
        engine.FS.writeFile(path, bytes);
    }
    return { engine, lines, call: (...values) => ask(engine, ...values) };
}

function ask(engine, name, result, ...values) {
    return engine.ccall(
        `workbench_${name}`,
        result,
        values.map((value) => typeof value),
        values,
    );
}

// A training from its first step to its last: the bytes of `path`.
export async function trainInNode(words, files, path) {
    const { engine, call } = await instantiate(files);
    if (call("begin", "number", JSON.stringify(words), 0) !== 0) throw new Error("the training has not begun");
    for (let now = {}; !now.done;) {
        now = JSON.parse(call("step", "string"));
        if (now.error) throw new Error(now.error);
    }
    return Buffer.from(engine.FS.readFile(path));
}

// The lines that a command prints as its result.
export async function runInNode(words, files) {
    const { call, lines } = await instantiate(files);
    if (call("run", "number", JSON.stringify(words)) !== 0) throw new Error(`${words.join(" ")} has failed`);
    return lines;
}

// ---- Natively. ----

export function native(words, cwd) {
    return execFileSync(LOOKBACK, words, { encoding: "utf8", cwd, stdio: ["pipe", "pipe", "pipe"] })
        .trimEnd()
        .split("\n");
}

// ---- In the page. ----

// Keeps the WebAssembly and the script that the page gives to its workers.
function keepEngine() {
    const Plain = Worker;
    globalThis.Worker = class extends Plain {
        constructor(address) {
            super(address);
            this.address = address;
        }
        postMessage(message, ...more) {
            if (message.type === "boot") globalThis.engine = { address: this.address, boot: message };
            super.postMessage(message, ...more);
        }
    };
}

export async function openWorkbench(browser, options) {
    const opened = await openFile(browser, WORKBENCH, { early: keepEngine, ...options });
    await opened.page.waitForSelector("html[data-ready]");
    return opened;
}

// Runs a command in a worker of the page: its exit status, what it prints, and the files that it may write.
export async function runInPage(page, words, files, results = []) {
    const given = Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes).toString("base64")]);
    const ended = await page.evaluate(
        (words, given, results) =>
            new Promise((resolve, reject) => {
                const { address, boot } = globalThis.engine,
                    worker = new Worker(address),
                    lines = [];
                worker.onmessage = ({ data }) => {
                    if (data.type === "line" && data.stream === "out") lines.push(data.text);
                    if (data.type === "broken") reject(new Error(data.error));
                    if (data.type !== "ended") return;
                    worker.terminate();
                    const files = Object.entries(data.files).map(([path, bytes]) => [path, bytes.toBase64()]);
                    resolve({ status: data.status, lines, files });
                };
                const bytes = given.map(([path, text]) => [path, Uint8Array.fromBase64(text)]);
                worker.postMessage(boot);
                worker.postMessage({ type: "run", words, files: Object.fromEntries(bytes), results });
            }),
        words,
        given,
        results,
    );
    return {
        ...ended,
        files: Object.fromEntries(ended.files.map(([path, text]) => [path, Buffer.from(text, "base64")])),
    };
}

// Drops files, {name: bytes, text or { zeros: bytes }}, on the page.
export const drop = (page, files) =>
    page.evaluate(
        (given) => {
            const dataTransfer = new DataTransfer();
            for (const [name, text, zeros] of given) {
                const bytes = zeros ? new Uint8Array(zeros) : Uint8Array.fromBase64(text);
                dataTransfer.items.add(new File([bytes], name));
            }
            document.dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
        },
        Object.entries(files).map(([name, given]) =>
            given.zeros ? [name, "", given.zeros] : [name, Buffer.from(given).toString("base64")],
        ),
    );

// Waits until the first pairs are shown.
export const untilRead = (page) => until(page, () => document.querySelector(".found table")?.checkVisibility());
export const untilDone = (page) =>
    until(page, () => / · done$/.test(document.querySelector(".training .status")?.textContent));

// Sets what the label names.
export const set = (page, name, value) =>
    until(
        page,
        (name, value) => {
            const label = [...document.querySelectorAll(".setting label")].find((one) => one.textContent === name);
            if (!label) return false;
            label.control.value = value;
            label.control.dispatchEvent(new Event("change"));
            return true;
        },
        name,
        value,
    );

// The bytes of this file in the last message of a training that has files.
export const trained = async (page, path) =>
    Buffer.from(
        await page.evaluate(async (path) => {
            const { files } = globalThis.heard.findLast(({ files }) => files?.[path]);
            return new Uint8Array(await files[path].arrayBuffer()).toBase64();
        }, path),
        "base64",
    );

// Text that comes at once, as from a clipboard: between slow keys, the page answers the beginning of a word.
export async function paste(page, selector, text) {
    await page.$eval(
        selector,
        (field, value) => {
            field.value = value;
            field.dispatchEvent(new Event("input", { bubbles: true }));
        },
        text,
    );
}
