// On paper: nothing is wider than the sheet, and what belongs together is on one page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, openPage, REPORTS, settle } from "./browser.js";
import { dataOf } from "./reports.js";

const A4_WIDTH = 794;
const SHEETS = [
    ["learned", "french", "#view=learned"],
    ["why", "french", "#view=why"],
    ["erasure", "french", "#pair=3&attention=erasure"],
    ["training", "french", "#view=history"],
    ["model", "french", "#view=card"],
    ["pair", "french", "#pair=3"],
    ["pair-long", "long", "#pair=4"],
    ["pair-of-transformer", "transformer", "#pair=3"],
    ["pair-of-votes", "vote", "#pair=2"],
    ["pair-endless", "endless", "#pair=1"],
];
let browser, close;
before(async () => ({ browser, close } = await launch()));
after(() => close());

// The lines of each page of a print. The print is left in the folder of the reports, to be looked at.
async function linesOfPages(page, name) {
    const folder = join(REPORTS, "printed"),
        file = join(folder, `${name}.pdf`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, await page.pdf({ format: "A4", printBackground: true }));
    return execFileSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" })
        .split("\f")
        .map((text) => text.split("\n").map((line) => line.trim()))
        .map((lines) => lines.filter((line) => line !== ""))
        .filter((lines) => lines.length > 0);
}

for (const [name, report, hash] of SHEETS) {
    test(`${name} fits on paper`, async () => {
        const { page } = await openPage(browser, report, { hash, width: A4_WIDTH, height: 1123 });
        const captions = await page.$$eval("h2, h3, figcaption .note", (nodes) =>
            nodes.filter((node) => node.checkVisibility()).map((node) => node.textContent),
        );
        await page.emulateMediaType("print");
        await settle(page);
        const wide = await page.evaluate((most) => {
            const shown = [...document.querySelectorAll("body *")].filter(
                (node) => node.checkVisibility() && !node.closest(".unseen") && !node.ownerSVGElement,
            );
            return shown
                .filter((node) => {
                    const box = node.getBoundingClientRect();
                    return box.right > most + 1 || box.left < -1;
                })
                .map((node) => `${node.localName}.${node.className}`);
        }, A4_WIDTH);
        assert.deepEqual(wide, []);
        for (const lines of await linesOfPages(page, name))
            assert.ok(!captions.includes(lines.at(-1)), `a page ends with ${lines.at(-1)}`);
        await page.close();
    });
}

test("the table is printed whole, with the rows that are shown, and then the open pair again", async () => {
    const { page, trouble } = await openPage(browser, "french", { hash: "#show=wrong", width: A4_WIDTH });
    const shown = Number((await page.$eval(".shown", (one) => one.textContent)).split(" ")[0]),
        drawn = () => page.$$eval(".grid .rows .row", (rows) => rows.length);
    await page.evaluate(() => {
        globalThis.print = () => undefined;
        [...document.querySelectorAll("button")].find((one) => one.textContent === "Print").click();
    });
    assert.equal(await drawn(), shown);
    await page.emulateMediaType("print");
    await settle(page);
    const wide = await page.$$eval(".grid .row > div", (cells) =>
        cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent),
    );
    assert.deepEqual(wide, []);
    const numbers = (await linesOfPages(page, "table")).flat().map((line) => line.split(/\s+/)[0]);
    const expected = dataOf("french")[0].pairs.flatMap((pair, i) => (pair.edits > 0 ? [String(i + 1)] : []));
    assert.deepEqual(
        numbers.filter((text) => expected.includes(text)),
        expected,
    );
    await page.emulateMediaType(null);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.ok((await drawn()) < shown || shown < 20);
    assert.ok((await linesOfPages(page, "pair-again")).flat().some((line) => line.startsWith("Pair ")));
    assert.deepEqual(trouble, []);
    await page.close();
});

test("a printed chart is on the page of its caption", async () => {
    const { page } = await openPage(browser, "french", { hash: "#view=learned" });
    const pages = await linesOfPages(page, "charts");
    for (const [caption, axis] of [
        ["Calibration of the confidence", "share that is right"],
        ["Errors by length", "share of wrong outputs"],
        ["Heads", "lost"],
    ]) {
        const [own, ...others] = pages.filter((lines) => lines.some((line) => line.includes(caption)));
        assert.equal(others.length, 0);
        assert.ok(
            own.some((line) => line.includes(axis)),
            `${axis} is not on the page of ${caption}`,
        );
    }
    await page.close();
});
