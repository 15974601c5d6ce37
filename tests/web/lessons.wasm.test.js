// The lessons with sliders: at the beginning their numbers are those on the pages of docs/lessons/, and what one moves
// moves the picture.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { colouredPixels, launch, openFile, until } from "./browser.js";
import { assertAccessible } from "./use.js";
import { assertLooks } from "./look.js";

const PAGE = process.env.LESSONS,
    DOCS = process.env.LESSON_PAGES;
let browser, close;
before(async () => ({ browser, close } = await launch()));
after(() => close());

// The blocks of text on the page of a lesson, as lines.
function blocks(number) {
    const name = readdirSync(DOCS).find((file) => file.startsWith(String(number).padStart(2, "0")));
    const text = readFileSync(join(DOCS, name), "utf8");
    return [...text.matchAll(/```text\n(.*?)```/gs)].map((match) => match[1].trimEnd().split("\n"));
}

// The letters and signs of a formula, without its commands; MathML has some of them in another order.
const sortedLetters = (text) => [...text.replace(/\s/g, "")].sort().join("");
const lettersOf = (tex) =>
    sortedLetters(
        tex
            .replace(/\\(begin|end)\{cases\}/g, "")
            .replace(/\\(text|frac|sqrt|left|right|cdot|sum|qquad|infty|ldots|leftarrow|top|,|\\)(?![a-z])/g, "")
            .replace(/[\\{}_^&-]/g, ""),
    );

const numbersOf = (line) => line.trim().split(/\s+/);
const isRow = (line) => /^\s+-?\d+\.\d{4}/.test(line);

// {title: rows} of a block of matrices, each below its title.
function matrices(lines) {
    const found = {};
    let title = "";
    for (const line of lines) {
        if (isRow(line)) (found[title] ??= []).push(numbersOf(line));
        else title = line;
    }
    return found;
}

const idle = (page) => until(page, () => !("busy" in document.documentElement.dataset));

// `work` gets the page of one lesson; nothing may go wrong meanwhile.
async function inLesson(number, work, options) {
    const { page, trouble } = await openFile(browser, PAGE, { hash: `#${number}`, ...options });
    try {
        await page.waitForSelector(`html[data-ready="${number}"]`).catch((error) => {
            throw new Error(`${error.message}: ${trouble.join("; ")}`);
        });
        await work(page);
        assert.deepEqual(trouble, []);
    } finally {
        await page.close();
    }
}

// {caption: rows of texts} of all tables.
const tables = (page) =>
    page.$$eval("table", (all) =>
        Object.fromEntries(
            all.map((one) => [
                one.caption?.textContent ?? one.getAttribute("aria-label"),
                [...one.tBodies[0].rows].map((row) =>
                    [...row.cells].filter((cell) => cell.tagName === "TD").map((cell) => cell.textContent),
                ),
            ]),
        ),
    );
const rowNames = (page, caption) =>
    page.$$eval(
        "table",
        (all, wanted) =>
            [...all.find((one) => one.caption?.textContent === wanted).tBodies[0].rows].map(
                (row) => row.cells[0].textContent,
            ),
        caption,
    );

async function set(page, label, value) {
    await page.evaluate(
        (name, given) => {
            const all = [...document.querySelectorAll("main input, main select")].filter((one) =>
                one.checkVisibility(),
            );
            const input = all.find(
                (one) =>
                    one.getAttribute("aria-label") === name ||
                    one.closest("label")?.querySelector("span")?.textContent === name,
            );
            if (input.type === "checkbox") {
                if (input.checked !== given) input.click();
            } else {
                input.value = given;
                input.dispatchEvent(new Event("input"));
                input.dispatchEvent(new Event("change"));
            }
        },
        label,
        value,
    );
    await idle(page);
}

const sum = (row) => row.reduce((all, weight) => all + Number(weight), 0);
function assertWeights(rows) {
    for (const row of rows) assert.ok(Math.abs(sum(row) - 1) < 1e-3 * row.length, `a row sums to ${sum(row)}`);
}

test("the page is under a megabyte", () => assert.ok(statSync(PAGE).size < 1e6));

