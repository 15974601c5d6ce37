// axe-core finds nothing, in any view, light or dark.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openPage } from "./browser.js";
import { assertAccessible } from "./use.js";

let browser, close;
before(async () => ({ browser, close } = await launch()));
after(() => close());

for (const dark of [false, true]) {
    for (const [name, hash] of [
        ["french", "#pair=3&step=2"],
        ["transformer", "#pair=3&attention=encoder"],
        ["french", "#pair=3&attention=erasure&step=2"],
        ["french", "#pair=3&head=1"],
        ["french", "#pair=41"],
        ["blind", ""],
        ["french", "#view=learned"],
        ["french", "#view=why"],
        ["french", "#view=history"],
        ["french", "#view=card"],
        ["hostile", "#pair=11"],
        ["vote", "#pair=2"],
        ["bare", ""],
        ["lexicon", "#pair=3"],
        ["lexicon", "#view=learned"],
        ["pieces", ""],
    ]) {
        test(`axe finds nothing in ${name}${hash}, ${dark ? "dark" : "light"}`, async () => {
            const { page } = await openPage(browser, name, { hash, dark });
            await assertAccessible(page);
            await page.close();
        });
    }
}
