// How a test uses a page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { openPage, settle } from "./browser.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const ARROW = { Left: "ArrowLeft", Right: "ArrowRight", Up: "ArrowUp", Down: "ArrowDown" };
export const textOf = (page, selector) => page.$eval(selector, (node) => node.textContent);
export const countOf = (page, selector) => page.$$eval(selector, (nodes) => nodes.length);
export const heading = (page) => textOf(page, ".pair h2");
export const select = async (page, label, value) => {
    await page.evaluate(
        (wanted, chosen) => {
            const found = [...document.querySelectorAll("label.choice")].find(
                (node) => node.checkVisibility() && node.textContent.startsWith(wanted),
            );
            const box = found.querySelector("select");
            box.value = chosen;
            box.dispatchEvent(new Event("change"));
        },
        label,
        value,
    );
    await settle(page);
};
export const rowTexts = (page) =>
    page.$$eval(".grid .rows .row", (rows) =>
        rows
            .sort((a, b) => a.getAttribute("aria-rowindex") - b.getAttribute("aria-rowindex"))
            .map((row) => [...row.children].map((cell) => cell.textContent)),
    );

// Opens a report, and asserts that nothing went wrong while `work` used it.
export async function inReport(browser, name, options, work) {
    const { page, trouble } = await openPage(browser, name, options);
    try {
        await work(page);
        assert.deepEqual(trouble, []);
    } finally {
        await page.close();
    }
}

export async function assertAccessible(page) {
    await page.evaluate(axe);
    const found = await page.evaluate(async () =>
        (await globalThis.axe.run(document, { resultTypes: ["violations"] })).violations.map(
            (one) =>
                `${one.id}: ${one.nodes
                    .slice(0, 3)
                    .map((node) => `${node.target} ${node.failureSummary}`)
                    .join("; ")}`,
        ),
    );
    assert.deepEqual(found, []);
}
