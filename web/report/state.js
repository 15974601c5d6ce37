// What is shown of the report, and what the pointer is over. A report with a page of its own keeps it in the hash of the
// address, so that a view can be shared.
export const NO_STEP = -1;

const INITIAL = {
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

export const state = { ...INITIAL };
const stateListeners = [];

// listen(["pair"], work): `work` runs after one of these has changed.
export function listen(names, work) {
    stateListeners.push({ names, work });
}

function notifyOf(changed) {
    for (const { names, work } of stateListeners) if (names.some((name) => changed.includes(name))) work(changed);
}

function parseHash(hash) {
    const found = { ...INITIAL };
    for (const [name, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
        if (TEXTS.includes(name)) found[name] = text;
        else if (Object.hasOwn(FIRST, name) && /^\d{1,9}$/.test(text)) found[name] = Number(text) - FIRST[name];
    }
    return found;
}

export function hashOf(values) {
    const out = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) {
        if (value !== INITIAL[name]) out.set(name, Object.hasOwn(FIRST, name) ? value + FIRST[name] : value);
    }
    return "#" + out.toString();
}

let closing = null,
    follows = false, // the address
    writing = 0;

// A browser limits how often the address may change.
function writeHash() {
    clearTimeout(writing);
    if (!follows) return;
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
    notifyOf(changed);
}

// Pins a step, or unpins it.
export function pin(step) {
    if (step >= 0) update({ step: state.step === step ? NO_STEP : step });
}

// The step and the source position under the pointer; NO_STEP without one.
const NOWHERE = { step: NO_STEP, source: NO_STEP };
export const pointer = { ...NOWHERE };
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

// Closes the report before, because only one is shown at a time. `pair` is open unless the hash names one: that of the
// address if the report follows it. Aborting what is returned closes the report.
export function beginReport(pair, { followsAddress = false, hash = "" } = {}) {
    closing?.abort();
    closing = new AbortController();
    follows = followsAddress;
    INITIAL.pair = pair;
    Object.assign(state, parseHash(follows ? location.hash : hash));
    Object.assign(pointer, NOWHERE);
    const { signal } = closing;
    if (follows) window.addEventListener("hashchange", () => update(parseHash(location.hash)), { signal });
    signal.addEventListener("abort", () => {
        clearTimeout(writing);
        stateListeners.length = pointerListeners.length = 0;
    });
    return closing;
}

// What outlives the nodes of a report takes this signal: timers, and listeners of the window and the document.
export function untilClosed() {
    return closing.signal;
}

// The pointer wins over the pin.
export function litStep() {
    return pointer.step !== NO_STEP || pointer.source !== NO_STEP ? pointer.step : state.step;
}
