// Who voted for what: the outputs of the members of a model, each by itself.
import { bdi, el } from "../common/dom.js";
import { fixed, percent } from "./numbers.js";

// Those who agree are in one line, the heaviest first.
export function countVotes(votes) {
    const lines = new Map();
    for (const { text, member, weight, score } of votes) {
        const line = lines.get(text) ?? { text, members: [], weight: 0, best: -Infinity };
        line.members.push(member);
        line.weight += weight;
        line.best = Math.max(line.best, score);
        lines.set(text, line);
    }
    return [...lines.values()].sort((a, b) => b.weight - a.weight || b.best - a.best);
}

// "additive" three times is "3 additive".
function namesOf(members) {
    const counts = new Map();
    for (const name of members) counts.set(name, (counts.get(name) ?? 0) + 1);
    return [...counts].map(([name, count]) => (count > 1 ? `${count} ${name}` : name)).join(", ");
}

export function drawVotes(report, pair) {
    const { target_separator: separator } = report.about,
        lines = countVotes(pair.votes),
        total = lines.reduce((sum, line) => sum + line.weight, 0);
    const expected = pair.expected ? report.text(pair.expected, separator) : null,
        found = pair.outputs.length > 0 ? report.outputText(pair.outputs[0]) : null;
    const heading = lines.length === 1 ? "All members agree" : `The members have ${lines.length} different outputs`;
    const column = (text) => el("th", { scope: "col" }, text);
    return el(
        "table.data.votes",
        el("caption", heading),
        el("thead", el("tr", ...["share", "output", "status", "best score", "members"].map(column))),
        el(
            "tbody",
            ...lines.map((line) =>
                el(
                    "tr",
                    el("td.number", percent(line.weight / total, 0)),
                    el("td", bdi(line.text || "∅")),
                    el(
                        "td.aside",
                        [line.text === found && "found", line.text === expected && "expected"]
                            .filter(Boolean)
                            .join(", "),
                    ),
                    el("td.number", fixed(line.best)),
                    el("td", namesOf(line.members)),
                ),
            ),
        ),
    );
}
