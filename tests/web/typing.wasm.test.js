// A report that carries its model: a text that is typed gives what the native program gives.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, openPage, settle, until } from "./browser.js";
import { assertAccessible, heading, rowTexts, textOf } from "./use.js";

const { ENGINE, LOOKBACK } = process.env;
const folder = mkdtempSync(join(tmpdir(), "lookback-typing-"));
const native = (input, ...words) =>
    execFileSync(LOOKBACK, words, { encoding: "utf8", input, stdio: ["pipe", "pipe", "pipe"] });
// Not the default: the report has to tell the engine.
const DECODING = ["--length-penalty", "0"];
const SCORE = 7; // the column of the table
let browser, close;

// A model that has begun to reverse words of five letters, and a report about it.
function make(name, ...words) {
    const letters = (i) => [...((i * 7919) % 3125).toString(5).padStart(5, "0")].map((d) => "abcde"[d]);
    const lines = Array.from({ length: 200 }, (_, i) => `${letters(i).join("")}\t${letters(i).reverse().join("")}\n`);
    const pairs = join(folder, "pairs.tsv"),
        model = join(folder, name);
    writeFileSync(pairs, lines.join(""));
    const sizes = ["--steps", "150", "--evaluate-every", "150", "--lr", "0.005", "--threads", "1", "--batch", "16"];
    native("", "train", "--train", pairs, "--dev", pairs, "--out", model, ...sizes, ...words);
    native("", "report", model, ...DECODING, "--input", "abc", "--engine", ENGINE, "-o", join(folder, `${name}.html`));
    return model;
}

async function type(page, text) {
    await page.$eval("#typed", (input) => (input.value = ""));
    await page.type("#typed", text);
    await page.keyboard.press("Enter");
}
const told = (page) => textOf(page, ".typing [role=status]");

before(async () => ({ browser, close } = await launch()));
after(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
});

for (const [name, ...words] of [
    ["gru", "--embed", "16", "--hidden", "32"],
    ["transformer", "--model", "transformer", "--hidden", "32", "--heads", "2", "--layers", "2"],
]) {
    test(`a text typed into the report of a ${name} gives what predict prints`, async () => {
        const model = make(name, ...words);
        const { page, trouble } = await openPage(browser, name, { folder });
        const kinds = () =>
            page.$$eval("label.choice", (labels) =>
                labels.filter((label) => label.textContent.startsWith("Attention")).map((label) => label.textContent),
            );
        const before = await kinds();
        for (const [i, text] of ["edcba", "bad", "eeeee"].entries()) {
            await type(page, text);
            await until(page, (n) => document.querySelector(".pair h2").textContent === `Pair ${n}`, i + 2);
            const row = (await rowTexts(page))[i + 1];
            assert.equal(row[1], text);
            const best = native(`${text}\n`, "predict", model, "--beam", "5", "--n-best", "1", ...DECODING);
            const [, output, score] = best.trimEnd().split("\t");
            assert.equal(row[2], output);
            assert.equal(row[SCORE], Number(score).toFixed(2).replace("-", "−"));
            assert.equal(await told(page), "");
        }
        assert.deepEqual(await kinds(), before);
        // What it depends on is measured in the page, too.
        const [found] = JSON.parse(native("eeeee\n", "predict", model, "--jsonl", "--why", ...DECODING)).outputs;
        for (const measure of ["erasure", "gradient", "attention"]) {
            const press = (all, wanted) => all.find((one) => one.textContent === wanted).click();
            await page.$$eval(".switch button", press, measure);
            await settle(page);
            if (measure === "attention") break;
            const most = Math.max(...found[measure].flat().map(Math.abs)),
                shown = await page.$$eval(".heatmap .numbers tbody td", (all) =>
                    all.map((one) => Number(one.textContent)),
                );
            assert.equal(shown.length, found[measure].flat().length);
            for (const [i, value] of found[measure].flat().entries())
                assert.ok(Math.abs(shown[i] - value) < 0.01 * most, `${measure} ${i}: ${shown[i]}, ${value}`);
        }
        // The pictures of the new pair are drawn, and its five hypotheses are there.
        for (const picture of ["ribbons", "heatmap", "likeliest"]) assert.ok(await page.$(`svg.${picture}`), picture);
        assert.equal(await page.$$eval(".hypothesis", (nodes) => nodes.length), 5);
        // What stood there before is as it was.
        await page.keyboard.press("Escape");
        assert.equal((await rowTexts(page))[0][1], "abc");
        await assertAccessible(page);
        assert.deepEqual(trouble, []);
        await page.close();
    });
}

test("a text with symbols that the model does not know is shown with them, and a filter does not hide it", async () => {
    const { page, trouble } = await openPage(browser, "gru", { folder, hash: "#find=nothing+like+this" });
    assert.deepEqual(await rowTexts(page), []);
    await type(page, "a<b>é");
    await until(page, () => document.querySelector(".pair h2").textContent === "Pair 2");
    assert.equal((await rowTexts(page))[1][1], "a<b>é".normalize("NFD"));
    assert.equal(await heading(page), "Pair 2");
    const warnings = () => page.$$eval(".texts-holder .problem", (all) => all.map((one) => one.textContent));
    assert.ok((await warnings()).includes("The model does not know “<”, “>”, “◌\u0301”."), await warnings());
    await type(page, "abcde".repeat(6));
    await until(page, () => document.querySelector(".pair h2").textContent === "Pair 3");
    assert.equal((await warnings())[0], "It has 30 symbols; the longest text in training had 5. Expect mistakes.");
    assert.deepEqual(trouble, []);
    await page.close();
});

test("a text that is no text is refused in words", async () => {
    const { page, trouble } = await openPage(browser, "gru", { folder });
    for (const [text, message] of [
        ["a\ud800b", "surrogate"],
        ["\udc00ab", "surrogate"],
        ["ab\udbff", "surrogate"],
        ["ab\0cde", "NUL"],
    ]) {
        await page.$eval("#typed", (input, given) => (input.value = given), text);
        await page.focus("#typed");
        await page.keyboard.press("Enter");
        await until(
            page,
            (part) => document.querySelector(".typing [role=status]").textContent.includes(part),
            message,
        );
    }
    // Both halves of a pair are one symbol.
    await type(page, "a😀b");
    await until(page, () => document.querySelector(".pair h2").textContent === "Pair 2");
    assert.equal((await rowTexts(page))[1][1], "a😀b");
    assert.equal((await rowTexts(page)).length, 2);
    assert.deepEqual(trouble, []);
    await page.close();
});

test("a text that is too long is refused in words", async () => {
    const { page, trouble } = await openPage(browser, "transformer", { folder });
    await page.$eval("#typed", (input) => (input.value = "a".repeat(70000)));
    await page.focus("#typed");
    await page.keyboard.press("Enter");
    await until(page, () => document.querySelector(".typing [role=status]").textContent.includes("symbols"));
    assert.equal((await rowTexts(page)).length, 1);
    assert.deepEqual(trouble, []);
    await page.close();
});
