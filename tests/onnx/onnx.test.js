// Models as ONNX files, with the search of examples/onnx/, against predict.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { open, translate } from "./translate.mjs";

const { PROGRAMS, SHIPPING } = process.env;
const BATCH = 50; // texts side by side, of different lengths
const folder = "models";

const run = (command) => {
    const [program, ...words] = command.split(" ");
    execFileSync(`${PROGRAMS}/${program}`, words, { cwd: folder, stdio: "pipe" });
};
const lines = (name) => readFileSync(`${folder}/${name}`, "utf8").slice(0, -1).split("\n");

before(() => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(`${folder}/dates`, { recursive: true });
    run("make_dates dates");
    // Words whose symbols are separated, with letters that normal forms change.
    const word = (i) => Array.from({ length: 2 + (i % 4) }, (_, k) => "abcdé"[((i * 7919) >> (2 * k)) % 5]);
    const pairs = Array.from({ length: 300 }, (_, i) => `${word(i).join("|")}\t${word(i).reverse().join(",")}\n`);
    writeFileSync(`${folder}/words.tsv`, pairs.join(""));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Texts of symbols that the model reads and of some that it does not, always the same. */
function randomTexts({ read, source }, count, longest) {
    const symbols = [...read.slice(4), "é", "#", "ß"];
    let state = 1;
    const random = (below) => (state = (state * 48271) % 2147483647) % below;
    return Array.from({ length: count }, () =>
        ["a", ...Array.from({ length: random(longest) }, () => symbols[random(symbols.length)])].join(source.separator),
    );
}

/** The largest difference of the weights of a text, [layer][head][step][symbol], from those of a row of the steps. The
 *  weights are in reading order; those of the end come last, if there is one. */
function difference({ output, attention }, steps, row, backward) {
    let largest = 0;
    attention.forEach((heads, layer) =>
        heads.forEach((shown, head) =>
            shown.forEach((weights, i) => {
                const { data, dims } = steps[backward && i < output.length ? output.length - 1 - i : i];
                const first = ((row * dims[1] + layer) * dims[2] + head) * dims[3];
                for (let j = 0; j < dims[3]; j++)
                    largest = Math.max(largest, Math.abs(data[first + j] - (weights[j] ?? 0))); // padding has none
            }),
        ),
    );
    return largest;
}

/** Trains, exports, and compares outputs and attention for so many texts. */
async function compare(count, pairs, options, longest = 16) {
    const sizes = "--hidden 48 --batch 48 --lr 0.01 --warm-up 50 --steps 300 --dropout 0 --threads 1";
    run(`lookback train ${pairs} --no-hold-out --fresh --quiet --out model ${sizes} ${options}`);
    run("lookback export model --quiet -o model.onnx");
    const model = await open(`${folder}/model`);
    const attends = model.decoder.outputNames.includes("attention");
    const texts = randomTexts(model, count, longest);
    writeFileSync(`${folder}/texts.txt`, `${texts.join("\n")}\n`);
    const shown = attends ? "--attention attention.jsonl" : "--quiet";
    run(`lookback predict model texts.txt --beam 1 --only-outputs -o out.txt ${shown}`);
    const expected = lines("out.txt");
    const attention = attends ? lines("attention.jsonl").map((line) => JSON.parse(line)) : [];
    assert.equal(expected.length, count);
    assert.ok(new Set(expected).size > count / 10, "outputs differ from text to text");
    for (let i = 0; i < count; i += BATCH) {
        const found = await translate(model, texts.slice(i, i + BATCH));
        assert.deepEqual(found.texts, expected.slice(i, i + BATCH));
        attention.slice(i, i + BATCH).forEach((line, row) => {
            assert.ok(line.attention[0][0].length >= line.output.length);
            assert.ok(difference(line, found.attention, row, model.backward) < 1e-4, texts[i + row]);
        });
    }
}

const TRANSFORMER = "--model transformer --hidden 32 --lr 0.005";
const KINDS = {
    "additive attention": "--attention additive",
    "additive attention, LSTM, tied": "--cell lstm --layers 2 --tied",
    "dot-product attention": "--attention dot --no-bidirectional",
    "scaled dot-product attention, backward": "--attention scaled-dot --no-bidirectional --direction backward",
    "general attention, LSTM": "--attention general --cell lstm",
    "multi-head attention": "--attention multi-head --heads 4 --layers 2",
    transformer: `${TRANSFORMER} --heads 4`,
    "transformer, learned positions, tied, backward": `${TRANSFORMER} --set positions=learned --tied --direction backward`,
    "transformer, shared keys, no positions": `${TRANSFORMER} --set positions=none --heads 4 --set kv-heads=2 --set softcap=4`,
};
for (const [kind, options] of Object.entries(KINDS))
    test(`${kind}: the outputs of predict for 1,000 texts, and its weights to 1e-4`, () =>
        compare(1000, "dates/train.tsv", options));

// Each output is cut by the length of its own text, whatever is beside it. Longer texts than those of the training count.
test("outputs that never end, of texts up to 60 symbols: those of predict", () =>
    compare(250, "dates/train.tsv", "--attention additive --steps 3", 60));

test("separators, a normal form, no attention: the outputs of predict", () => {
    const separators = "--source-separator | --target-separator , --normalize nfc";
    return compare(200, "words.tsv", `${separators} --attention none --layers 2`);
});

// Sentences, with characters that are only bytes to the model, runs of blanks, marks, and the mark of a blank itself.
test("pieces: the outputs of predict, also where a text falls into bytes", async () => {
    const words = ["der", "hund", "katzen", "läuft", "schläft", "große", "kleine", "12", "haus", "häuser"];
    const sentence = (i) => Array.from({ length: 4 + (i % 5) }, (_, k) => words[((i * 7919) >> k) % words.length]);
    const pairs = Array.from({ length: 300 }, (_, i) => `${sentence(i).join(" ")}.\t${sentence(i + 1).join(" ")}!\n`);
    writeFileSync(`${folder}/sentences.tsv`, pairs.join(""));
    const sizes = "--subwords 60 --hidden 48 --batch 48 --steps 200 --lr 0.01 --threads 1";
    run(`lookback train sentences.tsv --no-hold-out --fresh --quiet --out model ${sizes}`);
    run("lookback export model --quiet -o model.onnx");
    const texts = [...Array(60).keys()].map((i) => sentence(i).join(" "));
    texts.push(
        "der Хund  läuft",
        "a\u2581b \u2581",
        "e\u0301\u0301 12ab,;34 \u200Dx",
        "日本 hund   der",
        "... 7\u03013",
    );
    writeFileSync(`${folder}/texts.txt`, `${texts.join("\n")}\n`);
    run("lookback predict model texts.txt --beam 1 --only-outputs --quiet -o out.txt");
    const found = await translate(await open(`${folder}/model`), texts);
    assert.deepEqual(found.texts, lines("out.txt"));
    assert.ok(new Set(found.texts).size > 10);
    const said = execFileSync(process.execPath, ["translate.mjs", `${folder}/model`, texts[0]], { encoding: "utf8" });
    assert.equal(said, `${lines("out.txt")[0]}\n`);
});

test("the program of docs/shipping.md prints the output of predict, and the shape of the weights", async () => {
    await compare(50, "dates/train.tsv", "--attention additive");
    const code = readFileSync(SHIPPING, "utf8").match(/^## ONNX$.*?^```js$(.*?)^```$/ms)[1];
    writeFileSync("shipping.mjs", code.replace('"g2p"', `"${folder}/model"`));
    writeFileSync(`${folder}/texts.txt`, "guitarra\n");
    run("lookback predict model texts.txt --beam 1 --only-outputs --quiet -o out.txt");
    const printed = execFileSync(process.execPath, ["shipping.mjs"], { encoding: "utf8" });
    assert.equal(printed, `${lines("out.txt")[0]} [ 1, 1, 1, 8 ]\n`);
});
