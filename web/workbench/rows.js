// The table of a list of texts: its rows, and which of them are seen.
// What `predict --jsonl` says about a line.
export function rowOfLine(line, number) {
    const { source, unknown, unlike, outputs } = JSON.parse(line),
        [best, ...others] = outputs;
    const marks = [
        !best && source !== "" && "unreadable",
        best?.from === "lexicon" && "from the lexicon",
        unknown.length > 0 && `unknown: ${[...new Set(unknown)].join(" ")}`,
        unlike && "unlike the training",
        best && !best.finished && "cut off",
    ];
    return {
        number,
        source: source ?? "",
        output: best?.text ?? "",
        probability: best?.probability ?? null,
        others: others.map(({ text }) => text || "∅").join(" · "),
        mark: marks.filter(Boolean).join(", "),
    };
}

// The rows that hold this text, ordered by a column. What has no value comes last.
export function chosenRows(rows, { find, by, down }) {
    const wanted = find.normalize("NFD").toLowerCase(),
        holds = ({ source, output, mark }) =>
            `${source}\n${output}\n${mark}`.normalize("NFD").toLowerCase().includes(wanted),
        empty = (value) => value === null || value === "",
        order = (a, b) => (typeof a === "number" ? a - b : a < b ? -1 : Number(a > b));
    const found = wanted === "" ? [...rows] : rows.filter(holds);
    return found.sort(({ [by]: a }, { [by]: b }) =>
        empty(a) || empty(b) ? Number(empty(a)) - Number(empty(b)) : (down ? -1 : 1) * order(a, b),
    );
}
