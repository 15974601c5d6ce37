// Expected and found, aligned with the fewest edits. Ties are broken as the library does in its confusions.
const BOTH = 0,
    MISSING = 1,
    TOO_MANY = 2;
export const NOTHING = -1;

// [{expected, found}] of symbols, NOTHING where one has none; `step` is the index in `found`, or where it would be.
export function alignEdits(expected, found) {
    const width = found.length + 1,
        way = new Uint8Array((expected.length + 1) * width).fill(TOO_MANY, 0, width);
    const row = Array.from({ length: width }, (_, j) => j);
    for (let i = 1; i <= expected.length; i++) {
        let diagonal = row[0]++;
        way[i * width] = MISSING;
        for (let j = 1; j < width; j++) {
            const both = diagonal + (expected[i - 1] === found[j - 1] ? 0 : 1),
                missing = row[j] + 1,
                more = row[j - 1] + 1;
            const least = Math.min(missing, more);
            diagonal = row[j];
            row[j] = Math.min(both, least);
            way[i * width + j] = both <= least ? BOTH : missing <= more ? MISSING : TOO_MANY;
        }
    }
    const out = [];
    for (let i = expected.length, j = found.length; i > 0 || j > 0;) {
        const step = way[i * width + j];
        const a = step === TOO_MANY ? NOTHING : expected[--i],
            b = step === MISSING ? NOTHING : found[--j];
        out.push({ expected: a, found: b, step: j });
    }
    return out.reverse();
}

export function isEdit({ expected, found }) {
    return expected !== found;
}
