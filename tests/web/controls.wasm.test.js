// The controls, the curves and the looks of the playground.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, settle, until } from "./browser.js";
import { assertLooks } from "./look.js";
import {
    DEFAULTS,
    losses,
    native,
    openPlayground,
    press,
    set,
    trainTo,
    type,
    untilIdle,
    untilStep,
} from "./playground.js";

const folder = mkdtempSync(join(tmpdir(), "lookback-controls-"));
let browser, close;
before(async () => ({ browser, close } = await launch()));
after(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
});

// The last loss in the log of a native training; later flags win.
function nativeLoss(name, flags) {
    const out = join(folder, name);
    native("sort", ...DEFAULTS, ...flags, "--out", out);
    const lines = readFileSync(join(out, "train.jsonl"), "utf8").trim().split("\n");
    return JSON.parse(lines.at(-1)).loss;
}

const CONTROLS = [
    [{ width: 96 }, ["--hidden", "96"]],
    [{ "largest number": 50 }, ["--max-number", "50"]],
    [{ shortest: 3, longest: 4 }, ["--min-length", "3", "--max-length", "4"]],
    [{ seed: 5 }, ["--seed", "5"]],
    [{ "lists in a step": 16 }, ["--batch", "16"]],
    ...["additive", "dot", "general", "scaled-dot", "none"].map((kind) => [{ attention: kind }, ["--attention", kind]]),
];

for (const [values, flags] of CONTROLS) {
    test(`with ${Object.entries(values).join(" and ")}, the first loss is that of the native program`, async () => {
        const { page, trouble } = await openPlayground(browser);
        const begun = () => page.evaluate(() => globalThis.heard.filter((one) => one.type === "begun").length);
        await until(page, () => globalThis.heard.some((one) => one.type === "begun"));
        const before = await begun();
        for (const [label, value] of Object.entries(values)) await set(page, label, value);
        await until(
            page,
            (count) => globalThis.heard.filter((one) => one.type === "begun").length >= count,
            before + Object.keys(values).length,
        );
        await press(page, "Step");
        await until(page, () => globalThis.heard.some((one) => one.type === "step"));
        await untilIdle(page);
        const [found] = await losses(page),
            expected = nativeLoss(flags.join("").replaceAll("-", ""), [...flags, "--steps", "1"]);
        assert.ok(Math.abs(found - expected) < 1e-5 * expected, `found ${found}, expected ${expected}`);
        assert.deepEqual(trouble, []);
        await page.close();
    });
}

test("with another learning rate, the losses are those of the native program, and both curves are drawn", async () => {
    const { page, trouble } = await openPlayground(browser);
    await set(page, "learning rate", -3);
    await trainTo(page, 100);
    const found = await losses(page),
        mean = found.reduce((sum, loss) => sum + loss, 0) / found.length,
        expected = nativeLoss("rate", ["--lr", "0.001", "--steps", "100"]);
    assert.ok(Math.abs(mean - expected) < 1e-5 * expected, `found ${mean}, expected ${expected}`);
    const charts = await page.$$eval("svg.chart", (nodes) =>
        nodes.map((node) => [node.getAttribute("aria-label"), node.querySelector("path.curve")?.getAttribute("d")]),
    );
    assert.equal(charts.length, 2);
    assert.match(charts[0][0], new RegExp(`^Loss: model A ${found.at(-1).toFixed(3)} after 100 steps$`));
    assert.match(charts[1][0], /^Exact match: model A [01]\.\d{3} after 100 steps$/);
    for (const [label, path] of charts) assert.match(path, /^M[\d.]+ [\d.]+(L[\d.]+ [\d.]+)+$/, label);
    // A point for each step.
    assert.equal(charts[0][1].split("L").length, 100);
    assert.deepEqual(trouble, []);
    await page.close();
});

test("two models are compared on lists for which attention matters", async () => {
    const { page, trouble } = await openPlayground(browser);
    const lengths = () =>
        page.$$eval("[aria-label=shortest], [aria-label=longest]", (all) => all.map((one) => one.value));
    await page.evaluate(() => document.querySelector("input[type=checkbox]").click());
    assert.deepEqual(await lengths(), ["5", "10"]);
    await until(page, () => document.querySelectorAll(".heatmap").length === 2);
    // Without attention, it finds no end at first: of what it writes there are as many numbers as rows.
    await trainTo(page, 100);
    await until(page, () => [...document.querySelectorAll(".written")].at(-1).textContent.endsWith(" …"));
    const written = await page.$$eval(".written", (all) => all.at(-1).textContent.split(" → ")[1].split(" "));
    assert.equal(written.length, 17);
    await trainTo(page, 300);
    const shares = await until(page, () => {
        const all = [...document.querySelectorAll(".status")].map((one) => /(\d+) % .*: done$/.exec(one.textContent));
        return all.every(Boolean) && all.map((one) => Number(one[1]));
    }).then((found) => found.jsonValue());
    assert.ok(shares[0] >= shares[1] + 50, `${shares[0]} % with attention, ${shares[1]} % without`);
    await page.evaluate(() => document.querySelector("input[type=checkbox]").click());
    assert.deepEqual(await lengths(), ["2", "6"]);
    assert.deepEqual(trouble, []);
    await page.close();
});

