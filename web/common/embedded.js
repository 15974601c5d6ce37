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

// The bytes in the element `id`; null if nothing has been put there.
export async function embedded(id) {
    const element = document.getElementById(id),
        text = element?.textContent.trim() ?? "";
    if (text === "" || text.startsWith("@")) return null;
    return inflate(bytesOfBase64(text), element.dataset.encoding.split("+")[0]);
}
