// A report inside another page, which keeps its title, its address and its keys, and shows one report after another.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deflateSync } from "node:zlib";
import { launch, openFile, REPORTS, settle, until } from "./browser.js";
import { joinFiles } from "./join.js";
import { dataOf } from "./reports.js";
import { assertAccessible, countOf, heading, rowTexts, textOf } from "./use.js";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-@NONCE@'; style-src 'nonce-@NONCE@'; img-src data: blob:; require-trusted-types-for 'script'">
<title>Another page</title>
<style nonce="@NONCE@">@STYLE@</style>
</head>
<body>
<main><h1>Another page</h1><p><input aria-label="of this page"></p><section aria-label="the report"></section></main>
<script nonce="@NONCE@">(() => { "use strict"; @SCRIPT@ })();</script>
</body>
</html>
`;
// ask() answers a typed text with what the test has left there.
const MAIN = `import { showReport } from "../report/layout.js";
import { reportOf, reportOfPage } from "../report/report.js";
import { startTheme } from "../report/theme.js";

let shown = null;
const holder = document.querySelector("section");
holder.before(...startTheme(() => shown?.show()));
const ask = (...asked) => ((globalThis.asked = asked.slice(0, 3)), globalThis.answer());
globalThis.showPage = async (text) => (shown = showReport(await reportOfPage(text), holder, { ask }));
globalThis.showBytes = (json, blob, hash) =>
    (shown = showReport(reportOf(new TextEncoder().encode(json), Uint8Array.from(blob)), holder, { hash }));
