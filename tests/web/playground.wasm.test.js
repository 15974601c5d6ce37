// The playground in headless Chromium, against the native program.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, save, settle, until } from "./browser.js";
import {
    DEFAULTS,
    losses,
    native,
    openPlayground,
    PLAYGROUND,
    predict,
    press,
    set,
    stepOf,
    trainTo,
    type,
    untilIdle,
    untilStep,
    written,
} from "./playground.js";
import { assertAccessible } from "./use.js";

const folder = mkdtempSync(join(tmpdir(), "lookback-playground-"));
let browser, close;
before(async () => ({ browser, close } = await launch()));
after(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
});

// No training ends before a test has done what it does meanwhile.
const MANY = 20000;
const open = (options) => openPlayground(browser, options);

// 200 numbers and an accent, to be reversed.
const PAIRS = Array.from({ length: 200 }, (_, i) => ((i * 7919) % 1000).toString(5))
    .map((digits) => `${digits}é\t${[...digits].reverse().join("")}`)
    .join("\n");

test("the page is under a megabyte", () => assert.ok(statSync(PLAYGROUND).size < 1e6));

test("losses are those of the native program to five digits", async () => {
    const { page, trouble } = await open();
    await trainTo(page, 100);
    const found = await losses(page),
        mean = found.reduce((sum, loss) => sum + loss, 0) / found.length;
    native("sort", ...DEFAULTS, "--steps", "100", "--out", join(folder, "same"));
    const expected = JSON.parse(
        readFileSync(join(folder, "same", "train.jsonl"), "utf8")
            .trim()
            .split("\n")
            .at(-1),
    ).loss;
    assert.equal(found.length, 100);
    assert.ok(Math.abs(mean - expected) < 1e-5 * expected, `found ${mean}, expected ${expected}`);
    assert.deepEqual(trouble, []);
    await page.close();
});

test("the first screen says what there is to see, and has the untrained model and one button", async () => {
    const { page, trouble } = await open();
    const visible = (selector) =>
        page.$$eval(selector, (all) => all.filter((one) => one.checkVisibility()).map((one) => one.textContent));
    assert.deepEqual(await visible("h1"), ["This model learns to sort numbers; watch where it looks"]);
    assert.deepEqual(await visible("button"), ["Train"]);
    assert.deepEqual(await visible("svg.chart"), []);
    assert.deepEqual(await visible("input[type=range], input[type=file], select"), []);
    assert.equal(await written(page), "14 3 9 20 3 → ");
    assert.deepEqual(await visible(".verdict"), ["✗ it writes nothing"]);
    // A row for each number that it would write, all columns alike, and how sure it would be.
    assert.equal(await page.$$eval(".heatmap tbody td[style]", (cells) => cells.length), 25);
    for (const row of await visible(".heatmap .unwritten")) assert.match(row, /^(1?\d|20)(0\.20){5}[4-9] %$/);
    assert.equal((await visible(".heatmap .unwritten")).length, 5);
    assert.match((await visible(".legend"))[0], /It stops too early: the grey numbers are what it would write next\.$/);
    assert.equal((await visible(".explanation")).length, 1);
    await press(page, "Step");
    await untilStep(page, 1);
    await until(page, () => document.querySelector("svg.chart").checkVisibility());
    assert.deepEqual(trouble, []);
    await page.close();
});

test("the button ends with the training, and starts over", async () => {
    const { page, trouble } = await open();
    const next = () => page.$eval(".explanation p:last-child", (one) => one.textContent);
    assert.match(await next(), /^Press Train: it sees thousands of lists/);
    await trainTo(page, 100);
    await until(page, () => document.querySelector(".primary").textContent === "Start over");
    assert.match(await next(), /^It has seen 4,800 lists/);
    // It writes the whole list, and its end.
    assert.equal(await page.$$eval(".heatmap .unwritten", (rows) => rows.length), 0);
    assert.equal(await page.$eval("progress", (one) => one.checkVisibility()), false);
    await press(page, "Start over");
    await until(page, () => document.querySelector(".status").textContent.includes("step 0 of 100"));
    await until(page, () => document.querySelector(".primary").textContent === "Train");
    assert.deepEqual(trouble, []);
    await page.close();
});

