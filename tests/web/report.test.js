// What one can do in a report: look, point, click, type, filter, sort, share.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { goTo, launch, openPage, settle, until } from "./browser.js";
import { dataOf } from "./reports.js";
import { ARROW, countOf, heading, inReport, rowTexts, select, textOf } from "./use.js";

let browser, close;
before(async () => ({ browser, close } = await launch()));
after(() => close());

const inPage = (name, options, work) => inReport(browser, name, options, work);

test("a report opens from its file, asks for nothing else, and shows its first wrong pair", () =>
    inPage("french", {}, async (page) => {
        assert.equal(await page.title(), "french · test.tsv · Lookback");
        assert.equal(await heading(page), "Pair 3");
        assert.equal(await page.$eval(".row[aria-selected=true]", (row) => row.id), "row-2");
        assert.equal(
            await countOf(page, ".ribbons svg .written"),
            dataOf("french")[0].pairs[2].outputs[0].steps.length,
        );
        assert.ok((await countOf(page, ".ribbons svg .ribbon")) >= 5);
    }));

const wide = (page, selector) =>
    page.$$eval(selector, (nodes) => Math.max(...nodes.map((node) => node.getBoundingClientRect().right)));

test("no view is wider than the page, charts shrink, and what scrolls says so", async () => {
    for (const view of ["pairs", "learned", "history", "card"]) {
        for (const [name, width] of [
            ["french", 400],
            ["wide", 1300],
        ]) {
            await inPage(name, { hash: `#view=${view}`, width }, async (page) => {
                assert.ok(
                    (await page.evaluate(() => document.documentElement.scrollWidth)) <= width,
                    `${name} ${view}`,
                );
                if ((await countOf(page, "svg.chart")) > 0) assert.ok((await wide(page, "svg.chart")) <= width);
                const scroll = await page.$$eval(".picture:not([hidden]) .canvas", (nodes) =>
                    nodes.map((node) => [
                        node.scrollWidth > node.clientWidth + 1,
                        !node.parentNode.querySelector(".wider").hidden,
                    ]),
                );
                const boxes = await page.$$eval(".grid, .canvas.some", (nodes) =>
                    nodes
                        .filter((node) => node.checkVisibility())
                        .map((node) => [node.scrollWidth > node.clientWidth + 1, !node.nextSibling.hidden]),
                );
                assert.equal(boxes.length, { pairs: 1, learned: 1 }[view] ?? 0);
                assert.equal(boxes[0]?.[0] ?? width < 500, width < 500);
                for (const [scrolls, says] of [...scroll, ...boxes]) assert.equal(says, scrolls);
            });
        }
    }
});

test("what the lexicon wrote is marked in its row, counted apart, and can be left out", () =>
    inPage("lexicon", {}, async (page) => {
        const head = "62.5 % exactly right without the lexicon, which wrote 2 outputs";
        assert.ok((await textOf(page, "header.top p")).includes(head));
        assert.equal(await textOf(page, ".warnings"), "test.tsv: 2 of 24 <b>lines</b> were left out");
        await goTo(page, "#pair=3");
        assert.ok(
            (await textOf(page, ".texts .aside")).endsWith("score –, from the lexicon: the model lacks a symbol of it"),
        );
        assert.equal(
            await textOf(page, ".missing"),
            "It has no attention, erasure and gradient: the model lacks a symbol of it.",
        );
        await goTo(page, "#pair=1");
        const found = async () => (await rowTexts(page)).filter((row) => row[2].startsWith("lexicon"));
        assert.deepEqual(
            (await found()).map(([number]) => number),
            ["2", "3"],
        );
        await select(page, "Written by", "lexicon");
        assert.equal((await rowTexts(page)).length, 2);
        await select(page, "Written by", "model");
        assert.equal((await found()).length, 0);
        assert.equal(await textOf(page, ".shown"), "22 of 24 pairs");
        // The third output is wrong, and no confusion of the model.
        const [data] = dataOf("lexicon"),
            { expected, outputs } = data.pairs[2],
            at = expected.findIndex((id, i) => id !== outputs[0].symbols[i]);
        await goTo(page, `#confusion=${expected[at]}.${outputs[0].symbols[at]}`);
        assert.ok(!(await rowTexts(page)).some(([number]) => number === "3"));
        await goTo(page, "#view=learned");
        assert.ok((await textOf(page, ".figures")).includes("62.5 %exactly right, the model alone"));
    }));

