// What one can choose.
export const ATTENTIONS = [
    ["multi-head", "multi-head"],
    ["additive", "additive"],
    ["dot", "dot product"],
    ["general", "general"],
    ["scaled-dot", "scaled dot product"],
    ["none", "none (the bottleneck)"],
];
export const OF_LISTS = ["dot", "scaled-dot"];

export const DEFAULTS = {
    max_value: 20,
    min_length: 2,
    max_length: 6,
    repeats: 0.3,
    seed: 1,
    steps: 750,
    batch: 48,
    embed: 32,
    one_direction: 1,
};
// About half of these come out right without attention, or fewer, and almost all with it (docs/adr/0024).
export const LONGER = { min_length: 5, max_length: 10 };
export const TYPED = { short: "14 3 9 20 3", long: "14 3 9 20 3 7 18 1 12 5" };
export const MODEL_DEFAULTS = { attention: "multi-head", hidden: 64, lr: 0.01 };
