// The line protocol of `s3 env`, and what hostile input gets.
import { describe, expect, it } from 'vitest';
import { games } from '../../games/registry.ts';
import { createServer, requestLines } from './commands/env.ts';

type Answer = Record<string, unknown> & { error?: { code: string; message: string; hint: string } };
function open(reward = false) {
  const server = createServer({ reward });
  const raw = (line: string) => JSON.parse(server.answer(line)) as Answer;
  return { server, raw, ask: (request: unknown) => raw(JSON.stringify(request)) };
}
const trust = { op: 'reset', id: 'e1', game: 'trust-v1', preset: 'pocket', phase: 'strict', seed: 7 };

describe('the protocol', () => {
  it('lists every game with the bounds of its configurations', () => {
    const { games: listed } = open().ask({ op: 'list' }) as unknown as {
      games: { name: string; configs: unknown[] }[];
    };
    expect(listed.map(({ name }) => name)).toEqual([...games.keys()]);
    expect(listed.find(({ name }) => name === 'trust-v1')!.configs).toContainEqual({
      preset: 'pocket',
      phase: 'strict',
      stepCap: 10,
      scoreBounds: [-10, 30],
      stepRewardBounds: [-1, 3],
      scoreStep: 1,
    });
    for (const { configs } of listed) expect(configs).toHaveLength(4);
  });

  it('resets, steps to the end, and refuses to go on', () => {
    const { ask } = open();
    const begun = ask(trust);
    expect(Object.keys(begun)).toEqual(['id', 'instance', 'rules', 'observation']);
    expect(begun.instance).toMatch(/^[0-9a-f]{64}$/);
    expect(ask({ op: 'actions', id: 'e1' })).toEqual({ id: 'e1', actions: ['collaborate', 'cheat'] });
    for (let round = 1; round <= 10; round++) {
      const answer = ask({ op: 'step', id: 'e1', action: 'collaborate' });
      expect(Object.keys(answer)).toEqual(['id', 'observation', 'feedback', 'valid', 'terminated', 'truncated']);
      expect(answer).toMatchObject({ valid: true, terminated: round === 10, truncated: false });
    }
    expect(ask({ op: 'step', id: 'e1', action: 'cheat' }).error?.code).toBe('game/over');
    expect(ask({ op: 'actions', id: 'e1' })).toEqual({ id: 'e1', actions: [] });
    expect(ask(trust)).toEqual(begun);
  });

  it('shows rewards only when asked, and they are those that verify recomputes', () => {
    const { ask } = open(true);
    ask(trust);
    const rewards: unknown[] = [];
    let last: Answer = {};
    const actions = ['cheat', 'collaborate', 'cheat', 'END'];
    for (const action of actions) rewards.push((last = ask({ op: 'step', id: 'e1', action })).reward);
    const { game, preset, seed } = trust;
    const verified = ask({ op: 'verify', game, preset, phase: 'evaluation', seed, actions });
    expect(verified).toEqual({ score: last.score, success: last.success, rewards, steps: 4 });
  });

  it('accepts both words for a phase, text seeds, roles, splits and options', () => {
    const { ask } = open();
    const instance = (more: object) => ask({ ...trust, game: 'snake', ...more }).instance;
    expect(instance({ phase: 'exploration' })).toBe(instance({ phase: 'explore' }));
    expect(instance({ phase: 'evaluation' })).toBe(instance({ phase: 'strict' }));
    expect(instance({ seed: '7' })).toBe(instance({ seed: 7 }));
    expect(instance({ role: 'development' })).not.toBe(instance({}));
    expect(ask({ ...trust, split: 'unseen' }).error).toBeUndefined();
    expect(ask({ ...trust, phase: 'explore', options: { opponents: 'retaliating' } }).error).toBeUndefined();
  });

  it('interleaves episodes by id', () => {
    const { ask } = open();
    const lone = (id: string, seed: number) => {
      const other = open();
      other.ask({ ...trust, game: 'snake', id, seed });
      return ['UP', 'LEFT', 'UP'].map((action) => other.ask({ op: 'step', id, action }));
    };
    for (const [id, seed] of [['a', 1], ['__proto__', 2]] as const) ask({ ...trust, game: 'snake', id, seed }); // prettier-ignore
    const both: Record<string, Answer[]> = { a: [], b: [] };
    for (const action of ['UP', 'LEFT', 'UP']) {
      both.a!.push(ask({ op: 'step', id: 'a', action }));
      both.b!.push(ask({ op: 'step', id: '__proto__', action }));
    }
    expect(both.a).toEqual(lone('a', 1));
    expect(both.b).toEqual(lone('__proto__', 2));
  });

  it('null is no answer; an empty text is the game’s business', () => {
    const { ask } = open();
    ask({ ...trust, phase: 'explore' });
    expect(ask({ op: 'step', id: 'e1', action: null })).toMatchObject({
      valid: false,
      feedback: 'invalid: no answer line',
    });
    expect(ask({ op: 'step', id: 'e1', action: '' })).toMatchObject({
      valid: false,
      feedback: 'invalid: unknown word',
    });
    expect(ask({ op: 'step', id: 'e1' }).error?.code).toBe('usage/bad-request');
    ask({ ...trust, id: 'end' });
    expect(ask({ op: 'step', id: 'end', action: 'end' })).toMatchObject({ valid: true, terminated: true });
  });
});