test("pieces of words are a text, found by phrases and compared by words; maps have the pieces", () =>
    inPage("pieces", {}, async (page) => {
        const texts = async () => (await rowTexts(page)).map((row) => row.slice(1, 4));
        const [source, right] = ["Der Hund schläft.", "The dog sleeps in a café."];
        assert.deepEqual(await texts(), [
            [source, "The cat sleeps in‸ café.", right],
            [source, right, right],
        ]);
        assert.deepEqual(await page.$$eval(".grid mark", (marks) => marks.map((mark) => mark.textContent)), ["cat"]);
        assert.deepEqual(await page.$$eval(".texts bdi", (nodes) => nodes.map((node) => node.textContent)), [
            source,
            "The cat sleeps in café.",
            right,
        ]);
        const cells = await page.$$eval(".aligned tr:last-child td", (nodes) =>
            nodes.map((node) => [node.textContent, node.dataset.step]),
        );
        assert.deepEqual(cells.slice(0, 3), [
            ["The", "0"],
            ["cat", "1"],
            ["sleeps", "3"],
        ]);
        assert.ok((await textOf(page, ".aligned-holder .note")).startsWith("2 edits: ≠ another word"));
        assert.ok((await textOf(page, ".heatmap svg")).includes("▁ca"));
        assert.ok((await textOf(page, ".likeliest svg")).includes("▁ca"));
        await goTo(page, "#find=the dog sleeps in a CAF");
        assert.equal(await textOf(page, ".shown"), "2 pairs");
        await goTo(page, "#find=the cat");
        assert.equal(await textOf(page, ".shown"), "1 of 2 pairs");
        await goTo(page, "#view=learned");
        await page.evaluate(() => document.querySelector("button.confusion").click());
        await settle(page);
        assert.equal(await textOf(page, ".shown"), "1 of 2 pairs");
        assert.ok((await textOf(page, ".filters")).includes("cat for dog (1)nothing for a (1)"));
    }));

test("a measure that does not exist has its reason", () =>
    inPage("unmeasured", {}, async (page) => {
        assert.equal(
            await textOf(page, ".missing"),
            "To stay small, this report has no erasure and gradient for this pair. With --all-heads, it has them.",
        );
        await goTo(page, "#view=learned");
        assert.equal(
            await textOf(page, ".learned > .aside"),
            "No pair has an expected output, so nothing could be right or wrong.",
        );
        const note = await page.$$eval(".block .note", (notes) => notes.map((one) => one.textContent));
        assert.ok(
            note.some((text) =>
                text.endsWith("–: no output of the model has this head, or it cannot be switched off."),
            ),
        );
        await goTo(page, "#view=why");
        assert.ok(
            (await textOf(page, ".why .note")).includes("an output of the model for a source of several symbols"),
        );
    }));

test("a model without a lexicon has no filter for it", () =>
    inPage("french", {}, async (page) => {
        assert.ok(!(await textOf(page, ".filters")).includes("Written by"));
        assert.equal(await countOf(page, ".badge.known"), 0);
    }));

test("heads and confusions are on the first screen", async () => {
    for (const name of ["french", "transformer"])
        await inPage(name, { hash: "#view=learned", width: 1300, height: 900 }, async (page) => {
            const tops = await page.$$eval(".stack > .block", (nodes) =>
                nodes.map((node) => node.lastElementChild.getBoundingClientRect().top),
            );
            assert.equal(tops.length, 2);
            assert.ok(Math.max(...tops) < 800, `${tops}`);
        });
});

test("the card folds the options that nobody chose, and the configuration", () =>
    inPage("allPairs", { hash: "#view=card" }, async (page) => {
        const seen = () =>
            page.$$eval(".card th", (nodes) =>
                nodes.filter((node) => node.checkVisibility()).map((n) => n.textContent),
            );
        assert.ok(!(await seen()).includes("dropout"));
        assert.ok(!(await seen()).includes("embedding"));
        assert.ok((await seen()).includes("seed"));
        await page.$$eval(".card details", (nodes) => nodes.forEach((node) => (node.open = true)));
        for (const name of ["dropout", "label-smoothing", "embedding"]) assert.ok((await seen()).includes(name), name);
    }));

