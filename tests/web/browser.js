// Headless Chromium, and a page of a report in it that notes all that goes wrong.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const here = dirname(fileURLToPath(import.meta.url));
export const REPORTS = process.env.REPORTS ?? join(here, "reports");
export const PICTURES = process.env.PICTURES ?? join(here, "pictures");

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
    });
    return {
        browser,
        close: async () => {
            await browser.close();
            rmSync(home, { recursive: true, force: true });
        },
    };
}

// Opens a report from its file. `trouble` holds errors of the console, and requests for anything else than the file;
// `seconds` is how long the page had the processor until it was ready, whatever else the machine does.
export async function openPage(
    browser,
    name,
    { folder = REPORTS, hash = "", dark = false, width = 1280, height = 900 } = {},
) {
    const page = await browser.newPage(),
        trouble = [],
        url = pathToFileURL(join(folder, `${name}.html`)).href;
    await page.setViewport({ width, height });
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
    const client = await page.createCDPSession();
    await client.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto(url + hash);
    await page.waitForSelector("html[data-ready]", { timeout: 20000 });
    const { metrics } = await client.send("Performance.getMetrics");
    await client.detach();
    await settle(page);
    return { page, trouble, seconds: metrics.find((one) => one.name === "ThreadTime").value };
}

// Until what was asked for is drawn: tables for screen readers come a moment later.
export async function settle(page, milliseconds = 320) {
    await new Promise((done) => setTimeout(done, milliseconds));
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
