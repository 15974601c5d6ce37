// The modules of a page become one file.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Script } from "node:vm";
import { REPORTS } from "./browser.js";
import { joinFiles, WEB } from "./join.js";

test("a module comes after all that it imports, without the words of modules", () => {
    const { text, stderr } = joinFiles({
        "main.js":
            'import {\n    b,\n    a,\n} from "./b.js";\nimport { c } from "./c.js";\n\nexport const main = [a, b, c]; // a; [b]\n',
        "b.js": 'import { c } from "./c.js";\nexport const a = 1;\nexport function b() {}\n',
        "c.js": "export class c {}\n",
        "look.css": "p { x: 1 }\n",
    });
    assert.equal(stderr, "");
    assert.match(
        text,
        /^[0-9a-f]{32}\|p \{ x: 1 \}\n\|\n\/\/ c\.js\nclass c \{\}\n\n\/\/ b\.js\nconst a = 1;\nfunction b\(\) \{\}\n\n\/\/ main\.js\nconst main = \[a, b, c\]; \/\/ a; \[b\]\n\|@DATA@$/,
    );
});

test("a style that another one imports replaces the import, and so does what that one imports", () => {
    const { text, stderr } = joinFiles({
        "main.js": "let x = 1;\n",
        "look.css": '@import "./shared.sheet";\np { x: 1 }\n',
        "shared.sheet": '@import "./first.sheet";\na { y: 2; z: 3 }\n',
        "first.sheet": "b { z: 4 }\n",
    });
    assert.equal(stderr, "");
    assert.match(text, /\|b \{ z: 4 \}\n\na \{ y: 2; z: 3 \}\n\np \{ x: 1 \}\n\|/);
});

test("a page can have the modules of the report, the playground and both together", () => {
    const modules = ["common", "playground", "report"].flatMap((folder) =>
        readdirSync(join(WEB, folder))
            .filter((name) => name.endsWith(".js"))
            .map((name) => `import {} from "../${folder}/${name}";\n`),
    );
    const { text, stderr } = joinFiles({ "main.js": `"use strict";\n${modules.join("")}` });
    assert.equal(stderr, "");
    new Script(/^[0-9a-f]{32}\|\|([^]*)\|@DATA@$/.exec(text)[1]);
});

for (const [what, files, message] of [
    [
        "a name of two modules",
        {
            "main.js": 'import { x } from "./b.js";\nconst same = x;\n',
            "b.js": "export const x = 1;\nfunction same() {}\n",
        },
        /main\.js: same\s+is declared by another/,
    ],
    [
        "a module that no other imports",
        { "main.js": "let x = 1;\n", "alone.js": "let y = 1;\n" },
        /alone\.js: no\s+module imports it/,
    ],
    [
        "the end of a script in a script",
        { "main.js": 'const x = "</script>";\n' },
        /found <\/script in a style or a module/,
    ],
]) {
    test(`${what} is an error`, () => {
        const { status, stderr } = joinFiles(files);
        assert.notEqual(status, 0);
        assert.match(stderr, message);
    });
}

test("the page has each placeholder once, and its nonce in its policy", () => {
    const text = readFileSync(join(REPORTS, "..", "..", "report.html"), "utf8");
    for (const one of ["@DATA@", "@BLOB@"]) assert.equal(text.split(one).length, 2);
    assert.doesNotMatch(text, /@(NONCE|STYLE|SCRIPT)@/);
    const nonce = /script-src 'nonce-([0-9a-f]{32})'/.exec(text)[1];
    assert.equal(text.split(`<script nonce="${nonce}">`).length, 2);
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function/);
});
