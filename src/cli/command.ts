// What a terminal command is, and how its flags are read. Knows no command by name.
import { existsSync, statSync } from 'node:fs';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { CodedError } from '../errors.ts';

export interface Io {
  /** Results, one call a line. */
  out(line: string): void;
  /** Progress and messages. */
  err(line: string): void;
  stdin: NodeJS.ReadableStream;
  /** The repository's folder, for bundled models and data files. */
  root: string;
  /** Of commands that are `interruptible`: aborts on the first Ctrl-C; a second one ends the process. */
  signal: AbortSignal;
}

export interface Command {
  name: string;
  /** One line for the help. */
  summary: string;
  /** Usage after the name. */
  usage: string;
  flags: NonNullable<ParseArgsConfig['options']>;
  /** How many positional arguments are allowed: [least, most]. */
  positionals: [number, number];
  /** On Ctrl-C it ends by itself and keeps what it has; any other command is ended at once. */
  interruptible?: true;
  /** Resolves to the exit code: 0 done, 1 the thing asked about is wrong. What it throws gives 1, or 2 for bad use (main.ts). */
  run(args: Args, io: Io): Promise<number>;
}

/** Read-only access to parsed flags, with checks that throw usage/bad-value (exit 2). */
export class Args {
  readonly values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  readonly positionals: string[];

  constructor(command: Command, argv: string[]) {
    try {
      const parsed = parseArgs({ args: argv, options: command.flags, allowPositionals: true, strict: true });
      this.values = parsed.values;
      this.positionals = parsed.positionals;
    } catch (error) {
      throw new CodedError(
        'usage/bad-flag',
        (error as Error).message.split('\n')[0]!,
        `s3 ${command.name} ${command.usage}`,
      );
    }
    const [least, most] = command.positionals;
    if (this.positionals.length < least || this.positionals.length > most) {
      throw new CodedError(
        'usage/arguments',
        `${command.name} takes ${least === most ? least : `${least} to ${most}`} argument(s)`,
        `s3 ${command.name} ${command.usage}`,
      );
    }
  }

  text(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === 'string' ? value : undefined;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw new CodedError('usage/missing-flag', `--${name} is required`, 'see s3 help');
    return value;
  }

  flag(name: string): boolean {
    return this.values[name] === true;
  }

  list(name: string): string[] {
    const value = this.values[name];
    return Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];
  }

  oneOf<const T extends string>(name: string, choices: readonly T[], fallback?: T): T {
    const value = this.text(name) ?? fallback;
    if (value === undefined) this.required(name);
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw badValue(name, String(value), `one of ${choices.join(', ')}`);
    return found;
  }

  integer(name: string, fallback?: number, range: [number, number] = [0, Number.MAX_SAFE_INTEGER]): number {
    const text = this.text(name);
    if (text === undefined) {
      if (fallback === undefined) this.required(name);
      return fallback!;
    }
    const value = Number(text);
    const inside = /^-?\d+$/.test(text) && Number.isSafeInteger(value) && value >= range[0] && value <= range[1];
    if (!inside) throw badValue(name, text, `a whole number from ${range[0]} to ${range[1]}`);
    return value;
  }

  number(name: string, fallback: number, range: [number, number]): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (!(value >= range[0] && value <= range[1]))
      throw badValue(name, text, `a number from ${range[0]} to ${range[1]}`);
    return value;
  }
}

/** A file that was named on the command line. Errors: usage/no-file. */
export function requireFile(path: string, hint: string) {
  if (!existsSync(path)) throw new CodedError('usage/no-file', `no file ${path}`, hint);
  if (!statSync(path).isFile()) throw new CodedError('usage/no-file', `${path} is no file`, hint);
}

export function badValue(name: string, value: string, expected: string) {
  return new CodedError('usage/bad-value', `--${name} ${value}: expected ${expected}`, 'see s3 help');
}