test("a score and the sign of an unknown symbol are explained where they are shown", () =>
    inPage("wide", {}, async (page) => {
        assert.match(
            await textOf(page, ".texts-holder .note"),
            /U\+FFFD\) stands for a symbol that the model does not know/,
        );
        assert.match(await page.$eval(".texts .aside", (node) => node.title), /^The score is the log-probability/);
        assert.match(
            await page.$eval(".grid .head .row > :last-child button", (node) => node.title),
            /log-probability/,
        );
    }));

test("a pair has the warnings of predict", () =>
    inPage("warned", { hash: "#pair=1" }, async (page) => {
        const warnings = () => page.$$eval(".texts-holder .problem", (all) => all.map((one) => one.textContent));
        assert.deepEqual(await warnings(), [
            "It has 7 symbols; the longest text in training had 6. Expect mistakes.",
            "The model does not know “c”.",
            "It is unlike the texts of the training. Expect mistakes.",
            `The output has no end: it is cut off after ${dataOf("warned")[0].pairs[0].outputs[0].symbols.length} symbols.`,
        ]);
        await goTo(page, "#pair=2");
        assert.deepEqual(await warnings(), ["It has 6 symbols; the shortest text in training had 7. Expect mistakes."]);
    }));

test("a pair tells which symbols the model copied", async () => {
    const says = (page) => textOf(page, ".texts .aside");
    await inPage("copying", { hash: "#pair=1" }, async (page) =>
        assert.match(await says(page), /, score [^,]+, copied ɑ$/),
    );
    await inPage("french", {}, async (page) => assert.match(await says(page), /, score [^,]+$/));
});

test("the curves of a training tell whether their pairs were held out", async () => {
    const titles = (page) => page.$$eval(".history .blocks h3", (nodes) => nodes.map((node) => node.textContent));
    const legend = (page) =>
        page.$$eval(".history svg .legend", (nodes) => nodes.map((node) => node.textContent).slice(0, 2));
    await inPage("french", { hash: "#view=history" }, async (page) => {
        assert.deepEqual(await titles(page), ["Loss", "Measures on the dev set"]);
        assert.deepEqual(await legend(page), ["training", "dev"]);
        assert.doesNotMatch(await textOf(page, ".history"), /raise/);
    });
    await inPage("allPairs", { hash: "#view=history" }, async (page) => {
        assert.deepEqual(await titles(page), ["Loss", "Measures on training pairs"]);
        assert.deepEqual(await legend(page), ["training", "evaluation"]);
        assert.match(await textOf(page, ".history .loss .note"), /^Dropout and label smoothing raise the loss/);
    });
});

test("BLEU and chrF2 of a training have curves of their own, whose names are in the picture, and are in the film", () =>
    inPage("sentences", { hash: "#view=history" }, async (page) => {
        const names = await page.$$eval(".history .measures svg .legend", (nodes) =>
            nodes.map((node) => {
                const place = node.getBoundingClientRect(),
                    picture = node.ownerSVGElement.getBoundingClientRect();
                return [node.textContent, place.right <= picture.right && place.top >= picture.top];
            }),
        );
        assert.deepEqual(names, [
            ["symbol error", true],
            ["BLEU / 100", true],
            ["chrF2 / 100", true],
        ]);
        const heights = await page.$$eval(".history .measures svg .dot", (nodes) =>
            nodes.map((node) => Number(node.getAttribute("cy"))),
        );
        assert.ok(Math.min(...heights) >= 26, `a dot is above the frame: ${Math.min(...heights)}`);
        const strokes = await page.$$eval(".history .measures svg .series", (nodes) =>
            nodes.map((node) => getComputedStyle(node).stroke),
        );
        assert.equal(new Set(strokes).size, 3);
        assert.ok(!strokes.includes("none"));
        assert.match(await textOf(page, ".history .says"), /^training step .*, BLEU \d+\.\d\d, chrF2 \d+\.\d\d$/);
    }));

test("head, figures and heads of a report are told by what its model was chosen by", async () => {
    await inPage("sentences", { hash: "#view=learned" }, async (page) => {
        assert.match(await textOf(page, "header.top p"), /^6 pairs · chrF2 45\.25 · /);
        assert.match(await textOf(page, ".learned .figures"), /45\.25chrF2.*symbols wrong/);
        assert.match(await textOf(page, ".learned .block thead"), /chrF2 without itlost$/);
        assert.match(await textOf(page, ".learned .block tbody tr"), /44\.001\.00$/);
        assert.match(await textOf(page, ".learned .block .note"), /how much worse the chrF2 of the first 6 pairs is/);
        assert.doesNotMatch(await textOf(page, ".learned"), /exact|Calibration|Errors by length/);
    });
    await inPage("french", { hash: "#view=learned" }, async (page) => {
        assert.match(await textOf(page, "header.top p"), /% exactly right/);
        assert.match(await textOf(page, ".learned .block thead"), /exact without itlost$/);
        assert.match(await textOf(page, ".learned"), /how much fewer of the first/);
    });
});