globalThis.hashOfReport = () => shown.hash();
globalThis.closeReport = () => shown.close();
`;
const folder = mkdtempSync(join(tmpdir(), "lookback-inside-")),
    file = join(folder, "page.html");
const VIEWS = ["pairs", "learned", "why", "history", "card"];

let browser, close;
before(async () => {
    const styles = ["base", "pair", "pairs", "pictures", "print", "views"];
    const { text, stderr } = joinFiles({
        "page.html": PAGE,
        "main.js": MAIN,
        "look.css": styles.map((name) => `@import "../report/${name}.css";\n`).join(""),
    });
    assert.equal(stderr, "");
    writeFileSync(file, text);
    ({ browser, close } = await launch());
});
after(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
});

// Opens the page, and asserts that nothing went wrong while `work` used it.
async function inside(options, work) {
    const { page, trouble } = await openFile(browser, file, options);
    try {
        await work(page);
        assert.deepEqual(trouble, []);
    } finally {
        await page.close();
    }
}

// Shows one of the made-up reports, from the text of its page.
async function show(page, name) {
    await page.evaluate(
        (text) => globalThis.showPage(text).then(() => 0),
        readFileSync(join(REPORTS, `${name}.html`), "utf8"),
    );
    await settle(page);
}

async function press(page, key) {
    await page.keyboard.press(key);
    await settle(page);
}

// The types of events that window and document are listened to for.
async function listened(page) {
    const client = await page.createCDPSession(),
        types = [];
    for (const expression of ["window", "document"]) {
        const { result } = await client.send("Runtime.evaluate", { expression }),
            { listeners } = await client.send("DOMDebugger.getEventListeners", { objectId: result.objectId });
        types.push(...listeners.map(({ type }) => type));
    }
    await client.detach();
    return types.sort();
}

for (const dark of [false, true]) {
    test(`axe finds nothing in a report inside another page, ${dark ? "dark" : "light"}`, () =>
        inside({ dark }, async (page) => {
            await show(page, "french");
            assert.equal(await countOf(page, "section .title h2"), 1);
            for (const [i, view] of VIEWS.entries()) {
                await (await page.$$(".top nav button"))[i].click();
                await settle(page);
                assert.ok(await page.$eval(`.${view}`, (node) => node.checkVisibility()));
                await assertAccessible(page);
            }
        }));
}

test("a report inside another page leaves its title and its address, and does not read it", () =>
    inside({ hash: "#view=card&pair=2" }, async (page) => {
        await show(page, "french");
        assert.equal(await textOf(page, ".top [aria-current]"), "Pairs");
        assert.equal(await heading(page), "Pair 3");
        await page.click(".grid .rows .row:nth-child(5)");
        await settle(page);
        assert.equal(await heading(page), "Pair 5");
        await page.evaluate(() => (location.hash = "#pair=7"));
        await settle(page);
        assert.equal(await heading(page), "Pair 5");
        assert.deepEqual(await page.evaluate(() => [document.title, location.hash]), ["Another page", "#pair=7"]);
    }));

test("keys are for a report while the focus or the pointer is in it, and in no field or dialog", () =>
    inside({}, async (page) => {
        const view = () => textOf(page, ".top [aria-current]");
        await show(page, "french");
        await page.mouse.move(2, 2);
        await press(page, "2");
        assert.equal(await view(), "Pairs");
        await page.hover(".top .title");
        await press(page, "2");
        assert.equal(await view(), "Learned");
        await page.focus("main input");
        await press(page, "1");
        await press(page, "Escape");
        assert.equal(await view(), "Learned");
        assert.ok(await page.$eval("main input", (input) => input.value === "1" && input === document.activeElement));
        await page.mouse.move(2, 2);
        await page.focus(".top nav button");
        await press(page, "1");
        assert.equal(await view(), "Pairs");
        await press(page, "?");
        assert.ok(!(await textOf(page, "dialog")).includes("address"));
        await press(page, "2");
        assert.equal(await view(), "Pairs");
    }));

test("another report takes the place of one, and closing takes all away", () =>
    inside({}, async (page) => {
        const before = await listened(page);
        await show(page, "french");
        await page.evaluate(() => {
            globalThis.cleared = [];
            globalThis.setInterval = () => 1;
            globalThis.clearInterval = (id) => globalThis.cleared.push(id);
        });
        await page.type("#find", "oiseau");
        await settle(page);
        assert.equal((await rowTexts(page)).length, 5);
        await page.focus(".top nav button");
        await press(page, "p");
        assert.ok(!(await page.evaluate(() => globalThis.cleared)).includes(1));
        // From bytes, without a model to ask.
        const [data, bytes] = dataOf("transformer");
        await page.evaluate(
            (json, blob) => void globalThis.showBytes(json, blob, "#view=learned&pair=9"),
            JSON.stringify({ ...data, about: { ...data.about, title: "second" } }),
            bytes,
        );
        await settle(page);
        assert.ok((await page.evaluate(() => globalThis.cleared)).includes(1));
        assert.equal(await textOf(page, ".title h2"), "second");
        assert.equal(await textOf(page, ".shown[role=status]"), "24 pairs");
        assert.equal(await textOf(page, ".top [aria-current]"), "Learned");
        await (await page.$$(".top nav button"))[0].click();
        await settle(page);
        assert.equal(await heading(page), "Pair 9");
        assert.ok((await countOf(page, ".thumbnail")) > 1);
        assert.equal(await countOf(page, ".typing"), 0);
        const hashes = () => page.evaluate(() => globalThis.hashOfReport());
        assert.equal(await hashes(), "#pair=9");
        await page.evaluate(() => globalThis.closeReport());
        assert.equal(await hashes(), "#pair=9");
        assert.deepEqual(await listened(page), before);
        assert.equal(await countOf(page, "section *"), 0);
        await press(page, "2");
        // What comes too late draws nothing.
        await page.select("label.choice select", "dark");
        await settle(page);
        assert.equal(await countOf(page, "section *"), 0);
    }));

test("the page answers a typed text, or says why not; an answer for a closed report is dropped", () =>
    inside({}, async (page) => {
        const [data, bytes] = dataOf("again");
        const told = () => textOf(page, ".typing [role=status]"),
            type = async () => {
                await page.type("#typed", "abc");
                await press(page, "Enter");
            };
        await page.evaluate(
            (all) => {
                const [answerData, answerBlob] = all.map((one) => Uint8Array.from(one));
                globalThis.good = { data: answerData, blob: answerBlob };
                globalThis.answer = () => Promise.reject(new Error("the model is still learning"));
            },
            [JSON.stringify(data), Uint8Array.from(bytes)].map((one) => [...deflateSync(one)]),
        );
        await show(page, "french");
        await type();
        assert.equal(await told(), "the model is still learning");
        assert.equal(await textOf(page, ".filters .shown"), "72 pairs");
        await page.evaluate(() => (globalThis.answer = async () => globalThis.good));
        await type();
        await until(page, () => document.querySelector(".pair h2").textContent === "Pair 73");
        assert.equal(await told(), "");
        const { beam, length_penalty: penalty } = dataOf("french")[0].about;
        assert.deepEqual(await page.evaluate(() => globalThis.asked), ["abcabc", beam, penalty ?? null]);
        const texts = dataOf("again")[0].pairs.length;
        assert.equal(await textOf(page, ".filters .shown"), `${72 + texts} pairs`);
        await page.evaluate(() => (globalThis.answer = () => new Promise((give) => (globalThis.give = give))));
        await type();
        await show(page, "thousand");
        await page.evaluate(() => globalThis.give(globalThis.good));
        await settle(page);
        assert.equal(await textOf(page, ".filters .shown"), "1\u202f000 pairs");
        assert.equal(await heading(page), "Pair 3");
    }));
