// What an output depends on, beside where it looks: the switch of a pair, outputs without a head, the order of the table, and
// the verdict over all pairs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { goTo, launch, settle } from "./browser.js";
import { dataOf } from "./reports.js";
import { countOf, inReport, rowTexts, select, textOf } from "./use.js";

let browser, close;
before(async () => ({ browser, close } = await launch()));
after(() => close());

const inPage = (name, options, work) => inReport(browser, name, options, work);
const switches = (page) => page.$$eval(".switch button", (nodes) => nodes.map((node) => node.ariaPressed === "true"));
const disabled = (page) => page.$$eval(".switch button", (nodes) => nodes.map((node) => node.disabled));
const press = async (page, text) => {
    await page.$$eval(
        ".switch button",
        (nodes, wanted) => nodes.find((node) => node.textContent === wanted).click(),
        text,
    );
    await settle(page);
};
const hash = (page) => page.evaluate(() => location.hash);
const texts = (page, selector) => page.$$eval(selector, (nodes) => nodes.map((node) => node.textContent));

// The numbers of a measure of a pair, in rows.
function numbersOf(name, index, measure) {
    const [data, bytes] = dataOf(name),
        { source, outputs, why } = data.pairs[index],
        { most, values } = why[measure];
    return outputs[0].steps.map((_, r) =>
        source.map((_, c) => (most * (bytes[values + r * source.length + c] - 128)) / 127),
    );
}

test("a switch shows erasure and gradient over the same matrix and ribbons", () =>
    inPage("french", { hash: "#pair=1&step=2" }, async (page) => {
        const titles = () => texts(page, ".pictures figcaption h3");
        const places = () =>
            page.$$eval(".thumbnail, .picture.ribbons, .picture.heatmap", (nodes) =>
                nodes.map((node) => Math.round(node.getBoundingClientRect().top)),
            );
        const before = await places();
        assert.deepEqual(await switches(page), [true, false, false]);
        for (const [i, measure] of ["erasure", "gradient"].entries()) {
            await press(page, measure);
            assert.equal(await hash(page), `#pair=1&attention=${measure}&step=2`);
            assert.deepEqual(await switches(page), [false, i === 0, i === 1]);
            const called = measure[0].toUpperCase() + measure.slice(1);
            assert.deepEqual((await titles()).slice(0, 2), [called, `${called} as a matrix`]);
            // Each number, and its sign, in the table, in the cells, and in the ribbons.
            const numbers = numbersOf("french", 0, measure),
                all = numbers.flat(),
                { most } = dataOf("french")[0].pairs[0].why[measure];
            const shown = await page.$$eval(".heatmap .numbers tbody tr", (rows) =>
                rows.map((row) => [...row.querySelectorAll("td")].map((cell) => Number(cell.textContent))),
            );
            assert.deepEqual(
                shown,
                numbers.map((row) => row.map((value) => Number(value.toFixed(3)))),
            );
            assert.equal(await countOf(page, ".heatmap .sign"), all.filter((value) => value < -0.1 * most).length);
            assert.equal(
                await countOf(page, ".ribbons svg > g:nth-of-type(2) .ribbon.below"),
                all.filter((value) => value <= -0.03 * most).length,
            );
            assert.deepEqual(await texts(page, ".heatmap .bar text"), [
                (-most).toFixed(2).replace("-", "−"),
                "0.00",
                most.toFixed(2),
            ]);
            const best = numbers[1].indexOf(Math.max(...numbers[1]));
            await goTo(page, "#pair=1");
            await goTo(page, `#pair=1&attention=${measure}&step=2`);
            assert.match(await textOf(page, ".pair [aria-live=polite].unseen"), new RegExp(`, position ${best + 1}, `));
            assert.deepEqual(await places(), before);
        }
        await (await page.$$(".thumbnail"))[3].click();
        await settle(page);
        assert.equal(await hash(page), "#pair=1&head=2&step=2");
        assert.deepEqual(await switches(page), [true, false, false]);
    }));

