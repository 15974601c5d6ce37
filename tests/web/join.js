// Joins files to a page, as cmake does for the pages of web/. The page lies beside the folders of web/, as if it were one
// of them, so that its modules and styles can import theirs.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const { JOIN } = process.env;
export const WEB = join(dirname(JOIN), "..", "web");

// Files of these names and texts; the page holds what a page must.
export function joinFiles(files) {
    const home = mkdtempSync(join(tmpdir(), "lookback-join-")),
        folder = join(home, "page"),
        out = join(folder, "out");
    try {
        for (const name of readdirSync(WEB)) symlinkSync(join(WEB, name), join(home, name));
        mkdirSync(folder);
        for (const [name, text] of Object.entries({ "page.html": "@NONCE@|@STYLE@|@SCRIPT@|@DATA@", ...files }))
            writeFileSync(join(folder, name), text);
        const run = spawnSync(
            "cmake",
            ["-D", `FOLDER=${folder}`, "-D", "PAGE=page.html", "-D", "ENTRY=main", "-D", `OUT=${out}`, "-P", JOIN],
            { encoding: "utf8" },
        );
        return { ...run, text: run.status === 0 ? readFileSync(out, "utf8") : "" };
    } finally {
        rmSync(home, { recursive: true });
    }
}
