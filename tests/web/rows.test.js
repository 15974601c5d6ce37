// The table of a list in the workbench, without a page: its rows are those of `predict --jsonl`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const { CHECKOUT, LOOKBACK } = process.env;
const source = readFileSync(join(CHECKOUT, "web/workbench/rows.js"));
const { chosenRows, rowOfLine } = await import(`data:text/javascript;base64,${source.toString("base64")}`);

// Rows of these lines, by a model that has learned little and has a lexicon.
function predictedRows(lines) {
    const folder = mkdtempSync(join(tmpdir(), "lookback-rows-")),
        run = (...words) =>
            execFileSync(LOOKBACK, words, { cwd: folder, input: lines, stdio: ["pipe", "pipe", "ignore"] });
    try {
        const data = join(CHECKOUT, "examples/data/spanish_train.tsv");
        run(
            "train",
            data,
            "--target-separator",
            " ",
            "--hidden",
            "8",
            "--steps",
            "3",
            "--lexicon",
            data,
            "--out",
            "out",
        );
        const out = run("predict", "out", "--jsonl", "--n-best", "3", "--skip-bad-lines").toString();
        return out.trimEnd().split("\n").map(rowOfLine);
    } finally {
        rmSync(folder, { recursive: true });
    }
}

const rows = predictedRows(Buffer.concat([Buffer.from("casa\nwww\n\n"), Buffer.from([0xff]), Buffer.from("\n")]));

test("a row has the answer, the other ones, and what is worth a look", () => {
    const [known, unlike, empty, unreadable] = rows;
    assert.deepEqual(
        { ...known, others: known.others.split(" · ").length },
        {
            number: 0,
            source: "casa",
            output: "k a s a",
            probability: known.probability,
            others: 2,
            mark: "from the lexicon",
        },
    );
    assert.match(unlike.mark, /^unknown: w, unlike the training/);
    assert.deepEqual([empty.source, empty.output, empty.probability, empty.mark], ["", "", null, ""]);
    assert.deepEqual([unreadable.output, unreadable.mark], ["", "unreadable"]);
});

test("rows are found by a text and ordered by a column, those without a value last", () => {
    const of = (...chosen) =>
        chosenRows(rows, { find: "", by: "number", down: false, ...chosen[0] }).map((row) => row.number);
    assert.deepEqual(of(), [0, 1, 2, 3]);
    assert.deepEqual(of({ down: true }), [3, 2, 1, 0]);
    assert.deepEqual(of({ find: "CASA" }), [0]);
    assert.deepEqual(of({ find: "unknown" }), [1]);
    assert.deepEqual(of({ by: "source" }), [0, 1, 2, 3]);
    assert.deepEqual(of({ by: "source", down: true }), [1, 0, 2, 3]);
    assert.deepEqual(of({ by: "mark" }), [0, 1, 3, 2]);
});