test("a switch is disabled where nothing was measured, and the page says why", () =>
    inPage("french", { hash: "#pair=40&attention=erasure" }, async (page) => {
        assert.deepEqual(await disabled(page), [false, false, false]);
        assert.equal(await textOf(page, ".missing"), "");
        for (const unmeasured of ["#pair=41&attention=erasure", "#pair=40&output=2&attention=erasure"]) {
            await goTo(page, unmeasured);
            assert.deepEqual(await disabled(page), [false, true, true]);
            assert.deepEqual(await switches(page), [true, false, false]);
            assert.match(await textOf(page, ".missing"), /^Only the best outputs of the first pairs have erasure/);
        }
    }));

test("a report that measured nothing has no switch", () =>
    inPage("words", {}, async (page) => {
        assert.equal(await countOf(page, ".switch"), 0);
        assert.equal(await countOf(page, ".missing:empty"), 1);
    }));

test("a model without attention has erasure all the same", () =>
    inPage("blind", {}, async (page) => {
        assert.deepEqual(await disabled(page), [true, false, false]);
        assert.deepEqual(await switches(page), [false, true, false]);
        assert.equal(await textOf(page, ".missing"), "This model has no attention to show.");
        assert.equal(await countOf(page, "figure.heatmap svg image"), 1);
        // A source of one symbol.
        await goTo(page, "#pair=2");
        assert.deepEqual(await disabled(page), [true, true, false]);
        assert.match(await textOf(page, ".missing"), /A source of one symbol has no erasure\.$/);
        await goTo(page, "#view=why");
        assert.match(await textOf(page, ".why"), /needs a model with attention/);
    }));

test("a click on a head shows the output without it, with what differs marked", () =>
    inPage("french", { hash: "#pair=1" }, async (page) => {
        const line = () => page.$eval(".without", (node) => node.innerHTML);
        const click = async (head) => {
            await (await page.$$(".thumbnail"))[head].click();
            await settle(page);
        };
        const aside = (text) => `<span class="aside">${text}, by greedy decoding</span>`;
        assert.equal(await line(), "");
        await click(1);
        assert.equal(await line(), `Without head 0:<bdi dir="auto">ʃɑto</bdi>${aside("no edit")}`);
        await click(2);
        assert.equal(await line(), `Without head 1:<bdi dir="auto">ʃ<mark>ʃ</mark>ɑto</bdi>${aside("1 edit")}`);
        await click(3);
        assert.equal(await line(), `Without head 2:<bdi dir="auto">∅</bdi>${aside("4 edits")}`);
        await click(0);
        assert.equal(await line(), "");
        // Another output of the beam is not the one that greedy decoding writes with all heads.
        await goTo(page, "#pair=1&head=1&output=2");
        assert.match(await line(), /1 edit from ʃɑto, by greedy decoding/);
        // Where no head was switched off.
        await goTo(page, "#pair=41&head=1");
        assert.equal(await line(), "");
    }));

test("heads of layers are named, and those of self-attention or of a mean show nothing", async () => {
    await inPage("transformer", { hash: "#pair=2&layer=0&head=1" }, async (page) => {
        assert.match(await textOf(page, ".without"), /^Without layer 0, head 1:mmɛzɔ̃1 edit/);
        await select(page, "Attention", "encoder");
        assert.equal(await textOf(page, ".without"), "");
    });
    await inPage("means", { hash: "#pair=2&layer=0&head=1" }, async (page) =>
        assert.equal(await textOf(page, ".without"), ""),
    );
});

