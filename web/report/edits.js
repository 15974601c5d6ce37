// Expected and found, aligned with the fewest edits. Ties are broken as the library does in its confusions.
const BOTH = 0,
    MISSING = 1,
    TOO_MANY = 2;
export const NOTHING = -1;

// [{expected, found}] of symbols, NOTHING where one has none; `step` is the index in `found`, or where it would be.
export function alignEdits(expected, found) {
    const width = found.length + 1,
        way = new Uint8Array((expected.length + 1) * width).fill(TOO_MANY, expected.length * width);
    const row = Array.from({ length: width }, (_, j) => found.length - j);
    for (let i = expected.length - 1; i >= 0; i--) {
        let diagonal = row[found.length]++;
        way[i * width + found.length] = MISSING;
        for (let j = found.length - 1; j >= 0; j--) {
            const both = diagonal + (expected[i] === found[j] ? 0 : 1),
                missing = row[j] + 1,
                more = row[j + 1] + 1;
            const least = Math.min(missing, more);
            diagonal = row[j];
            row[j] = Math.min(both, least);
            way[i * width + j] = both <= least ? BOTH : missing <= more ? MISSING : TOO_MANY;
        }
    }
    const out = [];
    for (let i = 0, j = 0; i < expected.length || j < found.length;) {
        const edit = way[i * width + j],
            step = j;
        const a = edit === TOO_MANY ? NOTHING : expected[i++],
            b = edit === MISSING ? NOTHING : found[j++];
        out.push({ expected: a, found: b, step });
    }
    return out;
}

export function isEdit({ expected, found }) {
    return expected !== found;
}
