// Files that are no pairs: the workbench says what is wrong with each, and goes on.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, until } from "./browser.js";
import { drop, openWorkbench, untilRead } from "./workbench.js";

let browser, close;
before(async () => ({ browser, close } = await launch()));
after(() => close());

const said = (page) => page.$eval(".trouble", (node) => node.textContent);
const utf16 = (text) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
// The header of a model says that it has 2^40 bytes.
const hostile = Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 1, 0, 0]), Buffer.from('{"__metadata__":{"a":"b"}}')]);

// [name, bytes, what the page says].
const BAD = [
    ["empty.tsv", "", /empty|no pair|found/i],
    ["blank.tsv", "\n\n\n", /./],
    ["column.tsv", "casa\nperro\ngato\n", /column/],
    ["zeros.bin", Buffer.alloc(5000), /./],
    ["bytes.bin", Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919 + (i >> 3)) % 256)), /./],
    ["nul.tsv", "ca\0sa\tk a s a\n", /NUL|\\0|character/],
    ["wide.tsv", utf16("casa\tk a s a\nperro\tp e r o\n"), /UTF-16/],
    ["quote.csv", 'casa,"k a s a\nperro,p e r o\n', /./],
    ["half.json", '[{"source": "casa", "target": "k a', /./],
    ["half.gz", Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]), /./],
    ["hostile.safetensors", hostile, /./],
    ["cut.safetensors", Buffer.from([40, 0, 0, 0, 0, 0, 0, 0, 0x7b]), /./],
];