test("it warns of lists that are longer or shorter than those of its training, as predict does", async () => {
    const { page, trouble } = await open();
    const warning = () => page.$eval(".warning", (one) => one.textContent);
    assert.equal(await warning(), "");
    await type(page, "1 2 3 4 5 6 7");
    assert.equal(await warning(), "7 numbers: the longest list in training has 6. Expect mistakes.");
    await type(page, "4");
    assert.equal(await warning(), "1 number: the shortest list in training has 2. Expect mistakes.");
    await type(page, "4 2");
    assert.equal(await warning(), "");
    await page.evaluate((text) => {
        document.getElementById("pairs").value = text;
    }, PAIRS);
    await press(page, "Learn these pairs");
    await until(page, () => document.querySelector("h1").textContent.startsWith("This model learns your pairs"));
    assert.equal(await page.$eval(".explanation", (one) => one.checkVisibility()), false);
    await until(page, () => globalThis.heard.filter((one) => one.type === "begun").length === 2);
    await type(page, "1234012340é");
    assert.match(await warning(), /^12 symbols: the longest text in training has \d+\. Expect mistakes\.$/);
    assert.deepEqual(trouble, []);
    await page.close();
});

test("it pauses, steps and resets", async () => {
    const { page, trouble } = await open();
    await set(page, "steps", MANY);
    await press(page, "Step");
    await untilStep(page, 1);
    await untilIdle(page);
    assert.equal(await stepOf(page), 1);
    const [first] = await losses(page);
    await press(page, "Train");
    await untilStep(page, 5);
    await press(page, "Pause");
    await untilIdle(page);
    // What is asked after a pause is answered next: no step came in between.
    const paused = await stepOf(page);
    await type(page, "7 1 12");
    assert.deepEqual(await page.evaluate(() => globalThis.heard.slice(-2).map((one) => one.type)), ["idle", "look"]);
    await press(page, "Step");
    await untilStep(page, paused + 1);
    await untilIdle(page);
    assert.equal(await stepOf(page), paused + 1);
    await press(page, "Reset");
    await until(page, () => document.querySelector(".status").textContent.includes("step 0 of"));
    await page.evaluate(() => {
        globalThis.heard.length = 0;
    });
    await press(page, "Step");
    await untilStep(page, 1);
    assert.equal((await losses(page))[0], first);
    assert.deepEqual(trouble, []);
    await page.close();
});

test("the heatmap is of the list that one types, also while it learns", async () => {
    const { page, trouble } = await open();
    await set(page, "steps", MANY);
    await press(page, "Train");
    await untilStep(page, 3);
    await type(page, "7 1 12");
    assert.deepEqual(
        await page.evaluate(() =>
            [...document.querySelectorAll(".heatmap thead th:not(.certain)")].map((one) => one.textContent),
        ),
        ["7", "1", "12"],
    );
    const before = await page.evaluate(() => document.querySelector(".heatmap tbody").textContent);
    await until(page, (old) => document.querySelector(".heatmap tbody").textContent !== old, before);
    await page.evaluate(() => {
        const input = document.getElementById("input");
        input.value = "7 <b>x</b>";
        input.dispatchEvent(new Event("input"));
    });
    await page.waitForSelector(".picture .trouble");
    assert.equal(await page.evaluate(() => document.querySelectorAll(".picture b").length), 0);
    assert.deepEqual(trouble, []);
    await page.close();
});

test("commas between numbers are blanks", async () => {
    const { page, trouble } = await open();
    await type(page, "14, 3,9 ,20");
    assert.deepEqual(await page.$$eval(".heatmap thead th:not(.certain)", (all) => all.map((one) => one.textContent)), [
        "14",
        "3",
        "9",
        "20",
    ]);
    assert.deepEqual(trouble, []);
    await page.close();
});

test("before there is a model, nothing can be pressed", async () => {
    const { page, trouble } = await open({
        early: () =>
            document.addEventListener("DOMContentLoaded", () => {
                const controls = document.querySelectorAll(".bar button, .bar input");
                globalThis.pressed = controls.length;
                controls.forEach((control) => control.click());
            }),
    });
    assert.equal(await page.evaluate(() => globalThis.pressed), 5);
    assert.equal(await page.evaluate(() => document.querySelectorAll("input:checked").length), 0);
    assert.equal(await page.evaluate(() => document.querySelectorAll(".bar :disabled").length), 0);
    assert.deepEqual(trouble, []);
    await page.close();
});