test("the policy of the page refuses scripts, styles and requests that are not its own", async () => {
    const { page } = await openPage(browser, "french");
    const fetched = await page.evaluate(async () => {
        const script = document.createElement("script");
        globalThis.refused = 0;
        document.addEventListener("securitypolicyviolation", () => globalThis.refused++);
        try {
            script.text = "globalThis.strange = 1";
            document.body.append(script);
        } catch {
            globalThis.refused++;
        }
        return fetch("https://example.org/").then(
            () => true,
            () => false,
        );
    });
    assert.equal(fetched, false);
    await until(page, () => globalThis.refused >= 2);
    assert.equal(await page.evaluate(() => globalThis.strange), undefined);
    await page.close();
});

test("pointing at a target symbol lights up its sources in all pictures, a click pins it, Escape lets go", () =>
    inPage("french", { hash: "#pair=1" }, async (page) => {
        const symbols = await page.$$(".ribbons svg .written");
        await symbols[1].hover();
        await settle(page);
        assert.ok((await countOf(page, ".ribbons svg .ribbon.lit")) > 0);
        assert.ok((await countOf(page, ".ribbons svg .read.lit")) > 0);
        assert.equal(
            await page.$eval(".heatmap .frame[x][height]", (node) => getComputedStyle(node).visibility),
            "visible",
        );
        assert.equal(await countOf(page, ".likeliest .frame[visibility=visible]"), 1);
        await page.mouse.move(5, 5);
        await settle(page);
        assert.equal(await countOf(page, ".ribbons svg .ribbon.lit"), 0);
        await symbols[1].click();
        await page.mouse.move(5, 5);
        await settle(page);
        assert.ok((await countOf(page, ".ribbons svg .ribbon.lit")) > 0);
        assert.equal(await page.evaluate(() => location.hash), "#pair=1&step=2");
        await page.keyboard.press("Escape");
        await settle(page);
        assert.equal(await countOf(page, ".ribbons svg .ribbon.lit"), 0);
        assert.equal(await page.evaluate(() => location.hash), "#pair=1");
    }));

test("pointing at a cell of the matrix shows its weight, as it is in the data", () =>
    inPage("french", { hash: "#pair=1" }, async (page) => {
        const [data, bytes] = dataOf("french"),
            pair = data.pairs[0],
            columns = pair.source.length,
            rows = pair.outputs[0].steps.length;
        const box = await (await page.$(".heatmap image")).boundingBox();
        await page.mouse.move(box.x + (2.5 / columns) * box.width, box.y + (1.5 / rows) * box.height);
        await settle(page);
        let mean = 0;
        for (let h = 0; h < 4; h++) mean += bytes[pair.outputs[0].weights + (h * rows + 1) * columns + 2] / 255 / 4;
        assert.equal(await textOf(page, ".heatmap .value"), mean.toFixed(2));
    }));

test("the keyboard moves through pairs, symbols, outputs and views", () =>
    inPage("french", { hash: "#pair=1" }, async (page) => {
        await page.keyboard.press(ARROW.Down);
        await page.keyboard.press("j");
        await settle(page);
        assert.equal(await heading(page), "Pair 3");
        await page.keyboard.press("k");
        await settle(page);
        assert.equal(await heading(page), "Pair 2");
        await page.keyboard.press(ARROW.Right);
        await page.keyboard.press(ARROW.Right);
        await settle(page);
        assert.equal(await page.evaluate(() => location.hash), "#pair=2&step=2");
        assert.match(await textOf(page, "[aria-live=polite]"), /^Step 2, ɛ: most on a, position 2, 0\.\d\d$/);
        await page.keyboard.press(ARROW.Left);
        await page.keyboard.press("]");
        await settle(page);
        assert.equal(await page.evaluate(() => location.hash), "#pair=2&output=2");
        await page.keyboard.press("2");
        await settle(page);
        assert.equal(await textOf(page, "nav [aria-current]"), "Learned");
        await page.keyboard.press("/");
        await page.keyboard.type("oiseau");
        await settle(page);
        assert.equal((await rowTexts(page))[0][1], "oiseau");
        await page.keyboard.press("Escape");
        await page.keyboard.press("?");
        assert.ok(await page.$eval("dialog", (dialog) => dialog.open));
        await page.keyboard.press("Escape");
        assert.equal(await page.$eval("dialog", (dialog) => dialog.open), false);
    }));

