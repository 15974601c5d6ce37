// How a test uses the playground, and the native program next to it.
import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";

export const PLAYGROUND = process.env.PLAYGROUND;
const LOOKBACK = process.env.LOOKBACK,
    PATIENCE = 120000;

// The arguments of `lookback sort` for the defaults of the page.
export const DEFAULTS = [
    "--max-number",
    "20",
    "--min-length",
    "2",
    "--max-length",
    "6",
    "--repeats",
    "0.3",
    "--attention",
    "multi-head",
    "--embed",
    "32",
    "--hidden",
    "64",
    "--batch",
    "48",
    "--lr",
    "0.01",
    "--seed",
    "1",
    "--target",
    "0",
    "--threads",
    "1",
];

export function native(...words) {
    return execFileSync(LOOKBACK, words, { encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] });
}

// Seconds of processor time of a native run, on one thread and without AVX-512.
export function nativeSeconds(...words) {
    const times = execFileSync("sh", ["-c", '"$@" >/dev/null 2>&1 && times', "sh", LOOKBACK, ...words], {
        encoding: "utf8",
        env: { ...process.env, OPENBLAS_CORETYPE: "Haswell", OPENBLAS_NUM_THREADS: "1" },
    });
    // The second line is that of the children: 0m0.25s 0m0.02s.
    return times
        .trim()
        .split("\n")[1]
        .split(" ")
        .map((time) => time.match(/^(\d+)m([\d.]+)s$/))
        .reduce((sum, [, minutes, seconds]) => sum + 60 * minutes + Number(seconds), 0);
}

// Seconds of processor time of all pages so far.
export async function pageSeconds(browser) {
    const client = await browser.target().createCDPSession(),
        { processInfo } = await client.send("SystemInfo.getProcessInfo");
    await client.detach();
    return processInfo.filter((one) => one.type === "renderer").reduce((sum, one) => sum + one.cpuTime, 0);
}

export function predict(model, text) {
    return execFileSync(LOOKBACK, ["predict", model], { encoding: "utf8", input: `${text}\n` }).trim();
}

// `heard` in the page has every message of every worker; `trouble` all that goes wrong.
export async function openPlayground(browser, { dark = false, early = () => {} } = {}) {
    const page = await browser.newPage(),
        trouble = [],
        url = pathToFileURL(PLAYGROUND).href;
    page.setDefaultTimeout(PATIENCE);
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
    page.on(
        "console",
        (message) =>
            ["error", "warn", "warning"].includes(message.type()) && trouble.push(`console: ${message.text()}`),
    );
    page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
    page.on(
        "request",
        (request) =>
            request.url() !== url && !/^(data|blob):/.test(request.url()) && trouble.push(`request: ${request.url()}`),
    );
    await page.evaluateOnNewDocument(() => {
        globalThis.heard = [];
        const Plain = Worker;
        globalThis.Worker = class extends Plain {
            constructor(address) {
                super(address);
                this.addEventListener("message", ({ data }) => globalThis.heard.push(data));
            }
        };
    });
    await page.evaluateOnNewDocument(early);
    await page.goto(url);
    await page.waitForSelector("html[data-ready]");
    return { page, trouble };
}

export const press = (page, name) =>
    page.evaluate(
        (text) => [...document.querySelectorAll("button")].find((one) => one.textContent === text).click(),
        name,
    );
export const status = (page) => page.evaluate(() => document.querySelector(".status").textContent);
export const stepOf = async (page) => Number(/step (\d+)/.exec(await status(page))?.[1] ?? 0);
export const losses = (page) =>
    page.evaluate(() => globalThis.heard.filter((one) => one.type === "step").flatMap((one) => one.losses));
export const untilStep = (page, step) =>
    page.waitForFunction(
        (least) => Number(/step (\d+)/.exec(document.querySelector(".status").textContent)?.[1]) >= least,
        {},
        step,
    );
export const untilIdle = (page) =>
    page.waitForFunction(() => document.querySelector(".primary").textContent === "Train");
export const written = (page) => page.evaluate(() => document.querySelector(".written")?.textContent);

export async function set(page, label, value) {
    await page.evaluate(
        (name, given) => {
            const input = document.querySelector(`[aria-label="${name}"]`);
            input.value = given;
            input.dispatchEvent(new Event("change"));
        },
        label,
        value,
    );
}

export async function type(page, text) {
    await page.evaluate((given) => {
        const input = document.getElementById("input");
        input.value = given;
        input.dispatchEvent(new Event("input"));
    }, text);
    await page.waitForFunction(
        (given) =>
            document.querySelector(".written")?.textContent.startsWith(`${given} →`) ||
            document.querySelector(".picture .trouble")?.textContent,
        {},
        text,
    );
}

export async function trainTo(page, steps) {
    await set(page, "steps", steps);
    await page.waitForFunction(
        (all) => document.querySelector(".status").textContent.includes(`step 0 of ${all}`),
        {},
        steps,
    );
    await press(page, "Train");
    await page.waitForFunction(() => document.querySelector(".status").textContent.includes("done"));
}
