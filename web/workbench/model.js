// The model in use, open in a worker of its own: it answers texts that one types, one after another.
import { el, textField } from "../common/dom.js";
import { startWorker, withoutName } from "./jobs.js";
import { project } from "./project.js";

export const NO_MODEL =
    "There is no model yet. Train one, or open a model file: drop it anywhere on this page, or choose it under Data.";

// The bytes of a model file.
export function modelOf({ folder, files }) {
    return files[`${folder}/model.safetensors`];
}

// What the header of the file says. A hostile one says anything, and the program refuses it later.
function says(current, what) {
    const bytes = modelOf(current),
        length = bytes.subarray(0, 4).reduceRight((sum, byte) => 256 * sum + byte, 0);
    return what.test(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
}

export function hasLexicon(current) {
    return says(current, /"task\\":\\"[a-z]+\+lexicon/);
}

// Whether a text has a tab, and features of it after that.
export function hasFeatures(current) {
    return says(current, /"source\\":\{[^{}]*\\"features\\":/);
}

// A text for the model in use: a field, and another one for the features if it has some. value() has both.
export function makeSource(name, attributes) {
    const text = textField(attributes),
        features = textField({ ...attributes, id: null, size: 12 }),
        more = el("label.choice", { hidden: true }, el("span", "features"), features);
    return {
        nodes: [el("label.choice", el("span", name), text), more],
        value: () => (more.hidden || text.value.trim() === "" ? text.value : `${text.value}\t${features.value}`),
        look: () => (more.hidden = !hasFeatures(project.current)),
        clear() {
            text.value = features.value = "";
            text.focus();
        },
    };
}

async function openModelIn(current) {
    let waiting = null,
        said = "";
    const hear = (message) =>
        message.error ? waiting?.reject(new Error(said || message.error)) : waiting?.resolve(message);
    const worker = await startWorker({
        opened: hear,
        report: hear,
        broken: hear,
        line: ({ text }) => (said = withoutName(text)),
    });
    const send = (message) =>
        new Promise((resolve, reject) => {
            waiting = { resolve, reject };
            said = "";
            worker.postMessage(message);
        });
    const close = () => {
        worker.terminate();
        waiting?.reject(new Error("the model has been closed"));
    };
    try {
        await send({ type: "open", file: modelOf(current) });
    } catch (error) {
        close();
        throw error;
    }
    return { send, close };
}

let modelInUse = { of: null, model: null }, // the model is promised
    asked = Promise.resolve();

async function answerOf(message) {
    const { current } = project;
    if (modelInUse.of !== current) {
        modelInUse.model?.then(({ close }) => close()).catch(() => {});
        modelInUse = { of: current, model: openModelIn(current) };
    }
    try {
        const { send } = await modelInUse.model;
        return await send(message);
    } catch (error) {
        // An instance that has failed answers no more, and an invalid text costs a new one.
        modelInUse.model.then(({ close }) => close()).catch(() => {});
        modelInUse = { of: null, model: null };
        throw error;
    }
}

// The data and the blob of a report about this text, as makeTyping wants them.
export function askCurrent(text, beam, penalty) {
    const answer = asked.then(() => answerOf({ type: "report", text, beam, penalty }));
    asked = answer.catch(() => {});
    return answer;
}
