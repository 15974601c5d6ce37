// A picture as a file: SVG that needs no style sheet, PNG, and its numbers as CSV.
const KEPT = [
    "fill",
    "stroke",
    "stroke-width",
    "stroke-opacity",
    "fill-opacity",
    "opacity",
    "stroke-dasharray",
    "stroke-linecap",
    "font-family",
    "font-size",
    "font-weight",
    "font-style",
    "text-anchor",
    "dominant-baseline",
    "visibility",
    "direction",
    "unicode-bidi",
    "paint-order",
    "stroke-linejoin",
];

// The looks of `node` and of all in it, from the style sheet to attributes.
function keepLooks(node, copy) {
    const style = getComputedStyle(node);
    if (style.display === "none") {
        copy.remove();
        return;
    }
    for (const name of KEPT) {
        const value = style.getPropertyValue(name);
        if (value !== "") copy.setAttribute(name, value);
    }
    copy.removeAttribute("class");
    copy.removeAttribute("tabindex");
    const children = [...copy.children];
    [...node.children].forEach((child, i) => keepLooks(child, children[i]));
}

// `cells` replaces the image of a heatmap by rectangles: vectors, for a paper.
export function standalone(picture, cells) {
    const copy = picture.cloneNode(true);
    document.body.append(copy);
    keepLooks(picture, copy);
    copy.remove();
    copy.querySelector("image[data-cells]")?.replaceWith(cells());
    const { width, height } = picture.viewBox.baseVal,
        paper = document.createElementNS(picture.namespaceURI, "rect");
    copy.setAttribute("xmlns", picture.namespaceURI);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    paper.setAttribute("width", width);
    paper.setAttribute("height", height);
    paper.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
    copy.prepend(paper);
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + new XMLSerializer().serializeToString(copy) + "\n";
}

export async function pngOf(text, width, height) {
    const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    try {
        const image = new Image();
        image.src = url;
        await image.decode();
        const canvas = document.createElement("canvas"),
            zoom = Math.min(2, 8000 / Math.max(width, height));
        canvas.width = Math.ceil(width * zoom);
        canvas.height = Math.ceil(height * zoom);
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        return await new Promise((done) => canvas.toBlob(done, "image/png"));
    } finally {
        URL.revokeObjectURL(url);
    }
}

export function csvOf(rows) {
    const field = (value) => (/[",\n\r]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
    return rows.map((row) => row.map((value) => field(String(value))).join(",")).join("\r\n") + "\r\n";
}

export function saveFile(name, content) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(content);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        // Some browsers have no clipboard for a page from a file, but still the old command.
        const area = document.createElement("textarea");
        area.value = text;
        document.body.append(area);
        area.select();
        const copied = document.execCommand("copy");
        area.remove();
        return copied;
    }
}

export function fileName(...parts) {
    return (
        parts
            .join("-")
            .normalize("NFKD")
            .replace(/[^\p{L}\p{N}.]+/gu, "-")
            .replace(/^[-.]+|[-.]+$/g, "")
            .toLowerCase() || "picture"
    );
}
