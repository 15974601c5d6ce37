// The pages that carry the engine refuse scripts, styles, images and requests that are not their own.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.js";

const DIRECTIVES = ["connect-src", "frame-src", "img-src", "script-src-elem", "style-src-elem"];

let browser, close;
before(async () => ({ browser, close } = await launch()));
after(() => close());

for (const [name, file] of [
    ["the playground", process.env.PLAYGROUND],
    ["the lessons", process.env.LESSONS],
]) {
    test(`the policy of ${name} refuses what is not its own`, async () => {
        const page = await browser.newPage();
        await page.goto(pathToFileURL(file).href);
        await page.waitForSelector("html[data-ready]");
        const { strange, refused, fetched } = await page.evaluate(async (expected) => {
            const refused = new Set();
            document.addEventListener("securitypolicyviolation", (event) => refused.add(event.effectiveDirective));
            const add = (tag, content) => document.body.append(Object.assign(document.createElement(tag), content));
            add("script", { text: "globalThis.strange = 1" });
            add("style", { textContent: "body { display: none }" });
            add("img", { src: "https://example.org/a.png" });
            add("iframe", { src: "https://example.org/" });
            const fetched = await fetch("https://example.org/").then(
                () => true,
                () => false,
            );
            // Another process refuses the frame; on a busy machine its event comes late.
            const end = performance.now() + 30000;
            while (refused.size < expected && performance.now() < end)
                await new Promise((done) => setTimeout(done, 50));
            return { strange: globalThis.strange, refused: [...refused], fetched };
        }, DIRECTIVES.length);
        assert.equal(strange, undefined);
        assert.equal(fetched, false);
        assert.deepEqual(refused.sort(), DIRECTIVES);
        await page.close();
    });
}
