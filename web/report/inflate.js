// What the program has put into the page: zlib streams in base64.
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

// The bytes in the element `id`; null if the program has put nothing there.
export async function embedded(id) {
    const text = document.getElementById(id)?.textContent.trim() ?? "";
    if (text === "" || text.startsWith("@")) return null;
    const stream = new Blob([bytesOfBase64(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}