test("lesson 1: the numbers of its page; a low temperature leaves one key", () =>
    inLesson(1, async (page) => {
        const [three, sentence] = blocks(1).map(matrices),
            found = await tables(page);
        assert.deepEqual(found.weights, three.weights);
        assert.deepEqual(found.output, three.output);
        assert.deepEqual(found["weights of the sentence"][0], sentence["weights of the sentence"][0]);
        await set(page, "angle of the query", 20);
        await set(page, "temperature", 0.02);
        assert.deepEqual((await tables(page)).weights[0], ["0.0000", "0.0000", "1.0000"]);
        await set(page, "temperature", 4);
        assertWeights((await tables(page)).weights);
        assert.ok((await tables(page)).weights[0].every((weight) => Math.abs(weight - 1 / 3) < 0.06));
        await set(page, "divisor of the sentence", 1);
        assert.ok(Math.max(...(await tables(page))["weights of the sentence"][0]) > 0.9);
    }));

test("lesson 1: maps are printed in colour where the browser leaves backgrounds out", () =>
    inLesson(1, async (page) => {
        const kept = await colouredPixels(page);
        await page.$$eval("td", (cells) => cells.forEach((cell) => (cell.style.printColorAdjust = "economy")));
        const left = await colouredPixels(page);
        assert.ok(kept > left + 500, `${kept} and ${left}`);
    }));

test("lesson 1: the query follows the pointer, and its slider the keyboard", () =>
    inLesson(1, async (page) => {
        const box = await (await page.$(".plane")).boundingBox();
        await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.4);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width / 2, box.y + box.height * (0.5 - 1 / 4.4), { steps: 4 });
        await page.mouse.up();
        await idle(page);
        assert.equal(await page.$eval("[aria-label='angle of the query']", (one) => one.value), "90");
        assert.equal(await page.$eval("[aria-label='its length']", (one) => one.value), "1");
        assert.deepEqual((await tables(page)).weights[0], (await tables(page)).weights[1]);
        await page.focus("[aria-label='angle of the query']");
        await page.keyboard.press("ArrowRight");
        await idle(page);
        assert.equal((await rowNames(page, "weights"))[0], "query (-0.02, 1)");
        const reset = await page.evaluateHandle(() =>
            [...document.querySelectorAll("button")].find((one) => one.textContent === "Reset"),
        );
        await reset.focus();
        await page.keyboard.press("Enter");
        await idle(page);
        assert.deepEqual((await tables(page)).weights, matrices(blocks(1)[0]).weights);
    }));

test("lesson 2: the numbers of its page; the way ends at the second key", () =>
    inLesson(2, async (page) => {
        const expected = matrices(blocks(2)[0]),
            found = await tables(page);
        for (const name of ["weights before", "output before", "weights after", "output after"])
            assert.deepEqual(found[name], expected[name], name);
        await set(page, "share of the way", 1);
        const moved = await tables(page);
        assert.deepEqual(moved["weights after"][0], expected["weights before"][1]);
        const way = moved["the weights of the first query along the way"];
        assert.deepEqual(way[0], expected["weights before"][0]);
        assert.deepEqual(way.at(-1), expected["weights before"][1]);
        const second = way.map((row) => Number(row[1]));
        assert.deepEqual([...second].sort(), second);
    }));

test("lesson 3: the numbers of its page, for each mask", () =>
    inLesson(3, async (page) => {
        const all = blocks(3),
            hidden = matrices(all[0]);
        const check = async (expected) => assert.deepEqual((await tables(page)).weights, expected);
        await check(hidden.weights);
        assert.deepEqual((await tables(page)).output, hidden.output);
        await set(page, "mask", "length");
        await check(hidden.weights);
        await set(page, "mask", "bias");
        await check(hidden.weights);
        await set(page, "bias", 5);
        assert.ok((await tables(page)).weights.every((row) => row[2] > 0.9));
        await set(page, "mask", "causal");
        await check(matrices(all.find((lines) => lines[0] === "causal")).weights);
        await set(page, "mask", "cells");
        await check(matrices(all.find((lines) => lines[0] === "second query blind")).weights);
        await set(page, "query (0, 1), key (1, 1)", true);
        assert.deepEqual((await tables(page)).weights[1], ["0.0000", "0.0000", "1.0000"]);
        await set(page, "mask", "keys");
        await set(page, "all queries, key (1, 0)", false);
        assert.ok((await tables(page)).weights.every((row) => row[0] === "0.0000" && row[1] === "1.0000"));
        await set(page, "mask", "none");
        await check(matrices(blocks(1)[0]).weights);
    }));