test("without attention there is no heatmap, and a second model is on the same seed", async () => {
    const { page, trouble } = await open();
    await set(page, "attention", "none");
    await until(page, () => document.querySelector(".legend")?.textContent.includes("no attention"));
    assert.equal(await page.evaluate(() => document.querySelectorAll(".heatmap td[style]").length), 0);
    await page.evaluate(() => document.querySelector("input[type=checkbox]").click());
    await until(page, () => document.querySelectorAll(".heatmap").length === 2);
    await page.evaluate(() => {
        const choice = document.querySelectorAll(".settings")[1].querySelector("select");
        choice.value = "none";
        globalThis.heard.length = 0;
        choice.dispatchEvent(new Event("change"));
    });
    await until(page, () => globalThis.heard.some((one) => one.type === "begun"));
    await press(page, "Step");
    await until(page, () => globalThis.heard.filter((one) => one.type === "step").length === 2);
    const [a, b] = await losses(page);
    assert.equal(a, b);
    assert.deepEqual(trouble, []);
    await page.close();
});

test("after a training from its defaults it sorts, and predict opens what it saves", async () => {
    const { page, trouble } = await open();
    await press(page, "Train");
    await until(page, () => document.querySelector(".status").textContent.includes("done"));
    const last = await page.evaluate(() => globalThis.heard.filter((one) => one.type === "measure").at(-1));
    assert.ok(last.exact_match >= 0.99, `exact match ${last.exact_match}`);
    for (const [list, sorted] of [
        ["14 3 9 20 3", "3 3 9 14 20"],
        ["2 1", "1 2"],
        ["20 0 7 11 5 16", "0 5 7 11 16 20"],
    ]) {
        await type(page, list);
        assert.equal(await written(page), `${list} → ${sorted}`);
    }
    await save(page, folder, () => press(page, "Save as .safetensors"));
    assert.equal(predict(join(folder, "first-750.safetensors"), "14 3 9 20 3"), "3 3 9 14 20");
    assert.deepEqual(trouble, []);
    await page.close();
});

test("a native model opens in the page, and a file that is none is refused", async () => {
    const { page, trouble } = await open();
    const out = join(folder, "native");
    native("sort", ...DEFAULTS, "--steps", "60", "--out", out);
    const chosen = await page.$("input[type=file]");
    await chosen.uploadFile(join(out, "sort.safetensors"));
    await until(page, () =>
        document.querySelector(".status").textContent.startsWith("opened: a seq2seq that sorts lists of 2 to 6"),
    );
    await type(page, "9 2 17 4");
    assert.equal((await written(page)).split("→")[1].trim(), predict(join(out, "sort.safetensors"), "9 2 17 4"));
    const bad = join(folder, "bad.safetensors");
    writeFileSync(bad, "not a model");
    await chosen.uploadFile(bad);
    await until(page, () => document.querySelector("p[role=alert]").textContent.includes("your model: "));
    await chosen.uploadFile(join(out, "sort.safetensors"));
    await until(page, () => document.querySelector("p[role=alert]").textContent === "");
    assert.deepEqual(trouble, []);
    await page.close();
});

const alerted = (page, text) =>
    until(page, (wanted) => document.querySelector("p[role=alert]").textContent === wanted, text);

// As a file that is dropped anywhere on the page.
async function drop(page, name, bytes) {
    await page.evaluate(
        (called, numbers) => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([Uint8Array.from(numbers)], called));
            document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
        },
        name,
        [...bytes],
    );
}

test("a model and pairs can be dropped on the page", async () => {
    const { page, trouble } = await open();
    const out = join(folder, "dropped");
    native("sort", ...DEFAULTS, "--steps", "20", "--out", out);
    await drop(page, "SORT.SAFETENSORS", readFileSync(join(out, "sort.safetensors")));
    await until(page, () => document.querySelector(".status").textContent.startsWith("opened: a seq2seq"));
    await drop(page, "pairs.tsv", Buffer.from(PAIRS));
    await until(page, () => document.getElementById("input").value === "0é");
    await until(page, () => document.querySelector(".status").textContent.includes("step 0 of"));
    await press(page, "Step");
    await untilStep(page, 1);
    await type(page, "124é");
    assert.deepEqual(trouble, []);
    await page.close();
});

test("it learns one's own pairs", async () => {
    const { page, trouble } = await open();
    await page.evaluate((text) => {
        document.getElementById("pairs").value = text;
    }, PAIRS);
    await press(page, "Learn these pairs");
    await until(page, () => globalThis.heard.filter((one) => one.type === "begun").length === 2);
    await press(page, "Train");
    await untilStep(page, 20);
    await press(page, "Pause");
    const found = await losses(page);
    assert.ok(found.at(-1) < found[0], `${found[0]} to ${found.at(-1)}`);
    await page.evaluate(() => {
        document.getElementById("pairs").value = "no tab here";
    });
    await press(page, "Learn these pairs");
    await alerted(page, "model A: your pairs:1: found 1 column, expected 2, separated by tabs");
    assert.equal(await page.$eval(".primary", (one) => one.disabled), true);
    assert.equal(await page.$eval(".picture", (one) => one.textContent), "");
    assert.deepEqual(trouble, []);
    await page.close();
});

