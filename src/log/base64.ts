// Bytes as base64 text and back. By hand, because `atob` of Node 20 reads a megabyte in a second.
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const SLICE = 0x6000;

const VALUES = new Uint8Array(128).fill(255);
for (let i = 0; i < 64; i++) VALUES[ALPHABET.charCodeAt(i)] = i;

/** Standard alphabet, padded. */
export function toBase64(bytes: Uint8Array): string {
  const out: string[] = [];
  // A multiple of three bytes a slice, so that only the last one is padded.
  for (let at = 0; at < bytes.length; at += SLICE) {
    out.push(btoa(String.fromCharCode(...bytes.subarray(at, at + SLICE))));
  }
  return out.join('');
}

/** Throws RangeError on anything else than padded base64. */
export function fromBase64(text: string): Uint8Array {
  if (text.length % 4 !== 0) throw new RangeError('not base64');
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  const value = (i: number) => {
    const found = i < text.length - padding ? (VALUES[text.charCodeAt(i)] ?? 255) : 0;
    if (found > 63) throw new RangeError('not base64');
    return found;
  };
  for (let i = 0, at = 0; i < text.length; i += 4, at += 3) {
    const word = (value(i) << 18) | (value(i + 1) << 12) | (value(i + 2) << 6) | value(i + 3);
    bytes[at] = word >> 16;
    bytes[at + 1] = (word >> 8) & 255;
    bytes[at + 2] = word & 255;
  }
  return bytes;
}
