// Each view of a report looks as its picture.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openPage } from "./browser.js";
import { assertLooks } from "./look.js";

const VIEWS = [
    ["pair", "french", { hash: "#pair=3" }],
    ["pair-pinned-dark", "french", { hash: "#pair=3&head=0&step=4", dark: true }],
    ["pair-words", "words", {}],
    ["pair-long", "long", { hash: "#pair=4" }],
    ["pair-right-to-left", "hostile", { hash: "#pair=4" }],
    ["self-attention", "transformer", { hash: "#pair=3&attention=encoder&layer=0&step=4" }],
    ["self-attention-decoder-dark", "transformer", { hash: "#pair=2&attention=decoder&head=1", dark: true }],
    ["learned", "french", { hash: "#view=learned" }],
    ["learned-dark", "french", { hash: "#view=learned", dark: true }],
    ["erasure", "french", { hash: "#pair=3&attention=erasure&step=2" }],
    ["erasure-dark", "french", { hash: "#pair=3&attention=erasure", dark: true }],
    ["without-a-head", "transformer", { hash: "#pair=3&layer=0&head=1" }],
    ["why", "french", { hash: "#view=why" }],
    ["why-dark", "french", { hash: "#view=why", dark: true }],
    ["training", "french", { hash: "#view=history" }],
    ["training-dark", "french", { hash: "#view=history", dark: true }],
    ["model", "french", { hash: "#view=card" }],
    ["model-dark", "french", { hash: "#view=card", dark: true }],
    ["hostile", "hostile", { hash: "#pair=1" }],
    ["narrow", "french", { hash: "#pair=3", width: 480 }],
];
let browser, close;
before(async () => ({ browser, close } = await launch()));
after(() => close());

for (const [name, report, options] of VIEWS) {
    test(`${name} looks as its picture`, async () => {
        const { page, trouble } = await openPage(browser, report, options);
        await assertLooks(browser, page, name);
        await page.close();
        assert.deepEqual(trouble, []);
    });
}
