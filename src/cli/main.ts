// The terminal program: finds the commands by glob, reads the arguments, turns errors into one line and an exit code.
import { CodedError, toErrorValue } from '../errors.ts';
import { Args, type Command, type Io } from './command.ts';

const modules = import.meta.glob<{ command: Command }>('./commands/*.ts');

/**
 * Codes that say how the program was asked, not what it found: exit 2. One that ends in a slash stands for its boundary.
 * A file or model that is missing was named by whoever asked.
 */
const BAD_USE = [
  'usage/',
  'settings/',
  'game/unknown',
  'plugin/unknown-arm',
  'plugin/unknown-variant',
  'log/missing',
  'log/exists',
  'import/not-a-log',
  'model/not-found',
  'gpu/unavailable',
];

export const exitCode = (code: string) =>
  BAD_USE.some((known) => (known.endsWith('/') ? code.startsWith(known) : code === known)) ? 2 : 1;

const names = Object.keys(modules)
  .map((path) => path.slice(path.lastIndexOf('/') + 1, -3))
  .sort();

export async function main(argv: string[], root: string): Promise<number> {
  const [name, ...rest] = argv;
  const interrupt = new AbortController();
  const io: Io = {
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
    stdin: process.stdin,
    root,
    signal: interrupt.signal,
  };
  // A reader that closes early (`| head`) is no fault of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  try {
    if (!name || name === 'help' || name === '--help' || name === '-h') {
      await help(io);
      return name ? 0 : 2;
    }
    const load = modules[`./commands/${name}.ts`];
    if (!load) throw new CodedError('usage/unknown-command', `no command ${name}`, `commands: ${names.join(', ')}`);
    const { command } = await load();
    if (rest.includes('--help')) {
      io.out(`s3 ${command.name} ${command.usage}\n${command.summary}`);
      return 0;
    }
    if (command.interruptible)
      process.on('SIGINT', () => (interrupt.signal.aborted ? process.exit(130) : interrupt.abort()));
    return await command.run(new Args(command, rest), io);
  } catch (error) {
    const { code, message, hint, detail } = toErrorValue(error, 'worker/unknown');
    io.err(`${code}: ${message}${hint ? ` (${hint})` : ''}`);
    if (process.env.S3_DEBUG && detail) io.err(detail);
    return exitCode(code);
  }
}

async function help(io: Io) {
  io.err('s3 COMMAND …');
  for (const name of names) {
    const { command } = await modules[`./commands/${name}.ts`]!();
    io.err(`  ${name} ${command.usage}\n      ${command.summary}`);
  }
}
