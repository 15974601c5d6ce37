// Whatever a text holds, it is shown and nothing more.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { goTo, launch, openPage } from "./browser.js";
import { dataOf } from "./reports.js";

let browser, close;
before(async () => ({ browser, close } = await launch()));
after(() => close());

test("markup, entities, marks, directions and halves of surrogate pairs are shown literally in every view", async () => {
    const { page, trouble } = await openPage(browser, "hostile"),
        [data] = dataOf("hostile");
    for (const view of ["learned", "history", "card", "pairs"]) {
        await goTo(page, `#view=${view}`);
    }
    for (let i = 0; i < data.pairs.length; i++) {
        await goTo(page, `#pair=${i + 1}&step=2`);
        const shown = await page.$eval(".texts dd bdi", (node) => node.textContent);
        assert.equal(
            shown,
            data.pairs[i].source
                .map(
                    (id) =>
                        data.symbols[id].toWellFormed?.() ?? data.symbols[id].replace(/[\ud800-\udfff]/gu, "\ufffd"),
                )
                .join(" "),
        );
    }
    await goTo(page, "#pair=10");
    assert.deepEqual(
        await page.$$eval(".ribbons .read text.symbol", (nodes) => nodes.map((node) => node.textContent)),
        ["<eos>", "<bos>"],
    );
    assert.equal(await page.$eval(".ribbons .written:last-child text", (node) => node.textContent), "∎");
    assert.equal(await page.$eval("h1", (node) => node.textContent), data.about.title);
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
    assert.equal(
        await page.evaluate(() => document.querySelectorAll("main img, main b:not(.began b), main script").length),
        0,
    );
    assert.deepEqual(trouble, []);
    await page.close();
});

test("a hostile address changes nothing but the view", async () => {
    const { page, trouble } = await openPage(browser, "hostile", {
        hash: "#pair=99999&output=7&layer=900&head=5&step=40&view=%3Cimg%20src=x%3E&find=%3Cimg%20src=x%20onerror=globalThis.hacked=1%3E&sort=__proto__",
    });
    assert.equal(await page.$eval(".pair h2", (node) => node.textContent), "There is no pair 99999.");
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
    for (const hash of [
        "#pair=2&output=99",
        "#pair=2&step=999",
        "#pair=2&attention=none",
        "#film=77&frame=88&view=history",
        "#",
    ]) {
        await goTo(page, hash);
    }
    assert.deepEqual(trouble, []);
    await page.close();
});
