// A text that one types: the model writes its output, as one more pair. A report can carry its model.
import { button, el, textField } from "../common/dom.js";
import { embedded, inflate } from "../common/embedded.js";
import { untilClosed } from "./state.js";

export function carriesModel() {
    return (document.getElementById("model")?.textContent.trim() ?? "") !== "";
}

// The policy of the page takes no plain text for the address of a script.
function trusted(url) {
    if (!globalThis.trustedTypes) return url;
    return globalThis.trustedTypes.createPolicy("engine", { createScriptURL: (text) => text }).createScriptURL(url);
}

// The library in a worker, with the model open. ask(message) is answered by the next message of one of the types.
async function startEngine() {
    const [wasm, script, model] = await Promise.all([embedded("wasm"), embedded("worker"), embedded("model")]);
    const worker = new Worker(trusted(URL.createObjectURL(new Blob([script], { type: "text/javascript" }))));
    const ask = (message, expected) =>
        new Promise((resolve, reject) => {
            worker.onerror = (event) => reject(new Error(event.message));
            worker.onmessage = ({ data }) => {
                if (data.error) reject(new Error(data.error));
                else if (data.type === expected) resolve(data);
            };
            worker.postMessage(message);
        });
    await ask({ type: "boot", wasm }, "ready");
    await ask({ type: "open", file: model }, "opened");
    return ask;
}

let engine = null;

// Asks the model that the page carries.
export async function askModel(text, beam, penalty, say) {
    if (!engine) say("opening the model");
    engine ??= startEngine();
    const ask = await engine;
    return ask({ type: "report", text, beam, penalty }, "report");
}

// Adds an answer of the model to a report. Returns the index of its pair.
export async function addAnswer(report, { data, blob }) {
    const [json, weights] = await Promise.all([data, blob].map((bytes) => inflate(bytes, "deflate")));
    return report.add(JSON.parse(new TextDecoder().decode(json)), weights);
}

// ask(text, beam, penalty, say): promises the data and the blob of a report about this text, deflated, or rejects with an
// Error that says why not; say(text) tells what takes its time. added(index): the report has a new pair.
export function makeTyping(report, ask, added) {
    const closed = untilClosed();
    const text = textField({ id: "typed", size: 32, placeholder: "a new text" });
    const go = button("Write", { type: "submit" }),
        told = el("p.shown.aside", { role: "status" });

    const attempt = async () => {
        if (text.value.trim() === "" || go.disabled) return;
        go.disabled = true;
        told.textContent = "";
        try {
            const { beam, length_penalty: penalty } = report.about;
            const answer = await ask(text.value, beam, penalty, (now) => (told.textContent = now));
            await report.loadWeights();
            const index = await addAnswer(report, answer);
            if (closed.aborted) return;
            added(index);
            told.textContent = "";
        } catch (error) {
            told.textContent = error.message;
        }
        go.disabled = false;
    };
    return el(
        "form.typing.flow",
        {
            submit: (event) => {
                event.preventDefault();
                attempt();
            },
        },
        el("label.choice", el("span", "Try"), text),
        go,
        told,
    );
}
