// Expected and found, aligned with the fewest edits. Ties are broken as the library does in its confusions, and by the
// same algorithm: src/metrics/edit_distance.c explains it. Here a strip has as many rows as an integer has bits.
const STRIP_ROWS = 32;
export const NOTHING = -1;

// `change` is how the distance changes with each column, by -1, 0 or 1: in the row before a strip, and then in its last
// row.
function passStrip(table, strip, change, ways = null) {
    const { row, column, having } = table,
        start = strip * STRIP_ROWS,
        last = Math.min(table.rows - start, STRIP_ROWS) - 1;
    let more = -1,
        less = 0;
    for (let i = 0; i <= last; i++) having[row[start + i]] |= 1 << i;
    for (let j = 0; j < table.columns; j++) {
        const before = change[j],
            same = having[column[j]],
            first = before < 0 ? same | 1 : same,
            level = ((((first & more) + more) | 0) ^ more) | first | less;
        let grows = less | ~(level | more),
            shrinks = more & level;
        change[j] = ((grows >>> last) & 1) - ((shrinks >>> last) & 1);
        grows = (grows << 1) | (before > 0 ? 1 : 0);
        shrinks = (shrinks << 1) | (before < 0 ? 1 : 0);
        more = shrinks | ~(level | grows);
        less = grows & level;
        if (ways) {
            ways.both[j] = same | ~level;
            ways.missing[j] = more;
        }
    }
    for (let i = 0; i <= last; i++) having[row[start + i]] = 0;
}

function addEdit(table, both, missing) {
    const { expected, found, out } = table,
        step = found.length - table.columns;
    const a = both || missing ? expected[expected.length - table.rows--] : NOTHING;
    out.push({ expected: a, found: both || !missing ? found[step] : NOTHING, step });
    if (both || !missing) table.columns--;
}

function alignStrips(table, begin, end, change) {
    if (end - begin > 1) {
        const middle = begin + Math.floor((end - begin) / 2),
            next = change.slice(0, table.columns);
        for (let strip = begin; strip < middle; strip++) passStrip(table, strip, next);
        alignStrips(table, middle, end, next);
        alignStrips(table, begin, middle, change);
        return;
    }
    const ways = { both: new Int32Array(table.columns), missing: new Int32Array(table.columns) };
    passStrip(table, begin, change, ways);
    while (table.rows > begin * STRIP_ROWS && table.columns > 0) {
        const at = table.columns - 1,
            bit = table.rows - 1 - begin * STRIP_ROWS;
        addEdit(table, Boolean((ways.both[at] >>> bit) & 1), Boolean((ways.missing[at] >>> bit) & 1));
    }
}

// [{expected, found}] of symbols, NOTHING where one has none; `step` is the index in `found`, or where it would be.
export function alignEdits(expected, found) {
    const table = { expected, found, rows: expected.length, columns: found.length, out: [] };
    while (table.rows > 0 && table.columns > 0 && expected.at(-table.rows) === found.at(-table.columns))
        addEdit(table, true, false);
    const numbers = new Map(),
        number = (symbol) => numbers.get(symbol) ?? numbers.set(symbol, numbers.size).size - 1,
        fromTheLast = (symbols, count) => Int32Array.from({ length: count }, (_, i) => number(symbols.at(-1 - i)));
    table.row = fromTheLast(expected, table.rows);
    table.column = fromTheLast(found, table.columns);
    table.having = new Int32Array(numbers.size);
    const strips = Math.ceil(table.rows / STRIP_ROWS);
    if (strips > 0) alignStrips(table, 0, strips, new Int8Array(table.columns).fill(1));
    while (table.rows + table.columns > 0) addEdit(table, false, table.rows > 0);
    return table.out;
}

export function isEdit({ expected, found }) {
    return expected !== found;
}
