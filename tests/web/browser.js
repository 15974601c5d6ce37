// Headless Chromium, and a page of a report in it that notes all that goes wrong.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const here = dirname(fileURLToPath(import.meta.url));
export const REPORTS = process.env.REPORTS ?? join(here, "reports");
export const PICTURES = process.env.PICTURES ?? join(here, "pictures");

// Milliseconds. No test ends sooner, however busy the machine is: only a page that hangs takes so long.
const PATIENCE = 600000;

export async function launch() {
    const home = mkdtempSync(join(tmpdir(), "lookback-web-"));
    const browser = await puppeteer.launch({
        executablePath:
            process.env.CHROMIUM ?? execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim(),
        userDataDir: join(home, "profile"),
        // Chromium refuses its sandbox to root. The same fonts on every machine, drawn in the same way.
        args: [
            ...(process.getuid() === 0 ? ["--no-sandbox"] : []),
            "--font-render-hinting=none",
            "--disable-lcd-text",
            "--force-color-profile=srgb",
            "--hide-scrollbars",
        ],
        env: { ...process.env, HOME: home, FONTCONFIG_FILE: join(here, "fonts.conf") },
        timeout: PATIENCE,
        protocolTimeout: PATIENCE,
    });
    // A new page waits for its target, with a limit of its own.
    const waitForTarget = browser.waitForTarget.bind(browser);
    browser.waitForTarget = (wanted) => waitForTarget(wanted, { timeout: PATIENCE });
    return {
        browser,
        close: async () => {
            await browser.close();
            rmSync(home, { recursive: true, force: true });
        },
    };
}

// What a page still has to do, in `due`: timers that have not run and frames that have not come. What its workers have
// said, in `heard`.
function watch() {
    globalThis.due = new Set();
    for (const [ask, cancel] of [
        ["setTimeout", "clearTimeout"],
        ["requestAnimationFrame", "cancelAnimationFrame"],
    ]) {
        const [plainAsk, plainCancel] = [globalThis[ask], globalThis[cancel]];
        globalThis[ask] = (work, ...more) => {
            const id = plainAsk(
                (...values) => {
                    globalThis.due.delete(`${ask} ${id}`);
                    work(...values);
                },
                ...more,
            );
            globalThis.due.add(`${ask} ${id}`);
            return id;
        };
        globalThis[cancel] = (id) => {
            globalThis.due.delete(`${ask} ${id}`);
            plainCancel(id);
        };
    }
    globalThis.heard = [];
    const Plain = Worker;
    globalThis.Worker = class extends Plain {
        constructor(address) {
            super(address);
            this.addEventListener("message", ({ data }) => globalThis.heard.push(data));
        }
    };
}

// A page of this file. `trouble` holds errors of the console, and requests for anything else than the file. `early` runs
// before the page does.
export async function openFile(
    browser,
    file,
    { hash = "", dark = false, width = 1280, height = 900, scale = 1, early = () => {} } = {},
) {
    const page = await browser.newPage(),
        trouble = [],
        url = pathToFileURL(file).href;
    page.setDefaultTimeout(PATIENCE);
    await page.setViewport({ width, height, deviceScaleFactor: scale });
    await page.emulateMediaFeatures([
        { name: "prefers-color-scheme", value: dark ? "dark" : "light" },
        { name: "prefers-reduced-motion", value: "reduce" },
    ]);
    page.on(
        "console",
        (message) =>
            ["error", "warn", "warning"].includes(message.type()) && trouble.push(`console: ${message.text()}`),
    );
    page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => {
        trouble.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    page.on("request", (request) => {
        const to = request.url();
        if (to.split("#")[0] !== url && !/^(data|blob):/.test(to)) trouble.push(`request: ${to}`);
    });
    await page.evaluateOnNewDocument(watch);
    await page.evaluateOnNewDocument(early);
    await page.goto(url + hash);
    return { page, trouble };
}

// Opens a report from its file.
export async function openPage(browser, name, { folder = REPORTS, ...options } = {}) {
    const opened = await openFile(browser, join(folder, `${name}.html`), options);
    await opened.page.waitForSelector("html[data-ready]");
    await settle(opened.page);
    return opened;
}

// Waits for a state of the page. An error tells the condition that was not met.
export async function until(page, condition, ...values) {
    try {
        return await page.waitForFunction(condition, {}, ...values);
    } catch (error) {
        throw new Error(`${error.message}: waited until ${condition} of (${values.join(", ")})`);
    }
}

// Waits until nothing is due in three looks, a frame apart: a timer can change a size, and its observers are told in the
// next frame.
export async function settle(page) {
    await page.evaluate(() => (globalThis.quiet = 0));
    await until(page, () => (globalThis.quiet = globalThis.due.size === 0 ? globalThis.quiet + 1 : 0) === 3);
}

// Changes the part of the address after #, and waits for what follows.
export async function goTo(page, hash) {
    await page.evaluate(
        (to) =>
            new Promise((done) => {
                addEventListener("hashchange", done, { once: true });
                location.hash = to;
            }),
        hash,
    );
    await settle(page);
}

// Runs `work`, which saves so many files of the page in `folder`, and waits until all of them are there.
export async function save(page, folder, work, files = 1) {
    const client = await page.createCDPSession();
    await client.send("Browser.setDownloadBehavior", {
        behavior: "allow",
        downloadPath: folder,
        eventsEnabled: true,
    });
    await page.evaluate(() => (globalThis.saved = 0));
    client.on(
        "Browser.downloadProgress",
        ({ state }) => state === "completed" && page.evaluate(() => globalThis.saved++),
    );
    await work();
    await until(page, (files) => globalThis.saved >= files, files);
    await client.detach();
}

// The pixels of a print without backgrounds that are neither white, grey nor black.
export async function colouredPixels(page) {
    const folder = mkdtempSync(join(tmpdir(), "print-")),
        file = join(folder, "page");
    try {
        writeFileSync(`${file}.pdf`, await page.pdf({ format: "A4", printBackground: false }));
        execFileSync("pdftoppm", ["-r", "50", "-singlefile", `${file}.pdf`, file]);
        const pixels = readFileSync(`${file}.ppm`);
        let coloured = 0;
        for (let i = pixels.length - 3; i > 15; i -= 3) {
            const three = pixels.subarray(i, i + 3);
            coloured += Math.max(...three) - Math.min(...three) > 40;
        }
        return coloured;
    } finally {
        rmSync(folder, { recursive: true });
    }
}