test("the table has the focus by Tab, and Page Down and End move in it", () =>
    inPage("thousand", {}, async (page) => {
        await page.focus(".grid");
        await page.keyboard.press("End");
        await settle(page);
        assert.equal(await heading(page), "Pair 1000");
        assert.equal(
            await page.$eval(".grid", (grid) =>
                document.getElementById(grid.getAttribute("aria-activedescendant")).getAttribute("aria-selected"),
            ),
            "true",
        );
        await page.keyboard.press("Home");
        await page.keyboard.press("PageDown");
        await settle(page);
        assert.notEqual(await heading(page), "Pair 1");
    }));

test("filters keep wrong ones, a confusion, or a typed text", () =>
    inPage("french", {}, async (page) => {
        const [data] = dataOf("french"),
            wrong = data.pairs.filter((pair) => pair.edits > 0).length;
        await select(page, "Show", "wrong");
        assert.equal(await textOf(page, ".shown"), `${wrong} of 72 pairs`);
        assert.ok((await rowTexts(page)).every((row) => row[5].startsWith("✗")));
        await select(page, "Show", "all");
        const { expected, found, count } = data.statistics.confusions[0];
        await select(page, "Confusion", `${expected}.${found}`);
        const rows = await rowTexts(page);
        assert.ok(rows.length >= count);
        assert.ok(rows.every((row) => row[2].includes(data.symbols[found]) && row[3].includes(data.symbols[expected])));
        await select(page, "Confusion", "");
        await page.type("#find", "CHÂTEAU");
        await settle(page);
        assert.ok((await rowTexts(page)).every((row) => row[1].includes("château")));
        assert.match(await page.evaluate(() => decodeURIComponent(location.hash)), /find=CHÂTEAU/);
    }));

test("the pair that is open follows the filter, unless the address names one", () =>
    inPage("french", { hash: "#pair=2" }, async (page) => {
        const [data] = dataOf("french"),
            first = data.pairs.findIndex((pair) => pair.edits > 0);
        await select(page, "Show", "wrong");
        assert.equal(await heading(page), `Pair ${first + 1}`);
        assert.equal(await countOf(page, ".grid [aria-selected=true]"), 1);
        await select(page, "Show", "all");
        assert.equal(await heading(page), `Pair ${first + 1}`);
        await page.type("#find", "nothing has this text");
        await settle(page);
        assert.equal(await heading(page), `Pair ${first + 1}`);
        await goTo(page, "#pair=2&show=wrong");
        assert.equal(await heading(page), "Pair 2");
    }));

test("weights below a half have the colours of their range, and the bar says so", () =>
    inPage("french", { hash: "#pair=3" }, async (page) => {
        const [data, bytes] = dataOf("french");
        const ends = () => page.$$eval(".heatmap .bar text", (all) => [all[0], all[2]].map((one) => one.textContent));
        const found = [];
        for (const index of [0, 19]) {
            const { source, outputs } = data.pairs[index],
                size = source.length * outputs[0].steps.length;
            const mean = (i) =>
                [0, 1, 2, 3].reduce((sum, h) => sum + bytes[outputs[0].weights + h * size + i], 0) / 1020;
            const all = Array.from({ length: size }, (_, i) => mean(i)),
                most = Math.max(...all);
            found.push(most < 0.5);
            await goTo(page, `#pair=${index + 1}`);
            const expected = most < 0.5 ? [Math.min(...all), most] : [0, 1];
            assert.deepEqual(
                await ends(),
                expected.map((value) => value.toFixed(2)),
            );
        }
        assert.deepEqual(found, [true, false]);
        await goTo(page, "#pair=1");
        await select(page, "Range", "one");
        assert.deepEqual(await ends(), ["0.00", "1.00"]);
    }));

