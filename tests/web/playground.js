// How a test uses the playground, and the native program next to it.
import { execFileSync } from "node:child_process";
import { openFile, until } from "./browser.js";

export const PLAYGROUND = process.env.PLAYGROUND;
const { LOOKBACK } = process.env;

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

export function predict(model, text) {
    return execFileSync(LOOKBACK, ["predict", model], { encoding: "utf8", input: `${text}\n` }).trim();
}

export async function openPlayground(browser, options) {
    const opened = await openFile(browser, PLAYGROUND, options);
    await opened.page.waitForSelector("html[data-ready]");
    return opened;
}

// The page writes on its buttons, and frees them, in the frame after what its workers say.
export const press = (page, name) =>
    until(
        page,
        (text) => {
            const found = [...document.querySelectorAll("button")].find((one) => one.textContent === text);
            if (!found || found.disabled) return false;
            found.click();
            return true;
        },
        name,
    );
export const status = (page) => page.evaluate(() => document.querySelector(".status").textContent);
export const stepOf = async (page) => Number(/step (\d+)/.exec(await status(page))?.[1] ?? 0);
export const losses = (page) =>
    page.evaluate(() => globalThis.heard.filter((one) => one.type === "step").flatMap((one) => one.losses));
export const untilStep = (page, step) =>
    until(
        page,
        (least) => Number(/step (\d+)/.exec(document.querySelector(".status").textContent)?.[1]) >= least,
        step,
    );
// The button says at once what was asked for. The worker has done it when it says that it is idle.
export const untilIdle = (page) => until(page, () => globalThis.heard.at(-1)?.type === "idle");
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
    await until(
        page,
        (given) =>
            document.querySelector(".written")?.textContent.startsWith(`${given} →`) ||
            document.querySelector(".picture .trouble")?.textContent,
        text,
    );
}

export async function trainTo(page, steps) {
    await set(page, "steps", steps);
    await until(page, (all) => document.querySelector(".status").textContent.includes(`step 0 of ${all}`), steps);
    await press(page, "Train");
    await until(page, () => document.querySelector(".status").textContent.includes("done"));
}