test("lesson 4: the numbers of its page; a wide undivided score is sure", () =>
    inLesson(4, async (page) => {
        const [small, wide] = blocks(4),
            three = matrices(small);
        const largest = wide.map((line) => /: (\S+), (\S+) scaled, (\S+) by/.exec(line).slice(1));
        assert.deepEqual((await tables(page))["largest weight"], largest);
        assert.equal(largest.length, 7);
        assert.deepEqual((await tables(page))["weights of three vectors"], three["scaled weights"]);
        assert.deepEqual((await tables(page))["output of three vectors"], three["scaled output"]);
        await set(page, "scores are divided by", 0);
        assert.deepEqual((await tables(page))["weights of three vectors"], three["unscaled weights"]);
        assert.deepEqual((await tables(page))["output of three vectors"], three["unscaled output"]);
        const mean = async () =>
            sum((await tables(page))["weights of the sentence"].map((row) => Math.max(...row))) / 6;
        assert.ok(Math.abs((await mean()) - Number(largest[6][0])) < 1e-3);
        await set(page, "width d", 4);
        assert.ok(Math.abs((await mean()) - Number(largest[2][0])) < 1e-3);
    }));

test("lesson 5: the numbers of its page; heads split", () =>
    inLesson(5, async (page) => {
        const expected = blocks(5)[0].filter(isRow).map(numbersOf),
            found = await tables(page);
        assert.deepEqual([...found["weights, head 0"], ...found["weights, head 1"]], expected);
        assert.equal(found["weights of the sentence, head 3"].length, 6);
        await set(page, "heads of the four vectors", "8");
        await set(page, "heads of the sentence", "1");
        const split = await tables(page);
        assert.equal(Object.keys(split).filter((name) => /^weights, head/.test(name)).length, 8);
        assertWeights(split["weights, head 7"]);
        assert.equal(split["weights of the sentence, head 1"], undefined);
    }));

test("lesson 6: the numbers of its page; a longer query is surer, but not of an additive score", () =>
    inLesson(6, async (page) => {
        const expected = blocks(6)
            .slice(0, 4)
            .map((lines) => numbersOf(lines[1]));
        assert.deepEqual((await tables(page)).weights, expected);
        await set(page, "length of the query, times", 4);
        const [, scaled, , additive] = (await tables(page)).weights.map((row) => Math.max(...row));
        assert.ok(scaled > 0.9 && additive < 0.5, `${scaled} and ${additive}`);
        await set(page, "length of the query, times", 0);
        assert.deepEqual((await tables(page)).weights[0], Array(10).fill("0.1000"));
        await set(page, "vectors", "drawn");
        await set(page, "length of the query, times", 1);
        await set(page, "width", 256);
        assertWeights((await tables(page)).weights);
    }));

test("lesson 7: the numbers of its page; moved words find their own", () =>
    inLesson(7, async (page) => {
        const [small, words, head] = blocks(7),
            two = matrices(small);
        const looks = () => page.$$eval(".looks li", (all) => all.map((one) => one.textContent));
        assert.deepEqual((await tables(page)).weights, two.weights);
        assert.deepEqual((await tables(page)).output, two.output);
        assert.deepEqual(await looks(), words);
        await set(page, "compared", "one");
        const rows = head.filter(isRow).map(numbersOf);
        assert.deepEqual((await tables(page))["weights of head 0"].slice(0, rows.length), rows);
        await set(page, "compared", "two");
        assertWeights((await tables(page))["weights of head 1"]);
        await set(page, "compared", "words");
        await set(page, "moved towards its English word", 1);
        const pairs = ["El", "gato", "está", "durmiendo", "en", "la", "estera"].map(
            (word, i) => `${word} looks at ${["The", "cat", "is", "sleeping", "on", "the", "mat"][i]}`,
        );
        assert.deepEqual(await looks(), pairs);
        await set(page, "compared", "one");
        assert.notDeepEqual(await looks(), pairs);
    }));

test("lesson 8: the words and numbers of its page; positions, padding and an own text", () =>
    inLesson(8, async (page) => {
        const [vocabulary, ids] = blocks(8);
        const note = await page.$eval(".lesson .note:not(.wider)", (one) => one.textContent);
        assert.ok(note.startsWith(vocabulary[0]), note);
        for (const line of vocabulary.slice(1)) assert.ok(note.includes(line), `${line} in ${note}`);
        const idsOf = async () => (await tables(page))["words and their numbers"][0].join(" ");
        assert.equal(`ids of the first review: ${await idsOf()}`, ids[0]);
        const weights = (await tables(page)).weights;
        const names = await rowNames(page, "weights"),
            theWords = names.flatMap((word, i) => (word === "the" ? [i] : []));
        assert.equal(theWords.length, 5);
        assert.deepEqual(
            theWords.map((i) => weights[0][i]),
            Array(5).fill("0.1999"),
        );
        await set(page, "add positions", true);
        assert.ok((await tables(page)).weights[0][0] > 0.21);
        await set(page, "add positions", false);
        await set(page, "review", 3);
        assert.equal(`ids of the third review: ${await idsOf()}`, ids[1]);
        await set(page, "hide padding", true);
        assert.ok(
            (await tables(page)).weights.slice(0, 3).every((row) => row.slice(3).every((one) => one === "0.0000")),
        );
        await set(page, "words of", "own");
        await set(page, "text", "<b>the</b> plot ü");
        assert.deepEqual((await rowNames(page, "weights")).slice(0, 4), ["<b>the</b>", "plot", "ü", "<pad>"]);
        assert.equal(await page.$$eval("main b", (all) => all.length), 0);
    }));