describe('hostile input', () => {
  it.each([
    ['', 'usage/bad-json'],
    ['{', 'usage/bad-json'],
    ['null', 'usage/bad-request'],
    ['[]', 'usage/bad-request'],
    ['7', 'usage/bad-request'],
    ['{}', 'usage/bad-request'],
    ['{"op":"__proto__"}', 'usage/bad-request'],
    ['{"op":"constructor","id":"x"}', 'usage/bad-request'],
    ['{"__proto__":{"op":"list"}}', 'usage/bad-request'],
    ['{"op":"step","id":"__proto__","action":"UP"}', 'game/unknown-id'],
    ['{"op":"step","id":"toString","action":"UP"}', 'game/unknown-id'],
    ['{"op":"step","id":7,"action":"UP"}', 'usage/bad-request'],
    ['{"op":"reset","id":"e"}', 'usage/bad-request'],
    [JSON.stringify({ ...trust, game: '__proto__' }), 'game/unknown'],
    [JSON.stringify({ ...trust, game: 'chess-v999' }), 'game/unknown'],
    [JSON.stringify({ ...trust, phase: 'constructor' }), 'usage/bad-request'],
    [JSON.stringify({ ...trust, seed: 1.5 }), 'usage/bad-request'],
    [JSON.stringify({ ...trust, seed: null }), 'usage/bad-request'],
    [JSON.stringify({ ...trust, seed: 1e300 }), 'usage/bad-request'],
    [JSON.stringify({ ...trust, role: 'hasOwnProperty' }), 'usage/bad-request'],
    [JSON.stringify({ ...trust, game: 'snake', split: 'unseen' }), 'game/unknown-split'],
    [JSON.stringify({ ...trust, options: { opponents: 'nobody' } }), 'game/unknown-option'],
    ['{"op":"verify","game":"trust","preset":"pocket","phase":"strict","seed":1,"actions":"x"}', 'usage/bad-request'],
    [`${'['.repeat(100_000)}`, 'usage/bad-json'],
  ])('%.60s -> %s', (line, code) => {
    const { raw, ask } = open();
    const { error } = raw(line);
    expect(error?.code).toBe(code);
    expect(error?.message).toMatch(/^[^\n]+$/);
    expect(typeof error?.hint).toBe('string');
    expect(ask({ op: 'list' }).games).toBeDefined(); // lives on
  });

  it('long action texts and lists are data, not exceptions', () => {
    const { ask } = open();
    ask({ ...trust, phase: 'explore' });
    expect(ask({ op: 'step', id: 'e1', action: 'x'.repeat(500_000) })).toMatchObject({ valid: false });
    const { game, preset, seed } = trust;
    const actions = Array(5000).fill('cheat');
    expect(ask({ op: 'verify', game, preset, phase: 'strict', seed, actions })).toMatchObject({ steps: 10 });
  });

  it('lines are cut over any chunks, and a huge one is skipped whole', async () => {
    const chunks = ['{"a', '":"é', '"}\n\nlast', ' one\n', 'x'.repeat(30), 'y'.repeat(30), '\nafter'];
    const bytes = Buffer.from(chunks.join(''));
    async function* input() {
      for (let i = 0; i < bytes.length; i += 3) yield bytes.subarray(i, i + 3); // cuts é in two
    }
    const lines = [];
    for await (const line of requestLines(input(), 40)) lines.push(line);
    expect(lines).toEqual(['{"a":"é"}', '', 'last one', null, 'after']);
  });
});
