// TEST DATA: a player by rules of thumb, read off the short views, that gets better with an adapter or with hints. Its
// runs have every part that a model's run has, so that the page can be looked at without weights.
import { stream } from '../../games/rng.ts';
import { hashText } from '../../src/hash.ts';
import { scriptedModel } from '../../src/models/scripted/index.ts';
import type { CompletionRequest, LanguageModel, TrainingPort } from '../../src/models/types.ts';

const OPPOSITE: Record<string, string> = { UP: 'DOWN', DOWN: 'UP', LEFT: 'RIGHT', RIGHT: 'LEFT' };

export function rulesOfThumb(): LanguageModel {
  const skills = new Map<string, number>();
  const model = scriptedModel({
    name: 'nano',
    answer: (prompt, request) => {
      const rng = stream(request.sampling.seed, prompt.length);
      if (prompt.endsWith('Tips:')) {
        const advice = ['go to the nearest apple', 'never turn into a wall', 'look at what is free', 'keep a way out'];
        return ` retain: ${rng.pick(advice)}. avoid: going straight for long. next: ${rng.pick(advice)}.`;
      }
      if (request.forced) return ` ${rng.int(2)}`;
      return answer(prompt, skillOf(prompt, request), rng);
    },
  });
  const skillOf = (prompt: string, { adapter }: CompletionRequest) => {
    const learned = adapter === null ? 0.5 : (skills.get(adapter) ?? 0.5);
    const hints = /Tips:/.test(prompt) ? 0.12 : /Hint/.test(prompt) ? 0.04 : 0;
    return Math.min(0.95, learned + hints);
  };
  return {
    ...model,
    card: { ...model.card, title: 'nano', canTrain: true, parameters: 890_000 },
    training: fakeTraining(skills),
  };
}

function answer(prompt: string, skill: number, rng: ReturnType<typeof stream>): string {
  const state = prompt.slice(prompt.lastIndexOf('Env:'));
  const good = rng.next() < skill;
  const heading = /heading (\w+) free ([A-Z ]+?)(?: apple ([a-z]+)(\d+)(?: ([a-z]+)(\d+))?|$)/m.exec(state);
  if (heading) {
    const free = heading[2]!
      .trim()
      .split(' ')
      .filter((word) => word in OPPOSITE);
    const wanted = [heading[3], heading[5]].filter(Boolean).map((word) => word!.toUpperCase());
    const toward = wanted.find((word) => free.includes(word));
    const action = good
      ? (toward ?? free[0] ?? 'UP')
      : rng.pick(rng.next() < 0.06 ? Object.keys(OPPOSITE) : free.length ? free : ['UP']);
    const eats = wanted.length === 1 && heading[4] === '1' && wanted[0] === action;
    return ` Answer: ${action}, Score: ${rng.next() < 0.12 ? rng.int(2) : eats ? 1 : 0}`;
  }
  if (/round \w+ you/.test(state)) {
    const action = good ? 'collaborate' : rng.pick(['collaborate', 'cheat']);
    return ` Answer: ${action}, Score: ${action === 'cheat' ? 3 : 2}`;
  }
  const clear = /clear (\d+ \d+)/.exec(state);
  if (/piece/.test(state))
    return ` Answer: ${clear && good ? clear[1] : `${1 + rng.int(3)} ${rng.pick([0, 90])}`}, Score: ${clear ? 1 : 0}`;
  return ' I do not know this game.';
}

function fakeTraining(skills: Map<string, number>): TrainingPort {
  let under: { hash: string; step: number } | null = null;
  const norms = (n: number) => ({
    'layers.0.q_proj.lora_A': 4.1,
    'layers.0.q_proj.lora_B': 0.12 * n,
    'layers.1.v_proj.lora_B': 0.09 * n,
  });
  const count = (hash: string) => Math.round(((skills.get(hash) ?? 0.5) - 0.5) / 0.09);
  return {
    fresh: async (_lora, seed) => {
      const hash = hashText(`fresh ${seed}`);
      skills.set(hash, 0.5);
      return { hash, norms: norms(0) };
    },
    load: async ({ config }) => ({ hash: hashText(config), norms: norms(1) }),
    files: async (adapter) => ({ config: '{}', tensors: new TextEncoder().encode(adapter) }),
    start: async (hash) => void (under = { hash, step: 0 }),
    step: async (examples) => {
      under!.step++;
      const loss = 0.9 * Math.exp(-0.12 * (under!.step + 4 * count(under!.hash))) + 0.05 * ((under!.step * 7) % 3);
      return { loss, gradNorm: 1 / under!.step, tokens: examples.reduce((sum, one) => sum + one.ids.length, 0) };
    },
    finish: async () => {
      const hash = hashText(`after ${under!.hash}`);
      skills.set(hash, Math.min(0.92, (skills.get(under!.hash) ?? 0.5) + 0.09));
      return { adapter: { hash, norms: norms(count(hash)) }, optimizer: new Uint8Array([1, 2, 3]) };
    },
    release: async () => {},
    score: async (sequences) => sequences.map((ids) => ids.slice(1).map(() => -0.5)),
    baseHash: async () => hashText('base'),
  } as TrainingPort;
}
