// Untrusted text made safe for each rendering: a log may come from anyone.

/** Safe in text and in quoted attributes. */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (c) => entities[c]!).replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ');
}

/** No markup, no HTML, no line break of a text gets through. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[\\`*_[\]|~#]/g, '\\$&');
}

/** Without control characters (escape sequences, bidi overrides), so that a log cannot drive the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '�');
}