for (const [order, column, direction] of [
    ["score", 7, 1],
    ["confidence", 6, 1],
    ["errors", 5, -1],
    ["length", 4, -1],
]) {
    test(`pairs are sorted by ${order}`, () =>
        inPage("french", {}, async (page) => {
            await select(page, "Sort by", order);
            const values = (await rowTexts(page)).map((row) =>
                Number(row[column].replace("−", "-").replace("✓", "0").replace("✗", "")),
            );
            assert.ok(values.length > 7);
            values
                .slice(1)
                .forEach((value, i) => assert.ok(direction * (value - values[i]) >= 0, `${values[i]} then ${value}`));
            assert.equal(await countOf(page, `[aria-sort=${direction > 0 ? "ascending" : "descending"}]`), 1);
        }));
}

test("the address keeps the view: layer, head, kind of attention and pinned symbol", () =>
    inPage("transformer", { hash: "#pair=3&attention=encoder&layer=0&head=1&step=4" }, async (page) => {
        assert.equal(await heading(page), "Pair 3");
        assert.equal(await page.$eval(".thumbnail[aria-pressed=true]", (node) => node.title), "layer 0, head 1");
        assert.equal(await textOf(page, ".ribbons .written.picked text"), "ê");
        await goTo(page, "#pair=2&attention=decoder");
        assert.equal(await heading(page), "Pair 2");
        assert.equal(await textOf(page, ".ribbons .read text"), "▷");
        await select(page, "Attention", "rollout");
        assert.equal(await countOf(page, ".thumbnail"), 0);
        assert.equal(await countOf(page, ".ribbons .read"), 6);
    }));

test("choosing a head by its thumbnail changes the matrix", () =>
    inPage("french", {}, async (page) => {
        const href = () => page.$eval(".heatmap image", (image) => image.getAttribute("href"));
        const before = await href();
        await (await page.$$(".thumbnail"))[2].click();
        await settle(page);
        assert.notEqual(await href(), before);
        assert.equal(await page.evaluate(() => location.hash), "#head=1");
        const [data, bytes] = dataOf("french"),
            pair = data.pairs[0],
            size = pair.source.length * pair.outputs[0].steps.length;
        await select(page, "Range", "data");
        const shown = await page.$$eval(".heatmap .bar text", (nodes) => nodes.map((node) => node.textContent));
        const one = bytes.slice(pair.outputs[0].weights + size, pair.outputs[0].weights + 2 * size);
        assert.equal(shown[0], (Math.min(...one) / 255).toFixed(2));
        assert.equal(shown[2], (Math.max(...one) / 255).toFixed(2));
    }));

test("a pair without room for its heads shows their mean, and says so", () =>
    inPage("means", { hash: "#pair=3&head=1&layer=0" }, async (page) => {
        const [data, bytes] = dataOf("means"),
            pair = data.pairs[2];
        assert.match(await textOf(page, ".missing"), /the mean over the heads for this pair/);
        assert.match(await textOf(page, "figure.ribbons .note"), /layer 0, mean of all heads/);
        assert.equal(await countOf(page, ".thumbnail"), 2);
        const image = await page.$(".heatmap image");
        await image.scrollIntoView();
        const box = await image.boundingBox();
        await page.mouse.move(box.x + 1.5 * (box.width / pair.source.length), box.y + 3);
        await settle(page);
        assert.equal(await textOf(page, ".heatmap .value"), (bytes[pair.outputs[0].weights + 1] / 255).toFixed(2));
        for (const kind of ["encoder", "decoder", "rollout"]) await select(page, "Attention", kind);
        assert.equal(await countOf(page, "figure.heatmap svg image"), 1);
    }));

test("the writing can be played, paused and stepped through", () =>
    inPage("french", { hash: "#pair=1" }, async (page) => {
        await page.focus(".pair input[type=range]");
        await page.keyboard.press("Home");
        await page.keyboard.press(ARROW.Right);
        await page.keyboard.press(ARROW.Right);
        await settle(page);
        assert.equal(await textOf(page, ".pair .says"), "step 2 of 5");
        assert.equal(await countOf(page, ".ribbons .written.unwritten"), 3);
        await page.evaluate(() => document.activeElement.blur());
        // The test is the clock of the player.
        await page.evaluate(() => {
            globalThis.setInterval = (work) => ((globalThis.tick = work), 1);
            globalThis.clearInterval = () => (globalThis.tick = null);
        });
        await page.keyboard.press("p");
        await page.evaluate(() => globalThis.tick());
        assert.equal(await textOf(page, ".pair .says"), "step 3 of 5");
        await page.keyboard.press("p");
        assert.equal(await page.evaluate(() => globalThis.tick), null);
        assert.equal(await textOf(page, ".pair .says"), "step 3 of 5");
        await page.keyboard.press("Escape");
        await settle(page);
        assert.equal(await countOf(page, ".ribbons .written.unwritten"), 0);
    }));

