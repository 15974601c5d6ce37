// Applies models that `lookback train` wrote: text in, text out.
import instantiate from "./lookback.js";

const here = new URL("./lookback.wasm", import.meta.url);
const encoder = new TextEncoder();
let compiled = null; // by the first model, for all of them

/** What failed: `status` is its kind, and the message says what was found and what was expected. */
export class LookbackError extends Error {
    constructor(status, message) {
        super(message);
        this.name = "LookbackError";
        this.status = status;
    }
}

// Node does not fetch files.
async function compile() {
    if (here.protocol !== "file:") return WebAssembly.compile(await (await fetch(here)).arrayBuffer());
    const { readFile } = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(here));
}

// A failure is not kept: the next model tries again.
function module() {
    compiled ??= compile().catch((error) => {
        compiled = null;
        throw error;
    });
    return compiled;
}

// What a function of the module answers to these bytes, which it frees, and numbers.
function ask(engine, name, bytes, ...numbers) {
    const place = engine._malloc(bytes.length);
    if (!place) throw new LookbackError("MEMORY", `out of memory for ${bytes.length} bytes`);
    engine.HEAPU8.set(bytes, place);
    const found = JSON.parse(engine.UTF8ToString(engine[`_predict_${name}`](place, ...numbers)));
    if (found.error) throw new LookbackError(found.status, found.error);
    return found;
}

// A value as a message shows it. Not every value can be a string.
function shown(value) {
    if (typeof value === "string") return JSON.stringify(value);
    if (value === null || ["undefined", "boolean", "number"].includes(typeof value)) return String(value);
    return `a value of type ${typeof value}`;
}

// A string, or the object of one.
const isText = (value) => typeof value === "string" || Object.prototype.toString.call(value) === "[object String]";

function bytesOf(value) {
    if (!isText(value)) throw new TypeError(`found ${shown(value)}, expected a string`);
    const text = String.prototype.valueOf.call(value);
    if (/\p{Surrogate}/u.test(text))
        throw new LookbackError("FORMAT", "not UTF-8: found a surrogate without its other half");
    if (text.includes("\0")) throw new LookbackError("FORMAT", "found the character NUL, which no text can have");
    return encoder.encode(`${text}\0`);
}

// The type of each option, what it may be beyond that, and its default. To the library, zero is the default.
const whole = (most) => ({
    type: "number",
    fits: (value) => Number.isInteger(value) && value >= 0 && value <= most,
    expected: `a whole number from 0 to ${most}`,
    usual: 0,
});
const OPTIONS = new Map([
    ["nBest", whole(1000)],
    ["beam", whole(1000)],
    [
        "lengthPenalty",
        { type: "number", fits: (value) => value > -Infinity && value <= 10, expected: "a number up to 10", usual: 1 },
    ],
    ["limit", whole(65535)],
    ["attention", { type: "boolean", fits: () => true, expected: "true or false", usual: false }],
]);

// The values of all options. One that is undefined is left out.
function settle(options) {
    if (options === null || typeof options !== "object")
        throw new TypeError(`found ${shown(options)}, expected an object with options`);
    for (const name of Object.keys(options))
        if (!OPTIONS.has(name)) throw new TypeError(`translate() has no option ${name}`);
    return Array.from(OPTIONS, ([name, { type, fits, expected, usual }]) => {
        const { [name]: value = usual } = options;
        const wrong = `${name}: found ${shown(value)}, expected ${expected}`;
        if (typeof value !== type) throw new TypeError(wrong);
        if (!fits(value)) throw new LookbackError("ARGUMENT", wrong);
        return value;
    });
}

// A copy of [layers, heads, steps, length] numbers as nested arrays, whose rows are Float32Arrays.
function nested(numbers, [size, ...more]) {
    if (more.length === 0) return numbers.slice(0, size);
    const each = more.reduce((a, b) => a * b);
    return Array.from({ length: size }, (_, i) => nested(numbers.subarray(i * each), more));
}

/** An open model. Its memory is freed with the object. */
class Model {
    #engine;

    constructor(engine) {
        this.#engine = engine;
    }

    translate(texts, options = {}) {
        const settings = settle(options);
        if (isText(texts)) return this.#one(texts, settings);
        if (typeof texts?.[Symbol.iterator] !== "function")
            throw new TypeError(`found ${shown(texts)}, expected a text or texts`);
        return Array.from(texts, (text, i) => {
            try {
                return this.#one(text, settings);
            } catch (error) {
                error.message = `text ${i}: ${error.message}`;
                throw error;
            }
        });
    }

    #one(text, [nBest, beam, lengthPenalty, limit, attention]) {
        const { layers, heads, outputs, ...found } = ask(
            this.#engine,
            "translate",
            bytesOf(text),
            nBest,
            beam,
            lengthPenalty || -1, // to the library, less than zero is none
            limit,
            Number(attention),
        );
        const floats = this.#engine.HEAPF32;
        return {
            ...found,
            outputs: outputs.map(({ weights, ...output }) => {
                if (!weights) return output;
                const shape = [layers, heads, output.symbolProbabilities.length, found.symbols.length];
                return { ...output, attention: nested(floats.subarray(weights / 4), shape) };
            }),
        };
    }
}

/** Opens a model file, an ArrayBuffer or a Uint8Array. */
export async function open(bytes) {
    const file = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
    if (!(file instanceof Uint8Array))
        throw new TypeError("expected the bytes of a model, a Uint8Array or an ArrayBuffer");
    const wasm = await module();
    const engine = await instantiate({
        instantiateWasm(imports, done) {
            WebAssembly.instantiate(wasm, imports).then(done);
            return {};
        },
    });
    ask(engine, "open", file, file.length);
    return new Model(engine);
}
