// What is worked on: files with their roles, settings, trained models, and the command lines that they make.
const listeners = new Map();

// Calls work() after notify(what).
export function onChange(what, work) {
    listeners.set(what, [...(listeners.get(what) ?? []), work]);
}

export function notify(what) {
    for (const work of listeners.get(what) ?? []) work();
}

export const project = {
    options: [], // rows of workbench_options
    files: new Map(), // path: bytes or Blob
    roles: {}, // of ROLES: path
    settings: new Map(), // option: value, of those that were set
    votes: "", // the list of --ensemble; "": one model
    kept: [], // names of the models of earlier visits
    models: [], // trained ones and those in training, the first one first
    current: null, // the model that is used: { folder, files: {path: bytes}, sorts, made }
    own: new Map(), // own words: the lexicon that is made here
};

// What a file can be for: the option of train, and of data.
export const ROLES = {
    train: { text: "pairs to learn", train: "", data: "" },
    targets: { text: "their targets, line by line", train: "--train-targets", data: "--targets" },
    dev: { text: "pairs to measure on", train: "--dev", data: "--dev" },
    devTargets: { text: "the targets of these", train: "--dev-targets", data: "--dev-targets" },
    lexicon: { text: "words that are always right", train: "--lexicon", data: "--lexicon" },
};

const SHOWN_WHILE_TRAINING = 6; // held-out pairs

// Options of train that data has, too.
const OF_DATA = [
    "format",
    "source-column",
    "target-column",
    "features-column",
    "weight-column",
    "features-separator",
    "source-separator",
    "target-separator",
    "symbols",
    "normalize",
    "min-count",
    "skip-bad-lines",
];

function wordsOf(name, value) {
    const option = project.options.find((row) => row.name === name);
    if (!option) return [];
    if (option.rare) return ["--set", `${name}=${value}`];
    if (option.kind === "flag") return [value ? `--${name}` : `--no-${name}`];
    return [`--${name}`, String(value)];
}

export function settingWords(names) {
    return [...project.settings].flatMap(([name, value]) =>
        names === undefined || names.includes(name) ? wordsOf(name, value) : [],
    );
}

function roleWords(command) {
    return Object.entries(ROLES).flatMap(([role, row]) => {
        const path = project.roles[role];
        return path === undefined ? [] : row[command] === "" ? [path] : [row[command], path];
    });
}

export function dataWords() {
    return ["data", ...roleWords("data"), ...settingWords(OF_DATA)];
}

// Of a training in this folder, with some held-out pairs to look at while it trains.
export function trainWords(folder, list = project.votes) {
    const shown = project.settings.has("film") ? [] : ["--set", `film=${SHOWN_WHILE_TRAINING}`];
    const votes = list === "" ? [] : ["--ensemble", list];
    return ["train", ...roleWords("train"), ...settingWords(), ...shown, ...votes, "--out", folder];
}

// The files that have a role, {path: bytes or Blob}.
export function rolesFiles() {
    return Object.fromEntries(Object.values(project.roles).map((path) => [path, project.files.get(path)]));
}

// What evaluate and report measure on: the pairs that the training held out. null: it held none out, or there are no
// pairs, because the model was opened from a file.
export function measuredWords() {
    const { train, targets, dev, devTargets } = project.roles;
    if (dev === undefined && (train === undefined || project.settings.get("hold-out") === false)) return null;
    const beside = dev === undefined ? targets : devTargets;
    return [
        dev ?? train,
        ...(beside === undefined ? [] : ["--targets", beside]),
        ...(dev === undefined ? ["--held-out"] : []),
    ];
}

// A command line for a shell.
export function shellLine(words) {
    return ["lookback", ...words]
        .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
        .join(" ");
}