test("a wrong pair says where its mistake began", () =>
    inPage("french", { hash: "#pair=3" }, async (page) => {
        const [data] = dataOf("french"),
            pair = data.pairs[2],
            out = pair.outputs[0].symbols;
        const first = out.findIndex((id, i) => id !== pair.expected[i]);
        const sentence = await textOf(page, ".began");
        assert.ok(
            sentence.startsWith(
                `The first difference is at symbol ${first + 1}: the model wrote ${data.symbols[out[first]]} (probability`,
            ),
            sentence,
        );
        assert.ok((await countOf(page, "table.aligned td.sign:not(.same)")) === pair.edits);
        await page.click(".began button");
        await settle(page);
        assert.equal(await page.evaluate(() => location.hash), `#step=${first + 1}`);
    }));

test("a mistake begins where the output ceases to be right", () =>
    inPage("again", {}, async (page) => {
        const kinds = () =>
            page.$$eval("table.aligned td.sign", (signs) => signs.map((sign) => sign.classList[1]).join(" "));
        const marks = (row) =>
            page.$eval(
                `#row-${row}`,
                (node) => [...node.children[2].querySelectorAll("bdi")].map((b) => b.innerHTML)[0],
            );
        assert.match(
            await textOf(page, ".began"),
            /^The first difference is at symbol 4: the model wrote a \(probability [^)]+\); expected ∎/,
        );
        assert.equal(await kinds(), "same same same extra extra extra");
        assert.equal(await marks(0), "abc<mark>a</mark><mark>b</mark><mark>c</mark>");
        await page.keyboard.press("j");
        await settle(page);
        assert.match(
            await textOf(page, ".began"),
            /^The first difference is at symbol 4: the model wrote ∎ \(probability [^)]+\); expected a/,
        );
        assert.equal(await kinds(), "same same same missing missing missing");
    }));

test("the beam is a tree: each hypothesis has its own attention", () =>
    inPage("french", { hash: "#pair=3" }, async (page) => {
        const [data] = dataOf("french"),
            { outputs } = data.pairs[2],
            prefixes = new Set();
        for (const output of outputs) {
            const path = [...output.symbols, ...(output.finished ? ["end"] : [])];
            path.forEach((_, i) => prefixes.add(path.slice(0, i + 1).join()));
        }
        assert.equal(await countOf(page, ".beam .node"), prefixes.size);
        const href = () => page.$eval(".heatmap image", (image) => image.getAttribute("href")),
            before = await href();
        await (await page.$$(".hypothesis"))[1].click();
        await settle(page);
        const written = await page.$$eval(".ribbons .written text", (nodes) => nodes.map((node) => node.textContent));
        assert.deepEqual(
            written.slice(0, outputs[1].symbols.length),
            outputs[1].symbols.map((id) => data.symbols[id]),
        );
        assert.notEqual(await href(), before);
    }));

test("a model of several shows who voted for what", () =>
    inPage("vote", { hash: "#pair=1" }, async (page) => {
        const rows = () =>
            page.$$eval(".votes tbody tr", (all) => all.map((row) => [...row.cells].map((c) => c.textContent)));
        assert.equal(await textOf(page, ".votes caption"), "All members agree");
        assert.deepEqual(await rows(), [
            ["100 %", "ʃɑto", "found, expected", "−0.50", "2 additive, backward, <b>transformer</b>"],
        ]);
        await page.keyboard.press("j");
        await settle(page);
        assert.equal(await textOf(page, ".votes caption"), "The members have 2 different outputs");
        assert.deepEqual(await rows(), [
            ["60 %", "mɛzɔ̃", "found, expected", "−0.50", "additive, backward"],
            ["40 %", "mezɔ̃", "", "−0.75", "additive, <b>transformer</b>"],
        ]);
        await page.keyboard.press("j");
        await settle(page);
        assert.equal(await countOf(page, ".votes"), 0);
    }));

