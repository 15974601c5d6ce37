// Numbers as a reader wants them. What does not exist is a dash.
export const NONE = "–";

export function fixed(value, digits = 2) {
    if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
    return value
        .toFixed(digits)
        .replace(/^-(?=[0.]*$)/, "")
        .replace("-", "−");
}

export function percent(value, digits = 1) {
    if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
    const small = value !== 0 && Math.abs(value) < 0.001;
    return (small ? (100 * value).toPrecision(2) : (100 * value).toFixed(digits)).replace("-", "−") + " %";
}

// 12345 as 12 345.
export function count(value) {
    if (value === null || value === undefined) return NONE;
    return String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

export function plural(value, one, many) {
    return `${count(value)} ${value === 1 ? one : many}`;
}

export function upperFirst(text) {
    return text[0].toUpperCase() + text.slice(1);
}

// What a model can be chosen by, in statistics. No loss is there: exact match is told instead.
const CHOICES = {
    exact: { key: "exact", name: "exact", says: "exactly right", text: percent },
    symbol: { key: "symbol_error", name: "symbol error", says: "symbols wrong", text: percent },
    bleu: { key: "bleu_13a", name: "BLEU", says: "BLEU", text: fixed, texts: true },
    chrf: { key: "chrf2", name: "chrF2", says: "chrF2", text: fixed, texts: true },
};

export function measureOf({ about }) {
    return CHOICES[about.choose] ?? CHOICES.exact;
}

export function clamp(value, least, most) {
    return Math.min(most, Math.max(least, value));
}

// About `wanted` round numbers from `least` to `most`.
export function ticks(least, most, wanted) {
    const rough = (most - least) / Math.max(1, wanted);
    if (!(rough > 0)) return [least];
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999);
    const out = [];
    for (let i = Math.ceil(least / step - 1e-9); i * step <= most + step * 1e-9; i++)
        out.push(+(i * step).toPrecision(12));
    return out;
}

// What a score is.
export const SCORE =
    "The score is the log-probability of the output over the number of its steps to the power of --length-penalty. 0 is the best.";