test("lesson 9: the shapes of its page; both models learn, and the one with attention sorts longer lists", () =>
    inLesson(9, async (page) => {
        const lines = blocks(9)[0].join("\n");
        const weights = [...lines.matchAll(/, (\d+) weights/g)].map((match) => match[1]);
        const shapes = [...lines.matchAll(/of 12 numbers the decoder gets (.*)/g)].map((match) => match[1]);
        assert.deepEqual((await tables(page))["two models"], [
            [weights[0], shapes[0]],
            [weights[1], shapes[1]],
        ]);
        await set(page, "numbers in a list", 2);
        const short = [...lines.matchAll(/of {2}2 numbers the decoder gets (.*)/g)].map((match) => match[1]);
        assert.deepEqual(
            (await tables(page))["two models"].map((row) => row[1]),
            short,
        );
        await set(page, "numbers in a list", 12);
        const train = () => page.evaluate(() => document.querySelector("button.primary").click());
        await train();
        const before = await until(page, () => {
            if (!/step [1-9]/.test(document.querySelector("[role=status]").textContent)) return 0;
            document.querySelector("button.primary").click();
            return globalThis.heard.length;
        });
        await idle(page);
        // After a pause comes one answer at most: the one that was out.
        const more = (await page.evaluate(() => globalThis.heard.length)) - (await before.jsonValue());
        assert.ok(more <= 1, `${more} answers after the pause`);
        await train();
        await until(page, () => document.querySelector("[role=status]").textContent.startsWith("11 of 11"));
        const name = "500 unseen lists of each length: the share sorted without a mistake";
        const measured = (await tables(page))[name].map((row) => row.map(Number));
        assert.equal(measured.length, 11);
        // The same steps in another order of additions: not the same bits.
        const expected = blocks(9)[1].map((line) => /without (\S+) {2}with (\S+)/.exec(line).slice(1).map(Number));
        measured.forEach((row, i) =>
            row.forEach((share, model) =>
                assert.ok(Math.abs(share - expected[i][model]) < 0.1, `${share}, expected ${expected[i][model]}`),
            ),
        );
        const losses = (await tables(page))["loss while both learn from the same lists"].map((row) => row.map(Number));
        assert.ok(losses.at(-1)[1] < losses[0][1] / 2);
    }));

test("lesson 10: it sorts the list of its page; heads switched off, masks, other lists", () =>
    inLesson(10, async (page) => {
        const written = () => page.$eval(".written", (one) => one.textContent);
        assert.equal(await written(), blocks(10)[0][0]);
        const cross = await tables(page);
        assert.deepEqual(Object.keys(cross), [
            "layer 0, head 0",
            "layer 0, head 1",
            "layer 1, head 0",
            "layer 1, head 1",
        ]);
        Object.values(cross).forEach(assertWeights);
        await set(page, "attention", "decoder");
        for (const rows of Object.values(await tables(page)))
            rows.forEach((row, i) => assert.ok(row.slice(i + 1).every((weight) => weight === "0.0000")));
        await set(page, "attention", "encoder");
        Object.values(await tables(page)).forEach(assertWeights);
        await set(page, "layer 1, head 0", false);
        await set(page, "layer 1, head 1", false);
        assert.notEqual(await written(), blocks(10)[0][0]);
        await set(page, "layer 1, head 0", true);
        await set(page, "layer 1, head 1", true);
        assert.equal(await written(), blocks(10)[0][0]);
        await set(page, "list, digits", "4 0 2");
        assert.equal(await written(), "sorted: 0 2 4");
        await set(page, "list, digits", "4 77");
        assert.match(
            await page.$eval("p[role=alert]", (one) => one.textContent),
            /found the number 77, expected 0 to 9/,
        );
    }));