test("the card of a model of several has a list for each member", () =>
    inPage("vote", { hash: "#view=card" }, async (page) => {
        const blocks = await page.$$eval(".card section.block", (all) =>
            all.map((block) => [
                block.querySelector("h3").textContent,
                [...block.querySelectorAll("tr")].map(
                    (row) => row.cells[0].textContent + "=" + row.cells[1].textContent,
                ),
            ]),
        );
        assert.deepEqual(
            blocks.filter(([title]) => title.includes("members")),
            [
                ["Training: members 1", ["seed=1", "options.steps=10", "options.tags.1.name=a"]],
                ["Training: members 2", ["seed=2"]],
                ["Configuration: members 1", ["kind=seq2seq", "weight=0.5", "encoder.layers=1"]],
                ["Configuration: members 2", ["kind=transformer", "weight=0.5", "sizes=64, 128", "direction=backward"]],
            ],
        );
        assert.ok(!(await textOf(page, ".card")).includes("[object"));
    }));

test("what was learned: a confusion opens its pairs, a head opens in the pairs", () =>
    inPage("french", { hash: "#view=learned" }, async (page) => {
        assert.equal(await countOf(page, ".learned table.data tbody tr"), 4);
        const lengths = dataOf("french")[0].statistics.by_length;
        assert.equal(await countOf(page, ".by-length .column"), lengths.length);
        const texts = await page.$$eval(".by-length svg text", (all) => all.map((one) => one.textContent));
        assert.deepEqual(
            texts.slice(-lengths.length),
            lengths.map((one) => String(one.pairs)),
        );
        await page.click(".confusion");
        await settle(page);
        assert.ok((await rowTexts(page)).length >= 1);
        assert.match(await textOf(page, ".shown"), /^\d+ of 72 pairs$/);
        await goTo(page, "#view=learned");
        await (await page.$$(".learned table.data th button"))[2].click();
        await settle(page);
        assert.equal(await textOf(page, "nav [aria-current]"), "Pairs");
        assert.equal(await page.$eval(".thumbnail[aria-pressed=true]", (node) => node.title), "head 2");
    }));

test("symbols of several characters are whole, those that cannot be seen are numbers", () =>
    inPage("graphemes", { hash: "#pair=1" }, async (page) => {
        const labels = await page.$$eval("figure.ribbons svg text", (all) => all.map((one) => one.textContent));
        for (const whole of ["👩‍🚀", "🇫🇷", "1️⃣", "नि", "👨‍👩‍👧‍👦", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"]) assert.ok(labels.includes(whole), whole);
        await goTo(page, "#view=learned");
        const confusions = await page.$$eval(".confusion bdi", (all) => all.map((one) => one.textContent));
        assert.deepEqual(confusions.sort(), ["U+2028 for aU+200D", "U+FE0F for U+00A0"]);
    }));

test("several right answers: the page says how many pairs can be right, and shows the other answers", () =>
    inPage("graphemes", { hash: "#pair=1" }, async (page) => {
        const possible = "at most 75.0 % can be right: 1 source has several targets";
        assert.ok((await textOf(page, ".title p")).includes(possible));
        const names = await page.$$eval(".texts dt", (all) => all.map((one) => one.textContent));
        assert.deepEqual(names, ["source", "found", "expected", "also right"]);
        await goTo(page, "#view=learned");
        assert.match(
            await textOf(page, ".learned .aside"),
            /^At most 75.0 % can be right: 1 source has several targets/,
        );
    }));

test("the film follows its slider and the arrows", () =>
    inPage("french", { hash: "#view=history" }, async (page) => {
        assert.equal(await textOf(page, ".history .says"), "training step 4\u202f000");
        await page.keyboard.press(ARROW.Left);
        await settle(page);
        assert.equal(await textOf(page, ".history .says"), "training step 2\u202f000");
        await page.focus(".history input[type=range]");
        await page.keyboard.press("Home");
        await settle(page);
        assert.equal(await textOf(page, ".history .says"), "training step 250");
        assert.match(await textOf(page, ".film-texts"), /✗ wrong/);
    }));

test("a model without attention, answers, statistics and record has a report, too", () =>
    inPage("bare", {}, async (page) => {
        assert.equal(await textOf(page, ".missing"), "This model has no attention to show.");
        for (const view of ["learned", "history", "card"]) {
            await goTo(page, `#view=${view}`);
        }
    }));
