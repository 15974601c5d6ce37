// The pages that carry the engine refuse scripts, styles, images and requests that are not their own.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openFile, until } from "./browser.js";

const DIRECTIVES = ["connect-src", "frame-src", "img-src", "script-src-elem", "style-src-elem"];

let browser, close;
before(async () => ({ browser, close } = await launch()));
after(() => close());

for (const [name, file] of [
    ["the playground", process.env.PLAYGROUND],
    ["the lessons", process.env.LESSONS],
    ["the workbench", process.env.WORKBENCH],
]) {
    test(`the policy of ${name} refuses what is not its own`, async () => {
        const { page } = await openFile(browser, file);
        await page.waitForSelector("html[data-ready]");
        const fetched = await page.evaluate(async () => {
            globalThis.refused = new Set();
            document.addEventListener("securitypolicyviolation", (event) =>
                globalThis.refused.add(event.effectiveDirective),
            );
            const add = (tag, content) => document.body.append(Object.assign(document.createElement(tag), content));
            add("script", { text: "globalThis.strange = 1" });
            add("style", { textContent: "body { display: none }" });
            add("img", { src: "https://example.org/a.png" });
            add("iframe", { src: "https://example.org/" });
            return fetch("https://example.org/").then(
                () => true,
                () => false,
            );
        });
        assert.equal(fetched, false);
        // Another process refuses the frame, and its event comes late.
        for (const one of DIRECTIVES) await until(page, (name) => globalThis.refused.has(name), one);
        assert.equal(await page.evaluate(() => globalThis.refused.size), DIRECTIVES.length);
        assert.equal(await page.evaluate(() => globalThis.strange), undefined);
        await page.close();
    });
}
