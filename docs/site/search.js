/* The search: finds a text anywhere in the names of functions, types, fields and pages, and in the headings of the guide. Doxygen's own
 * search finds only how a name begins, and here all begin with "lb_". It uses the index that Doxygen writes: search/searchdata.js says
 * with which characters names begin, and for each there is a file that sets `searchData`. */

/* Each page of Doxygen's makes one of these, for a search box that is not there. */
function SearchBox() {}

(function () {
    const most = 40;
    let entries = null;

    function load(path) {
        return new Promise(function (done, failed) {
            const script = document.createElement("script");
            script.src = path;
            script.onload = done;
            script.onerror = failed;
            document.head.append(script);
        });
    }

    function add(name, url, where) {
        entries.push({name: name, lower: name.toLowerCase(), url: url, where: where});
    }

    function addHeadings(node, page) {
        const children = Array.isArray(node[2]) ? node[2] : [];
        if (page && node[1]) add(node[0], node[1], page);
        children.forEach(function (child) { addHeadings(child, node[0]); });
    }

    /* One file after the other: all of them set the same variable. */
    async function read() {
        if (entries) return;
        entries = [];
        await load("search/searchdata.js");
        for (let i = 0; i < indexSectionsWithContent[0].length; i++) {
            await load("search/all_" + i.toString(16) + ".js");
            searchData.forEach(function (entry) {
                entry[1].slice(1).forEach(function (place) {
                    add(entry[1][0], place[0].replace("../", ""), place[2].replace(/^(index|autotoc).*|\(\)$/, ""));
                });
            });
        }
        NAVTREE[0][2].forEach(function (page) { addHeadings(page, ""); });
    }

    /* A name itself comes first, then what it begins with, with or without "lb_", then what has it inside. */
    function rank(entry, text) {
        const place = entry.lower.indexOf(text);
        if (place < 0) return -1;
        const name = entry.lower.replace(/^lb_/, "");
        return name === text || entry.lower === text ? 0 : name.startsWith(text) || place === 0 ? 1 : 2;
    }

    function find(text) {
        const seen = new Set();
        return entries
            .map(function (entry) { return {entry: entry, rank: rank(entry, text)}; })
            .filter(function (hit) { return hit.rank >= 0 && !seen.has(hit.entry.url) && seen.add(hit.entry.url); })
            .sort(function (a, b) { return a.rank - b.rank || a.entry.name.length - b.entry.name.length; })
            .slice(0, most)
            .map(function (hit) { return hit.entry; });
    }

    function show(list, found) {
        list.replaceChildren.apply(list, found.map(function (entry) {
            const link = document.createElement("a"), where = document.createElement("small");
            link.href = entry.url;
            link.textContent = entry.name;
            where.textContent = entry.where;
            link.append(where);
            return link;
        }));
    }

    document.addEventListener("DOMContentLoaded", function () {
        const field = document.getElementById("search-field"), list = document.getElementById("search-results");
        async function search() {
            const text = field.value.trim().toLowerCase();
            await read();
            if (text === field.value.trim().toLowerCase()) show(list, text ? find(text) : []);
        }
        field.addEventListener("input", search);
        document.getElementById("search").addEventListener("keydown", function (event) {
            const links = Array.from(list.children), at = links.indexOf(document.activeElement);
            const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
            if (event.key === "Escape") { field.value = ""; show(list, []); field.focus(); }
            if (event.key === "Enter" && at < 0 && links.length) links[0].click();
            if (!step || !links.length) return;
            event.preventDefault();
            (links[at + step] || (step < 0 ? field : links[links.length - 1])).focus();
        });
    });
})();
