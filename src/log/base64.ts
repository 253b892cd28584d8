// Bytes as base64 text and back: standard alphabet, padded.
const SLICE = 0x6000;

export function toBase64(bytes: Uint8Array): string {
  const out: string[] = [];
  // A multiple of three bytes a slice, so that only the last one is padded.
  for (let at = 0; at < bytes.length; at += SLICE) {
    out.push(btoa(String.fromCharCode(...bytes.subarray(at, at + SLICE))));
  }
  return out.join('');
}

/** Throws DOMException (InvalidCharacterError) on anything else than base64. */
export function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
