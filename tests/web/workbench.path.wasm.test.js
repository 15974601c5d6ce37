// The path of a teacher through the workbench, from a file of words to a program in C, with a picture of each part.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, save, settle, until } from "./browser.js";
import { assertLooks } from "./look.js";
import { press } from "./playground.js";
import { assertAccessible, textOf } from "./use.js";
import { drop, exampleOf, openWorkbench, paste, runInNode, set, untilDone, untilRead } from "./workbench.js";

const IMAGES = join(process.env.CHECKOUT, "docs/images");
const SIZES = { hidden: 64, lr: 0.01, steps: 400, "evaluate-every": 50 };
const words = `${exampleOf("spanish_train.tsv")}`
    .trim()
    .split("\n")
    .slice(0, 20)
    .map((line) => line.split("\t")[0]);
const MAIN = `#include "model.h"
#include <stdio.h>
#include <string.h>
int main(void)
{
    static float work[MODEL_WORK / sizeof(float) + 1];
    char line[256], out[MODEL_ROOM];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\\n")] = '\\0';
        model_translate(line, out, sizeof out, work);
        puts(out);
    }
}
`;
const folder = mkdtempSync(join(tmpdir(), "lookback-workbench-"));
let browser, close;
before(async () => ({ browser, close } = await launch()));
after(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
});

// The files of these names, which the button of this label saves.
async function saved(page, label, names) {
    const click = () =>
        page.evaluate((label) => document.querySelector(`button[aria-label="${label}"]`).click(), label);
    await save(page, folder, click, names.length);
    return names.map((name) => readFileSync(join(folder, name)));
}

// How long a training takes differs, and is not known yet if it was begun at once.
const hideTimes = (page) =>
    page.evaluate(() => {
        for (const node of document.querySelectorAll(".bar label:has(input[type=range])")) node.remove();
        const recipe = document.querySelector(".recipe");
        recipe.textContent = recipe.textContent.replace(/, (which takes about .* here|and is timed now)/, "");
    });

async function assertFits(page) {
    const [inside, wide] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(inside <= wide, `the page is ${inside} pixels wide in a window of ${wide}`);
}

// A part in a wide and a narrow window, without sideways scroll, and without a finding of axe.
async function look(page) {
    for (const width of [400, 1300]) {
        await page.setViewport({ width, height: 900 });
        await settle(page);
        await assertFits(page);
        await assertAccessible(page);
    }
}

test("words become a model, own words, a report and a program in C", async () => {
    const { page, trouble } = await openWorkbench(browser, { width: 1300 });
    for (const part of ["Train", "Use", "See", "Take home"]) {
        await press(page, part);
        const shown = await page.$eval("main > section:not([hidden])", (node) => node.innerText);
        assert.match(shown, /^[^\n]+\n\nThere (is no model|are no pairs) yet\. .* under Data\.$/);
    }
    await press(page, "Data");
    await drop(page, { "spanish_train.tsv": exampleOf("spanish_train.tsv") });
    await untilRead(page);
    assert.match(await textOf(page, ".found"), /set --target-separator to " "/);
    await press(page, "Do that");
    await until(page, () => document.querySelector(".found td:nth-child(3)")?.textContent === "k a s a");
    await look(page);

    await press(page, "Train a model");
    for (const [name, value] of Object.entries(SIZES)) await set(page, name, value);
    await press(page, "Train now");
    await untilDone(page);
    assert.match(await textOf(page, ".training .status"), /step 400 of 400 · exact match [4-9]\d\.\d %/);
    await look(page);

    await press(page, "Use");
    await paste(page, "#use-text", "guitarra");
    await until(page, () => document.querySelector(".best")?.textContent.startsWith("ɡ"));
    await look(page);
    await page.evaluate((list) => {
        const field = document.querySelector(".lists textarea");
        field.closest("details").open = true;
        field.value = list;
    }, words.join("\n"));
    await press(page, "Write the outputs");
    await until(page, (count) => document.querySelectorAll("table.list tbody tr").length === count, words.length);
    await page.evaluate(() => {
        const field = document.querySelector("table.list tbody input");
        field.value = "x x";
        field.dispatchEvent(new Event("change"));
        const texts = [...document.querySelectorAll(".own form input[type=text]")],
            [source, answer] = [texts[0], texts.at(-1)];
        source.value = "Lookback";
        source.dispatchEvent(new Event("input"));
        answer.value = "l u k";
    });
    await press(page, "Add");
    await press(page, "Use these words");
    await until(page, () => /writes 2 words/.test(document.querySelector(".own").textContent));

    await press(page, "See");
    await until(page, () => document.querySelector(".see .pairs"));
    await settle(page);
    assert.match(await textOf(page, ".see .score"), /exact match +[4-9]\d\.\d\d %/);
    await look(page);

    await press(page, "Take home");
    await look(page);
    await page.evaluate(() => {
        const type = [...document.querySelectorAll(".take select")].find(({ value }) => value === "int8");
        type.value = "f32";
        type.dispatchEvent(new Event("change"));
    });
    const [model] = await saved(page, "save: The model", ["model.safetensors", "own_words.tsv"]);
    const [report] = await saved(page, "save: The report", ["report.html"]);
    await saved(page, "save: C code", ["model.c", "model.h"]);
    assert.match(`${report}`, /<title>Lookback<\/title>/);
    writeFileSync(join(folder, "main.c"), MAIN);
    execFileSync("cc", ["-O1", "model.c", "main.c", "-lm", "-o", "answers"], { cwd: folder });
    const list = [...words, "Lookback"].join("\n");
    const answered = execFileSync(join(folder, "answers"), { input: `${list}\n`, encoding: "utf8" });
    const predicted = await runInNode(["predict", "model.safetensors", "list.txt", "--beam", "1", "--only-outputs"], {
        "model.safetensors": model,
        "list.txt": list,
    });
    assert.deepEqual(answered.trim().split("\n"), predicted);
    assert.equal(predicted[0], "x x");
    assert.equal(predicted.at(-1), "l u k");
    assert.deepEqual(trouble, []);
    await page.close();
});

