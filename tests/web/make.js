// node make.js TEMPLATE FOLDER: fills the template with each made-up report.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataOf, fillTemplate, names } from "./reports.js";

const [template, folder] = process.argv.slice(2);
if (!folder) throw new Error("usage: node make.js TEMPLATE FOLDER");
mkdirSync(folder, { recursive: true });
for (const name of names)
    writeFileSync(join(folder, `${name}.html`), fillTemplate(readFileSync(template, "utf8"), dataOf(name)));
