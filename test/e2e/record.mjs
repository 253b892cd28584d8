// Writes test/.results/recordings/*.jsonl and their index: what the screenshots and page tests replay.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const folder = join(root, 'test/.results/recordings');

const RUNS = [
  ['snake', 'snake-v1', {}],
  [
    'many',
    'snake-v1',
    {
      pathways: 'frozen,history,history-ranked,history-shuffled,summary,training,training-random,frozen-sharp'.split(
        ',',
      ),
      explore: 6,
      strict: 10,
      frozenReplicates: 2,
      development: 4,
    },
  ],
  ['trust', 'trust-v1', { games: ['trust-v1'], explore: 6, strict: 14 }],
  ...['tetris', 'chess', 'minesweeper', 'nullify', 'pvz'].map((name) => [
    name,
    `${name}-v1`,
    { games: [`${name}-v1`], experience: 'oracle', explore: 3, every: 3, strict: 4, pathways: ['frozen', 'history'] },
  ]),
];

/** Without token ids: the script's tokens are characters, and the page shows none. The chain no longer holds. */
const lean = (key, value) =>
  key === 'completionTokens' ? [] : key === 'promptTokens' && value ? { keep: 0, ids: [] } : value;

export async function record(names) {
  const server = await createServer({ root, appType: 'custom', logLevel: 'error', server: { middlewareMode: true } });
  try {
    const { record: play } = await server.ssrLoadModule('/test/e2e/record.ts');
    mkdirSync(folder, { recursive: true });
    const index = [];
    for (const [name, game, settings] of RUNS.filter(([run]) => !names || names.includes(run))) {
      const events = await play(settings);
      writeFileSync(join(folder, `${name}.jsonl`), events.map((event) => JSON.stringify(event, lean) + '\n').join(''));
      index.push({ file: `${name}.jsonl`, game, title: `nano on ${name}`, note: 'scripted player, for tests' });
      console.log(`${name}: ${events.length} events`);
    }
    writeFileSync(join(folder, 'index.json'), JSON.stringify(index, null, 2));
  } finally {
    await server.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await record(process.argv.slice(2).length ? process.argv.slice(2) : undefined);