// Moves the focus by Tab to what has this text, or this id.
async function tabTo(page, name) {
    for (let i = 0; i < 300; i++) {
        await page.keyboard.press("Tab");
        const there = await page.evaluate((name) => {
            const { textContent, id } = document.activeElement;
            return textContent === name || id === name;
        }, name);
        if (there) return;
    }
    assert.fail(`no Tab leads to ${name}`);
}

test("the keyboard alone leads from an example to a file, from right to left and at 200 %, too", async () => {
    const { page } = await openWorkbench(browser, { width: 640, scale: 2 });
    await drop(page, { "hebrew.tsv": "שלום\tשלומ\nבית\tבית\nילד\tילד\nספר\tספר\n".repeat(12) });
    await untilRead(page);
    assert.match(await textOf(page, ".found pre bdi"), /^"[א-ת]"$/); // a number beside it stays at its side
    assert.equal(await page.$eval(".found td:nth-child(2)", (cell) => getComputedStyle(cell).direction), "rtl");
    await assertFits(page);
    await tabTo(page, "Spanish words and their sounds");
    await page.keyboard.press("Enter");
    await until(page, () => document.querySelector(".found td:nth-child(3)")?.textContent === "k a s a");
    await tabTo(page, "Train a model");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "A model of your pairs");
    for (const [name, value] of Object.entries({ ...SIZES, steps: 100 })) await set(page, name, value);
    await until(
        page,
        () => ![...document.querySelectorAll("button")].find((b) => b.textContent === "Train now").disabled,
    );
    await tabTo(page, "Train now");
    await page.keyboard.press("Enter");
    await untilDone(page);
    await tabTo(page, "Use");
    await page.keyboard.press("Enter");
    await tabTo(page, "use-text");
    await page.keyboard.type("casa");
    await until(page, () => document.querySelector(".best")?.textContent.length > 2);
    await assertFits(page);
    await tabTo(page, "Take home");
    await page.keyboard.press("Enter");
    await tabTo(page, "Save");
    await save(page, folder, () => page.keyboard.press("Enter"));
    await page.close();
});

test("the pictures of docs/workbench.md are of today, and dark is dark", async () => {
    const { browser, close } = await launch(), // without an earlier visit
        { page } = await openWorkbench(browser, { width: 1024, scale: 1.5 });
    await press(page, "Spanish words and their sounds");
    await untilRead(page);
    await press(page, "Train a model");
    for (const [name, value] of Object.entries(SIZES)) await set(page, name, value);
    await press(page, "Train now");
    await untilDone(page);
    await hideTimes(page);
    await assertLooks(browser, page, "workbench", { folder: IMAGES, last: ".shown-pairs" });
    await press(page, "Use");
    await paste(page, "#use-text", "guitarra");
    await until(page, () => document.querySelector(".best")?.textContent.startsWith("ɡ"));
    await settle(page);
    await assertLooks(browser, page, "workbench_use", { folder: IMAGES, last: ".typed .picture:nth-child(-n+3)" });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
    await settle(page);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(22, 25, 28)");
    await assertAccessible(page);
    await close();
});
