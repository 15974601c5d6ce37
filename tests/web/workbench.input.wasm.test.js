// Files that are no pairs: the workbench says what is wrong with each, and goes on.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, until } from "./browser.js";
import { drop, openWorkbench, untilRead } from "./workbench.js";

let browser, close;
before(async () => ({ browser, close } = await launch()));
after(() => close());

const utf16 = (text) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
const header = (bytes) => Buffer.from(BigUint64Array.of(BigInt(bytes)).buffer);
const metadata = Buffer.from('{"__metadata__":{"lookback":"{}"}}');
const noise = Buffer.from(Array.from({ length: 5000 }, (_, i) => 1 + ((i * 7919 + (i >> 3)) % 255)));

// [name, bytes, a part of what the page says].
const BAD = [
    ["empty.tsv", "", "an empty file"],
    ["blank.tsv", "\n\n\n", "an empty line"],
    ["column.tsv", "casa\nperro\ngato\n", "found 1 column"],
    ["three.tsv", "casa\tk a s a\nperro\tp e r o\tx\n", ":2: found 3 columns"],
    ["nul.tsv", "ca\0sa\tk a s a\n", "a zero byte at byte 3"],
    ["noise.bin", noise, "expected"],
    ["wide.tsv", utf16("casa\tk a s a\nperro\tp e r o\n"), "UTF-16"],
    ["latin.tsv", Buffer.from("a\xf1o\ta J o\n", "latin1"), "UTF-8"],
    ["quote.csv", 'casa,"k a s a\nperro,p e r o\n', "commas"],
    ["half.tsv.gz", Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]), "gzip"],
    ["zeros.bin", { zeros: 200e6 }, "a line of more than 1048576 bytes"],
    ["huge.safetensors", Buffer.concat([header(2 ** 40), metadata]), "model.safetensors"],
    ["cut.safetensors", Buffer.concat([header(1000), metadata]), "model.safetensors"],
    ["none.safetensors", Buffer.concat([header(metadata.length), metadata]), "model.safetensors"],
];

test("each of these files gets its sentence, and the page goes on", async () => {
    const { page, trouble } = await openWorkbench(browser);
    const said = (part) => until(page, (part) => document.querySelector(".trouble").textContent.includes(part), part);
    for (const [name, bytes, part] of BAD) {
        await drop(page, { [name]: bytes });
        await said(part);
        for (const remove of await page.$$(".files button")) await remove.evaluate((button) => button.click());
        await until(page, () => !document.querySelector(".found").checkVisibility());
    }
    await drop(page, { "good.tsv": "casa\tk a s a\nperro\tp e r o\n" });
    await untilRead(page);
    await said("");
    assert.deepEqual(trouble, []);
    await page.close();
});

test("names and texts of strangers are shown as text", async () => {
    const { page, trouble } = await openWorkbench(browser);
    const hostile = "<img src=x onerror=globalThis.hacked=1>",
        name = `${hostile}\u202e.tsv`;
    await drop(page, { [name]: `${hostile}\t\u202eabc\n<b>\t&lt;\n` });
    await untilRead(page);
    assert.equal(await page.$eval(".files bdi", (node) => node.textContent), name);
    const spaced = [...hostile].map((letter) => (letter === " " ? "␣" : letter)).join(" ");
    const cells = await page.$$eval(".found td", (all) => all.map((cell) => [cell.textContent, cell.dir]));
    assert.deepEqual(cells[0], [spaced, "auto"]);
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
    assert.equal(await page.$$eval("main img, main b", (all) => all.length), 0);
    assert.deepEqual(trouble, []);
    await page.close();
});
