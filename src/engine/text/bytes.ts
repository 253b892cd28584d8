// The byte-level alphabet: each byte as a printable character, as GPT-2's tokenizer writes them. Knows no tokenizer.
// Source: https://github.com/openai/gpt-2/blob/master/src/encoder.py, bytes_to_unicode.

function characters(): string[] {
  const printable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : next++));
}

/** The character of each byte. */
export const BYTE_CHARACTERS: readonly string[] = characters();

/** The byte of each character. */
export const CHARACTER_BYTES: ReadonlyMap<string, number> = new Map(BYTE_CHARACTERS.map((char, byte) => [char, byte]));

const utf8 = new TextEncoder();

/** Text in the byte-level alphabet: ' UP' is 'ĠUP'. */
export function toByteLevel(text: string): string {
  return Array.from(utf8.encode(text), (byte) => BYTE_CHARACTERS[byte]).join('');
}

/** The bytes of a byte-level token; a character outside the alphabet stands for its own UTF-8. */
export function fromByteLevel(token: string): Uint8Array {
  return Uint8Array.from(
    [...token].flatMap((char) => {
      const byte = CHARACTER_BYTES.get(char);
      return byte === undefined ? [...utf8.encode(char)] : [byte];
    }),
  );
}

/** The text with each lone half of a surrogate pair replaced by U+FFFD, as UTF-8 would write it. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
