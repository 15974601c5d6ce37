// A report that the native program writes, without an engine.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./browser.js";
import { DEFAULTS, native } from "./playground.js";
import { inReport } from "./use.js";

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
