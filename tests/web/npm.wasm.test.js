// The npm package, installed as a user installs it: in Node, in a page and in its worker, and for TypeScript.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch, until } from "./browser.js";

const { LOOKBACK, NPM } = process.env;
const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "lookback-npm-"));
const installed = join(folder, "node_modules/lookback");
const run = (program, words, input = "") =>
    execFileSync(program, words, { encoding: "utf8", cwd: folder, input, stdio: ["pipe", "pipe", "pipe"] });
const word = (i) =>
    ((i * 7919) % 3125)
        .toString(5)
        .padStart(2 + (i % 4), "0")
        .replace(/\d/g, (d) => "abcdé"[d]);
const words = Array.from({ length: 60 }, (_, i) => word(i));
const KINDS = {
    gru: ["--embed", "16", "--hidden", "32"],
    transformer: ["--model", "transformer", "--hidden", "32", "--heads", "2", "--layers", "2"],
    hard: ["--embed", "16", "--hidden", "32", "--attention", "hard"],
};
const bytes = (kind) => readFileSync(join(folder, kind, "model.safetensors"));
let browser, close, npm, server, site;

// What predict prints for these texts, as objects.
const expected = (kind, texts, ...options) =>
    run(LOOKBACK, ["predict", kind, "--jsonl", "--threads", "1", ...options], `${texts.join("\n")}\n`)
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));

