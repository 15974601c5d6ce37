// Large reports, and what one takes along: pictures, tables, a print.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { goTo, launch, openFile, openPage, REPORTS, save, settle, until } from "./browser.js";
import { countOf, inReport, select, textOf } from "./use.js";

let browser, close;
before(async () => ({ browser, close } = await launch()));
after(() => close());

const inPage = (name, options, work) => inReport(browser, name, options, work);

test("1,000 and 10,000 pairs open with as many elements as 72", async () => {
    const made = [];
    for (const name of ["french", "thousand", "tenThousand"]) {
        const { page, trouble } = await openPage(browser, name, {
            early: () => {
                globalThis.made = 0;
                for (const method of ["createElement", "createElementNS"]) {
                    const create = Document.prototype[method];
                    Document.prototype[method] = function (...values) {
                        globalThis.made++;
                        return create.apply(this, values);
                    };
                }
            },
        });
        made.push(await page.evaluate(() => globalThis.made));
        await page.close();
        assert.deepEqual(trouble, []);
    }
    assert.ok(Math.max(...made) < 1.2 * Math.min(...made), `${made}`);
});

test("10,000 rows scroll: only those that are seen exist", () =>
    inPage("tenThousand", {}, async (page) => {
        for (const at of [0, 150000, 290000]) {
            await page.$eval(".grid", (grid, top) => (grid.scrollTop = top), at);
            await settle(page);
            assert.ok((await countOf(page, ".grid .rows .row")) < 40);
            const seen = await page.$eval(".grid", (grid) =>
                [...grid.querySelectorAll(".rows .row")].some((row) => {
                    const a = row.getBoundingClientRect(),
                        b = grid.getBoundingClientRect();
                    return a.top >= b.top && a.bottom <= b.bottom;
                }),
            );
            assert.ok(seen);
        }
        // Scrolls in a frame are drawn once, and make only rows that are seen.
        const made = await page.evaluate(async () => {
            const grid = document.querySelector(".grid"),
                counts = [];
            const observer = new MutationObserver((records) =>
                counts.push(records.reduce((sum, record) => sum + record.addedNodes.length, 0)),
            );
            observer.observe(grid.querySelector(".rows"), { childList: true });
            for (let i = 0; i < 60; i++) {
                for (let k = 0; k < 5; k++) {
                    grid.scrollTop = i * 4000 + k * 500;
                    grid.dispatchEvent(new Event("scroll"));
                }
                await new Promise((done) => requestAnimationFrame(done));
            }
            return counts;
        });
        assert.equal(made.length, 60);
        assert.ok(Math.max(...made) < 40, `${made}`);
        await goTo(page, "#pair=9999");
        assert.match(await textOf(page, ".missing"), /Only the first 50 pairs/);
    }));

test("pictures are saved as SVG and PNG, and copied as CSV", () =>
    inPage("french", { hash: "#pair=1" }, async (page) => {
        const folder = mkdtempSync(join(tmpdir(), "lookback-saved-"));
        try {
            const buttons = await page.$$(".heatmap .tools button");
            for (const one of buttons.slice(0, 2)) await save(page, folder, () => one.click());
            const files = readdirSync(folder).sort();
            assert.deepEqual(files, ["french-test.tsv-pair-1-heatmap.png", "french-test.tsv-pair-1-heatmap.svg"]);
            assert.equal(readFileSync(join(folder, files[0])).subarray(0, 8).toString("hex"), "89504e470d0a1a0a");
            const text = readFileSync(join(folder, files[1]), "utf8");
            // The page itself may not parse markup: another one does.
            const other = await browser.newPage();
            const parsed = await other.evaluate((svg) => {
                const tree = new DOMParser().parseFromString(svg, "image/svg+xml");
                return {
                    name: tree.documentElement.localName,
                    bad: tree.querySelectorAll("parsererror").length,
                    cells: tree.querySelectorAll("g > rect").length,
                    left: tree.querySelectorAll("[class], image").length,
                };
            }, text);
            await other.close();
            assert.ok(text.startsWith("<?xml"));
            assert.deepEqual(
                { ...parsed, cells: parsed.cells >= 7 * 5 },
                { name: "svg", bad: 0, cells: true, left: 0 },
            );
            await page.evaluate(
                () => (navigator.clipboard.writeText = async (copied) => void (globalThis.copied = copied)),
            );
            await buttons[2].click();
            await until(page, () => globalThis.copied);
            const lines = (await page.evaluate(() => globalThis.copied)).trimEnd().split("\r\n");
            assert.equal(lines.length, 6);
            assert.equal(lines[0], "output \\ source,c,h,â,t,e,a,u");
            assert.match(lines[1], /^ʃ(,0\.\d{3}){7}$/);
        } finally {
            rmSync(folder, { recursive: true, force: true });
        }
    }));

test("a screen reader finds a table in place of each picture", () =>
    inPage("french", { hash: "#pair=3" }, async (page) => {
        const pictures = await page.$$eval("figure.picture", (nodes) =>
            nodes
                .filter((node) => node.checkVisibility())
                .map((node) => [
                    node.querySelector("svg[role=img]")?.getAttribute("aria-label") ?? "",
                    node.querySelectorAll(".numbers td").length,
                ]),
        );
        assert.equal(pictures.length, 4);
        for (const [label, cells] of pictures) assert.ok(label.length > 20 && cells > 3, label);
    }));

test("dark and light follow the system and the choice, and paper is light", () =>
    inPage("french", { dark: true }, async (page) => {
        const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        assert.equal(await paper(), "rgb(22, 25, 28)");
        await select(page, "Theme", "light");
        assert.equal(await paper(), "rgb(255, 255, 255)");
        await select(page, "Theme", "dark");
        assert.equal(await paper(), "rgb(22, 25, 28)");
        await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
        assert.equal(await paper(), "rgb(255, 255, 255)");
        await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
        assert.equal(await paper(), "rgb(22, 25, 28)");
        const pdf = Buffer.from(await page.pdf({ printBackground: true }));
        assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
        assert.ok(pdf.length > 10000);
    }));

test("a browser without DecompressionStream gets a sentence", async () => {
    const { page } = await openFile(browser, join(REPORTS, "french.html"), {
        early: () => delete globalThis.DecompressionStream,
    });
    assert.match(await textOf(page, "#opening"), /^This browser cannot open the report: it lacks DecompressionStream/);
    await page.close();
});
