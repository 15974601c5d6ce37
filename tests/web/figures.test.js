// Each figure of each view: saved, copied, and as a table for a screen reader. Its colours go one way in lightness.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./browser.js";
import { inReport, select } from "./use.js";

const VIEWS = [
    ["the pairs", "french", "#pair=3", ["ribbons", "heatmap", "likeliest", "beam"]],
    ["self-attention", "transformer", "#pair=3&attention=encoder", ["ribbons", "heatmap", "likeliest", "beam"]],
    ["erasure", "french", "#pair=3&attention=erasure", ["ribbons", "heatmap", "likeliest", "beam"]],
    ["the verdict", "french", "#view=why", ["agreement-tau", "agreement-first"]],
    ["Learned", "french", "#view=learned", ["alignment", "by-length", "calibration"]],
    ["Training", "french", "#view=history", ["loss", "measures", "film"]],
];
let browser, close, reader;
before(async () => {
    ({ browser, close } = await launch());
    // The page itself may not parse markup: another one does.
    reader = await browser.newPage();
});
after(() => close());

const parse = (text) =>
    reader.evaluate((svg) => {
        const tree = new DOMParser().parseFromString(svg, "image/svg+xml");
        return {
            name: tree.documentElement.localName,
            bad: tree.querySelectorAll("parsererror").length,
            left: tree.querySelectorAll("[class], image").length,
            drawn: tree.querySelectorAll("rect, path, circle, text").length > 5,
        };
    }, text);

// What the figure is, in words and numbers, and what its buttons give.
const take = (page, name) =>
    page.$eval(`figure.${name}`, async (figure) => {
        let saved = null,
            copied = null;
        const createUrl = URL.createObjectURL;
        URL.createObjectURL = (blob) => ((saved = blob), createUrl.call(URL, blob));
        HTMLAnchorElement.prototype.click = () => undefined;
        navigator.clipboard.writeText = async (text) => void (copied = text);
        const press = (text) =>
            [...figure.querySelectorAll(".tools button")].find((one) => one.textContent === text).click();
        press("SVG");
        press("CSV");
        return {
            svg: await saved.text(),
            csv: copied,
            label: figure.querySelector("svg[role=img]").getAttribute("aria-label"),
            rows: [...figure.querySelectorAll(".numbers tr")].map((row) =>
                [...row.cells].map((cell) => cell.textContent),
            ),
        };
    });

for (const [view, report, hash, names] of VIEWS) {
    test(`each figure of ${view} is saved as SVG, copied as CSV, and a table for a screen reader`, () =>
        inReport(browser, report, { hash }, async (page) => {
            const shown = await page.$$eval("figure", (nodes) =>
                nodes.filter((node) => node.checkVisibility()).map((node) => node.classList[1]),
            );
            assert.deepEqual(shown.sort(), [...names].sort());
            for (const name of names) {
                const { svg, csv, label, rows } = await take(page, name);
                assert.deepEqual(await parse(svg), { name: "svg", bad: 0, left: 0, drawn: true }, name);
                const lines = csv.trimEnd().split("\r\n");
                assert.ok(label.length > 20, `${name}: ${label}`);
                assert.equal(rows.length, lines.length, name);
                assert.ok(rows.length > 1 && rows.every((row) => row.length === rows[0].length), name);
                assert.equal(lines.at(-1), rows.at(-1).join(), name);
            }
        }));
}

// L* of CIELAB, from 0 to 100.
function lightness(color) {
    const [r, g, b] = color.match(/[\d.]+/g).map((c) => {
        const share = Number(c) / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    const y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    return y > 0.008856 ? 116 * Math.cbrt(y) - 16 : 903.3 * y;
}

for (const dark of [false, true]) {
    test(`each map of colours goes one way in lightness, ${dark ? "dark" : "light"}`, () =>
        inReport(browser, "french", { dark }, async (page) => {
            for (const map of ["page", "viridis", "ylorrd", "greys"]) {
                await select(page, "Colours", map);
                const bar = (
                    await page.$$eval(".heatmap .bar rect", (nodes) => nodes.map((node) => node.getAttribute("fill")))
                ).map(lightness);
                assert.equal(bar.length, 48);
                const way = Math.sign(bar.at(-1) - bar[0]),
                    steps = bar.slice(1).map((value, i) => way * (value - bar[i]));
                assert.ok(Math.abs(bar.at(-1) - bar[0]) > 55, `${map}: from ${bar[0]} to ${bar.at(-1)}`);
                assert.ok(Math.min(...steps) > 0, `${map}: ${Math.min(...steps)}`);
            }
        }));

    test(`each map of colours has two ways from nothing, in other hues, ${dark ? "dark" : "light"}`, () =>
        inReport(browser, "french", { dark, hash: "#pair=1&attention=erasure" }, async (page) => {
            for (const map of ["page", "viridis", "ylorrd", "greys"]) {
                await select(page, "Colours", map);
                const bar = await page.$$eval(".heatmap .bar rect", (nodes) =>
                    nodes.map((node) => node.getAttribute("fill")),
                );
                const half = bar.length / 2;
                for (const arm of [bar.slice(0, half).reverse(), bar.slice(half)]) {
                    const light = arm.map(lightness),
                        way = Math.sign(light.at(-1) - light[0]),
                        steps = light.slice(1).map((value, i) => way * (value - light[i]));
                    assert.ok(Math.abs(light.at(-1) - light[0]) > 50, `${map}: from ${light[0]} to ${light.at(-1)}`);
                    assert.ok(Math.min(...steps) > 0, `${map}: ${Math.min(...steps)}`);
                }
                // Half way, red is more than blue on one side only, or much more.
                const warmth = [bar[half - 12], bar[half + 12]].map((color) => {
                    const [red, , blue] = color.match(/\d+/g).map(Number);
                    return red - blue;
                });
                assert.ok(Math.abs(warmth[1] - warmth[0]) > 60, `${map}: ${warmth}`);
            }
        }));
}