test("pairs whose attention and erasure disagree come first, and those without a measure last", async () => {
    const { pairs } = dataOf("french")[0],
        expected = pairs
            .map((pair, i) => [pair.why?.tau ?? Infinity, i + 1])
            .sort(([a, i], [b, k]) => (a === b ? i - k : a - b))
            .map(([, number]) => String(number));
    await inPage("french", { hash: `#pair=${expected[0]}&attention=erasure` }, async (page) => {
        await select(page, "Sort by", "disagree");
        const found = (await rowTexts(page)).map((row) => row[0]);
        assert.ok(found.length > 7);
        assert.deepEqual(found, expected.slice(0, found.length));
        await page.focus(".grid");
        await page.keyboard.press("End");
        await settle(page);
        assert.equal(await textOf(page, ".pair h2"), "Pair 72");
        await goTo(page, `#pair=${expected[0]}&attention=erasure&sort=disagree`);
        const { tau } = pairs[expected[0] - 1].why;
        const note = await textOf(page, "figure.heatmap .note");
        assert.ok(note.endsWith(`Kendall’s tau with the attention: ${tau.toFixed(2).replace("-", "−")}.`), note);
    });
    await inPage("words", {}, async (page) =>
        assert.ok(!(await texts(page, ".filters option")).includes("attention and erasure disagree")),
    );
});

test("the verdict has each head and the controls with their intervals", () =>
    inPage("french", { hash: "#view=why" }, async (page) => {
        const { rows, pairs } = dataOf("french")[0].statistics.why;
        assert.equal(await textOf(page, "nav [aria-current]"), "Does it look where it says?");
        assert.ok((await textOf(page, ".why .note")).includes(`over ${pairs} pairs`));
        for (const field of ["tau", "first"]) {
            const picture = `figure.agreement-${field}`;
            const table = await page.$$eval(`${picture} .numbers tbody tr`, (all) =>
                all.map((row) => [...row.cells].map((cell) => cell.textContent)),
            );
            const number = (value) => value.toFixed(3).replace("-", "−");
            assert.deepEqual(
                table,
                rows.map((row) => [row.name, ...row[field].map(number)]),
            );
            // A dot lies within its interval, and further right than that of a smaller mean.
            const drawn = await page.$$eval(`${picture} svg .dot`, (dots) =>
                dots.map((dot) => {
                    const [low, high] = dot.previousElementSibling
                        .getAttribute("d")
                        .match(/^M([\d.]+) [\d.]+H([\d.]+)$/)
                        .slice(1);
                    return [low, dot.getAttribute("cx"), high].map(Number);
                }),
            );
            for (const [i, [low, mean, high]] of drawn.entries()) {
                assert.ok(low <= mean && mean <= high, `${drawn[i]}`);
                for (const [k, other] of drawn.entries())
                    assert.equal(mean < other[1], rows[i][field][0] < rows[k][field][0], `${i} ${k}`);
            }
            assert.equal(await countOf(page, `${picture} .dot.s1`), 2);
        }
        await page.keyboard.press("2");
        await page.keyboard.press("3");
        await settle(page);
        assert.equal(await hash(page), "#view=why");
    }));

test("the verdict is in words, too", async () => {
    const inWords = (page) => page.$$eval(".why > .note", (all) => all[1].textContent);
    await inPage("french", { hash: "#view=why" }, async (page) =>
        assert.equal(
            await inWords(page),
            "In words. The mean of the heads has the same first symbol in 0.80 of the steps, beside 0.31 for another pair. That is " +
                "clearly more: the weights tell something about each output. Clearly above are layer 0, head 0; " +
                "layer 0, head 1; layer 0, head 2.",
        ),
    );
    await inPage("alike", { hash: "#view=why" }, async (page) =>
        assert.match(
            await inWords(page),
            /in 0\.80 of the steps, beside 0\.79 for another pair\. That is no difference: .* Clearly above are layer 0, head 0\.$/,
        ),
    );
    await inPage("once", { hash: "#view=why" }, async (page) =>
        assert.match(await inWords(page), /^In words\. There are too few pairs of one length/),
    );
});

test("a verdict on one pair has no intervals, and a control that is not there is left out", () =>
    inPage("once", { hash: "#view=why" }, async (page) => {
        assert.equal(await countOf(page, ".agreement-tau svg .dot"), 6);
        assert.equal(await countOf(page, ".agreement-tau svg .series"), 0);
        const last = await page.$eval(".agreement-tau .numbers tbody tr:last-child", (row) => row.innerText.trim());
        assert.equal(last.split(/\s+/).join(" "), "uniform 0.000 – –");
    }));
