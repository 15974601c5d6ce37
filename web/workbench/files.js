// Files that are dropped, chosen, pasted or given as an example, and what each is for.
import { inflate } from "../common/embedded.js";
import { notify, project } from "./project.js";

const LOOKED_AT = 4096; // bytes at the beginning that tell what a file is

async function beginningOf(file) {
    return new Uint8Array(await file.slice(0, LOOKED_AT).arrayBuffer());
}

// A name that no folder and no option of a command line can be mistaken for, and that no other file has.
function nameOf(name) {
    const plain = name.replace(/[/\\\0]/g, "_").replace(/^[-.]+/, "") || "file";
    const dot = plain.lastIndexOf(".") > 0 ? plain.lastIndexOf(".") : plain.length;
    let free = plain === "out" ? "out_" : plain;
    for (let i = 2; project.files.has(free); i++) free = `${plain.slice(0, dot)}-${i}${plain.slice(dot)}`;
    return free;
}

// The file, or what gzip has packed into it.
export async function unzipped(file) {
    const [first, second] = await beginningOf(file);
    if (first !== 0x1f || second !== 0x8b) return file;
    const bytes = await inflate(file, "gzip").catch(() => {
        throw new Error(`${file.name}: found gzip data that end too early or are damaged`);
    });
    return new File([bytes], file.name.replace(/\.gz$/i, ""));
}

// A file of safetensors begins with the length of its header, eight bytes, and the header, which is JSON.
export async function isModel(file) {
    const bytes = await beginningOf(file);
    return file.name.toLowerCase().endsWith(".safetensors") || (bytes[8] === 0x7b && bytes[7] === 0 && bytes[6] === 0);
}

async function hasColumns(file) {
    const [line] = new TextDecoder().decode(await beginningOf(file)).split("\n");
    return line.includes("\t") || /\.(csv|jsonl|conllu?|tsv)$/i.test(file.name);
}

// Two files of texts without columns are sources and their targets.
async function roleOf(file) {
    const { roles } = project;
    if (roles.train === undefined) return "train";
    const beside = !(await hasColumns(file)) && !(await hasColumns(project.files.get(roles.train)));
    if (beside && roles.targets === undefined) return "targets";
    if (roles.dev === undefined) return "dev";
    return beside && roles.devTargets === undefined ? "devTargets" : undefined;
}

// Adds files, which are File objects, and gives those a role that have an obvious one.
export async function addFiles(files) {
    for (const given of files) {
        const file = await unzipped(given),
            path = nameOf(file.name);
        project.files.set(path, file);
        const role = await roleOf(file);
        if (role !== undefined) project.roles[role] = path;
    }
    notify("files");
}

export function giveRole(path, role) {
    for (const [name, has] of Object.entries(project.roles)) if (has === path) delete project.roles[name];
    if (role !== "") project.roles[role] = path;
    notify("files");
}

export function roleOfPath(path) {
    return Object.keys(project.roles).find((role) => project.roles[role] === path) ?? "";
}

// Another set of files begins: nothing of the former one is left.
export function forgetFiles() {
    project.files.clear();
    project.roles = {};
    project.settings.clear();
}
