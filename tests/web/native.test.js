// A report that the native program writes, without an engine.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { goTo, launch } from "./browser.js";
import { DEFAULTS, native } from "./playground.js";
import { countOf, inReport, textOf } from "./use.js";

const folder = mkdtempSync(join(tmpdir(), "lookback-native-"));
let browser, close;
before(async () => ({ browser, close } = await launch()));
after(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
});

test("a report without a model has nowhere to type, and its policy allows no WebAssembly", async () => {
    native("sort", ...DEFAULTS, "--steps", "1", "--out", folder);
    native("report", join(folder, "sort.safetensors"), "--input", "3 1 2", "-o", join(folder, "plain.html"));
    const text = readFileSync(join(folder, "plain.html"), "utf8");
    assert.doesNotMatch(text, /wasm-unsafe-eval|@(POLICY|MODEL|ENGINE)@/);
    await inReport(browser, "plain", { folder }, async (page) => assert.equal(await page.$("#typed"), null));
});

test("a report has erasure, outputs without a head, and the verdict", async () => {
    const model = join(folder, "sort.safetensors"),
        list = join(folder, "list.txt");
    writeFileSync(list, "3 1 2\n");
    native("sort", ...DEFAULTS, "--steps", "1", "--out", folder);
    native("report", model, "--input", "3 1 2", "--input", "5 2 4", "-o", join(folder, "why.html"));
    await inReport(browser, "why", { folder, hash: "#pair=1&attention=erasure" }, async (page) => {
        const [output] = JSON.parse(native("predict", model, list, "--jsonl", "--why")).outputs,
            numbers = output.erasure.flat(),
            most = Math.max(...numbers.map(Math.abs)),
            shown = await page.$$eval(".heatmap .numbers tbody td", (all) => all.map((one) => Number(one.textContent)));
        assert.equal(shown.length, numbers.length);
        numbers.forEach((value, i) => assert.ok(Math.abs(shown[i] - value) <= most / 250 + 0.0006, `${i}`));
        await goTo(page, "#pair=1&head=1");
        assert.match(await textOf(page, ".without"), /^Without head 1:/);
        await goTo(page, "#view=why");
        assert.equal(await countOf(page, ".agreement-tau .dot"), 7);
    });
});