test("a file that is no text is refused, and the next one takes its message away", async () => {
    const { page, trouble } = await open();
    const lines = (target) => Array.from({ length: 12 }, (_, i) => `w${i}é\t${target(i)}\n`).join("");
    await drop(
        page,
        "latin.tsv",
        Buffer.from(
            lines(() => "é"),
            "latin1",
        ),
    );
    await alerted(page, "model A: your pairs:1: found 0xE9 at byte 3 of the line, expected UTF-8");
    assert.equal(await page.$eval(".said", (one) => one.textContent), "");
    await drop(
        page,
        "unicode.tsv",
        Buffer.from(
            lines(() => "é"),
            "utf16le",
        ),
    );
    await alerted(page, "model A: your pairs:1: found text in UTF-16LE, expected text in UTF-8");
    await drop(page, "good.tsv", Buffer.from(lines((i) => `é${i}`)));
    await alerted(page, "");
    await until(page, () => document.querySelector(".written"));
    assert.deepEqual(trouble, []);
    await page.close();
});

const HEBREW = "אבגדה";
const notOffered = (page) =>
    page.$$eval("[aria-label=attention] option:disabled", (all) => all.map((one) => one.value).join(" "));
const begun = (page, count) =>
    until(page, (most) => globalThis.heard.filter((one) => one.type === "begun").length >= most, count);

test("what cannot work with pairs is not offered with them", async () => {
    const { page, trouble } = await open();
    const fields = () =>
        page.$$eval(
            "[aria-label='largest number'], [aria-label=shortest], [aria-label=longest]",
            (all) => all.filter((one) => !one.closest("label").hidden).length,
        );
    await set(page, "attention", "scaled-dot");
    await begun(page, 2);
    assert.deepEqual([await notOffered(page), await fields()], ["", 3]);
    // A fault of the file is not hidden by one of the choice.
    await drop(page, "bad.tsv", Buffer.from("no tab here\n"));
    await alerted(page, "model A: your pairs:1: found 1 column, expected 2, separated by tabs");
    await set(page, "attention", "multi-head");
    await press(page, "Back to lists");
    await begun(page, 5);
    await set(page, "attention", "dot");
    await begun(page, 6);
    await drop(page, "good.tsv", Buffer.from(PAIRS));
    await begun(page, 7);
    assert.equal(
        await page.$eval(".said", (one) => one.textContent),
        "model A has multi-head attention now: dot product is for lists only.",
    );
    assert.equal(await page.$eval("[aria-label=attention]", (one) => one.value), "multi-head");
    await press(page, "Step");
    await untilStep(page, 1);
    assert.deepEqual([await notOffered(page), await fields()], ["dot scaled-dot", 0]);
    await press(page, "Back to lists");
    await begun(page, 8);
    await until(page, () => !document.querySelector("option:disabled"));
    assert.equal(await fields(), 3);
    assert.deepEqual(trouble, []);
    await page.close();
});

test("an opened model comes back after all that closes it, and there is nothing of it to save", async () => {
    const { page, trouble } = await open();
    const out = join(folder, "again");
    native("sort", ...DEFAULTS, "--steps", "20", "--out", out);
    const offered = () =>
        page.evaluate(() =>
            [...document.querySelectorAll("button")].some(
                (one) => one.textContent === "Open the model again" && !one.hidden,
            ),
        );
    const opened = () =>
        until(page, () => document.querySelector(".status").textContent.startsWith("opened: a seq2seq"));
    assert.equal(await offered(), false);
    await drop(page, "sort.safetensors", readFileSync(join(out, "sort.safetensors")));
    await opened();
    const output = await written(page);
    assert.equal(await page.$eval(".settings button", (one) => one.disabled), true);
    for (const close of [
        () => press(page, "Back to training"),
        () => press(page, "Reset"),
        () => set(page, "attention", "additive"),
        () => drop(page, "pairs.tsv", Buffer.from(PAIRS)),
    ]) {
        await settle(page); // the buttons change in the frame after the status
        assert.equal(await offered(), false);
        await close();
        await until(page, () => document.querySelector(".status").textContent.includes("step 0 of"));
        await press(page, "Open the model again");
        await opened();
    }
    await type(page, "14 3 9 20 3");
    assert.equal(await written(page), output);
    assert.deepEqual(trouble, []);
    await page.close();
});

