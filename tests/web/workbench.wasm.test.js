// The workbench in Chromium: what it computes is what the same WebAssembly computes in Node, and the native program.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./browser.js";
import { press } from "./playground.js";
import {
    exampleOf,
    native,
    openWorkbench,
    runInNode,
    runInPage,
    set,
    trained,
    trainInNode,
    untilDone,
    untilRead,
    WORKBENCH,
} from "./workbench.js";

const SPANISH = exampleOf("spanish_train.tsv");
const folder = mkdtempSync(join(tmpdir(), "lookback-workbench-"));
// Small, and right for half of the Spanish words.
const SIZES = { hidden: 32, lr: 0.01, steps: 200, "evaluate-every": 100 };
const sizes = Object.entries(SIZES).flatMap(([name, value]) => [`--${name}`, `${value}`]);
const SENTENCES = { "german.txt": exampleOf("sentences.de"), "english.txt": exampleOf("sentences.en") };
const beginningsOf = (bytes, most) =>
    [...bytes.toString().matchAll(/^[^\t\n]+/gm)].slice(0, most).map(([text]) => text);
// Texts of the training, and one that it does not have.
const WORDS = Buffer.from([...beginningsOf(SPANISH, 499), "lookback"].map((word) => `${word}\n`).join(""));
// What each example trains on, how its pairs are read, what measures it, and 50 texts to translate.
const EXAMPLES = {
    "Spanish words and their sounds": {
        files: { "spanish.tsv": SPANISH },
        pairs: ["spanish.tsv", "--target-separator", " "],
        measured: ["spanish.tsv"],
        texts: beginningsOf(SPANISH, 50),
    },
    "Spanish sounds and their spelling": {
        files: { "spanish.tsv": SPANISH },
        pairs: ["spanish.tsv", "--source-column", "2", "--target-column", "1", "--source-separator", " "],
        measured: ["spanish.tsv"],
        texts: [...SPANISH.toString().matchAll(/\t(.+)/g)].slice(0, 50).map(([, sounds]) => sounds),
    },
    "German sentences in English": {
        files: SENTENCES,
        pairs: ["german.txt", "--train-targets", "english.txt"],
        measured: ["german.txt", "--targets", "english.txt"],
        texts: beginningsOf(SENTENCES["german.txt"], 50),
    },
};
let browser, close;
before(async () => ({ browser, close } = await launch()));
after(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
});

test("the page is under 1.6 megabytes", () => assert.ok(statSync(WORKBENCH).size < 1.6e6));

for (const [name, { files, pairs, measured, texts }] of Object.entries(EXAMPLES))
    test(`${name}: bits are those of a terminal, score and outputs those of Node, without a network`, async () => {
        const { page, trouble } = await openWorkbench(await browser.createBrowserContext());
        await press(page, name);
        await untilRead(page);
        await press(page, "Train a model");
        for (const [setting, value] of Object.entries(SIZES)) await set(page, setting, value);
        await press(page, "Train now");
        await untilDone(page);
        const words = ["train", ...pairs, ...sizes, "--out", "out"];
        const model = await trainInNode(words, files, "out/model.safetensors");
        assert.ok((await trained(page, "out/model.safetensors")).equals(model));
        for (const [path, bytes] of Object.entries(files)) writeFileSync(join(folder, path), bytes);
        native([...words, "--isa", "portable", "--fresh"], folder);
        assert.ok(readFileSync(join(folder, "out/model.safetensors")).equals(model));
        const given = { ...files, "texts.txt": Buffer.from(`${texts.join("\n")}\n`), "out/model.safetensors": model };
        for (const command of [
            ["evaluate", "out", ...measured, "--held-out"],
            ["predict", "out", "texts.txt"],
        ]) {
            const { status, lines } = await runInPage(page, command, given);
            assert.equal(status, 0);
            assert.deepEqual(lines, await runInNode(command, given));
        }
        assert.deepEqual(trouble, []);
        await page.close();
    });

test("a model of a terminal gives the outputs of predict for 500 words, and the C file of the terminal", async () => {
    const at = (name) => join(folder, name);
    writeFileSync(at("spanish.tsv"), SPANISH);
    writeFileSync(at("words.txt"), WORDS);
    native(
        ["train", "spanish.tsv", "--target-separator", " ", ...sizes, "--threads", "1", "--fresh", "--out", "out"],
        folder,
    );
    const { page, trouble } = await openWorkbench(browser);
    const files = { "out/model.safetensors": readFileSync(at("out/model.safetensors")), "words.txt": WORDS };
    const { lines } = await runInPage(page, ["predict", "out", "words.txt"], files);
    assert.equal(lines.length, 500);
    assert.ok(new Set(lines).size > 400);
    assert.deepEqual(lines, native(["predict", "out", "words.txt"], folder));

    const command = ["export", "out", "--type", "f32", "--lexicon", "none", "-o", "model.c"];
    const exported = await runInPage(page, command, files, ["model.c", "model.h"]);
    assert.equal(exported.status, 0);
    native(command, folder);
    for (const name of ["model.c", "model.h"]) assert.ok(exported.files[name].equals(readFileSync(at(name))), name);
    assert.deepEqual(trouble, []);
    await page.close();
});
