// The pictures of reports in docs/images, light and dark: what `lookback report` writes of the small models in
// tests/data/pictures/. docs/images/README.md tells how they were trained.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, openPage } from "./browser.js";
import { assertLooks } from "./look.js";
import { native } from "./playground.js";

const { CHECKOUT } = process.env;
// GitHub shows 830 pixels of them: letters of 14 are still 11 there.
const SIZE = { width: 1024, scale: 1.5 };
// Picture: the model, the file of its pairs, what is shown, and where the picture ends.
const VIEWS = {
    report: ["spanish", "examples/data/spanish_dev.tsv", "#sort=confidence&pair=52", ".pictures > :nth-child(-n+2)"],
    report_dates: ["dates", "tests/data/pictures/dates.tsv", "#find=november&pair=94", ".pictures > :first-child"],
};
const folder = mkdtempSync(join(tmpdir(), "lookback-documents-"));
let browser, close;
before(async () => ({ browser, close } = await launch()));
after(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
});

for (const [name, [model, pairs, hash, last]] of Object.entries(VIEWS)) {
    test(`docs/images/${name}.png is a report of today`, async () => {
        const file = join(CHECKOUT, "tests/data/pictures", `${model}.safetensors`);
        native("report", file, join(CHECKOUT, pairs), "--title", model, "-o", join(folder, `${model}.html`));
        for (const dark of [false, true]) {
            const { page, trouble } = await openPage(browser, model, { folder, hash, dark, ...SIZE });
            await assertLooks(browser, page, dark ? `${name}_dark` : name, {
                folder: join(CHECKOUT, "docs/images"),
                last,
            });
            await page.close();
            assert.deepEqual(trouble, []);
        }
    });
}
