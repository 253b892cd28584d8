// JSON from strangers: parsed, checked for repeated keys, validated against a schema. Knows no format.
import * as v from 'valibot';
import { CodedError } from '../../errors.ts';

/** JSON text whose value must be an object (no array). `what` names it in messages. Errors: model/bad-file. */
export function parseJsonObject(text: string, what: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CodedError('model/bad-file', `${what} is not JSON`, 'Is it the right file?', String(error));
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new CodedError('model/bad-file', `${what} is not a JSON object`, 'Is it the right file?');
}

/** The value as the schema says. Errors: model/bad-file, naming the first field that does not fit. */
export function validate<const S extends v.GenericSchema>(schema: S, value: unknown, what: string): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const issue = result.issues[0];
  const path = v.getDotPath(issue);
  throw new CodedError('model/bad-file', `${what}: ${path === null ? '' : `${path}: `}${issue.message}`);
}

/**
 * The first key that occurs twice in one object of valid JSON text, or null. JSON.parse keeps the last of the two in
 * silence, other readers the first, so a file with two of them means different things to different programs.
 */
export function repeatedKey(json: string): string | null {
  const open: (Set<string> | null)[] = []; // keys of each open object; null for an array
  for (let i = 0; i < json.length; i++) {
    const char = json[i]!;
    if (char === '{') open.push(new Set());
    else if (char === '[') open.push(null);
    else if (char === '}' || char === ']') open.pop();
    else if (char === '"') {
      const start = i;
      for (i++; json[i] !== '"'; i++) if (json[i] === '\\') i++;
      const keys = open.at(-1);
      let after = i + 1;
      while (' \t\n\r'.includes(json[after] ?? '-')) after++;
      if (!keys || json[after] !== ':') continue;
      const key: unknown = JSON.parse(json.slice(start, i + 1));
      if (typeof key !== 'string') continue;
      if (keys.has(key)) return key;
      keys.add(key);
    }
  }
  return null;
}