test("a change during a training is told, and the training goes on from its start", async () => {
    const { page, trouble } = await openPlayground(browser);
    const said = () => page.$eval(".said", (one) => one.textContent);
    await set(page, "steps", 20000);
    assert.equal(await said(), "");
    await press(page, "Train");
    await untilStep(page, 3);
    await page.evaluate(() => (globalThis.heard.length = 0));
    await set(page, "longest", 7);
    assert.equal(await said(), "With this change, the training starts again from step 0.");
    await until(page, () => globalThis.heard.some((one) => one.type === "begun"));
    await until(page, () => globalThis.heard.at(-1)?.type === "step");
    await press(page, "Pause");
    await untilIdle(page);
    await press(page, "Reset");
    assert.equal(await said(), "");
    assert.deepEqual(trouble, []);
    await page.close();
});

// What workers say waits while `held` is a list.
const hold = () => {
    globalThis.held = null;
    const Plain = Worker;
    globalThis.Worker = class extends Plain {
        set onmessage(hear) {
            super.onmessage = (event) => {
                if (globalThis.held) globalThis.held.push(() => hear(event));
                else hear(event);
            };
        }
    };
};

// With messages of a training on their way, operates a control: a button by its text, or a value of what is selected.
async function operateLate(page, name, value) {
    await page.evaluate(() => (globalThis.held = []));
    await until(page, () => globalThis.heard.at(-1).type === "step" && globalThis.held.length > 2);
    await page.evaluate(
        (wanted, given) => {
            const late = globalThis.held,
                named = [...document.querySelectorAll("button")].find((one) => one.textContent === wanted),
                control = named ?? document.querySelector(wanted);
            globalThis.held = null;
            globalThis.heard.length = 0;
            if (given === undefined) control.click();
            else control.value = given;
            for (const type of ["input", "change"]) if (given !== undefined) control.dispatchEvent(new Event(type));
            late.forEach((tell) => tell());
        },
        name,
        value,
    );
}

// The steps at which a curve has points.
const placesOf = (page) =>
    page.$$eval("path.curve", (all) =>
        all.map((one) => [...one.getAttribute("d").matchAll(/[ML]([\d.]+)/g)].map(([, x]) => Number(x))),
    );

test("no control that is used during a training draws what came before it", async () => {
    const { page, trouble } = await openPlayground(browser, { early: hold });
    await set(page, "steps", 2000); // so many steps that a curve has a place for each, and none of these trainings ends
    const goOn = ["[aria-label=head]", "[aria-label='learning rate']", "#input"]; // others begin anew
    for (const [name, value] of [
        [goOn[0], "1"],
        [goOn[1], -3],
        [goOn[2], "4 2 7"],
        ["[aria-label=attention]", "additive"],
        ["[aria-label=width]", 32],
        ["[aria-label='largest number']", 30],
        ["[aria-label=shortest]", 3],
        ["[aria-label=longest]", 7],
        ["[aria-label=seed]", 2],
        ["[aria-label=steps]", 1500],
        ["[aria-label='lists in a step']", 16],
        ["Reset"],
        ["Back to lists"],
        ["input[type=checkbox]"],
    ]) {
        await press(page, "Train");
        await untilStep(page, 3);
        await operateLate(page, name, value);
        if (!goOn.includes(name)) await until(page, () => globalThis.heard.some((one) => one.type === "begun"));
        if (value === undefined) {
            await settle(page);
            assert.equal(await page.$eval(".charts", (one) => one.hidden), true, name);
            continue;
        }
        await until(page, () => globalThis.heard.findLast(({ type }) => /step|begun/.test(type))?.type === "step");
        await press(page, "Pause");
        await untilIdle(page);
        await settle(page);
        const curves = await placesOf(page);
        assert.ok(curves.length > 0, name);
        for (const curve of curves)
            assert.ok(
                curve.every((x, i) => i === 0 || x >= curve[i - 1]),
                `${name}: ${curve}`,
            );
    }
    assert.deepEqual(trouble, []);
    await page.close();
});

for (const [width, list] of [
    [360, "14 3 9 20 3 17"],
    [400, "14 3 9 20 3 17"],
    [1300, "14 3 9 20 3 7 18 1 12 5"],
]) {
    test(`at a width of ${width}, the column of what it is sure of is whole`, async () => {
        const { page, trouble } = await openPlayground(browser, { width });
        await type(page, list);
        const found = await page.$$eval(".certain", (cells) =>
            cells.map((cell) => [
                cell.getBoundingClientRect().right,
                cell.closest(".scroll").getBoundingClientRect().right,
                cell.scrollWidth - cell.clientWidth,
            ]),
        );
        assert.equal(found.length, list.split(" ").length + 1);
        for (const [right, edge, hidden] of found) assert.ok(right <= edge && hidden === 0, `${right} of ${edge}`);
        assert.deepEqual(trouble, []);
        await page.close();
    });
}

for (const [name, options, second] of [
    ["playground", {}, false],
    ["playground-dark", { dark: true }, false],
    ["playground-two-models", {}, true],
]) {
    test(`${name} looks as its picture`, async () => {
        const { page, trouble } = await openPlayground(browser, options);
        await page.setViewport({ width: 1000, height: 900 });
        if (second) {
            await page.evaluate(() => document.querySelector("input[type=checkbox]").click());
            await until(page, () => document.querySelectorAll(".heatmap").length === 2);
        }
        await trainTo(page, 100);
        await until(page, () =>
            [...document.querySelectorAll(".status")].every((one) => one.textContent.includes("done")),
        );
        await assertLooks(browser, page, name);
        assert.deepEqual(trouble, []);
        await page.close();
    });
}
