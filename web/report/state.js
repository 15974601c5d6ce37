// What is shown, kept in the hash of the address so that a view can be shared, and what the pointer is over.
export const NO_STEP = -1;

const DEFAULTS = {
    view: "pairs",
    pair: 0,
    output: 0,
    attention: "source",
    layer: -1,
    head: -1,
    step: NO_STEP,
    range: "auto",
    find: "",
    show: "all",
    from: "",
    confusion: "",
    sort: "file",
    film: 0,
    frame: -1,
};
const TEXTS = ["view", "attention", "range", "find", "show", "from", "confusion", "sort"];
// What number the first one has: as in the table, and as in `visualize`.
const FIRST = { pair: 1, output: 1, layer: 0, head: 0, step: 1, film: 1, frame: 1 };

export const state = { ...DEFAULTS };
const listeners = [];

// listen(["pair"], work): `work` runs after one of these has changed.
export function listen(names, work) {
    listeners.push({ names, work });
}

function notify(changed) {
    for (const { names, work } of listeners) if (names.some((name) => changed.includes(name))) work(changed);
}

function parseHash(hash) {
    const found = { ...DEFAULTS };
    for (const [name, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
        if (TEXTS.includes(name)) found[name] = text;
        else if (Object.hasOwn(FIRST, name) && /^\d{1,9}$/.test(text)) found[name] = Number(text) - FIRST[name];
    }
    return found;
}

export function hashOf(values) {
    const out = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) {
        if (value !== DEFAULTS[name]) out.set(name, Object.hasOwn(FIRST, name) ? value + FIRST[name] : value);
    }
    return "#" + out.toString();
}

// The pair that is open unless the address names one.
export function startAt(pair) {
    DEFAULTS.pair = state.pair = pair;
}

let writing = 0;

// A browser limits how often the address may change.
function writeHash() {
    clearTimeout(writing);
    writing = setTimeout(() => {
        const hash = hashOf(state);
        if (hash !== location.hash && !(hash === "#" && location.hash === "")) history.replaceState(null, "", hash);
    }, 120);
}

export function update(values) {
    const changed = Object.keys(values).filter((name) => state[name] !== values[name]);
    if (changed.length === 0) return;
    Object.assign(state, values);
    writeHash();
    notify(changed);
}

export function readHash() {
    update(parseHash(location.hash));
}

export function followHash() {
    Object.assign(state, parseHash(location.hash));
    window.addEventListener("hashchange", readHash);
}

// The step and the source position under the pointer; NO_STEP without one.
export const pointer = { step: NO_STEP, source: NO_STEP };
const pointerListeners = [];

export function listenPointer(work) {
    pointerListeners.push(work);
}

export function point(step, source) {
    if (pointer.step === step && pointer.source === source) return;
    pointer.step = step;
    pointer.source = source;
    for (const work of pointerListeners) work();
}

// The pointer wins over the pin.
export function litStep() {
    return pointer.step !== NO_STEP || pointer.source !== NO_STEP ? pointer.step : state.step;
}
