// Applies models that `lookback train` wrote: text in, text out.
import instantiate from "./lookback.js";

const here = new URL("./lookback.wasm", import.meta.url);
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

function checked(answer) {
    const found = JSON.parse(answer);
    if (found.error) throw new LookbackError(found.status, found.error);
    return found;
}

function checkText(text) {
    if (typeof text !== "string") throw new TypeError(`found a text of type ${typeof text}, expected a string`);
    if (/\p{Surrogate}/u.test(text))
        throw new LookbackError("FORMAT", "not UTF-8: found a surrogate without its other half");
    if (text.includes("\0")) throw new LookbackError("FORMAT", "found the character NUL, which no text can have");
}

const WHOLE = ["nBest", "beam", "limit"];

function checkOptions(options) {
    for (const [name, value] of Object.entries(options)) {
        const fits = WHOLE.includes(name)
            ? Number.isInteger(value) && value >= 0 && value < 2 ** 31
            : name === "lengthPenalty"
              ? Number.isFinite(value)
              : name === "attention"
                ? typeof value === "boolean"
                : null;
        if (fits === null) throw new TypeError(`translate() has no option ${name}`);
        if (!fits) throw new LookbackError("ARGUMENT", `${name}: found ${value}`);
    }
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
        checkOptions(options);
        if (typeof texts === "string") return this.#one(texts, options);
        if (typeof texts?.[Symbol.iterator] !== "function") throw new TypeError(`found ${texts}, expected texts`);
        return Array.from(texts, (text, i) => {
            try {
                return this.#one(text, options);
            } catch (error) {
                error.message = `text ${i + 1}: ${error.message}`;
                throw error;
            }
        });
    }

    #one(text, { nBest = 1, beam = 0, lengthPenalty, limit = 0, attention = false }) {
        checkText(text);
        // To the library, zero is the default and less than zero is none.
        const penalty = lengthPenalty === undefined ? 0 : lengthPenalty || -1;
        const types = ["string", "number", "number", "number", "number", "boolean"];
        const values = [text, nBest, beam, penalty, limit, attention];
        const { layers, heads, outputs, ...found } = checked(
            this.#engine.ccall("predict_translate", "string", types, values),
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
    const place = engine._malloc(file.length);
    if (!place) throw new LookbackError("MEMORY", `out of memory for a model of ${file.length} bytes`);
    engine.HEAPU8.set(file, place);
    checked(engine.ccall("predict_open", "string", ["number", "number"], [place, file.length]));
    return new Model(engine);
}
