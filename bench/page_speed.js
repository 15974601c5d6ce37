// `./run web-test --measure` says how fast the workbench is: a step beside one of a native thread, how long the
// thread of the page is busy at once while a model trains, and how soon a training answers during an evaluation.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "./browser.js";
import { press } from "./playground.js";
import { drop, exampleOf, LOOKBACK, openWorkbench, set, untilDone, untilRead } from "./workbench.js";

const ROUNDS = 5,
    STEPS = 60;
const spanish = exampleOf("spanish_train.tsv").toString(),
    lines = spanish.trimEnd().split("\n");
const made = (count) =>
    Array.from({ length: count }, (_, i) => {
        const [[a, b], [c, d]] = [lines[i % lines.length], lines[(i * 7 + 3) % lines.length]].map((l) => l.split("\t"));
        return `${a}${c}\t${b} ${d}\n`;
    }).join("");
const RECIPE = ["--target-separator", " ", "--hidden", "192", "--embed", "192", "--batch", "16"];
const folder = mkdtempSync(join(tmpdir(), "lookback-measure-")),
    { browser, close } = await launch(),
    { page } = await openWorkbench(browser);

// Messages of a training in a worker of the page, with the time of each; `ask`: it asks for a pause during evaluations,
// and goes on.
const train = (words, files, ask) =>
    page.evaluate(
        (words, files, ask) =>
            new Promise((resolve, reject) => {
                const { address, boot } = globalThis.engine,
                    worker = new Worker(address),
                    heard = [];
                worker.onmessage = ({ data }) => {
                    const { type, step, error, done } = data,
                        evaluated = data.measures !== undefined;
                    if (error) reject(new Error(error));
                    if (type !== "stepped" && type !== "paused") return;
                    heard.push({ type, step, evaluated, at: performance.now() });
                    if (done) worker.terminate(resolve(heard));
                    else if (type === "paused") worker.postMessage({ type: "resume" });
                    else if (ask && step % ask === 0 && !evaluated) worker.postMessage({ type: "pause" });
                };
                const bytes = Object.entries(files).map(([name, text]) => [name, new TextEncoder().encode(text)]);
                worker.postMessage(boot);
                worker.postMessage({ type: "begin", words, member: 0, files: Object.fromEntries(bytes), out: "out" });
            }),
        words,
        files,
        ask,
    );

// Milliseconds of a step: the best of all rounds, each beside the other.
async function steps() {
    const pages = [],
        natives = [],
        seconds = (count) => {
            const began = performance.now();
            const words = ["train", "spanish.tsv", ...RECIPE, "--steps", count, "--evaluate-every", count, "--fresh"];
            const env = { ...process.env, OMP_NUM_THREADS: "1", LOOKBACK_ISA: "avx2" };
            execFileSync(LOOKBACK, [...words, "--threads", "1", "--quiet", "--out", "out"], { cwd: folder, env });
            return performance.now() - began;
        };
    writeFileSync(join(folder, "spanish.tsv"), spanish);
    for (let round = 0; round < ROUNDS; round++) {
        natives.push((seconds(String(4 * STEPS)) - seconds(String(STEPS))) / (3 * STEPS));
        const words = ["train", "spanish.tsv", ...RECIPE, "--steps", `${STEPS}`, "--evaluate-every", `${STEPS}`];
        const heard = await train([...words, "--out", "out"], { "spanish.tsv": spanish }, 0);
        const last = heard.findLast(({ step, evaluated }) => step < STEPS && !evaluated);
        pages.push((last.at - heard[0].at) / (last.step - heard[0].step));
    }
    const [here, native] = [Math.min(...pages), Math.min(...natives)];
    const [a, b, ratio] = [here, native, here / native].map((value) => value.toFixed(1));
    return `a step of width 192 and 16 pairs: ${a} ms in the page, ${b} ms natively, ratio ${ratio}`;
}

async function answers() {
    const words = ["train", "spanish.tsv", "--dev", "dev.tsv", ...RECIPE, "--steps", "100", "--evaluate-every", "20"];
    const heard = await train([...words, "--out", "out"], { "spanish.tsv": spanish, "dev.tsv": made(500) }, 20);
    const gaps = heard.slice(1).map((now, i) => ({ ...now, ms: now.at - heard[i].at }));
    const most = (found) => Math.round(Math.max(0, ...found.map(({ ms }) => ms)));
    const evaluating = ({ step, type, evaluated }) => evaluated || type === "paused" || step % 20 === 0;
    const [a, b] = [most(gaps.filter(evaluating)), most(gaps.filter((gap) => !evaluating(gap)))];
    return `the longest wait for an answer: ${a} ms in evaluations of 500 pairs, ${b} ms in steps`;
}

// Of the thread that shows the page, from a trace: processor time, which other programs do not lengthen much.
async function tasks() {
    const path = join(folder, "trace.json");
    await drop(page, { "made.tsv": made(5000) });
    await untilRead(page);
    await press(page, "Train a model");
    for (const [name, value] of Object.entries({ "target-separator": " ", steps: 100, "evaluate-every": 20 }))
        await set(page, name, value);
    await page.tracing.start({ path, categories: ["devtools.timeline", "disabled-by-default-devtools.timeline"] });
    await press(page, "Train now");
    await untilDone(page);
    await page.tracing.stop();
    const { traceEvents: events } = JSON.parse(readFileSync(path));
    const names = new Map(
        events.filter(({ name }) => name === "thread_name").map((e) => [`${e.pid} ${e.tid}`, e.args]),
    );
    const found = events.filter(
        (e) => e.name === "RunTask" && names.get(`${e.pid} ${e.tid}`)?.name === "CrRendererMain",
    );
    const most = (field) => Math.round(Math.max(...found.map((e) => e[field] ?? 0)) / 1000);
    return `longest task of the page while 5,000 pairs train: ${most("tdur")} ms of processor time, ${most("dur")} ms`;
}

try {
    for (const measure of [steps, answers, tasks]) console.log(await measure());
} finally {
    await close();
    rmSync(folder, { recursive: true });
}
