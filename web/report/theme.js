// Light, dark or the setting of the system, and the map of colours. Paper is white, so that a print is always light.
import { choice } from "../common/dom.js";
import { MAP_NAMES, useMap } from "../common/colors.js";

const system = matchMedia("(prefers-color-scheme: dark)");
const THEMES = [
    ["system", "system"],
    ["light", "light"],
    ["dark", "dark"],
];
let theme = "system",
    map = "page",
    printing = false;

// A page from a file may have no memory.
function remembered(name, allowed, otherwise) {
    try {
        const value = localStorage.getItem(`lookback-${name}`);
        return allowed.some(([key]) => key === value) ? value : otherwise;
    } catch {
        return otherwise;
    }
}

function remember(name, value) {
    try {
        localStorage.setItem(`lookback-${name}`, value);
    } catch {
        // It is asked for again, then.
    }
}

function apply() {
    const dark = !printing && (theme === "dark" || (theme === "system" && system.matches));
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    useMap(map, dark);
}

// onchange: everything that has colours is drawn again. signal: ends it, if given.
export function startTheme(onchange, signal) {
    const again = () => {
        apply();
        onchange();
    };
    theme = remembered("theme", THEMES, "system");
    map = remembered("map", MAP_NAMES, "page");
    apply();
    system.addEventListener("change", again, { signal });
    for (const [event, on] of [
        ["beforeprint", true],
        ["afterprint", false],
    ]) {
        window.addEventListener(
            event,
            () => {
                printing = on;
                again();
            },
            { signal },
        );
    }
    return [
        choice("Theme", THEMES, theme, (value) => {
            remember("theme", (theme = value));
            again();
        }),
        choice("Colours", MAP_NAMES, map, (value) => {
            remember("map", (map = value));
            again();
        }),
    ];
}
