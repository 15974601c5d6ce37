// The workbench in Firefox, where ./run verify asks for it: from an example to a model that outlives the tab.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";
import { until } from "./browser.js";
import { press } from "./playground.js";
import { textOf } from "./use.js";
import { paste, set, untilDone, untilRead } from "./workbench.js";

const { FIREFOX, WORKBENCH } = process.env;
const SIZES = { hidden: 64, lr: 0.01, steps: 400, "evaluate-every": 50 };
const PATIENCE = 600000; // milliseconds

async function openIn(browser) {
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE);
    await page.goto(pathToFileURL(WORKBENCH).href);
    await page.waitForSelector("html[data-ready]");
    return page;
}

async function writes(page, source) {
    await press(page, "Use");
    await paste(page, "#use-text", source);
    await until(page, () => document.querySelector(".best")?.textContent.length > 3);
    return textOf(page, ".best");
}

test(
    "Firefox trains, writes, measures, and keeps a model",
    { skip: !FIREFOX && "FIREFOX names no Firefox, as in ./run verify" },
    async () => {
        const executablePath = execFileSync("sh", ["-c", `command -v ${FIREFOX}`], { encoding: "utf8" }).trim();
        const browser = await puppeteer.launch({ browser: "firefox", executablePath, protocolTimeout: PATIENCE });
        try {
            const page = await openIn(browser);
            await press(page, "Spanish words and their sounds");
            await untilRead(page);
            await press(page, "Train a model");
            for (const [name, value] of Object.entries(SIZES)) await set(page, name, value);
            await press(page, "Train now");
            await untilDone(page);
            const before = await writes(page, "guitarra");
            assert.match(before, /^ɡ/);
            await press(page, "See");
            await until(page, () => document.querySelector(".see .pairs"));
            assert.match(await textOf(page, ".see .score"), /exact match +[4-9]\d\.\d\d %/);
            await page.close();

            const again = await openIn(browser);
            await press(again, "Open");
            await until(again, () => document.querySelector(".training")?.checkVisibility());
            assert.equal(await writes(again, "guitarra"), before);
        } finally {
            await browser.close();
        }
    },
);
