// What the workbench keeps outlives its renderer, and a training does without it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, until } from "./browser.js";
import { press } from "./playground.js";
import { exampleOf, openWorkbench, set, trained, trainInNode, untilDone, untilRead } from "./workbench.js";

// ./run verify ends more renderers.
const KILLS = Number(process.env.KILLS ?? 2);
const EVERY = 20;
// A session that is ended takes a few evaluations.
const SIZES = { hidden: 32, lr: 0.01, steps: 12 * EVERY * (KILLS + 1), "evaluate-every": EVERY };
const MODEL = "out/model.safetensors";
let browser, close;
before(async () => ({ browser, close } = await launch()));
after(() => close());

async function begin(page, sizes) {
    await press(page, "Spanish words and their sounds");
    await untilRead(page);
    await press(page, "Train a model");
    for (const [name, value] of Object.entries(sizes)) await set(page, name, value);
    await press(page, "Train now");
}

const undisturbed = (sizes) => {
    const words = Object.entries(sizes).flatMap(([name, value]) => [`--${name}`, `${value}`]);
    const files = { "spanish.tsv": exampleOf("spanish_train.tsv") };
    return trainInNode(["train", "spanish.tsv", "--target-separator", " ", ...words, "--out", "out"], files, MODEL);
};

// A page whose records() are those of the database.
async function open(browser) {
    const opened = await openWorkbench(browser);
    await opened.page.evaluate(() => {
        const result = (request) => new Promise((done) => (request.onsuccess = () => done(request.result)));
        globalThis.records = async () => {
            const database = await result(indexedDB.open("lookback workbench", 1)),
                all = await result(database.transaction("models").objectStore("models").getAll());
            database.close();
            return all;
        };
    });
    return opened;
}

// The evaluations of the training that the database has, once they are at least so many.
async function untilKept(page, least) {
    const found = await until(
        page,
        async (least) => {
            const [record] = await globalThis.records(),
                log = record?.members[0].files["out/log.jsonl"];
            const count = log ? (await log.text()).trim().split("\n").length : 0;
            return count >= least && count;
        },
        least,
    );
    return found.jsonValue();
}

test(`a training whose renderer ends ${KILLS} times has the bits of an undisturbed one`, async () => {
    let { page } = await open(browser);
    await begin(page, SIZES);
    let kept = 0;
    for (let kill = 0; kill < KILLS; kill++) {
        kept = await untilKept(page, kept + 1 + (kill % 3));
        assert.equal(await page.evaluate(() => globalThis.heard.some(({ done }) => done)), false);
        const client = await page.createCDPSession();
        const crashed = new Promise((done) => page.once("error", done));
        client.send("Page.crash").catch(() => {});
        await crashed;
        await page.close();
        ({ page } = await open(browser));
        await press(page, "Go on with this training");
        const first = await until(page, () => globalThis.heard.find(({ losses }) => losses?.length > 0)?.losses[0][0]);
        assert.ok((await first.jsonValue()) > kept * EVERY);
    }
    await untilDone(page);
    const model = await undisturbed(SIZES);
    assert.ok((await trained(page, MODEL)).equals(model));
    await page.close();
});

test("a training leaves that of an earlier visit alone", async () => {
    const context = await browser.createBrowserContext();
    for (let visits = 0; visits < 3; visits++) {
        const { page, trouble } = await open(context);
        assert.equal(await page.$$eval(".kept li", (all) => all.length), visits);
        await begin(page, { hidden: 32, steps: 2 });
        await until(
            page,
            async (count) => (await globalThis.records()).filter(({ done }) => done).length === count,
            visits + 1,
        );
        assert.deepEqual(trouble, []);
        await page.close();
    }
});

test("a training goes on when the storage is full, which the page says", async () => {
    const fresh = await launch(); // a browser knows for half a minute how much room there was
    const { page, trouble } = await open(fresh.browser);
    const sizes = { ...SIZES, steps: 4 * EVERY },
        client = await page.createCDPSession();
    await client.send("Storage.overrideQuotaForOrigin", { origin: "file:///", quotaSize: 100000 });
    await begin(page, sizes);
    await untilDone(page);
    await until(page, () => /storage of the browser is full/.test(document.querySelector(".training")?.textContent));
    assert.ok((await trained(page, MODEL)).equals(await undisturbed(sizes)));
    assert.deepEqual(trouble, []);
    await fresh.close();
});