before(async () => {
    run("npm", ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", NPM]);
    npm = await import(pathToFileURL(join(installed, "index.js")));
    const lines = Array.from({ length: 300 }, (_, i) => `${word(i)}\t${[...word(i)].reverse().join("")}\n`);
    writeFileSync(join(folder, "pairs.tsv"), lines.join(""));
    const sizes = ["--steps", "200", "--batch", "16", "--lr", "0.01", "--threads", "1", "--quiet", "--no-hold-out"];
    for (const [kind, options] of Object.entries(KINDS))
        run(LOOKBACK, ["train", "pairs.tsv", "--out", kind, ...sizes, ...options]);
    // Files of the package as a server gives them.
    const types = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };
    server = createServer((request, response) => {
        const path = new URL(request.url, "http://localhost").pathname;
        response.setHeader("Content-Type", types[path.split(".").at(-1)] ?? "application/octet-stream");
        const file = join(folder, path);
        if (existsSync(file)) response.end(readFileSync(file));
        else response.writeHead(404).end(); // such as the icon that browsers ask for
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    site = `http://127.0.0.1:${server.address().port}`;
    ({ browser, close } = await launch());
});
after(async () => {
    await close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
});

const near = (found, wanted, what) =>
    assert.ok(Math.abs(found - wanted) < 1e-4, `${what}: ${found}, expected ${wanted}`);

for (const kind of Object.keys(KINDS)) {
    test(`npm: in Node, a model (${kind}) gives the outputs of predict`, async () => {
        const model = await npm.open(bytes(kind));
        const found = model.translate(words, { nBest: 3 });
        for (const [i, wanted] of expected(kind, words, "--n-best", "3").entries()) {
            assert.deepEqual(
                found[i].outputs.map((each) => each.text),
                wanted.outputs.map((each) => each.text),
            );
            for (const [k, output] of found[i].outputs.entries())
                near(output.probability, wanted.outputs[k].probability, words[i]);
        }
    });

    test(`npm: attention (${kind}) is that of predict`, async () => {
        const model = await npm.open(bytes(kind));
        for (const text of words.slice(0, 5)) {
            run(LOOKBACK, ["predict", kind, "--attention", "weights.npy"], `${text}\n`);
            const { symbols, outputs } = model.translate(text, { attention: true });
            const file = readFileSync(join(folder, "weights.npy"));
            const header = file.subarray(10, 10 + file.readUInt16LE(8)).toString("latin1");
            const shape = /\(([\d, ]+)\)/
                .exec(header)[1]
                .split(",")
                .filter((part) => part.trim())
                .map(Number);
            const wanted = new Float32Array(
                file.buffer.slice(file.byteOffset + 10 + file.readUInt16LE(8), file.byteOffset + file.length),
            );
            const rows = outputs[0].attention.flat(2);
            assert.equal(rows[0].length, symbols.length);
            assert.equal(
                rows.length * symbols.length,
                shape.reduce((a, b) => a * b),
            );
            rows.flatMap((row) => [...row]).forEach((weight, i) => near(weight, wanted[i], `${text}, weight ${i}`));
        }
    });
}

test("npm: options are those of predict", async () => {
    const model = await npm.open(bytes("gru").buffer.slice(0));
    for (const [options, ...flags] of [
        [{ beam: 1 }, "--beam", "1"],
        [{ lengthPenalty: 0 }, "--length-penalty", "0"],
        [{ beam: 8, lengthPenalty: 2 }, "--beam", "8", "--length-penalty", "2"],
    ]) {
        const found = model.translate(words, options).map(({ outputs }) => outputs[0]);
        for (const [i, wanted] of expected("gru", words, ...flags).entries()) {
            assert.equal(found[i].text, wanted.outputs[0].text);
            near(found[i].score, wanted.outputs[0].score, words[i]);
        }
    }
    assert.ok(model.translate("abc", { limit: 1 }).outputs.every((output) => output.symbols.length <= 1));
    assert.deepEqual(model.translate("xab").unknown, ["x"]);
});

test("npm: a value of another type is a TypeError that says so, and undefined is the default", async () => {
    const model = await npm.open(bytes("gru"));
    const names = ["nBest", "beam", "limit", "lengthPenalty", "attention"];
    for (const [value, found] of [
        [null, "null"],
        ["3", '"3"'],
        [new Number(3), "a value of type object"],
        [[3], "a value of type object"],
        [3n, "a value of type bigint"],
        [Symbol("3"), "a value of type symbol"],
        [Object.create(null), "a value of type object"],
        [() => 3, "a value of type function"],
    ])
        for (const name of names)
            assert.throws(() => model.translate("ab", { [name]: value }), {
                name: "TypeError",
                message: `${name}: found ${found}, expected ${/penalty/i.test(name) ? "a number up to 10" : name === "attention" ? "true or false" : /limit/.test(name) ? "a whole number from 0 to 65535" : "a whole number from 0 to 1000"}`,
            });
    assert.throws(() => model.translate("ab", { attention: 1 }), TypeError);
    assert.throws(() => model.translate("ab", { nBest: true }), TypeError);
    for (const options of [null, "nBest", 3])
        assert.throws(() => model.translate("ab", options), { name: "TypeError", message: /expected an object/ });
    for (const name of ["beams", "constructor", "__proto_"])
        assert.throws(() => model.translate("ab", { [name]: 3 }), { name: "TypeError", message: /no option/ });
    for (const text of [null, undefined, 5, 5n, {}, Symbol("ab"), Object.create(null), true])
        for (const given of [text, [text]])
            assert.throws(() => model.translate(given), {
                name: "TypeError",
                message: /^(text 0: )?found .*, expected a (string|text or texts)$/,
            });
    const usual = model.translate("ab");
    const none = Object.fromEntries(names.map((name) => [name, undefined]));
    assert.deepEqual(model.translate("ab", none), usual);
    assert.deepEqual(model.translate("ab", undefined), usual);
});

test("npm: the object of a string is one text, like the string", async () => {
    const model = await npm.open(bytes("gru"));
    const usual = model.translate("abcd");
    assert.deepEqual(model.translate(new String("abcd")), usual);
    assert.deepEqual(model.translate([new String("abcd"), "abcd"]), [usual, usual]);
    assert.deepEqual(model.translate("abcd", { limit: 65535 }), usual);
});

test("npm: what is wrong has its error, and the model goes on", async () => {
    const file = bytes("gru"),
        model = await npm.open(file);
    const damaged = Buffer.from(file);
    damaged[damaged.length - 5] ^= 1;
    for (const [bad, message] of [
        [damaged, /checksum/],
        [file.subarray(0, 1000), /truncated/],
        [new Uint8Array(), /found 0 bytes|empty/],
        [Buffer.from("a text"), /a text|safetensors/],
    ])
        await assert.rejects(npm.open(bad), (error) => {
            assert.ok(error instanceof npm.LookbackError && error instanceof Error);
            assert.equal(error.status, "FORMAT");
            return message.test(error.message) || assert.fail(error.message);
        });
    await assert.rejects(npm.open("model.safetensors"), TypeError);
    for (const text of ["", "a\ud800b", "\udfff", "a\0b", "a".repeat(5000), "é".repeat(2 ** 20)])
        assert.throws(() => model.translate(text), { name: "LookbackError", status: "FORMAT" });
    for (const [name, ...values] of [
        ["nBest", -1, 1001, 2 ** 40, NaN],
        ["beam", 1.5, 1001, Infinity],
        ["limit", 65536, -1],
        ["lengthPenalty", NaN, Infinity, -Infinity, 10.5],
    ])
        for (const value of values)
            assert.throws(() => model.translate("ab", { [name]: value }), {
                name: "LookbackError",
                status: "ARGUMENT",
                message: new RegExp(`^${name}: found ${value}, expected a`),
            });
    assert.throws(() => model.translate(["ab", ""]), { status: "FORMAT", message: /^text 1: found an empty text/ });
    assert.equal(model.translate("ab").outputs[0].text, expected("gru", ["ab"])[0].outputs[0].text);
});

async function openSite(path) {
    const page = await browser.newPage(),
        trouble = [];
    page.on("pageerror", (error) => trouble.push(error.message));
    await page.goto(`${site}${path}`);
    return { page, trouble };
}

test("npm: the example page shows what predict prints, and where the model looked", async () => {
    const { page, trouble } = await openSite("/node_modules/lookback/example.html");
    const input = await page.$("#file");
    await input.uploadFile(join(folder, "gru/model.safetensors"));
    await until(page, () => !document.querySelector("#word").disabled);
    await page.type("#word", "abcd");
    assert.ok(!(await page.$eval("#disk", (disk) => disk.checkVisibility())));
    assert.equal(await page.$eval("#output", (output) => output.value), expected("gru", ["abcd"])[0].outputs[0].text);
    const sizes = await page.$$eval("#weights tr", (rows) => rows.map((row) => row.cells.length));
    assert.ok(sizes.length > 1 && sizes.every((size) => size === 5), `${sizes}`);
    writeFileSync(join(folder, "cut"), bytes("gru").subarray(0, 2000));
    await input.uploadFile(join(folder, "cut"));
    await until(page, () => document.querySelector("#message").textContent.includes("truncated"));
    assert.deepEqual(trouble, []);
});

test("npm: the example page, opened from a disk, says what to type", async () => {
    const page = await browser.newPage();
    await page.goto(pathToFileURL(join(installed, "example.html")).href);
    const said = await page.$eval("#disk", (disk) => disk.innerText);
    assert.match(said, /python3 -m http\.server 8000 .* open http:\/\/127\.0\.0\.1:8000\/example\.html\.$/);
    assert.ok(await page.$eval("#disk", (disk) => disk.checkVisibility()));
});

test("npm: a worker translates", async () => {
    writeFileSync(
        join(folder, "worker.js"),
        `import { open } from "./node_modules/lookback/index.js";
        const file = await fetch("gru/model.safetensors");
        const model = await open(await file.arrayBuffer());
        postMessage(model.translate(${JSON.stringify(words)}).map((each) => each.outputs[0].text));`,
    );
    const { page } = await openSite("/node_modules/lookback/example.html");
    const found = await page.evaluate(
        () =>
            new Promise((done, fail) => {
                const worker = new Worker("/worker.js", { type: "module" });
                worker.onmessage = ({ data }) => done(data);
                worker.onerror = ({ message }) => fail(new Error(message));
            }),
    );
    assert.deepEqual(
        found,
        expected("gru", words).map(({ outputs }) => outputs[0].text),
    );
});

test("npm: the types are those of the module", () => {
    mkdirSync(join(folder, "types"));
    writeFileSync(
        join(folder, "types/use.ts"),
        `import { open, LookbackError, type Model, type Output } from "lookback";
        const model: Model = await open(new Uint8Array());
        const one: Output | undefined = model.translate("ab", { nBest: 3, attention: true }).outputs[0];
        const row: Float32Array | undefined = one?.attention?.[0]?.[0]?.[0];
        const many: number[] = model.translate(["a", "b"]).map((each) => each.outputs.length);
        try { model.translate("ab"); } catch (error) { if (error instanceof LookbackError) error.status satisfies string; }
        // @ts-expect-error an option that there is not
        model.translate("ab", { beams: 3 });
        // @ts-expect-error not the bytes of a file
        await open("model.safetensors");
        export { row, many };`,
    );
    const tsc = join(here, "node_modules/typescript/bin/tsc");
    const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom"];
    writeFileSync(join(folder, "types/package.json"), '{ "type": "module" }');
    try {
        run(process.execPath, [tsc, ...options, "types/use.ts"]);
    } catch (error) {
        assert.fail(error.stdout);
    }
});

test("npm: what a page loads is small, and the package has the licences of what is inside", () => {
    const sizes = ["index.js", "lookback.js", "lookback.wasm"].map(
        (name) => execFileSync("gzip", ["-9c", join(installed, name)]).length,
    );
    assert.ok(sizes.reduce((a, b) => a + b) < 220000, `${sizes} bytes`);
    const parts = readdirSync(join(installed, "licenses")).map((name) => join("licenses", name));
    const names = parts.map((part) => part.match(/^licenses\/(\w+)_\d/)[1]).sort();
    assert.deepEqual(names, ["cjson", "emscripten", "utf8proc", "zlib"]);
    for (const part of ["LICENSE", ...parts])
        assert.match(readFileSync(join(installed, part), "utf8"), /Permission is hereby granted|freely, subject/, part);
});