test("the browser asks before it leaves a training or pairs that are nowhere else", async () => {
    const { page, trouble } = await open();
    const leaves = () => page.evaluate(() => dispatchEvent(new Event("beforeunload", { cancelable: true })));
    assert.equal(await leaves(), true);
    await press(page, "Step");
    await untilStep(page, 1);
    assert.equal(await leaves(), false);
    await save(page, folder, () => press(page, "Save as .safetensors"));
    assert.equal(await leaves(), true);
    await press(page, "Step");
    await untilStep(page, 2);
    assert.equal(await leaves(), false);
    await press(page, "Reset");
    assert.equal(await leaves(), true);
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
    await page.type("#pairs", "a");
    assert.equal(await leaves(), false);
    assert.deepEqual(trouble, []);
    await page.close();
});

test("many pairs are learned, and not laid out", async () => {
    const { page, trouble } = await open();
    const many = Array.from({ length: 50000 }, (_, i) => `${i}\t${i}\n`).join("");
    const shown = () => page.$eval("#pairs", (one) => [one.value, one.placeholder]);
    await drop(page, "many.tsv", Buffer.from(many));
    await begun(page, 2);
    assert.deepEqual(await shown(), ["", "50,000 lines, too many to be shown"]);
    await press(page, "Learn these pairs");
    await begun(page, 3);
    await page.evaluate(
        (text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text", text);
            const event = new ClipboardEvent("paste", { clipboardData, cancelable: true });
            document.getElementById("pairs").dispatchEvent(event);
        },
        many.slice(many.indexOf("9\t")),
    );
    await begun(page, 4);
    assert.deepEqual(await shown(), ["", "49,991 lines, too many to be shown"]);
    assert.equal(await page.$eval("#input", (one) => one.value), "9");
    await drop(page, "few.tsv", Buffer.from(PAIRS));
    await begun(page, 5);
    assert.deepEqual(await shown(), [PAIRS, "source, tab, target"]);
    assert.deepEqual(trouble, []);
    await page.close();
});

test("what is read from right to left is shown so", async () => {
    const { page, trouble } = await open();
    const lines = Array.from({ length: 40 }, (_, i) => [...HEBREW].map((_, k) => HEBREW[(i >> k) % 5]).join(""));
    await drop(page, "hebrew.tsv", Buffer.from(lines.map((word) => `${word}\t${word}\n`).join("")));
    await begun(page, 2);
    await page.evaluate((text) => {
        const input = document.getElementById("input");
        input.value = text;
        input.dispatchEvent(new Event("input"));
    }, HEBREW);
    await until(page, (text) => document.querySelector(".written")?.textContent.startsWith(`${text} ←`), HEBREW);
    assert.equal(await page.$eval(".corner", (one) => one.textContent), "writes ↓ reads ←");
    const [first, last, row] = await page.$$eval(".heatmap thead th:not(.certain), .heatmap tbody th", (all) =>
        [all[0], all[4], all[5]].map((one) => one.getBoundingClientRect().left),
    );
    assert.ok(last < first && first < row, `${last} ${first} ${row}`);
    assert.deepEqual(trouble, []);
    await page.close();
});

test("a few pairs that are right are no percentage, and targets that are all the same are told", async () => {
    const { page, trouble } = await open();
    await drop(page, "same.tsv", Buffer.from(Array.from({ length: 12 }, (_, i) => `w${i}\tsame\n`).join("")));
    await until(page, () => globalThis.heard.filter((one) => one.type === "begun").length === 2);
    assert.match(await page.$eval(".said", (one) => one.textContent), /^All targets are the same: /);
    await trainTo(page, 100);
    await until(page, () => document.querySelector(".status").textContent.endsWith("1 of 1 new text right: done"));
    assert.deepEqual(trouble, []);
    await page.close();
});

for (const dark of [false, true]) {
    test(`axe finds nothing, ${dark ? "dark" : "light"}`, async () => {
        const { page } = await open({ dark });
        await page.evaluate(() =>
            document.querySelectorAll("details").forEach((one) => {
                one.open = true;
            }),
        );
        await press(page, "Step");
        await untilStep(page, 1);
        await assertAccessible(page);
        await page.close();
    });
}
