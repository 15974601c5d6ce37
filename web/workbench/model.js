// The model in use, open in a worker of its own: it answers texts that one types, one after another.
import { startWorker, withoutName } from "./jobs.js";
import { project } from "./project.js";

// The bytes of a model file.
export function modelOf({ folder, files }) {
    return files[`${folder}/model.safetensors`];
}

// Whether the model has a lexicon, as the header of its file says.
export function hasLexicon(current) {
    const bytes = modelOf(current),
        length = bytes.subarray(0, 4).reduceRight((sum, byte) => 256 * sum + byte, 0);
    return /"task\\":\\"[a-z]+\+lexicon/.test(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
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
    await send({ type: "open", file: modelOf(current) });
    return { send, close };
}

let opened = { of: null, model: null }, // the model is promised
    asked = Promise.resolve();

async function answerOf(message) {
    const { current } = project;
    if (opened.of !== current) {
        opened.model?.then(({ close }) => close()).catch(() => {});
        opened = { of: current, model: openModelIn(current) };
    }
    try {
        const { send } = await opened.model;
        return await send(message);
    } catch (error) {
        // An instance that has failed answers no more, and an invalid text costs a new one.
        opened.model.then(({ close }) => close()).catch(() => {});
        opened = { of: null, model: null };
        throw error;
    }
}

// The data and the blob of a report about this text, as makeTyping wants them.
export function askCurrent(text, beam, penalty) {
    const answer = asked.then(() => answerOf({ type: "report", text, beam, penalty }));
    asked = answer.catch(() => {});
    return answer;
}
