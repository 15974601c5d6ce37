// What the page carries: compressed bytes in base64.
function bytesOfBase64(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const binary = atob(text),
        bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

export function canInflate() {
    return typeof DecompressionStream === "function";
}

// format: "deflate" or "gzip".
export async function inflate(bytes, format) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

// null if nothing has been put there.
async function bytesOfText(text, format) {
    const base64 = text.trim();
    return base64 === "" || base64.startsWith("@") ? null : inflate(bytesOfBase64(base64), format);
}

// The bytes in the element `id`.
export async function embedded(id) {
    const element = document.getElementById(id);
    return element && bytesOfText(element.textContent, element.dataset.encoding.split("+")[0]);
}

// The same of another page, a report, from its text.
export async function embeddedIn(page, id) {
    const at = page.indexOf(` id="${id}"`),
        from = page.indexOf(">", at) + 1;
    return at < 0 ? null : bytesOfText(page.slice(from, page.indexOf("<", from)), "deflate");
}
