// A page looks as its picture in pictures/, which someone has looked at. `UPDATE_PICTURES=1` takes new ones: look at them.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PICTURES, REPORTS, settle, until } from "./browser.js";

// The share of pixels that may differ by more than a shade.
const TOLERANCE = 0.002,
    SHADE = 24;

async function compare(browser, expected, found) {
    const page = await browser.newPage();
    try {
        return await page.evaluate(
            async (a, b, shade) => {
                const load = async (base64) => {
                    const image = new Image();
                    image.src = `data:image/png;base64,${base64}`;
                    await image.decode();
                    const canvas = document.createElement("canvas");
                    canvas.width = image.width;
                    canvas.height = image.height;
                    const context = canvas.getContext("2d");
                    context.drawImage(image, 0, 0);
                    return context.getImageData(0, 0, image.width, image.height);
                };
                const [x, y] = [await load(a), await load(b)];
                if (x.width !== y.width || x.height !== y.height)
                    return { sizes: `${x.width} x ${x.height}, found ${y.width} x ${y.height}`, share: 1 };
                let differ = 0;
                for (let i = 0; i < x.data.length; i += 4) {
                    if ([0, 1, 2].some((j) => Math.abs(x.data[i + j] - y.data[i + j]) > shade)) differ++;
                }
                return { sizes: "", share: differ / (x.data.length / 4) };
            },
            expected.toString("base64"),
            found.toString("base64"),
            SHADE,
        );
    } finally {
        await page.close();
    }
}

// What is outside of the window may not be painted yet when a picture of the full page is taken: the window grows. Or the
// picture ends below what is called `last`.
export async function assertLooks(browser, page, name, { folder = PICTURES, last = null } = {}) {
    const file = join(folder, `${name}.png`),
        height = await page.evaluate((selector) => {
            const ends = [...document.querySelectorAll(selector)].map((node) => node.getBoundingClientRect().bottom);
            return Math.ceil(ends.length > 0 ? Math.max(...ends) + 16 : document.documentElement.scrollHeight);
        }, last ?? "none");
    await page.setViewport({ ...page.viewport(), height });
    await until(page, (wanted) => innerHeight === wanted, height);
    await settle(page);
    await page.evaluate(() => Promise.all([...document.querySelectorAll("image")].map((image) => image.decode())));
    const found = Buffer.from(await page.screenshot());
    if (process.env.UPDATE_PICTURES) {
        writeFileSync(file, found);
        return;
    }
    assert.ok(existsSync(file), `${file} is missing`);
    const { sizes, share } = await compare(browser, readFileSync(file), found);
    if (share > TOLERANCE) {
        mkdirSync(join(REPORTS, "found"), { recursive: true });
        writeFileSync(join(REPORTS, "found", `${name}.png`), found);
    }
    assert.ok(
        share <= TOLERANCE,
        `${(100 * share).toFixed(2)} % of the pixels differ${sizes && `: expected ${sizes}`}; ` +
            `what was found is in ${join(REPORTS, "found", `${name}.png`)}`,
    );
}