test("the numbers of lesson 10 are those of PyTorch", () =>
    inLesson(10, async (page) => {
        const printed = readFileSync(join(process.env.LESSON_NUMBERS, "10_transformer.txt"), "utf8");
        const expected = matrices(printed.split("\n"));
        for (const [name, rows] of Object.entries(await tables(page)))
            rows.forEach((row, i) =>
                row.forEach((weight, j) =>
                    assert.ok(
                        Math.abs(weight - expected[name][i][j]) < 2e-4,
                        `${name}: ${weight}, ${expected[name][i][j]}`,
                    ),
                ),
            );
    }));

test("of the questions that come while one is out, only the last is asked", () =>
    inLesson(1, async (page) => {
        const answers = () => page.evaluate(() => globalThis.heard.length);
        const before = await answers();
        await page.evaluate(() => {
            const input = document.querySelector("[aria-label='angle of the query']");
            for (let angle = 1; angle <= 90; angle++) {
                input.value = angle;
                input.dispatchEvent(new Event("input"));
            }
        });
        await idle(page);
        assert.equal((await answers()) - before, 2);
        assert.equal((await rowNames(page, "weights"))[0], "query (0, 1)");
    }));

test("each lesson shows a formula of the pages, and leads to its text", async () => {
    const pages = readdirSync(DOCS)
            .sort()
            .map((name) => [name, readFileSync(join(DOCS, name), "utf8")]),
        link = ".source a";
    await inLesson(1, async (page) => {
        for (let number = 1; number <= 10; number++) {
            await page.evaluate((hash) => (location.hash = hash), `#${number}`);
            await page.waitForSelector(`html[data-ready="${number}"]`);
            const [name, text] = pages[number - 1];
            assert.equal(await page.$eval(link, (one) => one.getAttribute("href")), `../../docs/lessons/${name}`);
            const [title] = text.split("\n");
            assert.equal(await page.$eval("h1", (one) => one.textContent), "Ten lessons on attention, with sliders");
            assert.equal(`# ${await page.$eval("h2", (one) => one.textContent)}`, title);
            const found = sortedLetters(
                await page.$eval(".formula", (one) => one.textContent.replace(/[·…←∑⊤∞{−]/g, "")),
            );
            const written = pages
                .slice(0, number)
                .flatMap(([, known]) => [...known.matchAll(/\$\$(.*)\$\$/g)])
                .map(([, tex]) => lettersOf(tex));
            assert.ok(written.includes(found), `${found} is none of ${written.join(" and ")}`);
        }
    });
});

test("links and the way back lead from lesson to lesson", () =>
    inLesson(1, async (page) => {
        await page.evaluate(() => document.querySelectorAll("nav a")[2].focus());
        await page.keyboard.press("Enter");
        await page.waitForSelector("html[data-ready='3']");
        assert.equal(await page.$eval("h2", (one) => one.textContent), "3. Masking");
        assert.equal(await page.$eval("nav [aria-current]", (one) => one.textContent), "Masking");
        await page.goBack();
        await page.waitForSelector("html[data-ready='1']");
        assert.deepEqual((await tables(page)).weights, matrices(blocks(1)[0]).weights);
    }));

test("in the frame of another page it is the lesson alone", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lookback-frame-")),
        file = join(folder, "page.html");
    writeFileSync(file, `<!doctype html><iframe src="${pathToFileURL(PAGE).href}#3"></iframe>`);
    const { page } = await openFile(browser, file);
    try {
        const frame = await (await page.waitForSelector("iframe")).contentFrame();
        await frame.waitForSelector("html[data-ready='3']");
        assert.deepEqual((await tables(frame)).weights, matrices(blocks(3)[0]).weights);
        assert.equal(await frame.$eval("nav", (one) => one.checkVisibility()), false);
    } finally {
        await page.close();
        rmSync(folder, { recursive: true });
    }
});

for (const dark of [false, true]) {
    for (let number = 1; number <= 10; number++) {
        test(`axe finds nothing in lesson ${number}, ${dark ? "dark" : "light"}`, () =>
            inLesson(
                number,
                async (page) => {
                    await page.evaluate(() =>
                        document.querySelectorAll("details").forEach((one) => {
                            one.open = true;
                        }),
                    );
                    await assertAccessible(page);
                },
                { dark },
            ));
    }
}

for (const [number, options] of [
    [1, {}],
    [2, { dark: true }],
    [3, {}],
    [4, {}],
    [5, {}],
    [6, {}],
    [7, {}],
    [8, {}],
    [9, {}],
    [10, { width: 480 }],
]) {
    test(`lesson ${number} looks as its picture`, () =>
        inLesson(number, (page) => assertLooks(browser, page, `lesson-${number}`), options));
}
