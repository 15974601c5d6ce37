// Alignments of the page, without a page: by the whole table of distances, and of texts too long for one.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

const source = readFileSync(join(dirname(process.env.JOIN), "../web/report/edits.js"));
const { alignEdits, isEdit, NOTHING } = await import(`data:text/javascript;base64,${source.toString("base64")}`);

function alignByTable(expected, found) {
    const left = [];
    for (let i = expected.length; i >= 0; i--) {
        left[i] = [];
        for (let j = found.length; j >= 0; j--)
            left[i][j] =
                i === expected.length || j === found.length
                    ? expected.length - i + found.length - j
                    : Math.min(
                          left[i + 1][j + 1] + (expected[i] === found[j] ? 0 : 1),
                          1 + left[i + 1][j],
                          1 + left[i][j + 1],
                      );
    }
    const out = [];
    for (let i = 0, j = 0; i < expected.length || j < found.length;) {
        const more = i < expected.length,
            both = more && j < found.length && left[i][j] === left[i + 1][j + 1] + (expected[i] === found[j] ? 0 : 1),
            missing = !both && more && left[i][j] === 1 + left[i + 1][j],
            step = j;
        const a = both || missing ? expected[i++] : NOTHING;
        out.push({ expected: a, found: missing ? NOTHING : found[j++], step });
    }
    return out;
}

test("alignments are those of the whole table of distances", () => {
    let state = 7;
    const below = (count) => (state = (state * 48271) % 2147483647) % count;
    for (let trial = 0; trial < 200; trial++) {
        const symbols = [2, 4, 30, 100000][trial % 4],
            expected = Array.from({ length: below(200) }, () => below(symbols));
        const found =
            trial % 3 === 0
                ? Array.from({ length: below(200) }, () => below(symbols))
                : expected.flatMap((id) => [[id], [id], [id], [below(symbols)], [], [below(symbols), id]][below(6)]);
        assert.deepEqual(alignEdits(expected, found), alignByTable(expected, found), `pair ${trial}`);
    }
});

// A table would have more cells than an array can have.
test("66,000 symbols are aligned without the square of their number", () => {
    const length = 66000,
        shift = 100;
    const expected = Array.from({ length }, (_, i) => i),
        found = Array.from({ length }, (_, i) => i + shift);
    const edits = alignEdits(expected, found).filter(isEdit);
    assert.equal(edits.length, 2 * shift);
    assert.deepEqual(edits[0], { expected: 0, found: NOTHING, step: 0 });
    assert.deepEqual(edits.at(-1), { expected: NOTHING, found: length + shift - 1, step: length - 1 });
});
