// What outlives the tab: models in training with their files and their data, in a database of the browser. Other pages that
// are opened from files have the same one, so each record names its page.
const DATABASE = "lookback workbench",
    MODELS = "models",
    DATA = "data";
let opened = null;

function promised(request) {
    return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}

function openDatabase() {
    opened ??= new Promise((resolve, reject) => {
        const request = indexedDB.open(DATABASE, 1);
        request.onupgradeneeded = () => {
            for (const name of [MODELS, DATA]) request.result.createObjectStore(name);
        };
        request.onsuccess = () => {
            request.result.onversionchange = () => request.result.close();
            resolve(request.result);
        };
        request.onerror = () => reject(request.error);
    });
    return opened;
}

// A transaction is done when it is complete, not when its requests are: only then is it on the disk.
async function change(name, work) {
    const database = await openDatabase();
    return new Promise((resolve, reject) => {
        const transaction = database.transaction(name, "readwrite");
        work(transaction.objectStore(name));
        transaction.oncomplete = () => resolve();
        transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
}

async function all(name) {
    const store = (await openDatabase()).transaction(name).objectStore(name);
    const [keys, values] = await Promise.all([promised(store.getAllKeys()), promised(store.getAll())]);
    return keys.map((key, i) => ({ key, ...values[i] }));
}

function keyOf(model) {
    return `${location.pathname} ${model.words.at(-1)}`;
}

// The sentence for who cannot keep anything; the training itself goes on.
function saysWhy(error) {
    return error?.name === "QuotaExceededError"
        ? "The storage of the browser is full, so this training is not kept; it goes on. Forget older ones, or keep this tab open until the end."
        : `The browser keeps nothing (${error?.message ?? error}), so this training ends with the tab.`;
}

async function mapFiles(files, change) {
    return Object.fromEntries(
        await Promise.all(Object.entries(files).map(async ([path, file]) => [path, await change(file)])),
    );
}

// Keeps the files to train on, once, as they are now. keepModel says what is wrong.
export async function keepData(model) {
    model.data = await mapFiles(model.data, (file) => new Response(new Blob([file]).stream()).blob());
    await change(DATA, (store) => store.put({ data: model.data }, keyOf(model))).catch(() => {});
}

// Keeps what the model is now. Returns "", or why it cannot. The files of a training are Blobs, since the thread of the
// page would copy bytes for tenths of a second.
export async function keepModel(model) {
    const { name, folder, words, roles, settings, measured, done } = model;
    const members = model.trainings.map((training) => ({
        member: training.member,
        folder: training.folder,
        files: done ? {} : training.files,
        done: training.state === "done",
    }));
    const blobs = Object.assign({}, ...model.trainings.map((training) => training.files)),
        used = Object.entries(done ? model.files : {}).map(([path, bytes]) => [path, blobs[path] ?? new Blob([bytes])]);
    const files = Object.fromEntries(used);
    const about = { page: location.pathname, name, folder, words, roles, settings, measured, done, when: Date.now() },
        record = { ...about, files, members };
    try {
        await change(MODELS, (store) => store.put(record, keyOf(model)));
        return "";
    } catch (error) {
        return saysWhy(error);
    }
}

// The models of this page, the last one first, with their data.
export async function keptModels() {
    const [models, data] = await Promise.all([all(MODELS), all(DATA)]);
    const dataOf = new Map(data.map((row) => [row.key, row.data]));
    return models
        .filter(({ key, page }) => page === location.pathname && dataOf.has(key))
        .map((model) => ({ ...model, data: dataOf.get(model.key) }))
        .sort((a, b) => b.when - a.when);
}

// One of them with the bytes of its own files.
export async function openKept(model) {
    return { ...model, files: await mapFiles(model.files, async (blob) => new Uint8Array(await blob.arrayBuffer())) };
}

export async function forgetModel(model) {
    for (const name of [MODELS, DATA]) await change(name, (store) => store.delete(keyOf(model))).catch(() => {});
}

// Of this page and of all others that are opened from files.
export async function forgetEverything() {
    for (const name of [MODELS, DATA]) await change(name, (store) => store.clear()).catch(() => {});
}
