// Colour maps for weights and probabilities. All of them are even in lightness and safe for the colour-blind.
const MAPS = {
    // Nothing is the colour of the paper.
    light: ["f6f7f3", "dcefd0", "b7e0ae", "7ccba2", "46aea0", "1b9099", "06718b", "075275", "0a2f55"],
    dark: ["20262c", "2b3358", "37508a", "2c728e", "21918c", "28ae80", "5ec962", "addc30", "fde725"],
    viridis: ["440154", "472d7b", "3b528b", "2c728e", "21918c", "28ae80", "5ec962", "addc30", "fde725"],
    ylorrd: ["ffffcc", "ffeda0", "fed976", "feb24c", "fd8d3c", "fc4e2a", "e31a1c", "bd0026", "800026"],
    greys: ["f7f7f7", "e2e2e2", "cbcbcb", "ababab", "888888", "686868", "474747", "282828", "0c0c0c"],
};

// From the same nothing to what is as far below it.
const BELOW = {
    light: ["f6f7f3", "fbe6cc", "f9cfa0", "f3ae6d", "e58a3f", "cc6a1e", "a84f10", "803a0b", "552406"],
    dark: ["20262c", "3f2733", "622d3e", "873745", "ac444b", "cd5852", "e7765f", "f69b7c", "ffc4ad"],
    viridis: ["440154", "5c0a55", "78124f", "951f46", "b23338", "cb4c2a", "df6b20", "ee8f2a", "f8b65a"],
    ylorrd: ["ffffcc", "d9f0cf", "aedfc9", "7ccac4", "4db0c3", "2f8fbe", "2569ac", "233f8f", "1a2565"],
    greys: ["f7f7f7", "fae3cf", "f6c9a3", "efa872", "e0833f", "c3621a", "9c470c", "733106", "4a1e03"],
};

export const MAP_NAMES = [
    ["page", "default"],
    ["viridis", "viridis"],
    ["ylorrd", "YlOrRd"],
    ["greys", "greys"],
];

const tables = new Map();
let current = null;

function gradationOf(colors) {
    const stops = colors.map((hex) => [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)));
    return Array.from({ length: 256 }, (_, i) => {
        const at = (i / 255) * (stops.length - 1),
            k = Math.min(Math.floor(at), stops.length - 2);
        return stops[k].map((c, j) => Math.round(c + (stops[k + 1][j] - c) * (at - k)));
    });
}

function tableOfMap(name) {
    if (!tables.has(name))
        tables.set(
            name,
            [MAPS, BELOW].map((maps) => gradationOf(maps[name])),
        );
    return tables.get(name);
}

export function useMap(name, dark) {
    current = tableOfMap(name in MAPS && name !== "light" && name !== "dark" ? name : dark ? "dark" : "light");
}

// [red, green, blue] of a value, 0..1, or -1..1 of what can be less than nothing.
export function paint(value) {
    return current[value < 0 ? 1 : 0][Math.min(255, Math.round(255 * Math.abs(value)))];
}

export function css(value) {
    return `rgb(${paint(value).join(",")})`;
}

function luminance([r, g, b]) {
    const linear = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

// The colour of a text on css(value): whichever of black and white is read better there.
export function inkOn(value) {
    return luminance(paint(value)) > 0.21 ? "#14181b" : "#ffffff";
}

// The colour of a small text on css(value): its contrast is at least 4.5.
export function plainInkOn(value) {
    return luminance(paint(value)) > 0.179 ? "#000000" : "#ffffff";
}

// The values that the ends of the map stand for: "one", "data", or "auto", which is that of the data where all weights
// are so small that 0 to 1 would be one pale colour. A matrix with `most` reaches as far below 0 as above.
export function rangeOf(matrix, choice) {
    if (matrix.most) return [-matrix.most, matrix.most];
    let least = Infinity,
        most = -Infinity;
    for (const v of matrix.values) {
        if (v < least) least = v;
        if (v > most) most = v;
    }
    const ofData = choice === "data" || (choice === "auto" && most < 0.5);
    return ofData && most > least ? [least, most] : [0, 1];
}

export function scale(value, [least, most]) {
    return least < 0 ? value / most : Math.max(0, Math.min(1, (value - least) / (most - least)));
}
