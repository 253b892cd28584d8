// Rules are text files with {{name}} where a number is applied, so that what is printed is what is played.

/** Fills {{name}} from values; throws RangeError on a name without a value. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.trim().replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    if (!Object.hasOwn(values, name)) throw new RangeError(`no value for {{${name}}}`);
    return String(values[name]);
  });
}
